"""Products of matrices without rounding."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from algorithms.bags import FloatArray

WholeNumbers = npt.NDArray[np.uint8] | npt.NDArray[np.int16]

_STEP = 2.0**-20
# 2^15 for a whole number, 2^6 for a weight in steps of 2^-20, and 2^12 products of them: 53 bits.
_MAX_WEIGHT = 64.0
MAX_COLUMNS = 4096
"""Columns that a table may have."""

_BLOCK_ROWS = 256  # which stay in the cache

FULL = 2**14
"""What 1 becomes as a whole number, see `as_whole`."""


def exact_weights(weights: FloatArray) -> FloatArray:
    """Round weights to whole multiples of 2^-20, about a millionth.

    Parameters
    ----------
    weights : ndarray, shape (n_columns, n_outputs)
        At most `MAX_COLUMNS` columns.

    Raises
    ------
    ValueError
        If a weight is above 64 or there are too many columns, so that sums could be rounded.
    """
    if len(weights) > MAX_COLUMNS or np.abs(weights).max(initial=0.0) > _MAX_WEIGHT:
        raise ValueError("products with these weights would not be exact")
    return np.asarray(np.rint(weights / _STEP) * _STEP, dtype=np.float64)


def exact_product(rows: WholeNumbers, weights: FloatArray) -> FloatArray:
    """Multiply whole numbers with weights from `exact_weights`.

    Parameters
    ----------
    rows : ndarray of uint8 or int16, shape (n, n_columns)
    weights : ndarray, shape (n_columns, n_outputs)

    Returns
    -------
    ndarray, shape (n, n_outputs)
        Every sum as it is, to the last bit.
    """
    return np.asarray(rows.astype(np.float64) @ weights)


def as_whole(values: FloatArray) -> npt.NDArray[np.int16]:
    """Write numbers from -1 to 1 as whole numbers from -2^14 to 2^14."""
    steps = values * FULL
    return np.rint(steps, out=steps).astype(np.int16)


def lengths(rows: WholeNumbers) -> FloatArray:
    """Euclidean length of each row of whole numbers, 1 for rows of zeros, shape (n,)."""
    square = np.empty(len(rows))
    for start in range(0, len(rows), _BLOCK_ROWS):
        values = rows[start : start + _BLOCK_ROWS].astype(np.float64)  # sums below 2^53 are exact
        square[start : start + _BLOCK_ROWS] = np.einsum("ij,ij->i", values, values)
    return np.asarray(np.sqrt(np.maximum(square, 1.0)))


def some_rows(count: int, most: int, seed: int) -> npt.NDArray[np.int64]:
    """Choose at most so many rows at random, in their order; all where there are no more."""
    if count <= most:
        return np.arange(count)
    return np.sort(np.random.default_rng(seed).choice(count, most, replace=False))
