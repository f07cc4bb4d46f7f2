"""Distances between bags: Hausdorff distances and the sum of minimum distances.

All of them are built of one thing: how far an instance of one bag is from the nearest instance of
another. The distances between instances are never held all at once, only a block of them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
from scipy.spatial.distance import cdist

from algorithms.bags import Bags, FloatArray
from algorithms.checks import check_choice, check_count, is_whole_number
from algorithms.errors import ClusteringError
from algorithms.layout import SortedBags, sorted_bags
from algorithms.threads import one_blas_thread

BagDistance = Literal["min", "max", "average", "smd"]
Normalization = Literal["half", "cardinality"]

_BLOCK_BYTES = 1 << 22
_BLOCK_COLUMNS = 8192  # products of a few rows with very many columns are slow
_RELATIVE_ERROR = 1e-10  # of squared distances
_LARGEST_SHARE = 8  # where more than an 8th of a block is close, all of it is computed the slow way
# How the instances of one bag are combined, and what nothing at all comes to.
_COMBINED = {"min": (np.minimum, np.inf), "max": (np.maximum, 0.0), "sum": (np.add, 0.0)}


def bag_distances(
    bags: Bags,
    kind: BagDistance,
    other: Bags | None = None,
    *,
    normalize: Normalization = "half",
    n_jobs: int = 1,
    block_bytes: int = _BLOCK_BYTES,
) -> FloatArray:
    r"""Compute the distance of every bag to every bag.

    With a(x) the Euclidean distance of instance x of bag A to the nearest instance of bag B, and
    b(y) that of instance y of B to the nearest of A:

    - "min", the minimal Hausdorff distance: :math:`\min_x a(x) = \min_y b(y)`;
    - "max", the maximal Hausdorff distance: :math:`\max(\max_x a(x), \max_y b(y))`;
    - "average", the average Hausdorff distance:
      :math:`(\sum_x a(x) + \sum_y b(y)) / (|A| + |B|)`;
    - "smd", the sum of minimum distances: :math:`(\sum_x a(x) + \sum_y b(y)) / 2`.

    Only "max" is a metric. "min" is 0 for any two bags that share an instance; none of the others
    is 0 for different sets of instances.

    Parameters
    ----------
    bags : Bags
        The M bags; their features are used as they are.
    kind : {"min", "max", "average", "smd"}
        The distance.
    other : Bags, optional
        The M' bags to compare with, of the same features; `bags` themselves unless given.
    normalize : {"half", "cardinality"}
        What the sum of minimum distances is divided by: 2 or the number of instances in both bags.
        The latter is the average Hausdorff distance.
    n_jobs : int
        Number of threads; -1 for as many as there are processors. The result is the same, bit for
        bit, on any number.
    block_bytes : int
        About how much memory each thread may use for distances between instances.

    Returns
    -------
    ndarray, shape (M, M')
        Without `other` symmetric, with 0 on the diagonal. inf for bags without instances, on the
        diagonal too.

    Raises
    ------
    ClusteringError
        When parameters are out of range, or the features of `other` are not those of `bags`.

    Notes
    -----
    O(N N' d) operations for N and N' instances of d features. Memory for copies of the instances, a
    few tables of the size of the result, and a block for each thread.

    Squared distances come from a product of matrices, ||x||² + ||y||² - 2 x'y, which loses what
    distinguishes instances that are near one another but far from the mean of all; those pairs are
    subtracted and squared one by one. So distances are right to about 1e-10 of themselves, and
    exactly 0 between equal instances, whatever offset the features have.

    References
    ----------
    Zhang, Wang, Si & Li, Maximum margin multiple instance clustering with applications to image and
    text clustering, IEEE Transactions on Neural Networks 22 (2011), equation 1 (the average
    Hausdorff distance). Eiter & Mannila, Distance measures for point sets and their computation,
    Acta Informatica 34 (1997) (the sum of minimum distances, with the factor 1/2).
    """
    check_choice("kind", kind, ("min", "max", "average", "smd"))
    check_choice("normalize", normalize, ("half", "cardinality"))
    n_threads = _n_threads(n_jobs)
    check_count("block_bytes", block_bytes)
    one = sorted_bags(bags)
    two = one if other is None else sorted_bags(other)
    if not one.n_filled or not two.n_filled:
        return np.full((one.n_bags, two.n_bags), np.inf)
    if one.X.shape[1] != two.X.shape[1]:
        raise ClusteringError(
            f"the bags have {one.X.shape[1]} features and those to compare with "
            f"{two.X.shape[1]}: give the same features in the same order"
        )
    combined = kind if kind in ("min", "max") else "sum"
    exponent, (left, right) = _comparable(one, two)
    directed = partial(_directed, combined=combined, n_threads=n_threads, block_bytes=block_bytes)
    both = directed(left, right)
    if other is None:
        # For "min" half of the table has not been computed.
        both = _COMBINED[combined][0](both, both.T)
    elif combined != "min":
        both = _COMBINED[combined][0](both, directed(right, left).T)
    if combined == "sum":
        of_sizes = kind == "average" or normalize == "cardinality"
        both /= np.add.outer(one.sizes, two.sizes) if of_sizes else 2.0
    with np.errstate(over="ignore"):  # beyond what a float64 holds they are inf
        np.ldexp(both, exponent, out=both)
    if both.shape == (one.n_bags, two.n_bags):
        return both
    distances = np.full((one.n_bags, two.n_bags), np.inf)
    distances[np.ix_(one.bag_numbers, two.bag_numbers)] = both
    return distances


@dataclass(frozen=True, eq=False)
class _Side:
    """The instances of one side, prepared for products.

    Attributes
    ----------
    bags : SortedBags
        Where the bags are.
    X : ndarray, shape (n, d)
        Instances x, scaled by a power of 2, so that their differences are those of the data.
    rows : ndarray, shape (n, d + 2)
        With c = x - centre: -2 c, 1, ||c||².
    columns : ndarray, shape (d + 2, n)
        c, ||c||², 1: a row times a column is a squared distance.
    close : ndarray, shape (n,)
        Squared distances up to this may have lost more than the relative error that is allowed.
    """

    bags: SortedBags
    X: FloatArray
    rows: FloatArray
    columns: FloatArray
    close: FloatArray

    @classmethod
    def of(cls, bags: SortedBags, exponent: int, centre: FloatArray) -> _Side:
        X = np.ldexp(bags.X, -exponent)
        centred = X - centre
        squares = np.einsum("ij,ij->i", centred, centred)
        ones = np.ones_like(squares)
        rows = np.column_stack([-2.0 * centred, ones, squares])
        columns = np.ascontiguousarray(np.column_stack([centred, squares, ones]).T)
        # The product of x and y errs by e = (d + 8) eps (||x||² + ||y||²) at most. Where it exceeds
        # 4 t ||x||² it also exceeds t (||x||² + ||y||²), as ||y||² <= 2 ||x||² + 2 ||x - y||².
        tolerance = (X.shape[1] + 8) * np.finfo(np.float64).eps / _RELATIVE_ERROR
        return cls(bags, X, rows, columns, 4.0 * min(tolerance, 0.125) * squares)


def _comparable(one: SortedBags, two: SortedBags) -> tuple[int, tuple[_Side, _Side]]:
    """Scale both sides by a power of 2, which is returned, and shift them to the mean of one."""
    largest = max(float(np.abs(one.X).max()), float(np.abs(two.X).max()))
    exponent = int(np.frexp(largest)[1])
    centre = np.ldexp(one.X, -exponent).mean(axis=0)
    left = _Side.of(one, exponent, centre)
    return exponent, (left, left if two is one else _Side.of(two, exponent, centre))


def _directed(
    one: _Side, two: _Side, *, combined: str, n_threads: int, block_bytes: int
) -> FloatArray:
    """Combine, for each bag of one, what its instances are from the nearest of each bag of two.

    Where that is the least of all distances between a bag and another, and both sides are the same,
    an instance is compared with those from its row on; the other half of the table is larger than
    it should be, and the transpose has it.

    Returns
    -------
    ndarray, shape (one.bags.n_filled, two.bags.n_filled)
    """
    combine, nothing = _COMBINED[combined]
    entries = max(1, block_bytes // 8)
    n_columns = min(len(two.X), _BLOCK_COLUMNS, entries)
    n_rows = max(1, entries // max(n_columns, two.bags.n_filled))
    result = np.full((one.bags.n_filled, two.bags.n_filled), nothing)

    half = combined == "min" and one is two

    def combine_rows(rows: slice) -> tuple[slice, FloatArray]:
        nearest = np.sqrt(_nearest(one, two, rows, n_columns, rows.start if half else 0))
        runs, starts = _runs_within(one.bags, rows)
        return runs, combine.reduceat(nearest, starts, axis=0)

    with one_blas_thread(), ThreadPoolExecutor(n_threads) as pool:
        # Blocks do not depend on the number of threads, and are put together in their order.
        for runs, part in pool.map(combine_rows, _blocks(len(one.X), n_rows)):
            result[runs] = combine(result[runs], part)
    return result


def _nearest(one: _Side, two: _Side, rows: slice, n_columns: int, first: int) -> FloatArray:
    """Squared distances of some instances to the nearest of each bag, (n_rows, n_filled).

    Only instances from the `first` on are looked at; a bag without any is infinitely far.
    """
    nearest = np.full((rows.stop - rows.start, two.bags.n_filled), np.inf)
    for columns in _blocks(len(two.X), n_columns, first):
        squared = one.rows[rows] @ two.columns[:, columns]
        _recompute_close(squared, one, two, rows, columns)
        runs, starts = _runs_within(two.bags, columns)
        part = np.minimum.reduceat(squared, starts, axis=1)
        np.minimum(nearest[:, runs], part, out=nearest[:, runs])
    return nearest


def _recompute_close(
    squared: FloatArray, one: _Side, two: _Side, rows: slice, columns: slice
) -> None:
    """Replace the squared distances that are too small to be trusted, in place."""
    close = np.flatnonzero(squared <= one.close[rows, None])
    if len(close) > squared.size // _LARGEST_SHARE:
        squared[:] = cdist(one.X[rows], two.X[columns], "sqeuclidean")
        return
    flat = squared.reshape(-1)
    step = max(1, squared.size // (4 * one.X.shape[1]))
    for part in _blocks(len(close), step):
        row, column = np.divmod(close[part], squared.shape[1])
        difference = one.X[rows.start + row] - two.X[columns.start + column]
        flat[close[part]] = np.einsum("ij,ij->i", difference, difference)


def _runs_within(bags: SortedBags, rows: slice) -> tuple[slice, Any]:
    """Bags that have instances among some rows, and where these start, counted from the first."""
    first = int(np.searchsorted(bags.starts, rows.start, side="right")) - 1
    stop = int(np.searchsorted(bags.starts, rows.stop, side="left"))
    return slice(first, stop), np.maximum(bags.starts[first:stop] - rows.start, 0)


def _blocks(n: int, step: int, first: int = 0) -> Iterator[slice]:
    for start in range(first, n, step):
        yield slice(start, min(start + step, n))


def _n_threads(n_jobs: Any) -> int:
    if not is_whole_number(n_jobs) or (n_jobs < 1 and n_jobs != -1):
        raise ClusteringError(f"n_jobs must be a whole number from 1, or -1, not {n_jobs!r}")
    return int(n_jobs) if n_jobs > 0 else os.cpu_count() or 1
