"""Leading eigenvectors of the normalised affinity, with or without bag constraints."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import cast

import numpy as np
from scipy.linalg import eigh
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh, lobpcg

from algorithms.bags import FloatArray
from algorithms.constraints.operator import Constraints
from algorithms.errors import ClusteringError
from algorithms.graph import SparseMatrix
from algorithms.spectral.operators import SymmetricOperator
from algorithms.threads import one_thread

DENSE_SOLVER_LIMIT = 2000
"""Up to this many instances the eigenvectors come from a dense solver."""

DENSE_RESCUE_LIMIT = 8000
"""Up to this many the dense solver is the last resort when iterations do not converge."""

LARGE = 20_000
"""Above so many instances eigenvectors are found to two digits instead of six."""

_TOLERANCE = 1e-6
# Against 1e-3, a third of the time at 100 000 instances; purity 0.02 lower to 0.01 higher.
_LARGE_TOLERANCE = 1e-2
_MAX_RESTARTS = 500
_LOBPCG_ITERATIONS = 500
_LOBPCG_TOLERANCE = 1e-5


@dataclass(frozen=True, eq=False)
class NormalisedOperator:
    """The symmetric matrix D^-1/2 (W + uniform 11' + alpha Q) D^-1/2, applied, not formed.

    Attributes
    ----------
    W : ndarray or csr_array, shape (n, n)
        Affinities.
    inverse_root_degree : ndarray, shape (n,)
        1 / sqrt(d), and 0 where the degree d is 0.
    uniform : float
        Weight added to every pair; regularises graphs of many components.
    constraints : Constraints, optional
        Q.
    alpha : float
        Its weight.
    """

    W: FloatArray | SparseMatrix
    inverse_root_degree: FloatArray
    uniform: float = 0.0
    constraints: Constraints | None = None
    alpha: float = 0.0

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.inverse_root_degree)

    def __matmul__(self, vectors: FloatArray) -> FloatArray:
        """Apply to `vectors` of shape (n,) or (n, L)."""
        scale = self.inverse_root_degree
        if vectors.ndim == 2:
            scale = scale[:, None]
        scaled = scale * vectors
        product: FloatArray = np.asarray(self.W @ scaled, dtype=np.float64)
        return scale * (product + self._beyond_affinity(scaled))

    def toarray(self) -> FloatArray:
        """Form the matrix, shape (n, n); for small n only."""
        W: FloatArray = self.W if isinstance(self.W, np.ndarray) else self.W.toarray()
        matrix = W + self._beyond_affinity(np.eye(self.n))
        matrix *= np.multiply.outer(self.inverse_root_degree, self.inverse_root_degree)
        return matrix

    def _beyond_affinity(self, vectors: FloatArray) -> FloatArray | float:
        """(uniform 11' + alpha Q) @ vectors."""
        added: FloatArray | float = 0.0
        if self.uniform:
            added = added + self.uniform * vectors.sum(axis=0)
        if self.constraints is not None:
            added = added + self.alpha * (self.constraints @ vectors)
        return added


def leading_eigenvectors(
    operator: SymmetricOperator, k: int, seed: int
) -> tuple[FloatArray, FloatArray]:
    """Find the `k` largest *algebraic* eigenvalues and their eigenvectors.

    The matrix is indefinite once bag constraints are in it, so the largest magnitude would be
    the wrong end. Up to :data:`DENSE_SOLVER_LIMIT` rows a dense solver is used, above it Lanczos
    iterations, to two digits above :data:`LARGE`; should those not converge, LOBPCG, and then
    the dense solver again up to :data:`DENSE_RESCUE_LIMIT`.

    Parameters
    ----------
    operator : SymmetricOperator
        The matrix, n rows.
    k : int
        Number of eigenvectors, 1 to n.
    seed : int
        Seed of the starting vectors.

    Returns
    -------
    eigenvalues : ndarray, shape (k,)
        In falling order.
    eigenvectors : ndarray, shape (n, k)
        The entry of largest magnitude of each is positive.

    Raises
    ------
    ClusteringError
        When nothing converges; the message names the residuals.
    """
    # On one thread, because sums split over several differ in their last bits; the products are
    # bound by memory, so little time is lost.
    with one_thread():
        if operator.n <= DENSE_SOLVER_LIMIT:
            values, vectors = _dense(operator, k)
        else:
            values, vectors = _iterative(operator, k, seed)
    order = np.argsort(-values, kind="stable")
    values, vectors = values[order], vectors[:, order]
    largest = np.abs(vectors).argmax(axis=0)
    signs = np.where(vectors[largest, np.arange(k)] < 0, -1.0, 1.0)
    return values, vectors * signs


def _dense(operator: SymmetricOperator, k: int) -> tuple[FloatArray, FloatArray]:
    n = operator.n
    values, vectors = eigh(operator.toarray(), subset_by_index=(n - k, n - 1), overwrite_a=True)
    return values, vectors


def _iterative(operator: SymmetricOperator, k: int, seed: int) -> tuple[FloatArray, FloatArray]:
    n = operator.n
    rng = np.random.default_rng(seed)
    linear = LinearOperator(
        shape=(n, n),
        dtype=np.dtype(np.float64),
        matvec=lambda v: operator @ v.ravel(),
        matmat=operator.__matmul__,
    )
    try:
        values, vectors = eigsh(
            linear,
            k=k,
            which="LA",
            tol=_TOLERANCE if n <= LARGE else _LARGE_TOLERANCE,
            ncv=min(n, max(2 * k + 1, k + 20)),
            v0=rng.standard_normal(n),
            maxiter=_MAX_RESTARTS,
        )
        return values, vectors
    except ArpackNoConvergence:
        values, vectors, residuals = _lobpcg(linear, operator, rng.standard_normal((n, k)))
    if residuals.max() <= _LOBPCG_TOLERANCE * max(1.0, float(np.abs(values).max())):
        return values, vectors
    if n <= DENSE_RESCUE_LIMIT:
        return _dense(operator, k)
    raise ClusteringError(
        f"the {k} leading eigenvectors of {n} instances do not converge (residuals up to "
        f"{residuals.max():.1e}): use fewer clusters or a larger n_neighbors"
    )


def _lobpcg(
    linear: LinearOperator, operator: SymmetricOperator, start: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    with warnings.catch_warnings():
        # It warns when it stops early; the residuals below say so more precisely.
        warnings.simplefilter("ignore", UserWarning)
        found = lobpcg(
            linear,
            start,
            largest=True,
            tol=_LOBPCG_TOLERANCE / 2,
            maxiter=_LOBPCG_ITERATIONS,
        )
    values, vectors = cast("tuple[FloatArray, FloatArray]", found[:2])
    residuals = np.linalg.norm(operator @ vectors - vectors * values, axis=0)
    return values, vectors, np.asarray(residuals, dtype=np.float64)
