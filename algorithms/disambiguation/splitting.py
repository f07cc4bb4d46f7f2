"""Clusters that each lie within one group: how many for each, and which."""

from __future__ import annotations

import heapq
import warnings
from collections.abc import Callable, Sequence

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

from algorithms.bags import FloatArray, IntArray
from algorithms.blocks.rows import column_variances
from algorithms.disambiguation.ward import MAX_POINTS, Trees, WardTree
from algorithms.threads import one_thread

_MAX_STEPS = 100
_TRIAL_STARTS = 3  # k-means starts while the numbers of clusters are being chosen


Points = FloatArray | Callable[[IntArray], FloatArray]
"""All points, shape (n, d), or what gives those of some rows; asked for a whole group each time."""


def share_clusters(
    points: Points,
    group: IntArray,
    n_clusters: int,
    seed: int,
    least: dict[int, int] | None = None,
    *,
    from_tree: bool = True,
    trees: Trees | None = None,
) -> dict[int, int]:
    """Share clusters among groups so that few points lie far from their centre.

    Every group has one; each further one goes to the group whose inertia falls most by it, in
    Ward's tree, or by k-means in groups too large for a tree.

    Parameters
    ----------
    points : Points
        What is clustered.
    group : ndarray of int64, shape (n,)
        Group of each.
    n_clusters : int
        Clusters in all; at least the number of groups.
    seed : int
        Seed of k-means.
    least : dict of int to int, optional
        Groups that have more than one to begin with.
    from_tree : bool
        False takes k-means everywhere.
    trees : dict, optional
        Trees that are built are added to it, for :func:`split_groups`.

    Returns
    -------
    dict of int to int
        Number of clusters of every group, more than `n_clusters` in all where `least` asks for
        it. No group gets more clusters than it has distinct
        points, so that the sum may be less than `n_clusters`.
    """
    counts = {int(name): (least or {}).get(int(name), 1) for name in np.unique(group)}
    limits: dict[int, int] = {}
    trees = {} if trees is None else trees
    for name in counts:
        members = _of_group(points, group, name)[1]
        limits[name] = _distinct(members)
        trees[name] = _tree(members) if from_tree else None
    queue: list[tuple[float, int, float]] = []  # what another cluster saves, group, inertia then

    def inertia_of(name: int, k: int) -> float:
        tree = trees[name]
        if tree is not None:
            return float(tree.inertia[k - 1])
        return _inertia(_of_group(points, group, name)[1], k, seed)

    def enter(name: int, inertia: float) -> None:
        if counts[name] < limits[name]:
            after = inertia_of(name, counts[name] + 1)
            heapq.heappush(queue, (after - inertia, name, after))

    spare = n_clusters - sum(counts.values())
    if spare > 0:
        for name in counts:
            if counts[name] < limits[name]:
                enter(name, inertia_of(name, counts[name]))
    while spare > 0 and queue:
        _, name, inertia = heapq.heappop(queue)
        counts[name] += 1
        spare -= 1
        enter(name, inertia)
    return counts


def split_groups(
    points: Points,
    group: IntArray,
    counts: dict[int, int],
    n_init: int,
    seed: int,
    fixed: IntArray | None = None,
    *,
    from_tree: bool = True,
    trees: Trees | None = None,
) -> tuple[IntArray, IntArray, FloatArray]:
    """Split every group by k-means, from the clusters of Ward's tree.

    Parameters
    ----------
    points, group
        As for :func:`share_clusters`.
    counts : dict of int to int
        Clusters of each group; a group with fewer distinct points gets fewer.
    n_init : int
        Starts of k-means where there is no tree: in large groups, and with fixed points.
    seed : int
        Its seed.
    fixed : ndarray of int64, shape (n,), optional
        Points with the same number stay in one cluster, those of a group with different numbers in
        different ones; -1 for the others. A group needs a cluster for each of its numbers.
    from_tree : bool
        False starts k-means at random everywhere, as the published methods do.
    trees : dict, optional
        Trees of groups of the same points that are there already.

    Returns
    -------
    labels : ndarray of int64, shape (n,)
        Clusters, numbered group by group.
    group_of_cluster : ndarray of int64, shape (n_clusters,)
        Group of each.
    centres : ndarray, shape (n_clusters, d)
        Mean of each.
    """
    labels = np.empty(len(group), dtype=np.int64)
    groups: list[int] = []
    centres: list[FloatArray] = []
    for name in np.unique(group):
        members, own_points = _of_group(points, group, name)
        k = _at_most_distinct(own_points, counts[int(name)])
        if fixed is not None and (fixed[members] >= 0).any():
            place, own = kmeans_with_fixed(own_points, fixed[members], k, n_init, seed)
        elif from_tree:
            place, own = _split(own_points, k, n_init, seed, (trees or {}).get(int(name)))
        else:
            place, own = _kmeans(own_points, k, n_init, seed)
        labels[members] = len(groups) + place
        groups += [int(name)] * len(own)
        centres.append(own)
    return labels, np.array(groups, dtype=np.int64), np.vstack(centres)


