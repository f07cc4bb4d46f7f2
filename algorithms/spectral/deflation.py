"""Leading eigenvectors of a graph in several parts, whose largest eigenvalue is a multiple one.

Iterations that start from a single vector see one eigenvector of a multiple eigenvalue, and find
the others, if at all, only through rounding errors. For a graph in parts they need not be
searched: the indicators of the parts give them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from algorithms.bags import FloatArray, IntArray
from algorithms.spectral import eigen
from algorithms.spectral.operators import SymmetricOperator


@dataclass(frozen=True, eq=False)
class DeflatedOperator:
    """A symmetric matrix A, some of whose eigenvalues are lowered: A - amount V V'.

    Attributes
    ----------
    operator : SymmetricOperator
        A.
    known : ndarray, shape (n, c)
        V, orthonormal eigenvectors of A.
    amount : float
        By how much.
    """

    operator: SymmetricOperator
    known: FloatArray
    amount: float

    @property
    def n(self) -> int:
        """Number of rows."""
        return self.operator.n

    def __matmul__(self, vectors: FloatArray, /) -> FloatArray:
        """Apply to `vectors` of shape (n,) or (n, L)."""
        lowered: FloatArray = self.known @ (self.known.T @ vectors)
        return self.operator @ vectors - self.amount * lowered

    def toarray(self) -> FloatArray:
        """Form the matrix, shape (n, n); for small n only."""
        return self.operator.toarray() - self.amount * (self.known @ self.known.T)


def part_indicators(part: IntArray, weights: FloatArray) -> FloatArray:
    """Return one unit vector for each part of a graph, `weights` within it and 0 elsewhere.

    Parameters
    ----------
    part : ndarray of int64, shape (n,)
        Part of each row, numbered from 0.
    weights : ndarray, shape (n,)
        From 0. A part without weight gets no vector.

    Returns
    -------
    ndarray, shape (n, c)
    """
    indicators = np.zeros((len(part), int(part.max()) + 1))
    indicators[np.arange(len(part)), part] = weights
    lengths = np.linalg.norm(indicators, axis=0)
    filled = lengths > 0
    return np.asarray(indicators[:, filled] / lengths[filled], dtype=np.float64)


def leading_beyond(
    operator: SymmetricOperator,
    known: FloatArray,
    k: int,
    seed: int,
    *,
    value: float = 1.0,
    spread: float = 2.0,
) -> tuple[FloatArray, FloatArray]:
    """Find the `k` leading eigenvectors, those of the largest eigenvalue being known.

    A dense solver finds multiple eigenvalues by itself and is left alone, and so is a single one.

    Parameters
    ----------
    operator : SymmetricOperator
        The matrix, n rows.
    known : ndarray, shape (n, c)
        Orthonormal eigenvectors of the largest eigenvalue, c up to `k`.
    k, seed
        As for :func:`~algorithms.spectral.eigen.leading_eigenvectors`.
    value : float
        The largest eigenvalue.
    spread : float
        At least the distance from the largest to the smallest eigenvalue.

    Returns
    -------
    eigenvalues : ndarray, shape (k,)
        In falling order.
    eigenvectors : ndarray, shape (n, k)
    """
    n_known = known.shape[1]
    if n_known < 2 or operator.n <= eigen.DENSE_SOLVER_LIMIT:
        return eigen.leading_eigenvectors(operator, k, seed)
    values = np.full(n_known, value)
    if n_known == k:
        return values, known
    deflated = DeflatedOperator(operator, known, spread)
    others, vectors = eigen.leading_eigenvectors(deflated, k - n_known, seed)
    return np.concatenate([values, others]), np.hstack([known, vectors])
