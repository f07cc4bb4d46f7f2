"""What a reviewer may be offered: how to split a cluster, and which syllables to look at next."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from algorithms.threads import one_thread
from birdmodes.review.representatives import (
    BATCH,
    PER_CLUSTER,
    PER_RECORDING,
    is_full,
    representatives,
    spread_over,
    squared_distances,
)

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

GROUPS = (2, 3, 4)
"""Into how many groups splits are offered."""

LIMIT = 200
"""Syllables that are suggested at most."""

DOUBTFUL = 4
"""So many of each ten are asked because the clustering is unsure of them ..."""

NAMES_SYLLABLES = ("", "ldc", "mimlca")
"""Methods that name each syllable; the others name clusters, by the lists of their recordings."""

_STEPS = 25  # of k-means
_BLOCK = 4096
_BORDER_SHARE = 0.1  # of uncertainty
_SAMPLE = 1000  # syllables that stand for all when it is asked what an answer tells about others


def split_suggestions(embedding: npt.ArrayLike, cluster: npt.ArrayLike) -> dict[int, Ints]:
    """Split every cluster into two, three and four groups.

    The group with the largest spread is cut in two along its principal axis, and all groups of the
    cluster are then brought to rest by k-means; three groups are made from two, and four from
    three. No seed is involved.

    Parameters
    ----------
    embedding : array_like, shape (n_syllables, n_columns)
        From `birdmodes.modes.model.clustering_space`.
    cluster : array_like of int, shape (n_syllables,)
        Cluster of each syllable.

    Returns
    -------
    dict of int to ndarray of int64, shape (n_syllables,)
        By the number of groups: the group of each syllable within its cluster, 0 for the largest.
        A cluster with fewer different syllables has fewer groups.
    """
    points = np.asarray(embedding, dtype=np.float64)
    labels = np.asarray(cluster)
    groups = {k: np.zeros(len(labels), dtype=np.int64) for k in GROUPS}
    # Sums split over threads differ in their last bits.
    with one_thread():
        for name in np.unique(labels):
            members = np.flatnonzero(labels == name)
            found = np.zeros(len(members), dtype=np.int64)
            own = points[members] - points[members].mean(axis=0)
            for k in GROUPS:
                found = _largest_first(_settle(own, _cut_widest(own, found)))
                groups[k][members] = found
    return groups


def _cut_widest(points: Floats, group: Ints) -> Ints:
    """Cut the group with the largest sum of squares in two along its principal axis."""
    spreads = [
        float(((own - own.mean(axis=0)) ** 2).sum())
        for own in (points[group == name] for name in range(int(group.max()) + 1))
    ]
    widest = int(np.argmax(spreads))
    if spreads[widest] <= 1e-12:
        return group
    inside = np.flatnonzero(group == widest)
    own = points[inside] - points[inside].mean(axis=0)
    axis = np.linalg.eigh(own.T @ own)[1][:, -1]
    axis = axis * np.sign(axis[np.argmax(np.abs(axis).round(9))])
    beyond = inside[(own @ axis).round(9) > 0]
    cut = group.copy()
    cut[beyond] = group.max() + 1
    return cut


def _settle(points: Floats, group: Ints) -> Ints:
    """Lloyd's steps of k-means; a group that loses all its points stays empty.

    The groups of ``sklearn.cluster.KMeans`` from the same start, in a fifth of its time for the
    few hundred points of a cluster.
    """
    k = int(group.max()) + 1
    for _ in range(_STEPS):
        member = (group[:, None] == np.arange(k)).astype(np.float64)
        sizes = member.sum(axis=0)
        centres = (member.T @ points) / np.maximum(sizes, 1)[:, None]
        distance = (centres**2).sum(axis=1) - 2 * points @ centres.T
        distance[:, sizes == 0] = np.inf
        nearest = distance.round(9).argmin(axis=1)
        if (nearest == group).all():
            break
        group = nearest
    return group


def _largest_first(group: Ints) -> Ints:
    """Number the groups by size, of equal ones the one whose first member comes first."""
    _, first, place, sizes = np.unique(
        group, return_index=True, return_inverse=True, return_counts=True
    )
    number = np.empty(len(sizes), dtype=np.int64)
    number[np.lexsort((first, -sizes))] = np.arange(len(sizes))
    return number[place]


def smaller_parts(points: Floats, cluster: Ints) -> list[Ints]:
    """Smaller parts of the clusters cut in two, where these may be modes of their own.

    Parameters
    ----------
    points : ndarray, shape (n_syllables, n_columns)
        From `birdmodes.modes.model.clustering_space`.
    cluster : ndarray, shape (n_syllables,)
        Cluster of each syllable.

    Returns
    -------
    list of ndarray of int64
        Rows of each part that has half of an average cluster's syllables or more, the largest part
        first; of clusters of more than 1,000 syllables, of a sample.
    """
    labels, sizes = np.unique(cluster, return_inverse=True, return_counts=True)[1:]
    least = len(labels) / (2 * max(1, len(sizes)))
    found: list[tuple[float, Ints]] = []
    for name in np.flatnonzero(sizes >= 2 * least):
        rows = spread_over(np.flatnonzero(labels == name), _SAMPLE)
        own = points[rows] - points[rows].mean(axis=0)
        group = _settle(own, _cut_widest(own, np.zeros(len(rows), dtype=np.int64)))
        part = rows[_largest_first(group) == 1]
        found.append((len(part) / len(rows) * int(sizes[name]), part))
    found.sort(key=lambda one: -one[0])
    return [part for size, part in found if size >= least]


def label_next(
    embedding: npt.ArrayLike,
    assignments: pd.DataFrame,
    *,
    reviewed: Collection[str] = (),
    limit: int = LIMIT,
    method: str = "",
    shares: npt.ArrayLike | None = None,
) -> Ints:
    r"""Choose the syllables whose answer would help most.

    Each syllable j has an *uncertainty* u_j, see `uncertainty`, and an answer for i is taken to
    tell about j as far as they are alike: k_ij = exp(-d_ij^2 / h^2), with h such that a syllable
    stands for about one in `LIMIT` of all. The syllables are chosen one after the other, each the
    one with the largest gain

        u_i sum_j u_j max(0, k_ij - c_j),

    with c_j the largest k_ij of those chosen or reviewed so far, which makes them uncertain,
    representative, and different from each other. That is asked of `DOUBTFUL` of each ten. The
    others are to show what a clustering is sure of and wrong about, as where two modes were never
    separated: they are chosen likewise, with all u = 1. The sum is over a sample of 1,000. Of each
    ten, at most three are of a cluster and two of a recording, as far as there are others.

    Where clusters are named by the lists of their recordings, not syllable by syllable, answers
    mend the names of clusters, see :func:`birdmodes.review.representatives.representatives`; one of
    five is about a part of a cluster that may be a mode of its own (`smaller_parts`).

    Parameters
    ----------
    embedding : array_like, shape (n_syllables, n_columns)
        From `birdmodes.modes.model.clustering_space`.
    assignments : pandas.DataFrame
        A row for each row of `embedding`, with columns syllable, recording, cluster, mode and
        confidence, and review where it has been reviewed.
    reviewed : collection of str
        Further syllables about which answers are known.
    limit : int
        How many at most.
    method : str
        What made the clustering.
    shares : array_like, shape (n_clusters, n_species), optional
        Share of each species in each cluster, by the lists of their recordings.

    Returns
    -------
    ndarray of int64
        Rows, the most useful first; none that was reviewed.

    References
    ----------
    Wei, Iyer & Bilmes, Submodularity in data subset selection and active learning, ICML 2015, for
    uncertainty combined with facility location.
    """
    known = _known(assignments, reviewed)
    if known.all() or limit < 1:
        return np.empty(0, dtype=np.int64)
    with one_thread():
        points = np.asarray(embedding, dtype=np.float64)
        if method not in NAMES_SYLLABLES:
            told = None if shares is None else np.asarray(shares, dtype=np.float64)
            parts = smaller_parts(points, assignments["cluster"].to_numpy())
            return representatives(points, assignments, known, limit, told, parts)
        return _most_useful(points, assignments, known, limit)


def _most_useful(
    points: Floats, assignments: pd.DataFrame, known: npt.NDArray[np.bool_], limit: int
) -> Ints:
    open_rows = np.flatnonzero(~known)
    doubt = uncertainty(points, assignments)
    sample = spread_over(np.arange(len(points)), _SAMPLE)
    like = _Likeness.to(points[sample])
    covered = like.largest(points[spread_over(np.flatnonzero(known), _SAMPLE)])
    open_share = doubt[sample] * (1.0 - covered)
    worth = doubt[open_rows] * like.weighted(points[open_rows], open_share)
    doubtful = open_rows[np.argsort(-worth.round(9), kind="stable")[: _SAMPLE // 2]]
    candidates = np.union1d(doubtful, spread_over(open_rows, _SAMPLE // 2))
    order = _greedy(
        like.of(points[candidates]),
        doubt[candidates],
        doubt[sample],
        covered,
        assignments.iloc[candidates][["cluster", "recording"]],
        limit,
    )
    return candidates[order]


def uncertainty(embedding: Floats, assignments: pd.DataFrame) -> Floats:
    """How little is known of each syllable, 0 to 1.

    Mostly the square root of one less the confidence that it is of its mode's species (1/2 where
    its cluster has no species): confidences are high more often than they should be, and syllables
    with 0.94 turn out wrong one time in five. A tenth is how near it lies to the border of its
    cluster: distance to the own cluster's mean over that to the nearest other one, at most 1.

    Parameters
    ----------
    embedding : ndarray, shape (n_syllables, n_columns)
        From `birdmodes.modes.model.clustering_space`.
    assignments : pandas.DataFrame
        Columns cluster, mode and confidence.

    Returns
    -------
    ndarray, shape (n_syllables,)
    """
    named = (assignments["mode"] != "").to_numpy()
    confidence = assignments["confidence"].to_numpy(dtype=float)
    doubt = np.where(named, np.sqrt(1.0 - np.clip(confidence, 0.0, 1.0)), 0.5)
    cluster = np.unique(assignments["cluster"].to_numpy(), return_inverse=True)[1]
    n_clusters = int(cluster.max(initial=-1)) + 1
    if n_clusters < 2:
        return doubt
    sums = [np.bincount(cluster, column, minlength=n_clusters) for column in embedding.T]
    squared = squared_distances(embedding, np.array(sums).T / np.bincount(cluster)[:, None])
    row = np.arange(len(cluster))
    own = squared[row, cluster]
    squared[row, cluster] = np.inf
    other = squared.min(axis=1)
    border = np.sqrt(np.divide(own, other, out=np.ones_like(own), where=other > own))
    return np.asarray((1 - _BORDER_SHARE) * doubt + _BORDER_SHARE * border)


def _known(assignments: pd.DataFrame, reviewed: Collection[str]) -> npt.NDArray[np.bool_]:
    known = assignments["syllable"].isin(set(reviewed))
    if "review" in assignments:
        known |= assignments["review"] != ""
    return known.to_numpy(dtype=bool)


@dataclass(frozen=True, eq=False)
class _Likeness:
    """exp(-d^2 / h^2) to the points of a sample, never for more than a block of rows at a time."""

    sample: Floats
    squared_width: float

    @classmethod
    def to(cls, sample: Floats) -> _Likeness:
        some = squared_distances(sample[spread_over(np.arange(len(sample)), 500)], sample)
        apart = some[some > 1e-9]
        width = float(np.quantile(apart, 1 / LIMIT)) if len(apart) else 1.0
        return cls(sample, width)

    def of(self, points: Floats) -> Floats:
        return np.asarray(np.exp(-squared_distances(points, self.sample) / self.squared_width))

    def weighted(self, points: Floats, weights: Floats) -> Floats:
        """Weighted sum over the sample, for each of the points."""
        blocks = [self.of(block) @ weights for block in _blocks(points)]
        return np.concatenate(blocks)

    def largest(self, points: Floats) -> Floats:
        """Largest over the points, for each of the sample; 0 where there are no points."""
        found = np.zeros(len(self.sample))
        for block in _blocks(points):
            np.maximum(found, self.of(block).max(axis=0), out=found)
        return found


def _blocks(points: Floats) -> list[Floats]:
    return [points[start : start + _BLOCK] for start in range(0, len(points), _BLOCK)]


def _greedy(
    likeness: Floats,
    doubt: Floats,
    doubt_of_sample: Floats,
    covered: Floats,
    origin: pd.DataFrame,
    limit: int,
) -> Ints:
    """Positions of the chosen candidates, in the order of choice."""
    cluster, recording = (
        np.unique(origin[name].to_numpy(), return_inverse=True)[1]
        for name in ("cluster", "recording")
    )
    covered = covered.copy()
    free = np.ones(len(likeness), dtype=bool)
    chosen: list[int] = []
    while len(chosen) < min(limit, len(likeness)):
        gain = np.maximum(likeness - covered, 0.0)
        doubts = doubt * (gain @ doubt_of_sample)
        gain = np.where(_is_for_doubt(len(chosen)), doubts, gain.sum(axis=1))
        gain = np.where(free, gain, -1.0).round(9)
        batch = chosen[len(chosen) - len(chosen) % BATCH :]
        full = is_full(cluster, batch, PER_CLUSTER) | is_full(recording, batch, PER_RECORDING)
        if (free & ~full).any():
            gain[full] = -1.0
        best = int(gain.argmax())
        chosen.append(best)
        free[best] = False
        np.maximum(covered, likeness[best], out=covered)
    return np.array(chosen, dtype=np.int64)


def _is_for_doubt(place: int) -> bool:
    """Whether the question at a place is to be about a doubt; these are spread over each ten."""
    return (place % BATCH) * DOUBTFUL % BATCH < DOUBTFUL
