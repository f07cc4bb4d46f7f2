"""What the eigensolvers need to know of a matrix, and the scaled matrix of most methods."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.linalg import cho_solve, cholesky

from algorithms.bags import FloatArray
from algorithms.graph import SparseMatrix
from algorithms.threads import one_thread


class SymmetricOperator(Protocol):
    """A symmetric matrix that can be applied, and formed when it is small."""

    @property
    def n(self) -> int:
        """Number of rows."""

    def __matmul__(self, vectors: FloatArray, /) -> FloatArray:
        """Apply to `vectors` of shape (n,) or (n, L)."""

    def toarray(self) -> FloatArray:
        """Form the matrix, shape (n, n)."""


class SymmetricMatrix(Protocol):
    """A symmetric matrix that is not stored as such, but can be applied and formed."""

    def __matmul__(self, vectors: FloatArray, /) -> FloatArray:
        """Apply to `vectors` of shape (n,) or (n, L)."""

    def toarray(self) -> FloatArray:
        """Form the matrix, shape (n, n)."""


@dataclass(frozen=True, eq=False)
class ScaledOperator:
    """The symmetric matrix S (A + uniform gg') S + diag(shift), applied, not formed.

    Attributes
    ----------
    matrix : ndarray, csr_array or SymmetricMatrix, shape (n, n)
        A.
    scale : ndarray, shape (n,)
        The diagonal of S.
    uniform : float
        Weight added to every pair of instances.
    shift : ndarray, shape (n,), optional
        Added to the diagonal.
    weights : ndarray, shape (n,), optional
        g: how many instances each row stands for; one unless given.
    """

    matrix: FloatArray | SparseMatrix | SymmetricMatrix
    scale: FloatArray
    uniform: float = 0.0
    shift: FloatArray | None = None
    weights: FloatArray | None = None

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.scale)

    def __matmul__(self, vectors: FloatArray, /) -> FloatArray:
        """Apply to `vectors` of shape (n,) or (n, L)."""
        columns = vectors[:, None] if vectors.ndim == 1 else vectors
        scaled = self.scale[:, None] * columns
        product = np.asarray(self.matrix @ scaled)
        if self.uniform:
            g = self._weights()
            product = product + self.uniform * np.multiply.outer(g, g @ scaled)
        result: FloatArray = self.scale[:, None] * product
        if self.shift is not None:
            result += self.shift[:, None] * columns
        return result.reshape(vectors.shape)

    def toarray(self) -> FloatArray:
        """Form the matrix, shape (n, n); for small n only."""
        matrix = self.matrix
        formed = matrix if isinstance(matrix, np.ndarray) else matrix.toarray()
        g = self._weights()
        bridged = formed + self.uniform * np.multiply.outer(g, g)
        result: FloatArray = bridged * np.multiply.outer(self.scale, self.scale)
        if self.shift is not None:
            result[np.diag_indices(self.n)] += self.shift
        return result

    def _weights(self) -> FloatArray:
        return np.ones(self.n) if self.weights is None else self.weights


@dataclass(frozen=True, eq=False)
class InverseOperator:
    """(above I - A)^-1 for a matrix A all of whose eigenvalues are below `above`.

    Its eigenvectors are those of A, and its eigenvalues 1 / (above - lambda).

    Attributes
    ----------
    factor : ndarray, shape (n, n)
        Lower Cholesky factor of above I - A.
    """

    factor: FloatArray

    @classmethod
    def of(cls, operator: SymmetricOperator, above: float) -> InverseOperator:
        """Factorise, in O(n^3), the matrix above I - A."""
        matrix = -operator.toarray()
        matrix[np.diag_indices(operator.n)] += above
        # On one thread, because sums split over several differ in their last bits.
        with one_thread():
            return cls(cholesky(matrix, lower=True, overwrite_a=True, check_finite=False))

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.factor)

    def __matmul__(self, vectors: FloatArray, /) -> FloatArray:
        """Apply to `vectors` of shape (n,) or (n, L)."""
        return cho_solve((self.factor, True), vectors, check_finite=False)

    def toarray(self) -> FloatArray:
        """Form the matrix, shape (n, n)."""
        return self @ np.eye(self.n)
