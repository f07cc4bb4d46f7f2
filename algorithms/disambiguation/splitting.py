"""Clusters that each lie within one group: how many for each, and which."""

from __future__ import annotations

import heapq
import warnings

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from algorithms.bags import FloatArray, IntArray

_TRIAL_STARTS = 3  # k-means starts while the numbers of clusters are being chosen


def share_clusters(
    points: FloatArray, group: IntArray, n_clusters: int, seed: int
) -> dict[int, int]:
    """Share clusters among groups so that few points lie far from their centre.

    Every group has one; each further one goes to the group whose k-means inertia falls most by it.

    Parameters
    ----------
    points : ndarray, shape (n, d)
        Points.
    group : ndarray of int64, shape (n,)
        Group of each.
    n_clusters : int
        Clusters in all; at least the number of groups.
    seed : int
        Seed of k-means.

    Returns
    -------
    dict of int to int
        Number of clusters of every group. No group gets more clusters than it has distinct
        points, so that the sum may be less than `n_clusters`.
    """
    counts = {int(name): 1 for name in np.unique(group)}
    members = {name: points[group == name] for name in counts}
    limits = {name: len(np.unique(rows, axis=0)) for name, rows in members.items()}
    queue: list[tuple[float, int, float]] = []  # what another cluster saves, group, inertia then

    def enter(name: int, inertia: float) -> None:
        if counts[name] < limits[name]:
            after = _inertia(members[name], counts[name] + 1, seed)
            heapq.heappush(queue, (after - inertia, name, after))

    spare = n_clusters - len(counts)
    if spare > 0:
        for name, rows in members.items():
            enter(name, float(((rows - rows.mean(axis=0)) ** 2).sum()))
    while spare > 0 and queue:
        _, name, inertia = heapq.heappop(queue)
        counts[name] += 1
        spare -= 1
        enter(name, inertia)
    return counts


def split_groups(
    points: FloatArray, group: IntArray, counts: dict[int, int], n_init: int, seed: int
) -> tuple[IntArray, IntArray, FloatArray]:
    """Split every group by k-means.

    Parameters
    ----------
    points, group
        As for :func:`share_clusters`.
    counts : dict of int to int
        Clusters of each group; a group with fewer distinct points gets fewer.
    n_init : int
        Starts of k-means.
    seed : int
        Its seed.

    Returns
    -------
    labels : ndarray of int64, shape (n,)
        Clusters, numbered group by group.
    group_of_cluster : ndarray of int64, shape (n_clusters,)
        Group of each.
    centres : ndarray, shape (n_clusters, d)
        Mean of each.
    """
    labels = np.empty(len(points), dtype=np.int64)
    groups: list[int] = []
    centres: list[FloatArray] = []
    for name in np.unique(group):
        members = np.flatnonzero(group == name)
        distinct = len(np.unique(points[members], axis=0))
        found = _kmeans(points[members], min(counts[int(name)], distinct), n_init, seed)
        labels[members] = len(groups) + found.labels_
        groups += [int(name)] * len(found.cluster_centers_)
        centres.append(found.cluster_centers_)
    return labels, np.array(groups, dtype=np.int64), np.vstack(centres)


def _inertia(points: FloatArray, k: int, seed: int) -> float:
    return float(_kmeans(points, k, _TRIAL_STARTS, seed).inertia_)


def _kmeans(points: FloatArray, k: int, n_init: int, seed: int) -> KMeans:
    # On one thread: sums over several come out in another order each time.
    with threadpool_limits(limits=1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # rounding can merge near-duplicates
        return KMeans(k, n_init=n_init, random_state=seed).fit(points)
