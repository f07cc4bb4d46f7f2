"""The two contracts that every method keeps, in the style of scikit-learn."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

import numpy.typing as npt
from sklearn.base import BaseEstimator, ClusterMixin

from algorithms.bags import Bags, IntArray
from algorithms.checks import check_bags
from algorithms.errors import ClusteringError, ClusteringWarning

__all__ = [
    "BagClusterer",
    "BagEstimator",
    "ClusteringError",
    "ClusteringWarning",
    "InstanceClusterer",
]


class BagEstimator(BaseEstimator, ABC):
    """What all methods share that are fitted to bags.

    The constructor stores its parameters and does nothing else; ``get_params``, ``set_params``
    and :func:`sklearn.base.clone` work. The same data and ``random_state`` give the same result.
    The latter is a whole number, None for another result every time, or numpy's RandomState or
    Generator, from which a seed is drawn.

    Attributes
    ----------
    n_features_in_ : int
        Number of features of the bags that it was fitted to.
    """

    n_features_in_: int

    @abstractmethod
    def fit(self, bags: Bags, y: Any = None) -> Self:
        """Learn from `bags` and return the estimator itself.

        Parameters
        ----------
        bags : Bags
            What to learn from.
        y : None
            Plays no part; scikit-learn's pipelines and searches give it.
        """

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn that tables of numbers are not what is taken."""
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.no_validation = True  # bags have validated themselves
        tags.non_deterministic = getattr(self, "random_state", 0) is None
        return tags

    def _accept(self, bags: Bags) -> None:
        """Refuse what is no bags; note what new ones must be like."""
        check_bags(bags)
        self.n_features_in_ = bags.n_features
        self._class_names = bags.class_names

    def _instances(
        self, X: npt.ArrayLike | Bags, candidates: npt.ArrayLike | None
    ) -> tuple[npt.ArrayLike, npt.ArrayLike | None]:
        """Features and candidates of new instances; in bags, candidates are the label sets.

        Raises
        ------
        ClusteringError
            When the bags' classes are not those of the fit.
        """
        if not isinstance(X, Bags):
            return X, candidates
        if candidates is not None:
            raise ClusteringError("candidates come with the bags: leave them out, or give X.X")
        if not X.labels.any():
            return X.X, None
        if X.class_names != getattr(self, "_class_names", X.class_names):
            raise ClusteringError(
                "the classes of the new bags are not those of the fit: give labels for the same "
                "class_names, or bags without labels"
            )
        return X.X, X.labels[X.bag]


class _Clusterer(ClusterMixin, BagEstimator):
    """What both contracts share.

    Attributes
    ----------
    goes_by_distances : bool
        Whether distances of instances are all that it looks at, so that any space will do.
    """

    goes_by_distances: ClassVar[bool] = False
    labels_: IntArray

    def fit_predict(self, bags: Bags, y: Any = None, **parameters: Any) -> IntArray:
        """Cluster `bags` and return ``labels_``; parameters are those of :meth:`fit`."""
        return self.fit(bags, y, **parameters).labels_


class InstanceClusterer(_Clusterer):
    """A method that groups instances; see :class:`BagEstimator` for what all methods share.

    Those that have ``predict`` take new instances as a table or in bags.

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

    All have ``predict``, which takes bags.

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n_bags,)
        Cluster of each bag, 0 .. n_clusters - 1, after :meth:`fit`; -1 for bags without instances.
    """
