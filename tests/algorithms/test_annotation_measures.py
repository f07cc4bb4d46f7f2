from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import coverage_error, label_ranking_average_precision_score

from algorithms.annotation_measures import (
    ANNOTATION_MEASURES,
    average_precision,
    category_accuracy,
    coverage,
    named_precision,
    one_error,
)
from algorithms.errors import ClusteringError

SCORES = [[0.9, 0.2, 0.4, 0.1], [0.3, 0.8, 0.5, 0.5], [0.1, 0.2, 0.3, 0.9]]
LABELS = [[1, 0, 1, 0], [0, 0, 1, 0], [1, 1, 0, 0]]
TRUE = [0, 0, 0, 0, 0, 0, 1, 1, 1, 2]
PRED = [0, 0, 0, 0, 1, 1, 1, 1, 0, 2]


def ranked_problems(ties: bool) -> st.SearchStrategy[tuple[npt.NDArray[np.bool_], Any]]:
    """Label sets, none empty, and scores."""

    def make(drawn: tuple[int, int, int]) -> tuple[npt.NDArray[np.bool_], Any]:
        n_bags, n_classes, seed = drawn
        rng = np.random.default_rng(seed)
        labels = rng.random((n_bags, n_classes)) < 0.4
        labels[np.arange(n_bags), rng.integers(0, n_classes, n_bags)] = True
        if ties:
            return labels, rng.integers(0, 3, labels.shape)
        return labels, np.argsort(rng.random(labels.shape), axis=1).astype(float)

    return st.tuples(st.integers(1, 8), st.integers(2, 7), st.integers(0, 2**20)).map(make)


def test_worked_ranking() -> None:
    assert one_error(LABELS, SCORES) == pytest.approx(2 / 3)
    assert coverage(LABELS, SCORES) == pytest.approx(5 / 3)
    assert average_precision(LABELS, SCORES) == pytest.approx(0.638889, abs=5e-7)


def test_worked_names() -> None:
    assert named_precision(TRUE, PRED, min_test=1) == pytest.approx(0.7)
    assert category_accuracy(TRUE, PRED, min_test=1) == pytest.approx(0.777778, abs=5e-7)


@given(ranked_problems(ties=False))
@settings(max_examples=40)
def test_as_scikit_learn_has_it_without_ties(problem: tuple[Any, Any]) -> None:
    labels, scores = problem
    expected = label_ranking_average_precision_score(labels, scores)
    assert average_precision(labels, scores) == pytest.approx(expected)
    assert coverage(labels, scores) == pytest.approx(coverage_error(labels, scores) - 1)


@given(ranked_problems(ties=True))
@settings(max_examples=40)
def test_equal_scores_are_ranked_in_the_order_of_the_classes(problem: tuple[Any, Any]) -> None:
    labels, scores = problem
    apart = scores - 1e-3 * np.arange(labels.shape[1])
    for measure in ANNOTATION_MEASURES.values():
        assert measure(labels, scores) == measure(labels, apart)


@pytest.mark.parametrize("measure", ANNOTATION_MEASURES.values())
def test_bags_without_labels_are_left_out(measure: Callable[..., float]) -> None:
    assert measure([*LABELS, [0] * 4], [*SCORES, [4, 3, 2, 1]]) == measure(LABELS, SCORES)
    with pytest.raises(ClusteringError, match="no bag has a label"):
        measure([[0] * 4] * 3, SCORES)


def test_infinite_scores_rank_first_and_last() -> None:
    assert one_error([[0, 1, 0]], [[-np.inf, np.inf, 3]]) == 0
    assert coverage([[1, 0, 0]], [[-np.inf, np.inf, 3]]) == 2


@pytest.mark.parametrize(
    ("labels", "scores", "message"),
    [
        ([[1, 0]], [[1, 2, 3]], "equal shape"),
        ([1, 0], [1, 2], "equal shape"),
        ([[1, 0], [0, 1]], [[1, 2], [1, np.nan]], "bag 1 for class 1 is not a number"),
    ],
)
def test_what_cannot_be_ranked_is_refused(labels: Any, scores: Any, message: str) -> None:
    for measure in ANNOTATION_MEASURES.values():
        with pytest.raises(ClusteringError, match=message):
            measure(labels, scores)


def test_small_categories_are_left_out() -> None:
    # Category 0 alone has five test items: 4 of its 6 are right.
    assert category_accuracy(TRUE, PRED) == pytest.approx(4 / 6)
    assert named_precision(TRUE, PRED) == pytest.approx(4 / 6)
    assert category_accuracy(TRUE, PRED, min_test=3) == pytest.approx(2 / 3)
    # Of training items, 1 and 2 have enough.
    train = [0, 1, 1, 2, 2, 2]
    found = category_accuracy(TRUE, PRED, min_test=1, labels_train=train, min_train=2)
    assert found == pytest.approx((2 / 3 + 1) / 2)
    found = named_precision(TRUE, PRED, min_test=1, labels_train=train, min_train=2)
    assert found == pytest.approx(3 / 4)


def test_an_item_without_a_name_is_an_error_of_its_category_alone() -> None:
    true, pred = [0, 0, 0, 1, 1, -1], [0, 0, -1, 1, 0, 1]
    assert category_accuracy(true, pred, min_test=1) == pytest.approx((2 / 3 + 1 / 2) / 2)
    assert named_precision(true, pred, min_test=1) == pytest.approx(3 / 4)
    assert named_precision([0, 1], [-1, -1], min_test=1) == 0


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([0, 1], [0]), {}, "one for each test item"),
        (([0.5], [0]), {}, "labels_true must be a list of whole numbers"),
        (([0, 1], [0, 1]), {}, "no category has 5 test"),
        (([-1, -1], [0, 1]), {"min_test": 0}, "nothing to evaluate"),
        (([0, 1], [0, 1]), {"min_test": 1, "min_train": 2}, "needs labels_train"),
        (([0, 1], [0, 1]), {"min_test": -1}, "min_test must be a whole number"),
    ],
)
def test_what_cannot_be_evaluated_is_refused(arguments: Any, options: Any, message: str) -> None:
    for measure in (category_accuracy, named_precision):
        with pytest.raises(ClusteringError, match=message):
            measure(*arguments, **options)
