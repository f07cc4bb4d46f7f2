"""Gaussian kernel on features and their ranks, as explicit coordinates of landmarks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cholesky, solve_triangular
from scipy.spatial.distance import cdist
from scipy.special import ndtri

from algorithms.bags import FloatArray, IntArray

_KNOTS = 1000  # points of a rank transform that are kept; between them it is linear
_JITTER = 1e-6  # keeps the kernel of landmarks that coincide invertible
_BLOCK_ROWS = 4096


@dataclass(frozen=True, eq=False)
class NormalRanks:
    """Each feature bent so that the training values are normally distributed.

    A value becomes the normal quantile of its mean rank: (rank - 1/2) / n. Distances between
    long-tailed features, such as areas, then no longer hang on a few large ones.

    Attributes
    ----------
    values, quantiles : list of ndarray
        Knots of the transform, one array per feature.
    """

    values: list[FloatArray]
    quantiles: list[FloatArray]

    @classmethod
    def fit(cls, X: FloatArray) -> NormalRanks:
        """Learn the transform from `X`, shape (n, n_features)."""
        from scipy.stats import rankdata  # slow to import

        values, quantiles = [], []
        for column in X.T:
            distinct, first = np.unique(column, return_index=True)
            rank = rankdata(column)[first]
            kept = np.unique(np.linspace(0, len(distinct) - 1, _KNOTS).round().astype(np.int64))
            values.append(distinct[kept])
            quantiles.append(ndtri((rank[kept] - 0.5) / len(column)))
        return cls(values, quantiles)

    def transform(self, X: FloatArray) -> FloatArray:
        """Bend `X`; values beyond those of the training data count as the outermost ones."""
        columns = [
            np.interp(column, values, quantiles)
            for column, values, quantiles in zip(X.T, self.values, self.quantiles, strict=True)
        ]
        return np.column_stack(columns)


@dataclass(frozen=True, eq=False)
class LandmarkKernel:
    """The kernel k(x, z) = exp(-gamma ||f(x) - f(z)||^2) as coordinates (Nyström's approximation).

    f(x) holds the features and their normal ranks, each half scaled to a total variance of 1/2,
    so that ||f(x) - f(z)||^2 is 2 on average whatever the number of features. A row phi(x) of
    :meth:`transform` satisfies phi(x)' phi(z) = k(x, z) for landmarks z, and nearly so between.

    Attributes
    ----------
    ranks : NormalRanks or None
        The rank transform; None where only the features themselves are used.
    scales : tuple of float
        Factors of the two halves.
    rows : ndarray of int64, shape (n_landmarks,)
        Which of the training instances are landmarks.
    landmarks : ndarray, shape (n_landmarks, n_columns)
        f of the landmarks.
    root : ndarray, shape (n_landmarks, n_landmarks)
        Lower Cholesky factor of their kernel.
    gamma : float
        Width of the kernel.

    References
    ----------
    Williams & Seeger, Using the Nyström method to speed up kernel machines, NIPS 2001.
    """

    ranks: NormalRanks | None
    scales: tuple[float, float]
    rows: IntArray
    landmarks: FloatArray
    root: FloatArray
    gamma: float

    @classmethod
    def fit(
        cls, X: FloatArray, *, gamma: float, n_landmarks: int, use_ranks: bool, seed: int
    ) -> LandmarkKernel:
        """Choose landmarks among the rows of `X`: all of them where there are no more."""
        ranks = NormalRanks.fit(X) if use_ranks else None
        halves = [X] if ranks is None else [X, ranks.transform(X)]
        variances = [float(half.var(axis=0).sum()) for half in halves]
        scales = [1.0 / np.sqrt(len(halves) * v) if v > 0 else 0.0 for v in variances]
        rng = np.random.default_rng(seed)
        chosen = np.sort(rng.choice(len(X), min(n_landmarks, len(X)), replace=False))
        landmarks = np.hstack(
            [scale * half[chosen] for scale, half in zip(scales, halves, strict=True)]
        )
        kernel = np.exp(-gamma * cdist(landmarks, landmarks, "sqeuclidean"))
        kernel[np.diag_indices_from(kernel)] += _JITTER
        root = np.asarray(cholesky(kernel, lower=True), dtype=np.float64)
        return cls(ranks, (scales[0], scales[-1]), chosen, landmarks, root, gamma)

    def scaled(self, X: FloatArray) -> FloatArray:
        """f(X): features and normal ranks, scaled; shape (n, n_columns)."""
        plain = self.scales[0] * X
        if self.ranks is None:
            return plain
        return np.hstack([plain, self.scales[1] * self.ranks.transform(X)])

    def transform(self, X: FloatArray) -> FloatArray:
        """phi(X), shape (n, n_landmarks)."""
        coordinates = np.empty((len(X), len(self.landmarks)))
        for start in range(0, len(X), _BLOCK_ROWS):
            rows = slice(start, start + _BLOCK_ROWS)
            kernel = cdist(self.scaled(X[rows]), self.landmarks, "sqeuclidean")
            np.exp(np.multiply(kernel, -self.gamma, out=kernel), out=kernel)
            coordinates[rows] = solve_triangular(self.root, kernel.T, lower=True).T
        return coordinates

    def strongest(self, X: FloatArray) -> FloatArray:
        """Kernel with the nearest landmark, shape (n,)."""
        nearest = np.empty(len(X))
        for start in range(0, len(X), _BLOCK_ROWS):
            rows = slice(start, start + _BLOCK_ROWS)
            squared = cdist(self.scaled(X[rows]), self.landmarks, "sqeuclidean")
            nearest[rows] = np.exp(-self.gamma * squared.min(axis=1))
        return nearest
