"""Clusters of many sets of the same size at once, for every number of clusters up to a largest.

What finds the number of clusters looks at dozens of reference sets beside the one that it is asked
about. Here all sets advance together, and each number of clusters starts from the one before.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from algorithms.bags import FloatArray

_AXES = 3  # principal axes along which a cluster is divided, in turn
_MAX_STEPS = 30


@dataclass(frozen=True, eq=False)
class _Clusters:
    """Clusters of every set: inertia (sets,), labels (sets, n) and centres (sets, k, d)."""

    inertia: FloatArray
    labels: npt.NDArray[np.int16]
    centres: FloatArray

    def or_better(self, other: _Clusters) -> _Clusters:
        """For each set, what has less inertia."""
        better = other.inertia < self.inertia
        return _Clusters(
            np.where(better, other.inertia, self.inertia),
            np.where(better[:, None], other.labels, self.labels),
            np.where(better[:, None, None], other.centres, self.centres),
        )


def inertias(sets: FloatArray, k_max: int) -> FloatArray:
    """Sums of squared distances to the centres of 1 to `k_max` clusters.

    The cluster with the largest sum is divided, at both sides of its mean along one of its
    principal axes, and k-means goes on from there; the axis that comes out best is taken.

    Parameters
    ----------
    sets : ndarray, shape (n_sets, n_instances, n_features)
        At least one instance and one feature.
    k_max : int
        Largest number of clusters.

    Returns
    -------
    ndarray, shape (n_sets, k_max)

    References
    ----------
    Boley, Principal direction divisive partitioning, Data Mining and Knowledge Discovery 1998,
    for the division; Lloyd's steps after it are those of k-means.
    """
    squares = (sets**2).sum(axis=2)
    centres = sets.mean(axis=1, keepdims=True)
    inertia = ((sets - centres) ** 2).sum(axis=(1, 2))
    clusters = _Clusters(inertia, np.zeros(squares.shape, dtype=np.int16), centres)
    found = [inertia]
    for _ in range(1, k_max):
        clusters = _one_more(sets, squares, clusters)
        found.append(clusters.inertia)
    return np.array(found).T


def _one_more(sets: FloatArray, squares: FloatArray, clusters: _Clusters) -> _Clusters:
    every = np.arange(len(sets))
    k, n_features = clusters.centres.shape[1:]
    away = ((sets - clusters.centres[every[:, None], clusters.labels]) ** 2).sum(axis=2)
    sums = np.stack([(away * (clusters.labels == one)).sum(axis=1) for one in range(k)], axis=1)
    widest = sums.argmax(axis=1)
    inside = clusters.labels == widest[:, None]
    middle = clusters.centres[every, widest]
    around = (sets - middle[:, None]) * inside[:, :, None]
    variance, axes = np.linalg.eigh(around.transpose(0, 2, 1) @ around)
    best: _Clusters | None = None
    for axis in range(1, min(_AXES, n_features) + 1):
        spread = np.sqrt(np.maximum(variance[:, -axis], 0) / np.maximum(inside.sum(axis=1), 1))
        aside = axes[:, :, -axis] * spread[:, None]
        start = np.concatenate([clusters.centres, (middle + aside)[:, None]], axis=1)
        start[every, widest] = middle - aside
        found = _settled(sets, squares, start)
        best = found if best is None else best.or_better(found)
    assert best is not None  # noqa: S101  there is at least one feature
    return best


def _settled(sets: FloatArray, squares: FloatArray, centres: FloatArray) -> _Clusters:
    """Lloyd's steps; an empty cluster keeps its centre.

    Sets that are settled are left alone, as a few take several times as many steps as most.
    """
    labels, centres = np.full(squares.shape, -1, dtype=np.int16), centres.copy()
    inertia, moving = np.empty(len(sets)), np.arange(len(sets))
    for _ in range(_MAX_STEPS):
        own = centres[moving]
        # What is left out of the squared distance is the same for all centres.
        distance = own @ sets.transpose(0, 2, 1)
        distance *= -2.0
        distance += (own**2).sum(axis=2)[:, :, None]
        nearest, least = _nearest(distance)
        inertia[moving] = np.maximum(squares[moving] + least, 0.0).sum(axis=1)
        changed = (nearest != labels[moving]).any(axis=1)
        labels[moving] = nearest
        if not changed.all():
            moving, sets = moving[changed], sets[changed]
            nearest, own = nearest[changed], own[changed]
        if not moving.size:
            break
        centres[moving] = _means(sets, nearest, own)
    return _Clusters(inertia, labels, centres)


def _nearest(distance: FloatArray) -> tuple[npt.NDArray[np.int16], FloatArray]:
    """For every instance the number of the nearest centre, the first of equals, and its distance.

    Takes distances of shape (sets, k, n); faster than `argmin` where k is small.
    """
    least = distance[:, 0].copy()
    nearest = np.zeros(least.shape, dtype=np.int16)
    for number in range(1, distance.shape[1]):
        nearer = distance[:, number] < least
        np.maximum(nearest, nearer * np.int16(number), out=nearest)
        np.minimum(least, distance[:, number], out=least)
    return nearest, least


def _means(sets: FloatArray, labels: npt.NDArray[np.int16], centres: FloatArray) -> FloatArray:
    """Mean of each cluster; of an empty one, its centre."""
    n_sets, k = centres.shape[:2]
    member = np.zeros((labels.size, k))
    member[np.arange(labels.size), labels.ravel()] = 1.0
    places = labels + k * np.arange(n_sets)[:, None]
    sizes = np.bincount(places.ravel(), minlength=n_sets * k).reshape(n_sets, k, 1)
    sums = member.reshape(n_sets, -1, k).transpose(0, 2, 1) @ sets
    return np.where(sizes > 0, sums / np.maximum(sizes, 1), centres)