def _of_group(points: Points, group: IntArray, name: int) -> tuple[IntArray, FloatArray]:
    """Rows of a group, and its points."""
    members = np.flatnonzero(group == name)
    return members, points(members) if callable(points) else points[members]


def kmeans_with_fixed(
    points: FloatArray, fixed: IntArray, k: int, n_init: int, seed: int
) -> tuple[IntArray, FloatArray]:
    """k-means in which some points keep their clusters (constrained-k-means).

    Parameters
    ----------
    points : ndarray, shape (n, d)
        Points.
    fixed : ndarray of int64, shape (n,)
        Points with the same number are one cluster's, from the start to the end; -1 for the others.
    k : int
        Clusters; there are more if there are more numbers.
    n_init : int
        Starts. One is plain k-means, whose clusters are shared out among the numbers, as a few
        fixed points may lie far from the middle of what they belong to; the others begin with the
        means of the fixed points, and draw the further centres as in k-means++.
    seed : int
        Its seed.

    Returns
    -------
    labels : ndarray of int64, shape (n,)
        Clusters; those of the numbers come first, in their order.
    centres : ndarray, shape (n_clusters, d)
        Their means. Clusters that end up without points are left out.

    References
    ----------
    Basu, Banerjee & Mooney, Semi-supervised clustering by seeding, ICML 2002.
    """
    names = np.unique(fixed[fixed >= 0])
    held = fixed >= 0
    anchor = np.searchsorted(names, fixed)
    anchors = np.array([points[fixed == name].mean(axis=0) for name in names])
    rng = np.random.default_rng(seed)
    starts = [_add_centres(points[~held], anchors, k, rng) for _ in range(n_init)]
    plain = _kmeans(points, min(max(k, len(names)), len(points)), n_init, seed)[1]
    starts.append(_share_out(plain, points[held], anchor[held], len(names)))
    best: tuple[float, IntArray, FloatArray] | None = None
    pinned = np.where(held, anchor, -1)
    for start in starts:
        labels, centres, cost = _lloyd(points, start, pinned)
        if best is None or cost < best[0]:
            best = cost, labels, centres
    assert best is not None  # noqa: S101  n_init is at least 1
    kept, labels = np.unique(best[1], return_inverse=True)
    return labels.astype(np.int64), best[2][kept]


def _share_out(centres: FloatArray, held: FloatArray, anchor: IntArray, n_names: int) -> FloatArray:
    """Centres in another order: first those of the numbers, the nearest to their points in all."""
    squared = cdist(held, centres, "sqeuclidean")
    costs = np.array([squared[anchor == name].sum(axis=0) for name in range(n_names)])
    own = linear_sum_assignment(costs)[1]
    return np.vstack([centres[own], np.delete(centres, own, axis=0)])


def _add_centres(
    free: FloatArray, centres: FloatArray, k: int, rng: np.random.Generator
) -> FloatArray:
    """Draw further centres among free points, far ones more likely."""
    while len(centres) < k and len(free):
        below = cdist(free, centres, "sqeuclidean").min(axis=1).cumsum()
        if below[-1] <= 0:
            break
        drawn = int(np.searchsorted(below, rng.random() * below[-1], side="right"))
        centres = np.vstack([centres, free[min(drawn, len(free) - 1)]])
    return centres


