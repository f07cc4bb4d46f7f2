"""Inner products of some pairs of rows of two matrices, such as instances and their candidates."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from algorithms.bags import FloatArray, IntArray

_BLOCK_ENTRIES = 1 << 16  # of temporary arrays, in float64 entries: 512 KB, which a cache holds
# A product of two rows that are copied for it takes about as long as so many of those that a
# product of matrices consists of.
_MATRIX_ADVANTAGE = 10


@dataclass(frozen=True, eq=False)
class PairProducts:
    """Pairs of a row of one matrix and a row of another, to be multiplied many times.

    Where pairs are few among all that there could be, their rows are multiplied one by one;
    otherwise a product of matrices, block by block, of which they are picked, is faster.

    Attributes
    ----------
    row, column : ndarray of int64, shape (n_pairs,)
        The pairs: a row of the first matrix, and one of the second.
    order, place : ndarray of int64, shape (n_pairs,), or None
        The pairs ordered by where they are in the matrix of all products, and where that is,
        counted row by row. None to multiply one by one.
    """

    row: IntArray
    column: IntArray
    order: IntArray | None
    place: IntArray | None

    @classmethod
    def of(cls, row: IntArray, column: IntArray, shape: tuple[int, int]) -> PairProducts:
        """Plan the products.

        Parameters
        ----------
        row, column : ndarray of int64, shape (n_pairs,)
            The pairs, in any order.
        shape : tuple of int
            Numbers of rows of the two matrices.
        """
        few = len(row) * _MATRIX_ADVANTAGE < shape[0] * shape[1]
        if few:
            return cls(row, column, None, None)
        place = row * shape[1] + column
        order = np.argsort(place, kind="stable")
        return cls(row, column, order, place[order])

    def __call__(self, one: FloatArray, two: FloatArray) -> FloatArray:
        """Multiply.

        Parameters
        ----------
        one : ndarray, shape (n, d)
            The first matrix.
        two : ndarray, shape (m, d)
            The second.

        Returns
        -------
        ndarray, shape (n_pairs,)
            Inner products of the rows.
        """
        products = np.empty(len(self.row))
        if self.order is None or self.place is None:
            step = max(1, _BLOCK_ENTRIES // max(1, one.shape[1]))
            for start in range(0, len(products), step):
                pairs = slice(start, start + step)
                left, right = one[self.row[pairs]], two[self.column[pairs]]
                np.einsum("ij,ij->i", left, right, out=products[pairs])
            return products
        step = max(1, _BLOCK_ENTRIES // max(1, len(two)))
        starts = range(0, len(one), step)
        edges = np.searchsorted(self.place, np.array([*starts, len(one)]) * len(two))
        for start, (first, last) in zip(starts, itertools.pairwise(edges.tolist()), strict=True):
            table = one[start : start + step] @ two.T
            place = self.place[first:last] - start * len(two)
            products[self.order[first:last]] = table.ravel()[place]
        return products
