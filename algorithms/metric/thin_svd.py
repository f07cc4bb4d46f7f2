"""Thin singular value decompositions, from which metrics in closed form are made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from algorithms.bags import FloatArray
from algorithms.checks import check_number, is_number
from algorithms.errors import ClusteringError

_ROUNDING = 1e-14
_BLOCK_HEIGHT = 16  # rows of a block of a tall matrix, for every column


@dataclass(frozen=True, eq=False)
class ThinSVD:
    r"""The part of X = U S V' that counts: directions without variance are left out.

    U is not kept, as it is X V S^-1: where it is needed it costs one product.

    Attributes
    ----------
    sigma : ndarray, shape (rank,)
        Singular values, falling.
    right : ndarray, shape (n_features, rank)
        V.
    """

    sigma: FloatArray
    right: FloatArray

    @classmethod
    def of(cls, X: FloatArray, *, rcond: float | None, variance: float | None) -> ThinSVD:
        """Decompose X, in time linear in its rows and quadratic in its columns (or vice versa).

        Parameters
        ----------
        X : ndarray, shape (n, n_features)
            At least one row.
        rcond : float or None
            Singular values up to this share of the largest count as 0; None takes what rounding
            can cause, max(n, n_features) times the machine precision.
        variance : float or None
            Keep only the largest singular values, as many as hold this share of the sum of squares.
        """
        # With more rows than columns the triangular factor of X has all that is asked for.
        small = _triangular(X) if len(X) > X.shape[1] else X
        _, sigma, right = np.linalg.svd(small, full_matrices=False)
        if rcond is None:
            rcond = max(X.shape) * float(np.finfo(np.float64).eps)
        kept = int((sigma > rcond * sigma[0]).sum())
        if variance is not None and kept:
            kept = n_largest(sigma[:kept] ** 2, variance)
        return cls(sigma[:kept], right[:kept].T)

    def left(self, X: FloatArray) -> FloatArray:
        """U of the matrix that was decomposed, or what other rows are in its terms.

        Parameters
        ----------
        X : ndarray, shape (n, n_features)
            The matrix.

        Returns
        -------
        ndarray, shape (n, rank)
        """
        coordinates: FloatArray = X @ (self.right / self.sigma)
        return coordinates


def _triangular(X: FloatArray) -> FloatArray:
    """R of X = QR; of a tall matrix block by block, each so small that a cache holds it."""
    step = _BLOCK_HEIGHT * X.shape[1]
    if len(X) >= 2 * step > 0:
        X = np.vstack([np.linalg.qr(X[i : i + step], mode="r") for i in range(0, len(X), step)])
    return np.asarray(np.linalg.qr(X, mode="r"), dtype=np.float64)


def n_largest(values: FloatArray, share: float) -> int:
    """How many of falling, positive values hold a share of their sum."""
    sums = values.cumsum()
    # Rounding must not let the last one hold nothing where all are asked for.
    enough = share * sums[-1] * (1.0 - _ROUNDING)
    return 1 + int(np.searchsorted(sums, enough))


def check_truncation(rcond: Any, variance: Any) -> None:
    """Raise :class:`ClusteringError` unless the two are what :meth:`ThinSVD.of` takes."""
    if rcond is not None:
        check_number("rcond", rcond)
        if rcond >= 1:
            raise ClusteringError(f"rcond must be below 1, or nothing is left, not {rcond!r}")
    if variance is not None and (not is_number(variance) or not 0 < variance <= 1):
        raise ClusteringError(
            f"variance must be a share above 0 and up to 1, or None, not {variance!r}"
        )
