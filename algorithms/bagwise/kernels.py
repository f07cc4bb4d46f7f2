"""Kernels of instances, with parameters that suit the data unless they are given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy.spatial.distance import pdist

from algorithms.bags import FloatArray
from algorithms.checks import check_choice, check_count, check_number
from algorithms.errors import ClusteringError

KernelFunction = Callable[[FloatArray, FloatArray], FloatArray]
KernelName = Literal["linear", "rbf", "poly", "chi2"]

_SAMPLE = 1000  # instances whose pairs tell the usual distance; half a million pairs are enough


@dataclass(frozen=True, eq=False)
class Kernel:
    """A kernel whose parameters are settled.

    Attributes
    ----------
    kernel : {"linear", "rbf", "poly", "chi2"} or callable
        x'y; exp(-gamma ||x - y||^2); (gamma x'y + coef0)^degree; exp(-gamma sum (x - y)^2 /
        (x + y)), of features from 0, such as histograms; or a function of two tables of instances
        that gives the matrix between them, symmetric and without negative eigenvalues.
    gamma, coef0 : float
        See there.
    degree : int
        See there.
    """

    kernel: KernelName | KernelFunction
    gamma: float = 1.0
    degree: int = 3
    coef0: float = 1.0

    @classmethod
    def settle(
        cls,
        X: FloatArray,
        kernel: KernelName | KernelFunction,
        *,
        gamma: float | None,
        degree: int,
        coef0: float,
        seed: int,
    ) -> Kernel:
        """Check the parameters of a kernel, and choose `gamma` by the data if it is None.

        It is then 1 over the median squared distance of two instances for "rbf", the same of the
        chi-square distance for "chi2", and 1 over the mean squared length for "poly", so that the
        unit of the features does not matter.

        Parameters
        ----------
        X : ndarray, shape (n_instances, n_features)
            Instances; the pairs of 1000 of them, drawn with `seed`, tell the median.
        kernel, gamma, degree, coef0
            See :class:`Kernel`.
        seed : int
            Seed.

        Raises
        ------
        ClusteringError
            When a parameter is out of range, or features are negative under "chi2".
        """
        if not callable(kernel):
            check_choice("kernel", kernel, ("linear", "rbf", "poly", "chi2"))
        check_count("degree", degree)
        check_number("coef0", coef0)
        if gamma is not None:
            check_number("gamma", gamma, above=True)
        chosen = _default_gamma(X, kernel, seed) if gamma is None else float(gamma)
        return cls(kernel, chosen, int(degree), float(coef0))

    def __call__(self, A: FloatArray, B: FloatArray) -> FloatArray:
        """Compute the kernel of every row of one table with every row of another.

        Parameters
        ----------
        A, B : ndarray, shapes (n, n_features) and (m, n_features)
            Instances.

        Returns
        -------
        ndarray, shape (n, m)
            The kernel.

        Raises
        ------
        ClusteringError
            When features are negative under "chi2", or what comes out is no matrix of this shape
            of finite numbers.
        """
        with np.errstate(over="ignore", invalid="ignore"):  # told below
            matrix = np.asarray(self._matrix(A, B), dtype=np.float64)
        if matrix.shape != (len(A), len(B)):
            raise ClusteringError(
                f"the kernel of {len(A)} with {len(B)} instances must have the shape "
                f"{(len(A), len(B))}, not {matrix.shape}"
            )
        if not np.isfinite(matrix).all():
            raise ClusteringError(
                "the kernel gave numbers that are not finite: scale the features, or take a "
                "smaller degree or gamma"
            )
        return matrix

    def _matrix(self, A: FloatArray, B: FloatArray) -> Any:
        from sklearn.metrics import pairwise

        if callable(self.kernel):
            return self.kernel(A, B)
        if self.kernel == "linear":
            return pairwise.linear_kernel(A, B)
        if self.kernel == "rbf":
            return pairwise.rbf_kernel(A, B, gamma=self.gamma)
        if self.kernel == "poly":
            return pairwise.polynomial_kernel(
                A, B, degree=self.degree, gamma=self.gamma, coef0=self.coef0
            )
        return pairwise.chi2_kernel(_histograms(A), _histograms(B), gamma=self.gamma)


def _default_gamma(X: FloatArray, kernel: KernelName | KernelFunction, seed: int) -> float:
    if kernel == "poly":
        squared = float((X**2).sum(axis=1).mean()) if len(X) else 0.0
        return 1.0 / squared if squared > 0 else 1.0
    if kernel not in ("rbf", "chi2"):
        return 1.0
    if len(X) > _SAMPLE:
        X = X[np.random.default_rng(seed).choice(len(X), _SAMPLE, replace=False)]
    distances = pdist(X, "sqeuclidean") if kernel == "rbf" else _chi2_distances(X)
    # Where most instances are identical, the others tell.
    median = float(np.median(distances)) if len(distances) else 0.0
    if median == 0.0 and (distances > 0).any():
        median = float(np.median(distances[distances > 0]))
    return 1.0 / median if median > 0 else 1.0


def _chi2_distances(X: FloatArray) -> FloatArray:
    """Compute the chi-square distance of every pair of rows."""
    from sklearn.metrics.pairwise import additive_chi2_kernel

    distances: FloatArray = -additive_chi2_kernel(_histograms(X))[np.triu_indices(len(X), 1)]
    return distances


def _histograms(X: FloatArray) -> FloatArray:
    """Check that nothing is negative. Copied if read-only, which scikit-learn does not take."""
    wrong = np.argwhere(X < 0)
    if len(wrong):
        row, column = (int(i) for i in wrong[0])
        raise ClusteringError(
            f'kernel="chi2" needs features from 0, as in histograms, but X holds '
            f'{X[row, column]:g} in row {row}, column {column}: take kernel="rbf", or do not '
            "standardise"
        )
    return np.require(X, requirements="W")
