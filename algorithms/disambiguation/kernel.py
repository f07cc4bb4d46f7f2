"""Gaussian kernel on features and their ranks, as explicit coordinates of landmarks."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import cholesky, solve_triangular
from scipy.special import ndtri

from algorithms.bags import FloatArray, IntArray
from algorithms.blocks.rows import BLOCK_ROWS, column_variances
from algorithms.disambiguation.leave_bag_out import Coordinates

_KNOTS = 1000  # points of a rank transform that are kept; between them it is linear
_JITTER = 1e-6  # keeps the kernel of landmarks that coincide invertible
_BLOCK_ROWS = 1024
_CENTRAL_STEPS = 2  # of k-means; more change nothing
_FEWEST_ROWS = 2  # a landmark, for means of instances to be better than as many instances
_MOST_ROWS = 8  # a landmark: of more instances a sample is enough


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
        values, quantiles = [], []
        for column in X.T:
            distinct, counts = np.unique(column, return_counts=True)
            rank = np.cumsum(counts) - (counts - 1) / 2
            kept = np.unique(np.linspace(0, len(distinct) - 1, _KNOTS).round().astype(np.int64))
            values.append(distinct[kept])
            quantiles.append(ndtri((rank[kept] - 0.5) / len(column)))
        return cls(values, quantiles)

    def transform(self, X: FloatArray) -> FloatArray:
        """Bend `X`; values beyond those of the training data count as the outermost ones."""
        bent = np.empty(X.shape)
        for column, values, quantiles, own in zip(
            X.T, self.values, self.quantiles, bent.T, strict=True
        ):
            rising = np.argsort(column)  # in order, each is found at once, beside the one before
            own[rising] = np.interp(column[rising], values, quantiles)
        return bent


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
        Which of the training instances are landmarks, or central ones started from.
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
        of_features = cls.of_features(X, gamma=gamma, use_ranks=use_ranks)
        return of_features.with_other_landmarks(X, n_landmarks, seed)

    @classmethod
    def of_features(cls, X: FloatArray, *, gamma: float, use_ranks: bool) -> LandmarkKernel:
        """Learn ranks and scales on `X`; landmarks are to be chosen yet."""
        ranks = NormalRanks.fit(X) if use_ranks else None
        variances = [column_variances(X)]
        if ranks is not None:
            variances.append(column_variances(X, ranks.transform))
        return cls._of_variances(ranks, variances, gamma)

    @classmethod
    def of_features_scaled(
        cls, X: FloatArray, *, gamma: float, use_ranks: bool
    ) -> tuple[LandmarkKernel, LandmarkKernel, FloatArray]:
        """Give :meth:`of_features` and what :meth:`of_scaled` makes of it, bending `X` once."""
        if len(X) > BLOCK_ROWS or not use_ranks:
            learned = cls.of_features(X, gamma=gamma, use_ranks=use_ranks)
            return learned, *learned.of_scaled(X)
        ranks = NormalRanks.fit(X)
        bent = ranks.transform(X)
        learned = cls._of_variances(ranks, [X.var(axis=0), bent.var(axis=0)], gamma)
        both = np.hstack([learned.scales[0] * X, learned.scales[1] * bent])
        return learned, learned._for_scaled, both

    @classmethod
    def _of_variances(
        cls, ranks: NormalRanks | None, variances: list[FloatArray], gamma: float
    ) -> LandmarkKernel:
        totals = [float(own.sum()) for own in variances]
        scales = [1.0 / np.sqrt(len(totals) * v) if v > 0 else 0.0 for v in totals]
        none = np.empty((0, 0))
        nowhere = np.empty(0, dtype=np.int64)
        return cls(ranks, (scales[0], scales[-1]), nowhere, none, none, gamma)

    def with_other_landmarks(self, X: FloatArray, n_landmarks: int, seed: int) -> LandmarkKernel:
        """Give the same kernel in other landmarks, which are chosen among the rows of `X`."""
        rng = np.random.default_rng(seed)
        chosen = np.sort(rng.choice(len(X), min(n_landmarks, len(X)), replace=False))
        return self._in(chosen, self.scaled(X[chosen]))

    def with_central_landmarks(self, X: FloatArray, n_landmarks: int, seed: int) -> LandmarkKernel:
        """Give the same kernel in means of instances that lie together.

        They lose less of the kernel than as many instances, and hang less on the seed. With fewer
        than two instances a landmark, landmarks are instances.

        Parameters
        ----------
        X : ndarray, shape (n, n_features)
            Training instances.
        n_landmarks : int
            How many at most.
        seed : int
            Of the sample whose means are taken, and of where they start.

        References
        ----------
        Zhang, Tsang & Kwok, Improved Nyström low-rank approximation and error analysis, ICML 2008.
        """
        if len(X) < _FEWEST_ROWS * n_landmarks:
            return self.with_other_landmarks(X, n_landmarks, seed)
        rng = np.random.default_rng(seed)
        some = rng.choice(len(X), min(_MOST_ROWS * n_landmarks, len(X)), replace=False)
        points = self.scaled(X[some]).astype(np.float32)
        centres = points[:n_landmarks]
        for _ in range(_CENTRAL_STEPS):
            centres = _means_of_nearest(points, centres)
        return self._in(some[:n_landmarks], centres.astype(np.float64))

    def _in(self, chosen: IntArray, landmarks: FloatArray) -> LandmarkKernel:
        kernel = np.exp(-self.gamma * _squared_distances(landmarks, landmarks))
        kernel[np.diag_indices_from(kernel)] = 1.0 + _JITTER
        root = np.asarray(cholesky(kernel, lower=True), dtype=np.float64)
        return replace(self, rows=chosen, landmarks=landmarks, root=root)

    def of_scaled(self, X: FloatArray) -> tuple[LandmarkKernel, FloatArray]:
        """Give the same kernel for rows of f(X), and f(X), so that f has to be found once only.

        More rows than those of a block stay as they are, and so does the kernel: f(X) takes twice
        the memory of X.
        """
        if len(X) > BLOCK_ROWS:
            return self, X
        return self._for_scaled, self.scaled(X)

    @property
    def _for_scaled(self) -> LandmarkKernel:
        return replace(self, ranks=None, scales=(1.0, 1.0))

    def scaled(self, X: FloatArray) -> FloatArray:
        """f(X): features and normal ranks, scaled; shape (n, n_columns). `X` itself if it is f."""
        plain = X if self.scales[0] == 1.0 else self.scales[0] * X
        if self.ranks is None:
            return plain
        return np.hstack([plain, self.scales[1] * self.ranks.transform(X)])

    def transform(self, X: FloatArray) -> Coordinates:
        """phi(X) with seven digits, which halve memory and time; shape (n, n_landmarks)."""
        coordinates = np.empty((len(X), len(self.landmarks)), dtype=np.float32)
        for start in range(0, len(X), _BLOCK_ROWS):
            rows = slice(start, start + _BLOCK_ROWS)
            kernel = _squared_distances(self.scaled(X[rows]), self.landmarks)
            np.exp(np.multiply(kernel, -self.gamma, out=kernel), out=kernel)
            coordinates[rows] = solve_triangular(
                self.root, kernel.T, lower=True, overwrite_b=True, check_finite=False
            ).T
        return coordinates

    def strongest(self, X: FloatArray) -> FloatArray:
        """Kernel with the nearest landmark, shape (n,)."""
        nearest = np.empty(len(X))
        for start in range(0, len(X), _BLOCK_ROWS):
            rows = slice(start, start + _BLOCK_ROWS)
            squared = _squared_distances(self.scaled(X[rows]), self.landmarks)
            nearest[rows] = np.exp(-self.gamma * squared.min(axis=1))
        return nearest


def _means_of_nearest(points: Coordinates, centres: Coordinates) -> Coordinates:
    """Mean of the points that each centre is nearest to; without any it stays where it is."""
    nearest = np.empty(len(points), dtype=np.int64)
    lengths = np.einsum("ij,ij->i", centres, centres)
    for start in range(0, len(points), _BLOCK_ROWS):
        rows = slice(start, start + _BLOCK_ROWS)
        nearest[rows] = (lengths - 2.0 * (points[rows] @ centres.T)).argmin(axis=1)
    order = np.argsort(nearest, kind="stable")
    names, first, counts = np.unique(nearest[order], return_index=True, return_counts=True)
    means = centres.copy()
    means[names] = np.add.reduceat(points[order], first, axis=0) / counts[:, None]
    return means


def _squared_distances(one: FloatArray, two: FloatArray) -> FloatArray:
    """Squared distances of rows, by one product of matrices."""
    squared = one @ two.T
    squared *= -2.0
    squared += np.einsum("ij,ij->i", one, one)[:, None]
    squared += np.einsum("ij,ij->i", two, two)
    return np.maximum(squared, 0.0, out=squared)
