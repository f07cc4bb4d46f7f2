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

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from algorithms.bags import FloatArray, IntArray
from algorithms.errors import ClusteringError
from algorithms.small_kmeans import SmallKMeans
from algorithms.threads import one_thread

Shape = Literal["one", "kinds", "continuum"]
"""One cluster; clusters with gaps between; or a spread without gaps that is more than one."""

CRITERIA = ("kinds", "bouts")
"""Names of the criteria: single instances, and instances that are drawn to their recording's."""

KINDS_LIMIT = 4.0
"""Single instances are of several kinds if the gap is more than so many of its errors."""

BOUTS_LIMIT = 3.0
"""Recordings differ in kind if the gap is more than so many of its errors."""

BOUT_SHARE = 0.5
"""So much of an instance in a bout is the mean of its recording; the rest is its own."""

CONTINUUM_CUT = 4
"""Clusters of what is a spread without gaps, or for which only recordings speak."""

K_TESTED = 4
"""The gap is tested at 2 to so many clusters."""

K_MAX = 12
"""Largest number of kinds."""

INSTANCES_PER_KIND = 40
"""For every so many instances there may be another kind."""

LEAST_KINDS = 3
"""So many there may be of however few."""

MAX_INSTANCES = 500
"""Of more instances a random sample of so many is looked at."""

REFERENCES = 20
"""Reference sets that a gap is compared with."""

_KINDS_COMPONENTS, _BOUTS_COMPONENTS = 10, 3  # principal components that k-means sees
_DRAWN_COMPONENTS = 30  # of those that the reference sets are drawn in
_STARTS = 3  # of a k-means
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
        of `kinds` exceeds `KINDS_LIMIT`; else `CONTINUUM_CUT` clusters of a continuum if that of
        `bouts` exceeds `BOUTS_LIMIT`; else one.

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
    with one_thread():
        kinds_curve = gap_curve(single, group, k_max=K_TESTED, seed=random_state)
        bouts_curve = gap_curve(
            drawn,
            group,
            k_max=K_TESTED,
            seed=random_state,
            share=BOUT_SHARE,
            n_components=_BOUTS_COMPONENTS,
        )
        if kinds_curve.strongest > KINDS_LIMIT:
            k_max = min(K_MAX, max(LEAST_KINDS, n_instances // INSTANCES_PER_KIND))
            if k_max > K_TESTED:
                kinds_curve = gap_curve(single, group, k_max=k_max, seed=random_state)
            k = 1 + int(np.nanargmax(kinds_curve.values[:k_max]))
            found: tuple[int, Shape] = max(k, 2), "kinds"
        elif bouts_curve.strongest > BOUTS_LIMIT:
            found = min(CONTINUUM_CUT, len(np.unique(drawn, axis=0))), "continuum"
        else:
            found = 1, "one"
    return ModeCount(*found, {"kinds": kinds_curve, "bouts": bouts_curve})


def gap_curve(
    X: FloatArray,
    group: IntArray,
    *,
    k_max: int,
    seed: int,
    share: float = 0.0,
    n_components: int = _KINDS_COMPONENTS,
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
        Seed of the reference sets and of k-means.
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
    numbers = range(2, min(k_max, n_different - 1) + 1)
    if not numbers:
        return CountCurve(values)
    points = principal_components(X, _DRAWN_COMPONENTS)
    within, between = np.sqrt(variance_components(points, group))
    rng = np.random.default_rng(seed)

    def falls(data: FloatArray, own_seed: int) -> FloatArray:
        averaged = principal_components(drawn_together(data, group, share), n_components)
        return _falls(averaged, numbers, own_seed)

    observed = falls(points, seed)
    references = np.array(
        [
            falls(
                (rng.standard_normal((group.max() + 1, points.shape[1])) * between)[group]
                + rng.standard_normal(points.shape) * within,
                seed + number,
            )
            for number in range(REFERENCES)
        ]
    )
    error = references.std(axis=0, ddof=1) * np.sqrt(1 + 1 / REFERENCES)
    gap = references.mean(axis=0) - observed
    values[1 : 1 + len(numbers)] = np.where(error > 0, gap / np.where(error > 0, error, 1.0), 0.0)
    return CountCurve(values)


def principal_components(X: FloatArray, n_components: int) -> FloatArray:
    """Coordinates along the leading principal components, not rescaled.

    Returns
    -------
    ndarray, shape (n_instances, <= n_components)
    """
    if not X.size:
        return X
    U, singular, _ = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    scores: FloatArray = (U * singular)[:, :n_components]
    # The sign of a component is arbitrary and may differ between machines.
    return scores * np.where(
        scores[np.abs(scores).argmax(axis=0), range(scores.shape[1])] < 0, -1, 1
    )


def drawn_together(X: FloatArray, group: IntArray, share: float) -> FloatArray:
    """Replace a share of every instance by its group's mean.

    Parameters
    ----------
    X : ndarray, shape (n_instances, n_features)
        Features.
    group : ndarray of int64, shape (n_instances,)
        Group of each instance, 0, 1, ...
    share : float
        From 0, nothing, to 1.

    Returns
    -------
    ndarray, shape (n_instances, n_features)
    """
    return X if share == 0 else (1 - share) * X + share * _means(X, group)[group]


def variance_components(X: FloatArray, group: IntArray) -> FloatArray:
    """Variances within and between groups of unequal size, from the analysis of variance.

    Parameters
    ----------
    X, group
        As for `drawn_together`; at least one instance.

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


def _means(X: FloatArray, group: IntArray) -> FloatArray:
    sums = np.zeros((int(group.max()) + 1, X.shape[1]))
    np.add.at(sums, group, X)
    return sums / np.bincount(group)[:, None]


def _falls(X: FloatArray, numbers: Sequence[int], seed: int) -> FloatArray:
    """How much lower the log of the sum of squares is with so many clusters than with one."""
    total = float(((X - X.mean(axis=0)) ** 2).sum())
    within = [SmallKMeans.fit(X, k, starts=_STARTS, seed=seed).inertia for k in numbers]
    return np.log(np.maximum(np.array(within) / total, _LEAST_SHARE))


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
