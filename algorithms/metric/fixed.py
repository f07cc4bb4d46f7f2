"""A metric that is given, not learned: by another program, or by hand."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt

from algorithms.bags import Bags, FloatArray
from algorithms.errors import ClusteringError
from algorithms.metric.base import MetricLearner, check_trainable
from algorithms.metric.class_rules import ClassRules, Rule


class FixedMetric(MetricLearner, ClassRules):
    r"""The distance ||L'(a - b)|| for a given L, wherever a learned metric can be used.

    Parameters
    ----------
    components : array_like, shape (n_features, n_components)
        The map L. Of a matrix M of a metric, any L with M = LL' will do.
    mean : array_like, shape (n_features,), optional
        What is subtracted from features before they are mapped. It plays no part in distances.
    centroids : array_like, shape (n_classes, n_features), optional
        Mean z_c of every class, in terms of the features; only ``class_scores`` and
        ``predict_classes`` need it.
    alpha : float
        Weight of the class means' lengths in the rule "penalised".
    rule : {"penalised", "nearest"}
        How ``predict_classes`` and ``class_scores`` decide: see
        :class:`~algorithms.metric.class_rules.ClassRules`. "penalised" needs an axis for every
        class.

    Attributes
    ----------
    components_ : ndarray, shape (n_features, n_components)
        The map.
    mean_ : ndarray, shape (n_features,)
        What is subtracted; 0 unless given.
    class_means_ : ndarray, shape (n_classes, n_components)
        Mean of every class in the space of the metric; no rows without `centroids`.
    competes_ : ndarray of bool, shape (n_classes,)
        All True.

    Examples
    --------
    Two features of which the second counts half:

    >>> from algorithms import Bags
    >>> from algorithms.metric.citation_knn import CitationKNN
    >>> train = Bags([[0, 3], [2, 0]], [0, 1], [[1, 0], [0, 1]])
    >>> new = Bags([[0, 0]], [0], [[0, 0]])
    >>> metric = FixedMetric([[1, 0], [0, 0.5]])
    >>> annotator = CitationKNN(metric, n_references=1, n_citers=0).fit(train)
    >>> annotator.decision_function(new)
    array([[1., 0.]])
    """

    def __init__(
        self,
        components: npt.ArrayLike,
        *,
        mean: npt.ArrayLike | None = None,
        centroids: npt.ArrayLike | None = None,
        alpha: float = 0.5,
        rule: Rule = "penalised",
    ) -> None:
        self.components = components
        self.mean = mean
        self.centroids = centroids
        self.alpha = alpha
        self.rule = rule

    def fit(self, bags: Bags, y: Any = None) -> Self:
        """Check that the metric is one of the features of `bags`; nothing is learned from them.

        Raises
        ------
        ClusteringError
            When there are no instances, or a parameter does not fit them or the others.
        """
        self._accept(bags)
        check_trainable(bags)
        self._check_rule()
        L = _table("components", self.components)
        if len(L) != bags.n_features:
            raise ClusteringError(
                f"components must have a row for each of the {bags.n_features} features, not "
                f"{len(L)}"
            )
        self.mean_ = np.zeros(len(L))
        if self.mean is not None:
            self.mean_ = _table("mean", [self.mean], n_columns=len(L))[0]
        means = np.zeros((0, L.shape[1]))
        if self.centroids is not None:
            means = (_table("centroids", self.centroids, n_columns=len(L)) - self.mean_) @ L
            if self.rule == "penalised" and len(means) != L.shape[1]:
                raise ClusteringError(
                    f"components has {L.shape[1]} columns and centroids {len(means)} rows, but "
                    'rule="penalised" needs an axis for every class: use rule="nearest"'
                )
        self.components_, self.class_means_ = L, means
        self.competes_ = np.ones(len(means), dtype=np.bool_)
        return self

    def _map(self, features: FloatArray) -> FloatArray:
        return np.asarray((features - self.mean_) @ self.components_)

    def class_scores(self, X: npt.ArrayLike) -> FloatArray:
        """Tell how much speaks for each class; see :meth:`ClassRules.class_scores`."""
        if self.centroids is None:
            raise ClusteringError("classes need their means: give them as centroids")
        return super().class_scores(X)


def _table(name: str, values: Any, n_columns: int | None = None) -> FloatArray:
    """Return a new table of finite numbers, of so many columns."""
    try:
        table = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ClusteringError(f"{name} must be numbers in rows of equal length") from None
    if table.ndim != 2 or not table.size or not np.isfinite(table).all():
        raise ClusteringError(
            f"{name} must be finite numbers in rows and columns, not of shape {table.shape}"
        )
    if n_columns is not None and table.shape[1] != n_columns:
        raise ClusteringError(
            f"{name} must have a number for each of the {n_columns} features, not {table.shape[1]}"
        )
    return table
