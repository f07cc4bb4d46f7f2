"""Principal components of rows of whole numbers, each brought to unit length."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

from algorithms.bags import FloatArray, IntArray
from algorithms.features.exact import (
    WholeNumbers,
    exact_product,
    exact_weights,
    lengths,
    some_rows,
)
from algorithms.threads import one_blas_thread

MOST_ROWS = 6_000
"""Rows that are learned from; of more, a sample."""

_BLOCK_ROWS = 4096
_APPLIED_ROWS = 512  # which stay in the cache
# So many times fewer rows than columns are decomposed themselves: the covariance of 1152 columns
# takes a hundred times as long as 12 rows.
_FEW = 4
# What varies less than this in rows of unit length is rounding.
_LEAST_VARIANCE = 1e-6


@dataclass(frozen=True, eq=False)
class UnitComponents:
    """The directions in which rows of unit length vary most.

    Attributes
    ----------
    components : ndarray, shape (n_columns, n_components)
        Orthonormal but for rounding, the one with the largest variance first; the largest entry
        of each is positive.
    offset : ndarray, shape (n_components,)
        Coordinates of the mean.
    explained : float
        Share of the variance that lies in them; 1 if there is none.

    References
    ----------
    Jolliffe, I. T. (2002), Principal component analysis, 2nd edition.
    """

    components: FloatArray
    offset: FloatArray
    explained: float

    @classmethod
    def learn(cls, rows: WholeNumbers, n_components: int, seed: int) -> UnitComponents:
        """Find the components of some rows.

        Parameters
        ----------
        rows : ndarray of uint8 or int16, shape (n, n_columns)
            At least one. Rows of zeros stay zeros.
        n_components : int
            How many at most; fewer where the rows vary in fewer directions, one at least.
        seed : int
            Of the sample of more than `MOST_ROWS`.
        """
        chosen = some_rows(len(rows), MOST_ROWS, seed)
        with one_blas_thread():
            if len(chosen) * _FEW <= rows.shape[1]:
                mean, everything, variance, directions = _of_few(rows[chosen])
            else:
                mean, everything, variance, directions = _of_many(rows, chosen, n_components)
        variance, directions = variance[-n_components:], directions[:, -n_components:]
        kept = np.flatnonzero(variance > _LEAST_VARIANCE)[::-1]
        kept = kept if len(kept) else np.array([len(variance) - 1])
        components = directions[:, kept]
        largest = np.abs(components).argmax(axis=0)
        components = components * np.sign(components[largest, np.arange(len(kept))])
        explained = (
            float(variance[kept].sum()) / everything if everything > _LEAST_VARIANCE else 1.0
        )
        return cls(exact_weights(components), mean @ components, explained)

    def apply(self, rows: WholeNumbers) -> FloatArray:
        """Give the coordinates of rows, shape (n, n_components); each depends on its row alone."""
        found = np.empty((len(rows), self.components.shape[1]))
        with one_blas_thread():  # several take more processor time than they save of the clock
            for start in range(0, len(rows), _APPLIED_ROWS):
                some = slice(start, start + _APPLIED_ROWS)
                product = exact_product(rows[some], self.components)
                found[some] = product / lengths(rows[some])[:, None] - self.offset
        return found


def _of_few(rows: WholeNumbers) -> tuple[FloatArray, float, FloatArray, FloatArray]:
    """As `_of_many`, with all directions in which these rows vary."""
    unit = _unit(rows).astype(np.float64)
    mean = unit.mean(axis=0)
    _, spread, directions = scipy.linalg.svd(unit - mean, full_matrices=False)
    variance = spread**2 / len(rows)
    return mean, float(variance.sum()), variance[::-1], directions[::-1].T


def _unit(rows: WholeNumbers) -> npt.NDArray[np.float32]:
    """Rows of unit length."""
    unit = np.empty(rows.shape, dtype=np.float32)
    np.divide(rows, lengths(rows)[:, None], out=unit, dtype=np.float64, casting="same_kind")
    return unit


def _of_many(
    rows: WholeNumbers, chosen: IntArray, n_components: int
) -> tuple[FloatArray, float, FloatArray, FloatArray]:
    """Mean, whole variance, and the largest variances, ascending, with their directions."""
    size = rows.shape[1]
    total, squares = np.zeros(size), np.zeros((size, size))
    for start in range(0, len(chosen), _BLOCK_ROWS):
        block = rows[chosen[start : start + _BLOCK_ROWS]]
        unit = _unit(block)
        total += unit.sum(axis=0, dtype=np.float64)
        squares += unit.T @ unit
    mean = total / len(chosen)
    covariance = np.divide(squares, len(chosen), out=squares)
    covariance -= np.outer(mean, mean)
    everything = float(covariance.trace())
    wanted = [max(0, size - n_components), size - 1]
    variance, directions = scipy.linalg.eigh(covariance, subset_by_index=wanted, check_finite=False)
    return mean, everything, variance, directions
