"""Questions whose answers name whole clusters: about syllables that stand for many of theirs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

BATCH = 10
"""Suggestions are shown ten at a time ..."""

PER_CLUSTER = 3
"""... with at most so many of a cluster ..."""

PER_RECORDING = 2
"""... and of a recording, as far as there are others."""

PARTS_EVERY = 5
"""One of so many questions is about a part of a cluster that may be a mode of its own."""

_SAMPLE = 500  # syllables that stand for all of a cluster
_LEAST = 0.01  # doubt of a sure name


def representatives(
    points: Floats,
    assignments: pd.DataFrame,
    known: Bools,
    limit: int,
    shares: Floats | None = None,
    parts: Sequence[Ints] = (),
) -> Ints:
    """Choose syllables that tell which species clusters are of, where that is in doubt.

    For methods that name a cluster by the lists of its recordings: there an answer about a typical
    syllable mends the name of all. Clusters take turns, each next question going to the one with
    the largest n d / (a + 1): n syllables, a answers or questions so far, and the doubt d, which is
    1 less by how much the share of its commonest species exceeds that of the next one; that of
    clusters without a species is the mean of the others, a syllable each counting once. In a
    cluster the syllable is chosen that stands best for those which none chosen or known stands for:
    the greatest sum of max(0, k_ij - c_j), k_ij = exp(-d_ij^2 / h^2), h^2 the median of d_ij^2, and
    c_j the largest k_ij so far. So the first is in the middle, and the next ones are elsewhere.

    Lists are sure of clusters in which two modes of a species were never separated. So each fifth
    question is about the syllable that stands best for one of `parts`, as long as there are some
    that nobody was asked about.

    Parameters
    ----------
    points : ndarray, shape (n_syllables, n_columns)
        Where syllables lie that the clusters are of.
    assignments : pandas.DataFrame
        Columns cluster, recording, mode and confidence.
    known : ndarray of bool, shape (n_syllables,)
        What is not asked about.
    limit : int
        How many at most.
    shares : ndarray, shape (n_clusters, n_species), optional
        Share of each species in the clusters of these numbers, from 0. For clusters without it d is
        the mean of what confidences lack to 1.
    parts : sequence of ndarray of int64
        Rows of each part of a cluster that may be a mode of its own, the most important first.

    Returns
    -------
    ndarray of int64
        Rows in the order of asking; of each ten at most `PER_CLUSTER` of a cluster and
        `PER_RECORDING` of a recording, as far as there are others.
    """
    cluster, recording = (
        np.unique(assignments[name].to_numpy(), return_inverse=True)[1]
        for name in ("cluster", "recording")
    )
    worth = np.bincount(cluster) * _doubts(cluster, assignments, shares)
    asked = np.bincount(cluster[known], minlength=len(worth))
    groups: dict[int, _Group] = {}
    unheard = [part for part in parts if not known[part].any()]
    chosen: list[int] = []
    n_open = int((~known).sum())
    while len(chosen) < min(limit, n_open):
        batch = chosen[len(chosen) - len(chosen) % BATCH :]
        full = is_full(cluster, batch, PER_CLUSTER) | is_full(recording, batch, PER_RECORDING)
        free = ~known
        free[chosen] = False
        if (free & ~full).any():
            free &= ~full
        part = None
        if len(chosen) % PARTS_EVERY == PARTS_EVERY - 1:
            part = next((one for one in unheard if free[one].any()), None)
        if part is None:
            is_open = np.bincount(cluster[free], minlength=len(worth)) > 0
            name = int(np.where(is_open, worth / (asked + 1), -1.0).round(9).argmax())
        else:
            name = int(cluster[part[0]])
        if name not in groups:
            groups[name] = _Group.of(points, np.flatnonzero(cluster == name), known)
        if part is None:
            row = groups[name].take(free)
        else:
            row = _Group.of(points, part, known).take(free)
            groups[name].cover(row)
        chosen.append(row)
        asked[name] += 1
        unheard = [one for one in unheard if row not in one]
    return np.array(chosen, dtype=np.int64)


def is_full(group: Ints, batch: list[int], most: int) -> Bools:
    """Which rows are of a group that has as many in the batch as it may."""
    return np.asarray(np.bincount(group[batch], minlength=int(group.max()) + 1)[group] >= most)


def spread_over(rows: Ints, count: int) -> Ints:
    """At most `count` of the rows, evenly spaced."""
    if len(rows) <= count:
        return rows
    return rows[np.linspace(0, len(rows) - 1, count).round().astype(np.int64)]


def squared_distances(one: Floats, other: Floats) -> Floats:
    """Squared distances of the rows of two tables."""
    squared = (one**2).sum(axis=1)[:, None] - 2 * one @ other.T + (other**2).sum(axis=1)
    return np.asarray(np.maximum(squared, 0.0))


def _doubts(cluster: Ints, assignments: pd.DataFrame, shares: Floats | None) -> Floats:
    """How doubtful the name of each cluster is, of those that there are."""
    table = pd.DataFrame(
        {
            "number": assignments["cluster"].to_numpy(),
            "named": (assignments["mode"] != "").to_numpy(),
            "open": 1.0 - np.clip(assignments["confidence"].to_numpy(dtype=float), 0.0, 1.0),
        }
    )
    means = table.groupby(cluster).mean()
    open_share = means["open"].to_numpy()
    doubt = open_share.copy()
    if shares is not None and shares.shape[1] > 1:
        ranked = np.sort(shares, axis=1)
        number = means["number"].to_numpy(dtype=np.int64)
        listed = number < len(shares)
        doubt[listed] = 1.0 - (ranked[:, -1] - ranked[:, -2])[number[listed]]
    # Where all are sure a person has named the cluster, or lists leave no other species.
    doubt[open_share < 1e-9] = 0.0
    named = means["named"].to_numpy() == 1
    sizes = np.bincount(cluster) * named
    mean = float(doubt @ sizes) / max(1, int(sizes.sum()))
    return np.maximum(np.where(named, doubt, mean), _LEAST)


@dataclass(eq=False)
class _Group:
    """The syllables of a cluster, and how well those chosen stand for them.

    Attributes
    ----------
    points : ndarray, shape (n_syllables, n_columns)
        All syllables.
    rows : ndarray of int64
        Those of the cluster.
    sample : ndarray of int64
        Some of them, which stand for all.
    squared_width : float
        h^2.
    covered : ndarray, shape (len(sample),)
        c_j.
    """

    points: Floats
    rows: Ints
    sample: Ints
    squared_width: float
    covered: Floats

    @classmethod
    def of(cls, points: Floats, rows: Ints, known: Bools) -> _Group:
        sample = spread_over(rows, _SAMPLE)
        squared = squared_distances(points[sample], points[sample])
        apart = squared[squared > 1e-9]
        width = float(np.median(apart)) if len(apart) else 1.0
        group = cls(points, rows, sample, width, np.zeros(len(sample)))
        told = spread_over(rows[known[rows]], _SAMPLE)
        if len(told):
            group.covered = group._likeness(told).max(axis=0)
        return group

    def take(self, free: Bools) -> int:
        """Choose the best of the free ones; what it stands for is covered then."""
        candidates = spread_over(self.rows[free[self.rows]], _SAMPLE)
        likeness = self._likeness(candidates)
        gain = np.maximum(likeness - self.covered, 0.0).sum(axis=1).round(9)
        best = int(candidates[int(gain.argmax())])
        self.cover(best)
        return best

    def cover(self, row: int) -> None:
        """Take into account that a syllable is asked about."""
        self.covered = np.maximum(self.covered, self._likeness(np.array([row]))[0])

    def _likeness(self, rows: Ints) -> Floats:
        squared = squared_distances(self.points[rows], self.points[self.sample])
        return np.asarray(np.exp(-squared / self.squared_width))
