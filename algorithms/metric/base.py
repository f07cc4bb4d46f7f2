"""The contract that every learner of a metric keeps."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Self

import numpy.typing as npt
from sklearn.base import BaseEstimator

from algorithms.bags import Bags, FloatArray
from algorithms.checks import check_fitted, check_new_features
from algorithms.errors import ClusteringError


class MetricLearner(BaseEstimator, ABC):
    r"""A method that learns a linear map L, and by it the distance ||L'(a - b)|| of instances.

    The constructor stores its parameters and does nothing else; ``get_params``, ``set_params`` and
    :func:`sklearn.base.clone` work. The same data and ``random_state`` give the same result.
    Features are used as they are given: those of different units should be standardised first, with
    :func:`algorithms.preprocessing.standardize`, and new instances likewise.

    Attributes
    ----------
    components_ : ndarray, shape (n_features, n_components)
        The map L, after :meth:`fit`. The matrix of the metric is M = LL'.
    """

    components_: FloatArray

    @abstractmethod
    def fit(self, bags: Bags) -> Self:
        """Learn the metric from `bags` and return the learner itself."""

    def transform(self, X: npt.ArrayLike) -> FloatArray:
        """Map instances into the learned space, in which the metric is the Euclidean one.

        Parameters
        ----------
        X : array_like, shape (n, n_features)
            Instances, old or new.

        Returns
        -------
        ndarray, shape (n, n_components)
            L'x of every instance x.

        Raises
        ------
        ClusteringError
            When the number of features differs from that of the fit, or nothing has been fitted.
        """
        features = self._check_new(X)
        mapped: FloatArray = features @ self.components_
        return mapped

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
