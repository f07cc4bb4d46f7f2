"""For pairs of bags, the two instances, one of each, that are nearest to each other.

A learner that changes the metric looks for them anew at every step, so that this is what its time
goes into. :class:`AllBagPairs` takes every pair of bags and works on products of matrices;
:class:`SomeBagPairs` takes a sample of the pairs, instance by instance. :func:`nearest_in_bags` is
for points that belong to no bag.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from algorithms.bags import BoolArray, FloatArray, IntArray
from algorithms.layout import SortedBags

_GROUP_ROWS = 512  # instances in a group: the distances between two groups should stay in the cache
_BLOCK_PAIRS = 1 << 15  # pairs of instances looked at in one go
_BLOCK_ENTRIES = 1 << 22  # pairs of bags looked at in one go


@dataclass(frozen=True, eq=False)
class Closest:
    """The nearest instances of each pair of bags.

    Attributes
    ----------
    one, two : ndarray of int64, shape (n_pairs,)
        Rows of the instances.
    squared : ndarray, shape (n_pairs,)
        Their squared distances.
    """

    one: IntArray
    two: IntArray
    squared: FloatArray


@dataclass(frozen=True, eq=False)
class _Group:
    """Bags of about equal size, the larger ones first.

    All first instances of its bags come first, then all second ones, and so on; a bag's place is
    the same in each of these slabs.

    Attributes
    ----------
    rows : slice
        Where its instances are among those of all groups.
    runs : ndarray of int64, shape (n_bags,)
        Its bags, as runs of :class:`~algorithms.layout.SortedBags`.
    starts : ndarray of int64, shape (largest size + 1,)
        First row of each slab, counted from the first of the group.
    """

    rows: slice
    runs: IntArray
    starts: IntArray

    @property
    def slabs(self) -> list[tuple[slice, slice]]:
        """Bags that have an instance in each slab, and its rows."""
        edges = self.starts.tolist()
        return [
            (slice(0, stop - start), slice(start, stop))
            for start, stop in itertools.pairwise(edges)
        ]


class AllBagPairs:
    """All pairs of bags.

    Parameters
    ----------
    bags : SortedBags
        At least two.
    labels : ndarray of bool, shape (n_filled, n_classes)
        Label set of each run of `bags`.

    Attributes
    ----------
    X : ndarray, shape (n_instances, n_features)
        The instances in the order that :meth:`closest` takes and numbers them in.
    positive : ndarray of bool, shape (n_pairs,)
        Which pairs share a label.
    n_sharing : int
        Number of pairs of bags that share a label.
    """

    X: FloatArray
    positive: BoolArray
    n_sharing: int

    def __init__(self, bags: SortedBags, labels: BoolArray) -> None:
        self._groups, order = _grouped(bags)
        self.X = bags.X[order]
        shared = _share(labels, labels)
        self.positive = np.concatenate(
            [shared[np.ix_(left.runs, right.runs)][kept] for left, right, kept in self._pairs()]
        )
        self.n_sharing = int(self.positive.sum())

    def closest(self, Z: FloatArray) -> Closest:
        """Find the nearest instances of every pair of bags.

        Parameters
        ----------
        Z : ndarray, shape (n_instances, n_components)
            What the rows of ``X`` are mapped to. Its origin should be near their mean: squared
            distances err by about 1e-16 of the squared distances from it.

        Returns
        -------
        Closest
            Of equally near instances those that come first.
        """
        squares = np.einsum("ij,ij->i", Z, Z)
        ones = np.ones_like(squares)
        rows = np.column_stack([-2.0 * Z, ones, squares])
        columns = np.ascontiguousarray(np.column_stack([Z, squares, ones]).T)
        ends = ([], [], [])  # type: tuple[list[IntArray], list[IntArray], list[FloatArray]]
        for left, right, kept in self._pairs():
            between = rows[left.rows] @ columns[:, right.rows]
            one, two, squared = _closest_of_groups(between, left, right)
            ends[0].append(left.rows.start + one[kept])
            ends[1].append(right.rows.start + two[kept])
            ends[2].append(squared[kept])
        squared = np.maximum(np.concatenate(ends[2]), 0.0)
        return Closest(np.concatenate(ends[0]), np.concatenate(ends[1]), squared)

    def _pairs(self) -> list[tuple[_Group, _Group, BoolArray]]:
        """Pairs of groups, and which of their pairs of bags are meant, so that each is once."""
        pairs = []
        for number, left in enumerate(self._groups):
            for right in self._groups[number:]:
                kept = np.ones((len(left.runs), len(right.runs)), dtype=np.bool_)
                pairs.append((left, right, np.triu(kept, 1) if right is left else kept))
        return pairs


class SomeBagPairs:
    """A sample of the pairs of bags.

    Parameters
    ----------
    bags : SortedBags
        At least two.
    labels : ndarray of bool, shape (n_filled, n_classes)
        Label set of each run of `bags`.
    n_pairs : int
        Number of pairs that share a label, and of those that do not; all of them where there are
        fewer.
    rng : Generator
        Draws the pairs.

    Attributes
    ----------
    X, positive, n_sharing
        As of :class:`AllBagPairs`; pairs that were not drawn count for the last, too.
    """

    X: FloatArray
    positive: BoolArray
    n_sharing: int

    def __init__(
        self, bags: SortedBags, labels: BoolArray, n_pairs: int, rng: np.random.Generator
    ) -> None:
        self.X = bags.X
        sharing, self.n_sharing = _draw_pairs(labels, True, n_pairs, rng)
        others, _ = _draw_pairs(labels, False, n_pairs, rng)
        left, right = np.hstack([sharing, others])
        self.positive = np.arange(len(left)) < sharing.shape[1]
        self._left, self._right = bags.starts[left], bags.starts[right]
        self._widths = bags.sizes[right]
        self._sizes = bags.sizes[left] * self._widths

    def closest(self, Z: FloatArray) -> Closest:
        """Find the nearest instances of the pairs; see :meth:`AllBagPairs.closest`."""
        n_pairs = len(self._sizes)
        squares = np.einsum("ij,ij->i", Z, Z)
        ends = np.empty((2, n_pairs), dtype=np.int64)
        found = Closest(ends[0], ends[1], np.empty(n_pairs))
        for block in _cut(self._sizes, _BLOCK_PAIRS):
            sizes = self._sizes[block]
            starts = sizes.cumsum() - sizes
            place = np.arange(sizes.sum()) - np.repeat(starts, sizes)
            row, column = np.divmod(place, np.repeat(self._widths[block], sizes))
            one = np.repeat(self._left[block], sizes) + row
            two = np.repeat(self._right[block], sizes) + column
            products = np.einsum("ij,ij->i", Z[one], Z[two])
            squared = squares[one] + squares[two] - 2.0 * products
            first = first_minimum(squared, starts, sizes)
            found.one[block], found.two[block] = one[first], two[first]
            found.squared[block] = np.maximum(squared[first], 0.0)
        return found


def nearest_in_bags(X: FloatArray, bags: SortedBags) -> IntArray:
    """Find the instance of every bag that is nearest to each of some points.

    Parameters
    ----------
    X : ndarray, shape (n, n_features)
        The points.
    bags : SortedBags
        The bags.

    Returns
    -------
    ndarray of int64, shape (n, n_filled)
        Rows of ``bags.X``; of equally near ones any.
    """
    groups, order = _grouped(bags)
    centre = bags.X.mean(axis=0)
    points, members = (X - centre).T, bags.X[order] - centre
    squares = np.einsum("ij,ij->i", members, members)
    nearest = np.empty((len(X), bags.n_filled), dtype=np.int64)
    for group in groups:
        for start in range(0, len(X), _GROUP_ROWS):
            columns = slice(start, start + _GROUP_ROWS)
            # Less the squared length of the point, which is the same for all.
            between = squares[group.rows, None] - 2.0 * members[group.rows] @ points[:, columns]
            least = between[: len(group.runs)]
            place = np.repeat(np.arange(len(least))[:, None], least.shape[1], axis=1)
            for having, rows in group.slabs[1:]:
                closer = between[rows] < least[having]
                np.copyto(least[having], between[rows], where=closer)
                np.copyto(place[having], np.arange(rows.start, rows.stop)[:, None], where=closer)
            nearest[columns, group.runs] = order[group.rows.start + place].T
    return nearest


def first_minimum(values: FloatArray, starts: IntArray, sizes: IntArray) -> IntArray:
    """Find the first of the smallest values in every run.

    Parameters
    ----------
    values : ndarray, shape (n,)
        Values without NaN, run after run.
    starts, sizes : ndarray of int64, shape (n_runs,)
        Where the runs start, and their lengths, all 1 or more.

    Returns
    -------
    ndarray of int64, shape (n_runs,)
        Places among `values`.
    """
    smallest = np.repeat(np.minimum.reduceat(values, starts), sizes)
    places = np.flatnonzero(values == smallest)
    return places[np.searchsorted(places, starts)].astype(np.int64)


def _grouped(bags: SortedBags) -> tuple[list[_Group], IntArray]:
    """Groups of bags, and the rows of the instances in their order."""
    by_size = np.argsort(-bags.sizes, kind="stable").astype(np.int64)
    groups, order, start = [], [], 0
    for block in _cut(bags.sizes[by_size], _GROUP_ROWS):
        runs = by_size[block]
        sizes, largest = bags.sizes[runs], int(bags.sizes[runs[0]])
        slabs = [bags.starts[runs[sizes > place]] + place for place in range(largest)]
        starts = np.cumsum([0, *(len(slab) for slab in slabs)])
        order.extend(slabs)
        groups.append(_Group(slice(start, start + int(sizes.sum())), runs, starts))
        start += int(sizes.sum())
    return groups, np.concatenate(order)


def _closest_of_groups(
    between: FloatArray, left: _Group, right: _Group
) -> tuple[IntArray, IntArray, FloatArray]:
    """Nearest instances, counted from the first of their group, of all bags of two groups.

    Returns
    -------
    one, two : ndarray of int64, shape (n_left, n_right)
        Instances of the left and of the right bag.
    squared : ndarray, shape (n_left, n_right)
        What `between` has there.
    """
    n_left = len(left.runs)
    # The larger reduction first, and along whole rows, which is faster.
    to_left = between[:n_left].copy()
    for having, rows in left.slabs[1:]:
        np.minimum(to_left[having], between[rows], out=to_left[having])
    squared = to_left[:, : len(right.runs)].copy()
    two = np.repeat(np.arange(len(right.runs))[None], n_left, axis=0)
    for having, columns in right.slabs[1:]:
        closer = to_left[:, columns] < squared[:, having]
        np.copyto(squared[:, having], to_left[:, columns], where=closer)
        np.copyto(two[:, having], np.arange(columns.start, columns.stop), where=closer)
    one = np.empty_like(two)
    for having, rows in reversed(left.slabs):
        places = np.arange(rows.start, rows.stop)[:, None]
        here = between.take(places * between.shape[1] + two[having]) == squared[having]
        np.copyto(one[having], places, where=here)
    return one, two, squared


def _share(one: BoolArray, other: BoolArray) -> BoolArray:
    """Tell which label sets share a label, shape (n_one, n_other)."""
    shared: BoolArray = one.astype(np.float32) @ other.T.astype(np.float32) > 0
    return shared


def _draw_pairs(
    labels: BoolArray, shared: bool, n_pairs: int, rng: np.random.Generator
) -> tuple[IntArray, int]:
    """Draw pairs of bags that share a label, or that do not, without repetition.

    Returns
    -------
    pairs : ndarray of int64, shape (2, n_drawn)
    total : int
        How many there are to draw from.
    """
    n = len(labels)
    step = max(1, _BLOCK_ENTRIES // n)

    def pairs_of(start: int) -> IntArray:
        block = _share(labels[start : start + step], labels) == shared
        return np.flatnonzero(np.triu(block, start + 1)).astype(np.int64) + start * n

    counts = np.array([len(pairs_of(start)) for start in range(0, n, step)])
    total, ends = int(counts.sum()), counts.cumsum()
    drawn = np.sort(rng.choice(total, min(n_pairs, total), replace=False))
    edges = np.searchsorted(drawn, [0, *ends])
    found = [
        pairs_of(number * step)[drawn[first:last] - (ends[number] - counts[number])]
        for number, (first, last) in enumerate(itertools.pairwise(edges))
        if last > first
    ]
    pairs = np.divmod(np.concatenate([*found, np.zeros(0, dtype=np.int64)]), n)
    return np.array(pairs), total


def _cut(sizes: IntArray, most: int) -> list[slice]:
    """Cut a list into parts whose sizes come to about `most` each, of one entry at least."""
    part = (sizes.cumsum() - sizes) // most
    edges = [0, *(np.flatnonzero(np.diff(part)) + 1).tolist(), len(sizes)]
    return [slice(first, last) for first, last in itertools.pairwise(edges)]
