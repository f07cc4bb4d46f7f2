"""How well clusters, and the species that they are named after, agree with the truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from algorithms.metrics import normalized_mutual_info, purity
from birdmodes.evaluation.truth import Match


@dataclass(frozen=True)
class ClusterScores:
    """How well clusters agree with the truth, over the syllables that match it.

    Attributes
    ----------
    n_matched : int
        Syllables that the scores are over. Those of them without a true species, or without a
        true mode, are left out of the scores that need it; None stands for a score over nothing.
    species_purity, species_nmi : float or None
        Purity and normalised mutual information of the clusters against the true species.
    mode_purity, mode_nmi : float or None
        The same against the true modes; a mode is a pair of species and mode name.
    species_accuracy : float or None
        Share of the syllables whose cluster is named after their true species.
    n_modes_judged : int
        Clusters that have a species' name and some syllable with a true species.
    modes_named_right : float or None
        Share of these whose name is their commonest true species.
    """

    n_matched: int
    species_purity: float | None
    species_nmi: float | None
    mode_purity: float | None
    mode_nmi: float | None
    species_accuracy: float | None
    n_modes_judged: int
    modes_named_right: float | None


def score_clusters(
    match: Match, truth: pd.DataFrame, cluster: npt.ArrayLike, species: Sequence[str]
) -> ClusterScores:
    """Score clusters of syllables, and the species they were named after.

    Parameters
    ----------
    match : Match
        From `match_syllables`.
    truth : pandas.DataFrame
        The same table as given there.
    cluster : array_like of int, shape (n_syllables,)
        Cluster of each syllable, in the order given there.
    species : sequence of str, length n_syllables
        Species given to each syllable's cluster; empty if none (background).

    Raises
    ------
    ValueError
        If `cluster` and `species` do not have one entry per syllable.
    """
    frame = pd.DataFrame({"cluster": np.asarray(cluster), "named": list(species)})
    if len(frame) != len(match.truth_row):
        raise ValueError(f"{len(frame)} clusters for {len(match.truth_row)} matched syllables")
    frame["named"] = frame["named"].fillna("")
    matched = match.truth_row >= 0
    rows = truth.iloc[match.truth_row[matched]]
    frame = frame[matched].assign(species=rows["species"].array, mode=rows["mode"].array)
    known = frame[frame["species"] != ""]
    modes = known[known["mode"] != ""]
    true_modes = modes["species"] + "\0" + modes["mode"]
    right = _modes_named_right(known[known["named"] != ""])
    return ClusterScores(
        n_matched=len(frame),
        **_agreement("species", known["species"], known["cluster"]),
        **_agreement("mode", true_modes, modes["cluster"]),
        species_accuracy=_mean(known["named"] == known["species"]),
        n_modes_judged=len(right),
        modes_named_right=_mean(right),
    )


def _agreement(name: str, true: pd.Series[str], cluster: pd.Series[int]) -> dict[str, float | None]:
    if true.empty:
        return {f"{name}_purity": None, f"{name}_nmi": None}
    codes = np.unique(true.to_numpy(dtype=str), return_inverse=True)[1]
    return {
        f"{name}_purity": float(purity(codes, cluster.to_numpy())),
        f"{name}_nmi": float(normalized_mutual_info(codes, cluster.to_numpy())),
    }


def _modes_named_right(named: pd.DataFrame) -> list[bool]:
    """Whether each cluster's name is its commonest true species (of several, the first by name)."""
    return [
        bool(members["species"].mode().iloc[0] == members["named"].iloc[0])
        for _, members in named.groupby("cluster")
    ]


def _mean(values: Sequence[bool] | pd.Series[bool]) -> float | None:
    return float(np.mean(values)) if len(values) else None
