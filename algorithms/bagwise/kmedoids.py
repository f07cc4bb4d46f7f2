"""k-medoids on a table of distances: the alternating method, and PAM.

Both look for k items, the medoids, such that the distances of all items to the nearest of them sum
to little. Nothing is asked of the distances but symmetry and zeros on the diagonal.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from algorithms.bags import FloatArray, IntArray

_BLOCK_ENTRIES = 1 << 20


@dataclass(frozen=True, eq=False)
class KMedoids:
    """A k-medoids clustering.

    Attributes
    ----------
    medoids : ndarray of int64, shape (k,)
        Items that are medoids, rising.
    labels : ndarray of int64, shape (n,)
        Nearest medoid of each item, as a position in `medoids`; of several the first. A medoid
        belongs to itself, even where another medoid is the same.
    cost : float
        Sum of the distances to the nearest medoid.
    """

    medoids: IntArray
    labels: IntArray
    cost: float

    @classmethod
    def around(cls, distances: FloatArray, medoids: IntArray) -> KMedoids:
        """Give every item to the nearest of some different medoids."""
        ordered = np.sort(medoids)
        to_medoids = distances[ordered]
        labels = to_medoids.argmin(axis=0)
        labels[ordered] = np.arange(len(ordered))
        return cls(ordered, labels, float(to_medoids.min(axis=0).sum()))


def alternating(distances: FloatArray, start: IntArray) -> KMedoids:
    """Give items to medoids and choose the medoids of the groups anew, in turn.

    The medoid of a group is the member with the least sum of distances to the group, of several the
    first. Ends once the cost no longer falls.

    Parameters
    ----------
    distances : ndarray, shape (n, n)
        Symmetric, finite, 0 on the diagonal.
    start : ndarray of int64, shape (k,)
        Different items, the first medoids.

    References
    ----------
    Zhang & Zhou, Multi-instance clustering with applications to multi-instance prediction, Applied
    Intelligence 31 (2009), where the items are bags: BAMIC.
    """
    best = KMedoids.around(distances, start)
    while True:
        new = KMedoids.around(distances, _central_members(distances, best))
        if not new.cost < best.cost:
            return best
        best = new


def pam(distances: FloatArray, k: int) -> KMedoids:
    """Partition around medoids: choose them greedily, then swap as long as a swap helps.

    Parameters
    ----------
    distances : ndarray, shape (n, n)
        Symmetric, finite, 0 on the diagonal.
    k : int
        Number of medoids, n at most.

    Notes
    -----
    Each round makes the swap that lowers the cost most; of equal ones that which brings in the
    first item, and of these that which takes out the first medoid. It is found in O(n²) operations,
    as in FastPAM1, instead of O(k n²).

    References
    ----------
    Kaufman & Rousseeuw, Finding groups in data (1990), chapter 2: BUILD and SWAP. Schubert &
    Rousseeuw, Faster k-medoids clustering: improving the PAM, CLARA, and CLARANS algorithms, SISAP
    2019: FastPAM1.
    """
    best = KMedoids.around(distances, build(distances, k))
    while k < len(distances):
        entering, leaving = best_swap(distances, best)
        kept = np.delete(best.medoids, leaving)
        new = KMedoids.around(distances, np.append(kept, entering))
        if not new.cost < best.cost:
            break
        best = new
    return best


def build(distances: FloatArray, k: int) -> IntArray:
    """Choose medoids one by one, each the item that lowers the cost most; of several the first.

    Returns
    -------
    ndarray of int64, shape (k,)
        In the order in which they were chosen.
    """
    nearest = np.full(len(distances), np.inf)
    medoids = np.empty(k, dtype=np.int64)
    for number in range(k):
        cost = np.empty(len(distances))
        for rows in _row_blocks(*distances.shape):
            cost[rows] = np.minimum(distances[rows], nearest).sum(axis=1)
        cost[medoids[:number]] = np.inf
        medoids[number] = cost.argmin()
        nearest = np.minimum(nearest, distances[medoids[number]])
    return medoids


def best_swap(distances: FloatArray, clustering: KMedoids) -> tuple[int, int]:
    """Find the item and the medoid whose swap lowers the cost most, or raises it least.

    Parameters
    ----------
    distances : ndarray, shape (n, n)
        Symmetric, finite, 0 on the diagonal.
    clustering : KMedoids
        With fewer medoids than items.

    Returns
    -------
    entering : int
        Item that is to be a medoid.
    leaving : int
        Position among the medoids of the one that is to be none.

    Notes
    -----
    Once item c has come, item o costs min(d_oc, nearest_o), or min(d_oc, second_o) if its own
    medoid has gone. So the cost of a swap is a sum over all items, which does not depend on the
    medoid that goes, and one over its members: for all medoids together, one pass.
    """
    order = np.argsort(clustering.labels, kind="stable")
    starts = np.searchsorted(clustering.labels[order], np.arange(len(clustering.medoids)))
    nearest, second = _two_nearest(distances, clustering)
    nearest, second = nearest[order], second[order]
    best, entering, leaving = np.inf, -1, -1
    candidates = np.delete(np.arange(len(distances)), clustering.medoids)
    for block in _row_blocks(len(candidates), len(distances)):
        # In the order of the groups, which reduceat sums as runs.
        to_items = distances[candidates[block]][:, order]
        kept = np.minimum(to_items, nearest)
        lost = np.add.reduceat(np.minimum(to_items, second) - kept, starts, axis=1)
        cost = kept.sum(axis=1)[:, None] + lost
        row, column = np.unravel_index(cost.argmin(), cost.shape)
        if cost[row, column] < best:
            best = float(cost[row, column])
            entering, leaving = int(candidates[block][row]), int(column)
    return entering, leaving


def _two_nearest(distances: FloatArray, clustering: KMedoids) -> tuple[FloatArray, FloatArray]:
    """Distance of every item to its medoid, and to the nearest of the others (inf if none)."""
    to_medoids = distances[clustering.medoids].copy()
    items = np.arange(len(distances))
    nearest = to_medoids[clustering.labels, items]
    to_medoids[clustering.labels, items] = np.inf
    return nearest, to_medoids.min(axis=0)


def _central_members(distances: FloatArray, clustering: KMedoids) -> IntArray:
    central = np.empty_like(clustering.medoids)
    for group in range(len(central)):
        members = np.flatnonzero(clustering.labels == group)
        central[group] = members[distances[np.ix_(members, members)].sum(axis=0).argmin()]
    return central


def _row_blocks(n_rows: int, n_columns: int) -> Iterator[slice]:
    step = max(1, _BLOCK_ENTRIES // n_columns)
    for start in range(0, n_rows, step):
        yield slice(start, start + step)
