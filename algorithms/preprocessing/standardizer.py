"""Standardised features as a step before a method, so that new instances are treated alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self, overload

import numpy as np
import numpy.typing as npt
from sklearn.base import TransformerMixin

from algorithms.bags import Bags, FloatArray, check_features
from algorithms.base import BagEstimator
from algorithms.checks import check_fitted, check_new_features
from algorithms.errors import ClusteringError
from algorithms.preprocessing.standardize import some_columns


class Standardizer(TransformerMixin, BagEstimator):
    """Shift and scale every feature as the instances of the fit need it for mean 0 and deviation 1.

    A feature that is constant in the fit becomes 0. What to do with the instances that are fitted
    alone, :func:`algorithms.preprocessing.standardize` says in one call.

    Parameters
    ----------
    blocks : sequence of slice
        Features that keep their proportions, as principal components do: each block is scaled by
        one deviation, that of the mean variance of those in it that vary.

    Attributes
    ----------
    mean_ : ndarray, shape (n_features,)
        Means of the features.
    scale_ : ndarray, shape (n_features,)
        Their standard deviations (population); infinite for those that do not vary.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from algorithms import Bags, make_clusterer
    >>> bags = Bags([[0, 100], [1, 100], [9, 300], [8, 300]], [0, 0, 1, 1], [["wren"], ["owl"]])
    >>> make_pipeline(Standardizer(), make_clusterer("pam-smd", n_clusters=2)).fit_predict(bags)
    array([0, 1])
    """

    mean_: FloatArray
    scale_: FloatArray

    def __init__(self, *, blocks: Sequence[slice] = ()) -> None:
        self.blocks = blocks

    @classmethod
    def kept(cls, mean: FloatArray, scale: FloatArray) -> Self:
        """Give one that was fitted before, from its attributes."""
        standardizer = cls()
        standardizer.n_features_in_ = len(mean)
        standardizer.mean_, standardizer.scale_ = mean, scale
        return standardizer

    def fit(self, bags: Bags | npt.ArrayLike, y: Any = None) -> Self:
        """Take the means and deviations of the instances.

        Parameters
        ----------
        bags : Bags, or array_like, shape (n_instances, n_features)
            The instances; at least one.
        y : None
            Plays no part.

        Raises
        ------
        ClusteringError
            When there are no instances, or they are no table of finite numbers.
        """
        X = bags.X if isinstance(bags, Bags) else check_features(bags)
        if not len(X):
            raise ClusteringError("there are no instances to standardise: give at least one")
        varies = X.max(axis=0) > X.min(axis=0)
        self.n_features_in_ = X.shape[1]
        self.mean_ = X.mean(axis=0)
        deviations = [X[:, columns].std(axis=0) for columns in some_columns(X.shape[1])]
        self.scale_ = np.where(varies, np.concatenate(deviations), np.inf)
        for block in self.blocks:
            own = self.scale_[block][varies[block]]
            self.scale_[block] = np.sqrt(np.mean(own**2)) if len(own) else np.inf
        return self

    @overload
    def transform(self, X: Bags) -> Bags: ...

    @overload
    def transform(self, X: npt.ArrayLike) -> FloatArray: ...

    def transform(self, X: npt.ArrayLike | Bags) -> FloatArray | Bags:
        """Standardise instances, old or new.

        Parameters
        ----------
        X : array_like, shape (n, n_features), or Bags
            The instances.

        Returns
        -------
        ndarray, shape (n, n_features), or Bags
            The same with standardised features.

        Raises
        ------
        ClusteringError
            When the number of features differs from that of the fit, or nothing has been fitted.
        """
        check_fitted(self, "mean_")
        features = check_new_features(X.X if isinstance(X, Bags) else X, self.n_features_in_)
        features -= self.mean_  # a table of its own, as all that is checked
        features /= self.scale_
        return X.with_features(features) if isinstance(X, Bags) else features
