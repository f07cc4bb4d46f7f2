"""How many clusters a species' syllables fall into: a gap statistic that knows of recordings.

Syllables of one recording are alike whatever the bird says, since it is the same individual at the
same distance. What varies *between* recordings therefore passes for clusters with every criterion
that compares with one shapeless cloud. Here the reference has the same recordings: each with a
mean of its own and the same number of instances around it, of the variances that are found.
`docs/mode_counts.md` says how often that is right, and what was tried and lost.

References
----------
Tibshirani, Walther & Hastie, Estimating the number of clusters via the gap statistic, J. R.
Statist. Soc. B 2001, for the gap; Searle, Casella & McCulloch, Variance components, 1992, for the
variances within and between. Their combination is this package's own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from algorithms.bags import FloatArray, IntArray
from algorithms.divided import inertias
from algorithms.errors import ClusteringError
from algorithms.threads import one_blas_thread

Shape = Literal["one", "kinds", "continuum"]
"""One cluster; clusters with gaps between; or a spread without gaps that is more than one."""

CRITERIA = ("kinds", "bouts")
"""Names of the criteria: single instances, and instances that are drawn to their recording's."""

KINDS_LIMIT = 4.0
"""Single instances are of several kinds if the gap is more than so many of its errors."""

BOUTS_LIMIT = 0.7
"""Recordings differ in kind if the gap is more than so many of its errors: one noise in twenty."""

LEAST_RECORDINGS = 12
"""Of fewer recordings it cannot be told whether they differ in kind or by chance."""

LEAST_BETWEEN = 0.05
"""Recordings with less of the variance between them are alike: there are no kinds of bouts."""

BOUT_SHARE = 0.5
"""So much of an instance in a bout is the mean of its recording; the rest is its own."""

CONTINUUM_CUT = 3
"""Clusters of what is a spread without gaps, or for which only recordings speak."""

K_TESTED = 4
"""The gap is tested at 2 to so many clusters."""

K_MAX = 12
"""Largest number of kinds."""

INSTANCES_PER_KIND = 40
"""For every so many instances there may be another kind."""

LEAST_KINDS = 3
"""So many there may be of however few."""

MAX_INSTANCES = 400
"""Of more instances a random sample of so many is looked at."""

REFERENCES = 40
"""Reference sets that a gap is compared with."""

_COMPONENTS = 10  # principal components that are clustered
_DRAWN_COMPONENTS = 20  # of those that the reference sets are drawn in
_BOUTS_COMPONENTS = 5  # of what is looked at for bouts alone
_LEAST_SHARE = 1e-9  # of the sum of squares: below that, it is rounding


@dataclass(frozen=True, eq=False)
class CountCurve:
    """One criterion over the number of clusters.

    Attributes
    ----------
    values : ndarray, shape (k_max,)
        Gap at k = 1, 2, ... in units of its error; NaN where it was not looked at. 0 at k = 1.
    """

    values: FloatArray

    @property
    def strongest(self) -> float:
        """Largest value at 2 to `K_TESTED` clusters; 0 if there is none."""
        return float(np.nan_to_num(self.values[1:K_TESTED], nan=0.0).max(initial=0.0))


@dataclass(frozen=True, eq=False)
class ModeCount:
    """How many clusters there are.

    Attributes
    ----------
    k : int
        Number of clusters to make.
    shape : {"one", "kinds", "continuum"}
        What they are.
    curves : dict of str to CountCurve
        By the names of `CRITERIA`; `K_MAX` values each.
    """

    k: int
    shape: Shape
    curves: dict[str, CountCurve]


