"""MLCA: a metric in closed form, from the classes of instances."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt

from algorithms.bags import Bags, FloatArray, IntArray
from algorithms.checks import check_number, is_whole_number
from algorithms.errors import ClusteringError
from algorithms.metric.base import MetricLearner, check_trainable
from algorithms.metric.class_rules import ClassRules, Rule, class_means, class_sums
from algorithms.metric.thin_svd import ThinSVD, check_truncation


class MLCA(MetricLearner, ClassRules):
    r"""Metric learning for the clustering that known classes make (supervised).

    With J the instances' class indicators, the column of class c divided by sqrt(n_c), the map is L
    = X^+ J, of one singular value decomposition. In the learned space the instances of a class lie
    as near to a point of its own, at 1/sqrt(n_c) on its own axis, as a linear map can bring them.
    There is an axis for every class, 0 for one without instances.

    Parameters
    ----------
    rcond : float or None
        Singular values of X up to this share of the largest count as 0; None takes what rounding
        can cause.
    variance : float or None
        Use only the directions that hold this share of X's sum of squares, such as 0.999: for
        features with much noise.
    ridge : float
        The other remedy: X^+ becomes (X'X + lambda I)^-1 X', lambda being `ridge` times the mean
        square of a feature summed over the instances; 0.001 is mild.
    n_components : int or None
        Axes of the learned space, if there are to be fewer than classes: those that hold most of
        the projection of J on the features. ``predict_classes`` then needs ``rule="nearest"``.
    center : bool
        Whether features are centred first. The published method does not.
    alpha : float
        Weight of the class means' lengths in the rule "penalised".
    rule : {"penalised", "nearest"}
        How ``predict_classes`` and ``class_scores`` decide: equation 16 or 15.

    Attributes
    ----------
    components_ : ndarray, shape (n_features, n_classes or n_components)
        The map L.
    class_means_ : ndarray, shape (n_classes, n_classes or n_components)
        Mean of every class in the learned space.
    competes_ : ndarray of bool, shape (n_classes,)
        Classes that have instances.
    mean_ : ndarray, shape (n_features,)
        What is subtracted from features before they are mapped; 0 without `center`.

    References
    ----------
    Law, Yu, Cord & Xing, Closed-form training of Mahalanobis distance for supervised clustering,
    CVPR 2016; the rules are those of Law, Yu, Urtasun, Zemel & Xing, CVPR 2017.
    """

    def __init__(
        self,
        *,
        rcond: float | None = None,
        variance: float | None = None,
        ridge: float = 0.0,
        n_components: int | None = None,
        center: bool = False,
        alpha: float = 0.5,
        rule: Rule = "penalised",
    ) -> None:
        self.rcond = rcond
        self.variance = variance
        self.ridge = ridge
        self.n_components = n_components
        self.center = center
        self.alpha = alpha
        self.rule = rule

    def fit(self, bags: Bags, y: npt.ArrayLike | None = None) -> Self:
        """Learn the metric.

        Parameters
        ----------
        bags : Bags
            The instances; which classes there are. Labels of the bags play no part.
        y : array_like of int, shape (n_instances,), optional
            Class of each instance, -1 where it is not known; such instances play no part. None
            takes the classes that are known in `bags` (:class:`~algorithms.bags.Known`).

        Raises
        ------
        ClusteringError
            When parameters are out of range, or no instance has a known class.
        """
        self._accept(bags)
        self._check_parameters(bags)
        category = _check_classes(bags, y)
        known = np.flatnonzero(category >= 0)
        X, category = bags.X[known], category[known]
        self.mean_ = X.mean(axis=0) if self.center else np.zeros(bags.n_features)
        X = X - self.mean_
        self.components_ = closed_form(
            X,
            category,
            bags.n_classes,
            rcond=self.rcond,
            variance=self.variance,
            ridge=self.ridge,
            n_components=self.n_components,
        )
        self.class_means_ = class_means(X @ self.components_, category, bags.n_classes)
        self.competes_ = np.bincount(category, minlength=bags.n_classes) > 0
        return self

    def _map(self, features: FloatArray) -> FloatArray:
        return np.asarray((features - self.mean_) @ self.components_)

    def _check_parameters(self, bags: Bags) -> None:
        check_trainable(bags)
        check_truncation(self.rcond, self.variance)
        check_number("ridge", self.ridge)
        self._check_rule()
        number: Any = self.n_components
        if number is None:
            return
        if not is_whole_number(number) or not 1 <= number <= max(1, bags.n_classes):
            raise ClusteringError(
                f"n_components must be a whole number from 1 to the number of classes, "
                f"{bags.n_classes}, or None, not {number!r}"
            )
        if self.rule == "penalised":
            raise ClusteringError(
                'rule="penalised" needs an axis for every class: leave n_components out, or use '
                'rule="nearest"'
            )


def closed_form(
    X: FloatArray,
    category: IntArray,
    n_classes: int,
    *,
    rcond: float | None,
    variance: float | None = None,
    ridge: float = 0.0,
    n_components: int | None = None,
) -> FloatArray:
    r"""Compute L = X^+ J in time linear in the number of instances.

    Parameters
    ----------
    X : ndarray, shape (n, n_features)
        Instances of known class, at least one.
    category : ndarray of int64, shape (n,)
        Their classes.
    n_classes : int
        Number of classes.
    rcond, variance, ridge, n_components
        See :class:`MLCA`.

    Returns
    -------
    ndarray, shape (n_features, n_classes or n_components)

    References
    ----------
    Law, Yu, Cord & Xing (2016), equation of the closed form; with `n_components` = K below the
    number of classes L = X^+ U_K S_K^(1/2), X X^+ J = U S V' being a singular value decomposition.
    """
    svd = ThinSVD.of(X, rcond=rcond, variance=variance)
    sizes = np.bincount(category, minlength=n_classes)
    scale = np.sqrt(np.maximum(sizes, 1))[:, None]
    projected = (class_sums(svd.left(X), category, n_classes) / scale).T  # U'J
    if n_components is not None and n_components < n_classes:
        axes, strengths, _ = np.linalg.svd(projected, full_matrices=False)
        kept = min(n_components, len(strengths))
        projected = axes[:, :kept] * np.sqrt(strengths[:kept])
    penalty = ridge * float((X**2).sum()) / X.shape[1]
    inverse = svd.sigma / (svd.sigma**2 + penalty)
    components: FloatArray = svd.right @ (inverse[:, None] * projected)
    return components


def _check_classes(bags: Bags, y: npt.ArrayLike | None) -> IntArray:
    if y is None:
        if bags.known is None:
            raise ClusteringError(
                "mlca learns from the classes of instances: give them as y, or use mimlca, which "
                "needs the label sets of the bags only"
            )
        may_be, decided = bags.known.may_be, bags.known.decided
        found = np.where(decided, may_be.argmax(axis=1), -1)
        category = np.where(found == bags.n_classes, -1, found).astype(np.int64)
    else:
        given = np.asarray(y)
        if given.shape != (bags.n_instances,) or not np.issubdtype(given.dtype, np.integer):
            raise ClusteringError(
                f"y must have a whole number for each of the {bags.n_instances} instances, not "
                f"{given.dtype} of shape {given.shape}"
            )
        wrong = np.flatnonzero((given < -1) | (given >= bags.n_classes))
        if len(wrong):
            raise ClusteringError(
                f"y says that instance {int(wrong[0])} is of class {int(given[wrong[0]])}, but "
                f"there are the classes 0 to {bags.n_classes - 1}, and -1 for unknown"
            )
        category = given.astype(np.int64)
    if (category < 0).all():
        raise ClusteringError("no instance has a known class: mlca needs at least one")
    return category
