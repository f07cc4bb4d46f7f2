"""Figures of a clustering that need no truth; see docs/metrics.md."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt
import pandas as pd

from algorithms import Bags
from algorithms.disambiguation.cluster_species import ClusterSpecies
from algorithms.metrics import adjusted_rand_index, mean_silhouette

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def mode_metrics(
    bags: Bags,
    cluster: Ints,
    modes: pd.DataFrame,
    found: ClusterSpecies,
    *,
    seed: int,
    repetitions: Iterable[Ints],
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
    found : ClusterSpecies
        Species of the clusters.
    seed : int
        Of the sample that the silhouette of many syllables is taken over.
    repetitions : iterable of ndarray of int, shape (n_instances,)
        Clusters of runs that differ in their seed; may be empty.

    Returns
    -------
    dict
        Name to number, None where it is not defined.
    """
    by_cluster = modes.sort_values("cluster")
    in_mode = (by_cluster["mode"] != "").to_numpy()[cluster]
    checkable = in_mode & bags.labelled[bags.bag]
    in_bag = bags.labels[bags.bag[checkable], found.species[cluster[checkable]]]
    values = {
        "clusters": int(cluster.max()) + 1,
        "modes": int((modes["mode"] != "").sum()),
        "silhouette": _silhouette(bags.X, cluster, seed),
        "stability": _stability(cluster, repetitions),
        "label_agreement": float(in_bag.mean()) if in_bag.size else None,
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
    number = {name: position for position, name in enumerate(bags.class_names)}
    species = np.array([number.get(name, -1) for name in assignments["species"]], dtype=np.int64)
    cluster = np.unique(assignments["cluster"].to_numpy(), return_inverse=True)[1].astype(np.int64)
    checkable = (assignments["mode"] != "").to_numpy() & bags.labelled[bags.bag]
    of_nobody = np.column_stack([bags.labels, np.zeros(bags.n_bags, dtype=bool)])
    in_bag = of_nobody[bags.bag[checkable], species[checkable]]
    noise = assignments["cluster"].isin(modes.loc[modes["background"], "cluster"])
    changed = {
        "clusters": len(modes),
        "modes": int((modes["mode"] != "").sum()),
        "silhouette": _silhouette(bags.X, cluster, seed),
        "label_agreement": float(in_bag.mean()) if in_bag.size else None,
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
    return mean_silhouette(X, cluster, random_state=seed)


def _stability(cluster: Ints, repetitions: Iterable[Ints]) -> float | None:
    """Mean adjusted Rand index between the clustering and others that differ in the seed."""
    agreement = [adjusted_rand_index(cluster, labels) for labels in repetitions]
    return float(np.mean(agreement)) if agreement else None