def _tree(points: FloatArray) -> WardTree | None:
    return WardTree.of(points) if len(points) <= MAX_POINTS else None


def _split(
    points: FloatArray, k: int, n_init: int, seed: int, tree: WardTree | None = None
) -> tuple[IntArray, FloatArray]:
    """k-means from Ward's clusters: better than many random starts, and the same every time."""
    if k == 1:
        return np.zeros(len(points), dtype=np.int64), points.mean(axis=0)[None]
    tree = tree or _tree(points)
    if tree is None:
        return _kmeans(points, k, n_init, seed)
    labels, centres, _ = _lloyd(points, tree.centres(points, k), np.full(len(points), -1))
    kept, labels = np.unique(labels, return_inverse=True)
    return labels.astype(np.int64), centres[kept]


def _lloyd(
    points: FloatArray, centres: FloatArray, pinned: IntArray
) -> tuple[IntArray, FloatArray, float]:
    """Steps of k-means until nothing moves; points with a number in `pinned` stay in that cluster.

    A centre that loses all its points stays where it is.
    """
    lengths = np.einsum("ij,ij->i", points, points)[:, None]
    labels = np.full(len(points), -1)
    for _ in range(_MAX_STEPS):
        squared = lengths - 2.0 * (points @ centres.T) + np.einsum("ij,ij->i", centres, centres)
        nearest = np.where(pinned >= 0, pinned, squared.argmin(axis=1))
        if (nearest == labels).all():
            break
        labels = nearest
        members = np.zeros((len(centres), len(points)))
        members[labels, np.arange(len(points))] = 1.0
        sizes = members.sum(axis=1)[:, None]
        centres = np.where(sizes > 0, members @ points / np.maximum(sizes, 1.0), centres)
    cost = float(squared[np.arange(len(points)), labels].sum())
    return labels, centres, cost


def _at_most_distinct(points: FloatArray, k: int) -> int:
    """Give `k`, or the number of different points if that is less."""
    n = 4 * max(k, 1)  # looking for them takes a copy, and the first ones mostly do
    while n < len(points):
        if _distinct(points[:n]) >= k:
            return k
        n *= 4
    return min(k, _distinct(points))


def _distinct(points: FloatArray) -> int:
    """Number of different points."""
    rows = np.ascontiguousarray(points + 0.0)  # of two zeros, one may have a sign
    return len(np.unique(rows.view(f"V{rows.itemsize * rows.shape[1]}")))


def _inertia(points: FloatArray, k: int, seed: int) -> float:
    labels, centres = _kmeans(points, k, _TRIAL_STARTS, seed)
    return float(((points - centres[labels]) ** 2).sum())


def _kmeans(points: FloatArray, k: int, n_init: int, seed: int) -> tuple[IntArray, FloatArray]:
    from sklearn.cluster import KMeans  # slow to import
    from sklearn.exceptions import ConvergenceWarning

    # On one thread: sums over several come out in another order each time.
    with one_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # rounding can merge near-duplicates
        found = KMeans(k, n_init=n_init, random_state=seed).fit(points)
    return found.labels_.astype(np.int64), found.cluster_centers_


def feature_scale(X: FloatArray, weights: Sequence[float] | None) -> FloatArray:
    """What brings features to their weights, and to a variance of 1 in all.

    Parameters
    ----------
    X : ndarray, shape (n, n_features)
        Features of all instances.
    weights : sequence of float or None
        Weight of each feature; None for 1.

    Returns
    -------
    ndarray, shape (n_features,)
        What to multiply features by.
    """
    weight = np.ones(X.shape[1]) if weights is None else np.asarray(weights, dtype=np.float64)
    total_variance = float(column_variances(X) @ weight)
    scale: FloatArray = np.sqrt(weight / total_variance if total_variance > 0 else weight)
    return scale
