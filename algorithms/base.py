"""The two contracts that every method keeps, in the style of scikit-learn."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, Self

from sklearn.base import BaseEstimator

from algorithms.bags import Bags, IntArray
from algorithms.errors import ClusteringError, ClusteringWarning

__all__ = ["BagClusterer", "ClusteringError", "ClusteringWarning", "InstanceClusterer"]


class _Clusterer(BaseEstimator, ABC):
    """What both contracts share: constructors that store parameters, and ``fit(bags)``."""

    labels_: IntArray

    @abstractmethod
    def fit(self, bags: Bags) -> Self:
        """Cluster `bags` and return the estimator itself."""

    def fit_predict(self, bags: Bags) -> IntArray:
        """Cluster `bags` and return ``labels_``."""
        return self.fit(bags).labels_


class InstanceClusterer(_Clusterer):
    """A method that groups instances.

    The constructor stores its parameters and does nothing else; ``get_params``, ``set_params``
    and :func:`sklearn.base.clone` work. The same data and ``random_state`` give the same result.

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n_instances,)
        Cluster of each instance, 0 .. n_clusters - 1, after :meth:`fit`.
    reads_known : bool
        Whether :meth:`fit` understands ``Bags.known``; else it is to be told by
        :func:`algorithms.bags.own_bags`.
    """

    reads_known: ClassVar[bool] = False


class BagClusterer(_Clusterer):
    """A method that groups whole bags; otherwise as :class:`InstanceClusterer`.

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n_bags,)
        Cluster of each bag, 0 .. n_clusters - 1, after :meth:`fit`; -1 for bags without instances.
    """
