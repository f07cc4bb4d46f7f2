"""Evaluation measures of annotation: of ranked labels of bags, and of single names of instances.

The first three take ``(labels_true, scores)``, the label set of every bag and a score for each of
its classes, larger being more likely. Only the order of the scores counts; equal scores are ranked
in the order of the classes. **Bags whose label set is empty are left out.** The other two take
``(labels_true, labels_pred)``, the true and the predicted category of every test item.

References
----------
Jin, Wang & Zhou, Learning a distance metric from multi-instance multi-label data, CVPR 2009,
section 5.1. Law, Yu, Urtasun, Zemel & Xing, Efficient multiple instance metric learning using
weakly supervised data, CVPR 2017, section 4.1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from algorithms.bags import BoolArray, IntArray
from algorithms.checks import check_count
from algorithms.errors import ClusteringError

MIN_ITEMS = 5  # test items that Law et al. ask a category for


def one_error(labels_true: npt.ArrayLike, scores: npt.ArrayLike) -> float:
    """Share of the bags whose label of largest score is wrong.

    Parameters
    ----------
    labels_true : array_like of bool, shape (n_bags, n_classes)
        Label sets.
    scores : array_like, shape (n_bags, n_classes)
        Larger is more likely; not NaN.

    Returns
    -------
    float
        0 (best) to 1.

    Raises
    ------
    ClusteringError
        When the shapes differ, a score is NaN, or every label set is empty.
    """
    return float(1.0 - _ranked_hits(labels_true, scores)[:, 0].mean())


def coverage(labels_true: npt.ArrayLike, scores: npt.ArrayLike) -> float:
    """How far down the ranking one must go to find all labels of a bag, averaged over bags.

    Parameters
    ----------
    labels_true, scores
        See :func:`one_error`, also for the errors.

    Returns
    -------
    float
        Mean rank of the lowest label, counted from 0; smaller is better.
    """
    hits = _ranked_hits(labels_true, scores)
    lowest = hits.shape[1] - 1 - hits[:, ::-1].argmax(axis=1)
    return float(lowest.mean())


def average_precision(labels_true: npt.ArrayLike, scores: npt.ArrayLike) -> float:
    """Share of right labels among those ranked no lower than a right one, averaged.

    First over the labels of a bag, then over bags.

    Parameters
    ----------
    labels_true, scores
        See :func:`one_error`, also for the errors.

    Returns
    -------
    float
        Up to 1 (best).
    """
    hits = _ranked_hits(labels_true, scores)
    precision = hits.cumsum(axis=1) / np.arange(1, hits.shape[1] + 1)
    return float(((precision * hits).sum(axis=1) / hits.sum(axis=1)).mean())


ANNOTATION_MEASURES: dict[str, Callable[[npt.ArrayLike, npt.ArrayLike], float]] = {
    "one_error": one_error,
    "coverage": coverage,
    "average_precision": average_precision,
}
"""Measures of ranked labels, by name."""


def category_accuracy(
    labels_true: npt.ArrayLike,
    labels_pred: npt.ArrayLike,
    *,
    min_test: int = MIN_ITEMS,
    labels_train: npt.ArrayLike | None = None,
    min_train: int = 0,
) -> float:
    """Share of the items of a category that are given it, averaged over categories.

    Parameters
    ----------
    labels_true : array_like of int, shape (n_items,)
        True categories of the test items; those with a negative one (unknown) are left out.
    labels_pred : array_like of int, shape (n_items,)
        Predicted categories; a negative one (no name given) is an error here.
    min_test : int
        Number of test items that a category must have; items of others are left out. Law et al.
        ask for 5.
    labels_train : array_like of int, optional
        Categories of the training items; negative ones do not count.
    min_train : int
        Number of training items that a category must have too: 0 as the paper's text, 5 as the
        authors' program.

    Returns
    -------
    float
        0 to 1.

    Raises
    ------
    ClusteringError
        When lists do not fit together, `min_train` is above 0 without `labels_train`, or no
        category has items enough.
    """
    true, pred = _kept_items(labels_true, labels_pred, min_test, labels_train, min_train)
    categories, category = np.unique(true, return_inverse=True)
    right = np.bincount(category, true == pred, minlength=len(categories))
    return float((right / np.bincount(category)).mean())


def named_precision(
    labels_true: npt.ArrayLike,
    labels_pred: npt.ArrayLike,
    *,
    min_test: int = MIN_ITEMS,
    labels_train: npt.ArrayLike | None = None,
    min_train: int = 0,
) -> float:
    """Share of the items given a name that are given the right one.

    Parameters
    ----------
    labels_true, labels_pred, min_test, labels_train, min_train
        See :func:`category_accuracy`, also for the errors; but an item that is given no name does
        not count here.

    Returns
    -------
    float
        0 to 1; 0 when no item is given a name.
    """
    true, pred = _kept_items(labels_true, labels_pred, min_test, labels_train, min_train)
    named = pred >= 0
    return float((true == pred)[named].mean()) if named.any() else 0.0


def _ranked_hits(labels_true: npt.ArrayLike, scores: npt.ArrayLike) -> BoolArray:
    """Tell of each bag with labels which classes are right, the likeliest class first."""
    labels, given = np.asarray(labels_true, dtype=np.bool_), np.asarray(scores, dtype=np.float64)
    if labels.ndim != 2 or labels.shape != given.shape:
        raise ClusteringError(
            f"labels_true and scores must be tables of bags by classes of equal shape, "
            f"not of shapes {labels.shape} and {given.shape}"
        )
    bad = np.argwhere(np.isnan(given))
    if len(bad):
        raise ClusteringError(f"the score of bag {bad[0][0]} for class {bad[0][1]} is not a number")
    filled = labels.any(axis=1)
    if not filled.any():
        raise ClusteringError("nothing to evaluate: no bag has a label")
    order = np.argsort(-given[filled], axis=1, kind="stable")
    hits: BoolArray = np.take_along_axis(labels[filled], order, axis=1)
    return hits


def _kept_items(
    labels_true: npt.ArrayLike,
    labels_pred: npt.ArrayLike,
    min_test: Any,
    labels_train: npt.ArrayLike | None,
    min_train: Any,
) -> tuple[IntArray, IntArray]:
    """Both label lists, checked, without the items of unknown categories and of too small ones."""
    true, pred = _categories("labels_true", labels_true), _categories("labels_pred", labels_pred)
    if true.shape != pred.shape:
        raise ClusteringError(
            f"labels_true has {len(true)} entries but labels_pred has {len(pred)}: give one for "
            "each test item"
        )
    for name, value in (("min_test", min_test), ("min_train", min_train)):
        check_count(name, value, minimum=0)
    if min_train and labels_train is None:
        raise ClusteringError(f"min_train={min_train} needs labels_train: give it, or min_train=0")
    kept = (true >= 0) & _frequent(true, true, min_test)
    if labels_train is not None:
        kept &= _frequent(true, _categories("labels_train", labels_train), min_train)
    if not kept.any():
        raise ClusteringError(
            f"nothing to evaluate: no category has {min_test} test and {min_train} training items; "
            "ask for fewer"
        )
    return true[kept], pred[kept]


def _categories(name: str, labels: npt.ArrayLike) -> IntArray:
    array = np.asarray(labels)
    if array.ndim != 1 or (array.size and not np.issubdtype(array.dtype, np.integer)):
        raise ClusteringError(
            f"{name} must be a list of whole numbers, not {array.dtype} of shape {array.shape}"
        )
    return array.astype(np.int64)


def _frequent(labels: IntArray, counted: IntArray, minimum: int) -> BoolArray:
    """Tell which labels occur so often among those counted."""
    categories, times = np.unique(counted, return_counts=True)
    if not minimum:
        return np.ones(len(labels), dtype=np.bool_)
    return np.isin(labels, categories[times >= minimum])
