"""Features whose inner products are a kernel: curved boundaries for methods that draw planes."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh

from algorithms.bags import FloatArray
from algorithms.bagwise.kernels import Kernel
from algorithms.errors import ClusteringError, ClusteringWarning
from algorithms.threads import one_thread

MAX_EXACT = 1000
"""Up to so many instances all eigenvectors of the kernel matrix are taken."""

N_LANDMARKS = 500
"""Instances that stand in for all of them above that."""

_ASYMMETRY = 1e-8  # share of the largest entry; more than rounding
_SMALLEST = 1e-10  # eigenvalues below this share of the largest are rounding errors
_NEGATIVE = 1e-6  # ... and more negative than this share they are the kernel's fault
_BLOCK_ENTRIES = 1 << 22  # largest temporary matrix, in float64 entries: 32 MB


@dataclass(frozen=True, eq=False)
class KernelFeatures:
    r"""Explicit features Phi of instances, so that Phi Phi' = K.

    K = V Lambda V' gives Phi = V Lambda^(1/2), and k(x)' V Lambda^(-1/2) for a new instance x with
    k(x) its kernel with the others. Any method whose planes lie in the span of the instances,
    m3ic among them, gives on Phi what it would give with the kernel (representer theorem). Above
    :data:`MAX_EXACT` instances V and Lambda are those of :data:`N_LANDMARKS` of them, and Phi Phi'
    is near K (Nystroem). Under the linear kernel the instances are their own features.

    Attributes
    ----------
    kernel : Kernel
        The kernel.
    landmarks : ndarray, shape (n_landmarks, n_features)
        Instances whose kernel with a new one places it.
    projection : ndarray, shape (n_landmarks, n_components), or None
        V Lambda^(-1/2); None under the linear kernel.

    References
    ----------
    Zhang, Wang, Si & Li, IEEE Transactions on Neural Networks 22 (2011), appendix D; Schoelkopf,
    Smola & Mueller, Nonlinear component analysis as a kernel eigenvalue problem, Neural
    Computation 10 (1998); Williams & Seeger, Using the Nystroem method to speed up kernel
    machines, NIPS 2000.
    """

    kernel: Kernel
    landmarks: FloatArray
    projection: FloatArray | None

    @classmethod
    def fit_transform(
        cls, X: FloatArray, kernel: Kernel, *, seed: int, max_exact: int | None = None
    ) -> tuple[KernelFeatures, FloatArray]:
        """Find the features of a kernel.

        Parameters
        ----------
        X : ndarray, shape (n_instances, n_features)
            At least one instance.
        kernel : Kernel
            The kernel.
        seed : int
            Seed of the choice of landmarks.
        max_exact : int, optional
            In the place of :data:`MAX_EXACT`.

        Returns
        -------
        fitted : KernelFeatures
            What computes the features of new instances.
        features : ndarray, shape (n_instances, n_components)
            Those of `X`.

        Raises
        ------
        ClusteringError
            When the kernel is not symmetric, or as :class:`~algorithms.bagwise.kernels.Kernel`.

        Warns
        -----
        ClusteringWarning
            When the kernel has negative eigenvalues, which are left out: no features have them.
        """
        if kernel.kernel == "linear":
            return cls(kernel, X, None), X
        # On one thread: sums split over several differ in their last bits.
        with one_thread():
            if len(X) <= (MAX_EXACT if max_exact is None else max_exact):
                roots, vectors = _eigen(kernel(X, X))
                return cls(kernel, X, vectors / roots), vectors * roots
            drawn = np.random.default_rng(seed).choice(len(X), N_LANDMARKS, replace=False)
            landmarks = X[np.sort(drawn)]
            roots, vectors = _eigen(kernel(landmarks, landmarks))
        fitted = cls(kernel, landmarks, vectors / roots)
        return fitted, fitted.transform(X)

    @property
    def n_features_in(self) -> int:
        """Number of features of an instance."""
        return int(self.landmarks.shape[1])

    def transform(self, X: FloatArray) -> FloatArray:
        """Compute the features of instances, old or new.

        Parameters
        ----------
        X : ndarray, shape (n, n_features)
            Instances.

        Returns
        -------
        ndarray, shape (n, n_components)
            Their features.
        """
        if self.projection is None:
            return X
        features = np.empty((self.projection.shape[1], len(X)))
        step = max(1, _BLOCK_ENTRIES // len(self.landmarks))
        with one_thread():
            for start in range(0, len(X), step):
                rows = slice(start, start + step)
                kernel = self.kernel(X[rows], self.landmarks)
                np.matmul(self.projection.T, kernel.T, out=features[:, rows])
        return features.T


def _eigen(K: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Compute the roots of the eigenvalues above rounding, one at least, and their vectors."""
    largest_entry = np.abs(K).max()
    if np.abs(K - K.T).max() > _ASYMMETRY * largest_entry:
        raise ClusteringError(
            "the kernel is not symmetric: k(A, B) must be the transpose of k(B, A)"
        )
    # "evd" takes the same time for any spectrum; "evr" five times as long where many instances
    # are far from all others.
    values, vectors = eigh((K + K.T) / 2.0, driver="evd")
    largest = max(float(values[-1]), 0.0)
    if values[0] < -_NEGATIVE * largest:
        warnings.warn(
            f"the kernel has negative eigenvalues, down to {values[0]:.3g} with {largest:.3g} the "
            "largest: they are left out",
            ClusteringWarning,
            stacklevel=4,
        )
    kept = values > _SMALLEST * largest
    if not kept.any():  # a kernel that is 0 everywhere
        return np.ones(1), np.zeros((len(K), 1))
    values, vectors = values[kept][::-1], vectors[:, kept][:, ::-1]
    largest_rows = np.abs(vectors).argmax(axis=0)
    signs = np.where(vectors[largest_rows, np.arange(len(values))] < 0, -1.0, 1.0)
    return np.sqrt(values), vectors * signs
