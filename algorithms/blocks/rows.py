"""Rows cut into blocks of whole bags, and rows of mostly zeros packed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from algorithms.bags import FloatArray, IntArray

BLOCK_ROWS = 8192
"""Rows of a block at least, but for the last: what fewer rows give does not depend on blocks."""


def blocks_of_bags(bag: IntArray, n_rows: int = BLOCK_ROWS) -> list[IntArray]:
    """Rows of each block: bag by bag, no bag in two blocks.

    Parameters
    ----------
    bag : ndarray of int64, shape (n,)
        Bag of each row.
    n_rows : int
        A block ends with the bag that brings it to so many rows.

    Returns
    -------
    list of ndarray of int64
        None without rows.
    """
    order = np.argsort(bag, kind="stable").astype(np.int64)
    blocks: list[IntArray] = []
    if not len(bag):
        return blocks
    ends = np.flatnonzero(np.r_[np.diff(bag[order]) > 0, True]) + 1
    start = 0
    for end in ends:
        if end - start >= n_rows or end == len(bag):
            blocks.append(order[start:end])
            start = int(end)
    return blocks


def column_variances(
    X: FloatArray,
    transform: Callable[[FloatArray], FloatArray] | None = None,
    n_rows: int = BLOCK_ROWS,
) -> FloatArray:
    """Variance of every column, without a second table of the size of `X`.

    Parameters
    ----------
    X : ndarray, shape (n, d)
        At least one row.
    transform : callable, optional
        Gives the rows of the table that is meant for some rows of `X`.
    n_rows : int
        Rows at a time.
    """
    if len(X) <= n_rows:
        return np.asarray((X if transform is None else transform(X)).var(axis=0))
    total: FloatArray | float = 0.0
    for rows in _some_at_a_time(X, transform, n_rows):
        total = total + rows.sum(axis=0)
    mean = total / len(X)
    squares: FloatArray | float = 0.0
    for rows in _some_at_a_time(X, transform, n_rows):
        away = rows - mean
        squares = squares + (away * away).sum(axis=0)
    return np.asarray(squares / len(X), dtype=np.float64)


def _some_at_a_time(
    X: FloatArray, transform: Callable[[FloatArray], FloatArray] | None, n_rows: int
) -> Iterator[FloatArray]:
    for start in range(0, len(X), n_rows):
        rows = X[start : start + n_rows]
        yield rows if transform is None else transform(rows)


@dataclass(frozen=True, eq=False)
class Packed:
    """A table of mostly zeros: where the others are, row by row, and which.

    Attributes
    ----------
    shape : tuple of int
        Rows and columns.
    place : ndarray of int64
        Of the values in the flat table, rising.
    values : ndarray
        All but zeros, of which some may be among them.
    """

    shape: tuple[int, int]
    place: IntArray
    values: FloatArray

    @property
    def row(self) -> IntArray:
        """Row of each value."""
        return self.place // self.shape[1]

    @property
    def column(self) -> IntArray:
        """Column of each value."""
        return self.place - self.row * self.shape[1]

    def of_each_column(self) -> FloatArray:
        """Sums of the values, column by column, shape (n_columns,)."""
        sums = np.bincount(self.column, self.values, minlength=self.shape[1])
        return sums.astype(np.float64, copy=False)

    @classmethod
    def of(cls, table: FloatArray) -> Packed:
        """Pack a table."""
        place = np.flatnonzero(table)
        return cls((table.shape[0], table.shape[1]), place, table.ravel()[place])

    def table(self) -> FloatArray:
        """All of it."""
        found = np.zeros(self.shape)
        found.ravel()[self.place] = self.values
        return found


@dataclass(frozen=True, eq=False)
class PackedRows:
    """Packed blocks as one table, of which some rows at a time are wanted.

    Attributes
    ----------
    n_columns : int
        Of the table.
    first : ndarray of int64, shape (n + 1,)
        Where the values of each row begin.
    column : ndarray of int32
        Column of each value.
    values : ndarray
        All but zeros, row by row.
    """

    n_columns: int
    first: IntArray
    column: npt.NDArray[np.int32]
    values: FloatArray

    @classmethod
    def of(cls, blocks: Sequence[Packed], rows: Sequence[IntArray], n_columns: int) -> PackedRows:
        """Join blocks.

        Parameters
        ----------
        blocks : sequence of Packed
            At least one.
        rows : sequence of ndarray of int64
            Where the rows of each block stand in the table, all of which are in one of them.
        n_columns : int
            Further columns of the blocks are left out.
        """
        row = np.concatenate([own[block.row] for block, own in zip(blocks, rows, strict=True)])
        column = np.concatenate([block.column for block in blocks])
        kept = np.flatnonzero(column < n_columns)
        order = kept[np.argsort(row[kept], kind="stable")]
        n = sum(len(own) for own in rows)
        first = np.r_[0, np.cumsum(np.bincount(row[kept], minlength=n))].astype(np.int64)
        values = np.concatenate([block.values for block in blocks])[order]
        return cls(n_columns, first, column[order].astype(np.int32), values)

    def table(self, rows: IntArray | None = None) -> FloatArray:
        """Some rows, by default all."""
        chosen = np.arange(len(self.first) - 1) if rows is None else rows
        starts, sizes = self.first[chosen], np.diff(self.first)[chosen]
        found = np.zeros((len(chosen), self.n_columns))
        at = np.repeat(np.arange(len(chosen)), sizes)
        value = np.arange(len(at)) + np.repeat(starts - np.r_[0, np.cumsum(sizes)[:-1]], sizes)
        found[at, self.column[value]] = self.values[value]
        return found
