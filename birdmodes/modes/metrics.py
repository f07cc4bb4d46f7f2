"""Figures of a clustering that need no truth; see docs/metrics.md."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt
import pandas as pd

from algorithms import Bags
from algorithms.metrics import adjusted_rand_index, mean_silhouette
from birdmodes.modes.left_out import NameFit

_ENOUGH = 2000  # syllables that the silhouette is taken over

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def mode_metrics(
    bags: Bags,
    cluster: Ints,
    modes: pd.DataFrame,
    *,
    seed: int,
    repetitions: Iterable[Ints],
    left_out: NameFit | None = None,
) -> dict[str, float | None]:
    """How good a clustering is, as far as that can be told without truth.

    Parameters
    ----------
    bags : Bags
        What was clustered.
    cluster : ndarray of int, shape (n_instances,)
        Clusters, from 0.
    modes : pandas.DataFrame
        From `birdmodes.modes.tables.mode_table`.
    seed : int
        Of the sample that the silhouette of many syllables is taken over.
    repetitions : iterable of ndarray of int, shape (n_instances,)
        Clusters of runs that differ in their seed; may be empty.
    left_out : NameFit, optional
        How often names fit the lists of left-out recordings, if that is known.

    Returns
    -------
    dict
        Name to number, None where it is not defined.
    """
    by_cluster = modes.sort_values("cluster")
    values = {
        "clusters": int(cluster.max()) + 1,
        "modes": int((modes["mode"] != "").sum()),
        "silhouette": _silhouette(bags.X, cluster, seed),
        "stability": _stability(cluster, repetitions),
        **({} if left_out is None else left_out.metrics()),
        "background_share": float(by_cluster["background"].to_numpy()[cluster].mean()),
        "unlabelled_bag_share": float((~bags.labelled).mean()),
    }
    return {key: None if value is None else round(value, 6) for key, value in values.items()}


def metrics_after_review(
    bags: Bags,
    assignments: pd.DataFrame,
    modes: pd.DataFrame,
    metrics: dict[str, float | None],
    *,
    seed: int,
) -> dict[str, float | None]:
    """What remains of a clustering's metrics, or becomes of them, when a person has corrected it.

    Parameters
    ----------
    bags : Bags
        What was clustered.
    assignments, modes : pandas.DataFrame
        The corrected tables of a `birdmodes.modes.clustering.Clustering`.
    metrics : dict
        From `mode_metrics`. The stability is that of the method and stays; scores against a truth
        no longer hold and are left out.
    seed : int
        As for `mode_metrics`.

    Returns
    -------
    dict
        With one more, the number of ``reviewed_syllables``.
    """
    cluster = np.unique(assignments["cluster"].to_numpy(), return_inverse=True)[1].astype(np.int64)
    noise = assignments["cluster"].isin(modes.loc[modes["background"], "cluster"])
    changed = {
        "clusters": len(modes),
        "modes": int((modes["mode"] != "").sum()),
        "silhouette": _silhouette(bags.X, cluster, seed),
        "background_share": float(noise.mean()),
    }
    kept = {key: value for key, value in metrics.items() if not key.startswith("truth_")}
    rounded = {key: None if value is None else round(value, 6) for key, value in changed.items()}
    reviewed = int((assignments["review"] != "").sum())
    return {**kept, **rounded, "reviewed_syllables": reviewed}


def _silhouette(X: Floats, cluster: Ints, seed: int) -> float | None:
    n_clusters = int(cluster.max()) + 1
    if not 2 <= n_clusters < len(cluster):
        return None
    return mean_silhouette(X, cluster, max_instances=_ENOUGH, random_state=seed)


def _stability(cluster: Ints, repetitions: Iterable[Ints]) -> float | None:
    """Mean adjusted Rand index between the clustering and others that differ in the seed."""
    agreement = [adjusted_rand_index(cluster, labels) for labels in repetitions]
    return float(np.mean(agreement)) if agreement else None
