"""Class probabilities where every class is a normal distribution of one common shape."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from algorithms.bags import BoolArray, FloatArray, IntArray
from algorithms.metric.class_rules import class_means
from algorithms.metric.pair_products import PairProducts

_LEAST_VARIANCE = 1e-6  # of the largest; what does not vary within classes would decide alone


@dataclass(frozen=True, eq=False)
class GaussianClasses:
    """Linear discriminant analysis: one mean for each class, one covariance for all.

    Attributes
    ----------
    whitening : ndarray, shape (d, d)
        Makes the covariance within classes the identity.
    means : ndarray, shape (n_classes, d)
        Whitened means.
    shares : ndarray, shape (n_classes,)
        Share of each class among the instances, its prior; 0 for a class without instances.
    """

    whitening: FloatArray
    means: FloatArray
    shares: FloatArray

    @classmethod
    def fit(cls, points: FloatArray, category: IntArray, n_classes: int) -> GaussianClasses:
        """Estimate the classes.

        Parameters
        ----------
        points : ndarray, shape (n, d)
            At least one point.
        category : ndarray of int64, shape (n,)
            Class of each.
        n_classes : int
            Number of classes.
        """
        means = class_means(points, category, n_classes)
        within = points - means[category]
        variances, axes = np.linalg.eigh(within.T @ within / len(points))
        largest = float(variances[-1])
        if largest <= 0:  # every class is one point
            largest = max(float(means.var(axis=0).sum()), np.finfo(np.float64).tiny)
        whitening = axes / np.sqrt(np.maximum(variances, _LEAST_VARIANCE * largest))
        shares = np.bincount(category, minlength=n_classes) / len(category)
        return cls(whitening, means @ whitening, shares)

    def probabilities(self, points: FloatArray, allowed: BoolArray) -> FloatArray:
        """Probability of every class.

        Parameters
        ----------
        points : ndarray, shape (n, d)
            Points.
        allowed : ndarray of bool, shape (n, n_classes)
            Classes that each may be of.

        Returns
        -------
        ndarray, shape (n, n_classes)
            Rows sum to 1, or are 0 where no allowed class has instances.
        """
        probability = np.zeros(allowed.shape)
        row, column = np.nonzero(allowed & (self.shares > 0))
        if not len(row):
            return probability
        offset = (self.means**2).sum(axis=1) / 2
        offset -= np.log(self.shares, out=np.zeros_like(self.shares), where=self.shares > 0)
        products = PairProducts.of(row, column, allowed.shape)
        scores = products(points @ self.whitening, self.means) - offset[column]
        starts = np.flatnonzero(np.diff(row, prepend=-1))
        sizes = np.diff(starts, append=len(row))
        odds = np.exp(scores - np.repeat(np.maximum.reduceat(scores, starts), sizes))
        probability[row, column] = odds / np.repeat(np.add.reduceat(odds, starts), sizes)
        return probability