def mode_count(
    kinds: npt.ArrayLike,
    bouts: npt.ArrayLike,
    recording: npt.ArrayLike,
    *,
    random_state: int = 0,
) -> ModeCount:
    """Find how many clusters instances fall into, such as those of one species.

    Parameters
    ----------
    kinds, bouts : array_like, shape (n_instances, n_features)
        Features, in comparable units: what is looked at instance by instance, and what is looked
        at together with the others of the recording.
    recording : array_like of int, shape (n_instances,)
        Recording of each instance.
    random_state : int
        Seed.

    Returns
    -------
    ModeCount
        Several kinds, as many as have the largest gap in units of its error, if the largest gap
        of `kinds` exceeds `KINDS_LIMIT`; `CONTINUUM_CUT` clusters of a continuum if that of
        bouts exceeds `BOUTS_LIMIT`, in `LEAST_RECORDINGS` or more that differ; else one. Where
        both do, what exceeds its limit more times. For bouts the gap is the mean of those of
        `kinds` and of `bouts`, each drawn to its recording's mean.

    Raises
    ------
    ClusteringError
        When the arrays do not fit each other or hold no finite numbers.
    """
    single, drawn, group = _checked(kinds, bouts, recording)
    n_instances = len(single)
    if n_instances > MAX_INSTANCES:
        rng = np.random.default_rng(random_state)
        sample = np.sort(rng.choice(n_instances, MAX_INSTANCES, replace=False))
        single, drawn = single[sample], drawn[sample]
        group = np.unique(group[sample], return_inverse=True)[1]
    with one_blas_thread():
        kinds_curve = gap_curve(single, group, k_max=K_TESTED, seed=random_state)
        bouts_curve = _bouts_curve(single, drawn, group, random_state)
        several_kinds = kinds_curve.strongest / KINDS_LIMIT
        several_bouts = bouts_curve.strongest / BOUTS_LIMIT
        if several_kinds > max(1.0, several_bouts):
            k_max = min(K_MAX, max(LEAST_KINDS, n_instances // INSTANCES_PER_KIND))
            if k_max > K_TESTED:
                kinds_curve = gap_curve(single, group, k_max=k_max, seed=random_state)
            k = 1 + int(np.nanargmax(kinds_curve.values[:k_max]))
            found: tuple[int, Shape] = max(k, 2), "kinds"
        elif several_bouts > 1.0:
            found = min(CONTINUUM_CUT, len(np.unique(drawn, axis=0))), "continuum"
        else:
            found = 1, "one"
    return ModeCount(*found, {"kinds": kinds_curve, "bouts": bouts_curve})


def _bouts_curve(single: FloatArray, drawn: FloatArray, group: IntArray, seed: int) -> CountCurve:
    nothing = np.full(K_MAX, np.nan)
    nothing[0] = 0.0
    if not len(group) or group.max() + 1 < LEAST_RECORDINGS:
        return CountCurve(nothing)
    within, between = variance_components(single, group).sum(axis=1)
    if between < LEAST_BETWEEN * (within + between):
        return CountCurve(nothing)
    curves = [
        gap_curve(X, group, k_max=K_TESTED, seed=seed, share=BOUT_SHARE, n_components=n)
        for X, n in ((single, _COMPONENTS), (drawn, _BOUTS_COMPONENTS))
    ]
    return CountCurve((curves[0].values + curves[1].values) / 2)


def gap_curve(
    X: FloatArray,
    group: IntArray,
    *,
    k_max: int,
    seed: int,
    share: float = 0.0,
    n_components: int = _COMPONENTS,
) -> CountCurve:
    """Gap over its error, at 1 to `k_max` clusters.

    Gap(k) = mean_b (log W*_b(k) - log W*_b(1)) - (log W(k) - log W(1)), W the sum of squares
    within the clusters of k-means, W* that of a reference set; its error is sd_b sqrt(1 + 1 / B).
    A reference set has, in every principal component, groups of the same sizes, with normal means
    and normal instances around them, of the variances between and within groups.

    Parameters
    ----------
    X : ndarray, shape (n_instances, n_features)
        Features.
    group : ndarray of int64, shape (n_instances,)
        Recording of each instance, 0, 1, ...
    k_max : int
        At most `K_MAX`.
    seed : int
        Seed of the reference sets.
    share : float
        So much of every instance is replaced by its group's mean, in reference sets too.
    n_components : int
        Principal components that are clustered, of what has been averaged.

    Returns
    -------
    CountCurve
        `K_MAX` values.
    """
    values = np.full(K_MAX, np.nan)
    values[0] = 0.0
    n_different = len(np.unique(X, axis=0)) if len(X) else 0
    k_max = min(k_max, n_different - 1)
    if k_max < 2:
        return CountCurve(values)
    points = principal_components(X[None], _DRAWN_COMPONENTS)
    within, between = np.sqrt(variance_components(points[0], group))
    rng = np.random.default_rng(seed)
    n_references, n_groups, n_drawn = REFERENCES, int(group.max()) + 1, points.shape[2]
    means = rng.standard_normal((n_references, n_groups, n_drawn)) * between
    around = rng.standard_normal((n_references, *points.shape[1:])) * within
    sets = np.concatenate([points, means[:, group] + around])
    sets = principal_components(drawn_together(sets, group, share), n_components)
    sums = inertias(sets, k_max)
    falls = np.log(np.maximum(sums[:, 1:] / sums[:, :1], _LEAST_SHARE))
    error = falls[1:].std(axis=0, ddof=1) * np.sqrt(1 + 1 / n_references)
    gap = falls[1:].mean(axis=0) - falls[0]
    values[1:k_max] = np.where(error > 0, gap / np.where(error > 0, error, 1.0), 0.0)
    return CountCurve(values)


def principal_components(sets: FloatArray, n_components: int) -> FloatArray:
    """Coordinates of each set along its leading principal components, not rescaled.

    Parameters
    ----------
    sets : ndarray, shape (n_sets, n_instances, n_features)
        At least one instance and one feature.
    n_components : int
        How many at most.

    Returns
    -------
    ndarray, shape (n_sets, n_instances, <= n_components)
    """
    centred = sets - sets.mean(axis=1, keepdims=True)
    axes = np.linalg.eigh(centred.transpose(0, 2, 1) @ centred)[1]
    scores: FloatArray = centred @ axes[:, :, ::-1][:, :, :n_components]
    # The sign of a component is arbitrary and may differ between machines.
    largest = np.take_along_axis(scores, np.abs(scores).argmax(axis=1)[:, None], axis=1)
    return scores * np.where(largest < 0, -1, 1)


def drawn_together(sets: FloatArray, group: IntArray, share: float) -> FloatArray:
    """Replace a share of every instance by its group's mean.

    Parameters
    ----------
    sets : ndarray, shape (..., n_instances, n_features)
        Features, of one set or of several.
    group : ndarray of int64, shape (n_instances,)
        Group of each instance, 0, 1, ...
    share : float
        From 0, nothing, to 1.

    Returns
    -------
    ndarray, shape (..., n_instances, n_features)
    """
    if share == 0:
        return sets
    return (1 - share) * sets + share * _means(sets, group)[..., group, :]


def variance_components(X: FloatArray, group: IntArray) -> FloatArray:
    """Variances within and between groups of unequal size, from the analysis of variance.

    Parameters
    ----------
    X, group
        As for `drawn_together`; one set, of at least one instance.

    Returns
    -------
    ndarray, shape (2, n_features)
        Within and between, at least 0. With one group, nothing is between; with as many groups as
        instances, everything is.

    References
    ----------
    Searle, Casella & McCulloch, Variance components, 1992, section 3.6.
    """
    sizes = np.bincount(group)
    n_groups, n = len(sizes), len(X)
    means = _means(X, group)
    among = (sizes[:, None] * (means - X.mean(axis=0)) ** 2).sum(axis=0)
    if n_groups == n:
        return np.array([np.zeros(X.shape[1]), among / max(n - 1, 1)])
    within = ((X - means[group]) ** 2).sum(axis=0) / (n - n_groups)
    if n_groups == 1:
        return np.array([within, np.zeros(X.shape[1])])
    typical_size = (n - (sizes**2).sum() / n) / (n_groups - 1)
    between = (among / (n_groups - 1) - within) / typical_size
    return np.array([within, np.maximum(between, 0.0)])


def _means(sets: FloatArray, group: IntArray) -> FloatArray:
    """Means of the groups, shape (..., n_groups, n_features)."""
    member = (np.arange(int(group.max()) + 1)[:, None] == group).astype(np.float64)
    means: FloatArray = member @ sets / member.sum(axis=1)[:, None]
    return means


def _checked(
    kinds: npt.ArrayLike, bouts: npt.ArrayLike, recording: npt.ArrayLike
) -> tuple[FloatArray, FloatArray, IntArray]:
    single, drawn = np.asarray(kinds, dtype=np.float64), np.asarray(bouts, dtype=np.float64)
    group = np.asarray(recording)
    if single.ndim != 2 or drawn.ndim != 2 or not len(single) == len(drawn) == group.size:
        raise ClusteringError(
            f"kinds {single.shape}, bouts {drawn.shape} and recording {group.shape} must have one "
            "row per instance"
        )
    if not (np.isfinite(single).all() and np.isfinite(drawn).all()):
        raise ClusteringError("features hold numbers that are not finite: leave these rows out")
    return single, drawn, np.unique(group, return_inverse=True)[1].astype(np.int64)
