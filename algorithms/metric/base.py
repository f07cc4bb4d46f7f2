"""The contract that every learner of a metric keeps."""

from __future__ import annotations

from abc import abstractmethod
from typing import overload

import numpy as np
import numpy.typing as npt
from sklearn.base import TransformerMixin

from algorithms.bags import Bags, FloatArray
from algorithms.base import BagEstimator
from algorithms.checks import check_fitted, check_new_features
from algorithms.errors import ClusteringError


class SpaceLearner(TransformerMixin, BagEstimator):
    """A method that learns a space for instances, in which distances mean something."""

    @overload
    def transform(self, X: Bags) -> Bags: ...

    @overload
    def transform(self, X: npt.ArrayLike) -> FloatArray: ...

    def transform(self, X: npt.ArrayLike | Bags) -> FloatArray | Bags:
        """Map instances into the learned space, in which the metric is the Euclidean one.

        Parameters
        ----------
        X : array_like, shape (n, n_features), or Bags
            Instances, old or new.

        Returns
        -------
        ndarray, shape (n, n_components), or Bags
            Every instance there; of bags, the same bags with these features.

        Raises
        ------
        ClusteringError
            When the number of features differs from that of the fit, or nothing has been fitted.
        """
        if isinstance(X, Bags):
            return X.with_features(self._map(self._check_new(X.X)))
        return self._map(self._check_new(X))

    @abstractmethod
    def _map(self, features: FloatArray) -> FloatArray:
        """Map features that have been checked."""

    @abstractmethod
    def _check_new(self, X: npt.ArrayLike) -> FloatArray:
        """Check new instances, also that something has been fitted."""


class MetricLearner(SpaceLearner):
    r"""A method that learns a linear map L, and by it the distance ||L'(a - b)|| of instances.

    Features are used as they are given: those of different units should be standardised first, with
    :func:`algorithms.preprocessing.standardize`, and new instances likewise.

    Attributes
    ----------
    components_ : ndarray, shape (n_features, n_components)
        The map L, after :meth:`fit`. The matrix of the metric is M = LL'.
    """

    components_: FloatArray

    def _map(self, features: FloatArray) -> FloatArray:
        return np.asarray(features @ self.components_)

    def _check_new(self, X: npt.ArrayLike) -> FloatArray:
        check_fitted(self, "components_")
        return check_new_features(X, len(self.components_))


def check_trainable(bags: Bags) -> None:
    """Raise :class:`ClusteringError` unless there is an instance to learn from.

    Parameters
    ----------
    bags : Bags
        What a learner is to be fitted to.
    """
    if not bags.n_instances:
        raise ClusteringError(
            "there are no instances to learn a metric from: give at least one bag with instances"
        )
