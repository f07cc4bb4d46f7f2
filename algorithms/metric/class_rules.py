"""To which class an instance belongs, in a space where every class has a mean."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.sparse import csc_array

from algorithms.bags import Bags, BoolArray, FloatArray, IntArray
from algorithms.checks import check_choice, check_number
from algorithms.errors import ClusteringError
from algorithms.metric.closest_pairs import first_minimum
from algorithms.metric.pair_products import PairProducts

Rule = Literal["penalised", "nearest"]
Unassigned = Literal["nearest", "none"]


class ClassRules(ABC):
    r"""The two rules by which Law et al. (2017) tell the class of an instance x.

    With L the learned map, one column per class, and z_c the mean of class c:

    - "nearest": the class of least ||L'x - L'z_c||^2, their equation 15;
    - "penalised": the class of largest (L'x)_c - alpha ||L'z_c||^2, their equation 16.

    Attributes
    ----------
    class_means_ : ndarray, shape (n_classes, n_components)
        L'z_c of every class.
    competes_ : ndarray of bool, shape (n_classes,)
        Classes that have instances; an instance is never taken to be of another.
    """

    alpha: float
    rule: Rule
    unassigned: Unassigned
    class_means_: FloatArray
    competes_: BoolArray

    @abstractmethod
    def transform(self, X: npt.ArrayLike) -> FloatArray:
        """Map instances into the learned space."""

    def class_scores(self, X: npt.ArrayLike) -> FloatArray:
        """Tell how much speaks for each class, by the rule.

        Parameters
        ----------
        X : array_like, shape (n, n_features)
            Instances, old or new.

        Returns
        -------
        ndarray, shape (n, n_classes)
            Larger is more likely: minus the squared distance to the mean, or what equation 16
            makes as large as possible. Minus infinity for classes without instances.
        """
        return self._scores(self.transform(X), self.rule)

    def predict_classes(
        self, X: npt.ArrayLike, candidates: npt.ArrayLike | None = None
    ) -> IntArray:
        """Class of each instance by the rule; at a tie the lower one.

        Parameters
        ----------
        X : array_like, shape (n, n_features)
            Instances, old or new.
        candidates : array_like of bool, shape (n, n_classes), optional
            Classes that each may be of: the label set of its bag. All False where that is not
            known.

        Returns
        -------
        ndarray of int64, shape (n,)
            Classes; -1 where none of the candidates has instances.

        Raises
        ------
        ClusteringError
            When the arrays do not fit the training data, or nothing has been fitted.
        """
        scores = self.class_scores(X)
        scores[~allowed_classes(candidates, scores.shape)] = -np.inf
        return best_class(scores)

    def _scores(self, points: FloatArray, rule: Rule) -> FloatArray:
        scores: FloatArray
        lengths = (self.class_means_**2).sum(axis=1)
        if rule == "nearest":
            scores = 2.0 * (points @ self.class_means_.T) - lengths
            scores -= (points**2).sum(axis=1)[:, None]
        else:
            scores = points - self.alpha * lengths
        scores[:, ~self.competes_] = -np.inf
        return scores

    def _complete(
        self, assigned: IntArray, points: FloatArray, means: FloatArray, bags: Bags
    ) -> IntArray:
        """Class of every instance of the fit: that assigned; for the others, as the option says.

        The nearest mean is that of a class in the bag's label set, of any class where that is not
        known, and of none where the bag is known to hold no class.
        """
        category = assigned.copy()
        others = np.flatnonzero(assigned < 0)
        if self.unassigned == "none" or not len(others):
            return category
        may_be = (bags.labels | ~bags.labelled[:, None]) & self.competes_
        category[others] = nearest_mean(points[others], means, may_be[bags.bag[others]])
        return category

    def _check_rule(self) -> None:
        check_choice("rule", self.rule, ("penalised", "nearest"))
        check_number("alpha", self.alpha)


def allowed_classes(candidates: npt.ArrayLike | None, shape: tuple[int, ...]) -> BoolArray:
    """Classes that instances may be of; all of them where no candidates are known.

    Parameters
    ----------
    candidates : array_like of bool, shape (n, n_classes), or None
        Label set of each instance's bag, all False where that is not known.
    shape : tuple of int
        What the shape should be.

    Returns
    -------
    ndarray of bool, shape (n, n_classes)

    Raises
    ------
    ClusteringError
        When `candidates` has another shape.
    """
    if candidates is None:
        return np.ones(shape, dtype=np.bool_)
    allowed = np.asarray(candidates, dtype=np.bool_)
    if allowed.shape != shape:
        raise ClusteringError(
            f"candidates must have a row for each of the {shape[0]} instances and a column for "
            f"each of the {shape[1]} classes, not shape {allowed.shape}"
        )
    return np.asarray(allowed | ~allowed.any(axis=1, keepdims=True), dtype=np.bool_)


def best_class(scores: FloatArray) -> IntArray:
    """Class of the largest score of each row, the lower one at a tie; -1 where there is none."""
    if not scores.shape[1]:
        return np.full(len(scores), -1, dtype=np.int64)
    best = scores.argmax(axis=1)
    return np.where(np.isneginf(scores.max(axis=1)), -1, best).astype(np.int64)


def nearest_mean(points: FloatArray, means: FloatArray, allowed: BoolArray) -> IntArray:
    """Class of the nearest mean, of those that each point may be of; at a tie the lower one.

    Parameters
    ----------
    points : ndarray, shape (n, d)
        Points.
    means : ndarray, shape (n_classes, d)
        Means.
    allowed : ndarray of bool, shape (n, n_classes)
        Classes that each point may be of.

    Returns
    -------
    ndarray of int64, shape (n,)
        Classes, -1 where none is allowed.
    """
    category = np.full(len(points), -1, dtype=np.int64)
    row, column = np.nonzero(allowed)
    if len(row):
        products = PairProducts.of(row, column, allowed.shape)(points, means)
        # The squared length of the point is the same for all of its classes.
        squared = (means**2).sum(axis=1)[column] - 2.0 * products
        starts = np.flatnonzero(np.diff(row, prepend=-1))
        nearest = first_minimum(squared, starts, np.diff(starts, append=len(row)))
        category[row[nearest]] = column[nearest]
    return category


def class_means(points: FloatArray, category: IntArray, n_classes: int) -> FloatArray:
    """Mean of the points of every class, 0 for a class without points.

    Parameters
    ----------
    points : ndarray, shape (n, d)
        Points.
    category : ndarray of int64, shape (n,)
        Class of each, -1 for none.
    n_classes : int
        Number of classes.

    Returns
    -------
    ndarray, shape (n_classes, d)
    """
    sizes = np.bincount(category[category >= 0], minlength=n_classes)
    means: FloatArray = class_sums(points, category, n_classes) / np.maximum(sizes, 1)[:, None]
    return means


def class_sums(points: FloatArray, category: IntArray, n_classes: int) -> FloatArray:
    """Sum of the points of every class; as :func:`class_means`."""
    of_class = category >= 0
    ends = np.append(0, np.cumsum(of_class))
    member = csc_array(
        (np.ones(ends[-1]), category[of_class], ends), shape=(n_classes, len(category))
    )
    return np.asarray(member @ points, dtype=np.float64)
