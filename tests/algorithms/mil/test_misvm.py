from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist, pdist
from sklearn.svm import LinearSVC

from algorithms import Bags
from algorithms.layout import sorted_bags
from algorithms.mil.misvm import MISVM, relabelled

Array = npt.NDArray[np.float64]


def test_relabelling_worked_by_hand() -> None:
    runs = sorted_bags(Bags(np.zeros((7, 1)), [0, 0, 0, 1, 1, 2, 2], np.zeros((3, 0))))
    scores = np.array([0.5, -1.0, 2.0, -3.0, -2.0, 1.0, -1.0])
    labels = relabelled(scores, np.array([True, True, False]), runs)
    assert labels.tolist() == [True, False, True, False, True, False, False]


@settings(max_examples=40)
@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(-3, 3)), min_size=1, max_size=30),
    st.lists(st.booleans(), min_size=6, max_size=6),
)
def test_every_positive_bag_keeps_a_positive_instance_and_no_negative_bag_has_one(
    instances: list[tuple[int, int]], given_labels: list[bool]
) -> None:
    bag, scores = (np.array(column) for column in zip(*instances, strict=True))
    runs = sorted_bags(Bags(np.zeros((len(bag), 1)), bag, np.zeros((6, 0))))
    positive = np.array(given_labels)[runs.bag_numbers]
    values = scores[runs.order].astype(float)
    labels = relabelled(values, positive, runs)
    for number, start, size in zip(range(runs.n_filled), runs.starts, runs.sizes, strict=True):
        own, own_values = labels[start : start + size], values[start : start + size]
        expected = (own_values > 0) & positive[number]
        if positive[number] and not expected.any():
            expected[own_values.argmax()] = True
        assert own.tolist() == expected.tolist()


def literal(X: Array, bag: Array, positive: Array, new: Array, C: float) -> Array:
    """mi-SVM instance by instance, with the kernel's features from its eigenvectors."""
    gamma = 1.0 / np.median(pdist(X, "sqeuclidean"))
    values, vectors = np.linalg.eigh(np.exp(-gamma * cdist(X, X, "sqeuclidean")))
    kept = values > 1e-10 * values[-1]
    projection = vectors[:, kept] / np.sqrt(values[kept])
    features = np.exp(-gamma * cdist(X, X, "sqeuclidean")) @ projection
    labels = positive[bag]
    while True:
        # An intercept that is fined as little as that of a column of 100s.
        machine = LinearSVC(C=C, dual=False, intercept_scaling=100.0, tol=1e-6)
        scores = machine.fit(features, labels).decision_function(features)
        relabelled_ = (scores > 0) & positive[bag]
        for number in np.flatnonzero(positive):
            rows = np.flatnonzero(bag == number)
            if not relabelled_[rows].any():
                relabelled_[rows[scores[rows].argmax()]] = True
        if (relabelled_ == labels).all():
            break
        labels = relabelled_
    return machine.decision_function(np.exp(-gamma * cdist(new, X, "sqeuclidean")) @ projection)


@pytest.mark.parametrize("C", [1.0, 10.0])
def test_agrees_with_an_instance_by_instance_machine(C: float) -> None:
    rng = np.random.default_rng(4)
    bag = np.repeat(np.arange(14), 3)
    X = rng.standard_normal((42, 2))
    positive = np.arange(14) < 6
    X[np.flatnonzero(positive) * 3] += [4.0, 0.0]
    new = 2.0 * rng.standard_normal((20, 2))
    annotator = MISVM(C=C).fit(Bags(X, bag, positive[:, None]))
    scores = annotator.decision_function(Bags(new, np.arange(20), np.zeros((20, 1))))
    expected = literal(X, bag, positive, new, C)
    np.testing.assert_allclose(scores[:, 0], expected, atol=0.02)


def test_a_bag_scores_as_its_best_instance() -> None:
    rng = np.random.default_rng(4)
    X = rng.standard_normal((40, 2))
    annotator = MISVM().fit(Bags(X, np.arange(40) // 2, np.arange(20)[:, None] < 8))
    alone = annotator.decision_function(Bags(X, np.arange(40), np.zeros((40, 1))))
    bags = annotator.decision_function(Bags(X, np.arange(40) // 4, np.zeros((10, 1))))
    np.testing.assert_allclose(bags[:, 0], alone.reshape(10, 4).max(axis=1))


def test_few_landmarks_come_near_to_all_of_them() -> None:
    rng = np.random.default_rng(4)
    bag = np.repeat(np.arange(60), 4)
    X = rng.standard_normal((240, 2))
    positive = np.arange(60) < 25
    X[np.flatnonzero(positive) * 4] += [5.0, 0.0]
    bags = Bags(X, bag, positive[:, None])
    exact = MISVM(n_landmarks=240, max_iter=1).fit(bags).decision_function(bags)
    near = MISVM(n_landmarks=100, max_iter=1).fit(bags).decision_function(bags)
    assert np.abs(exact - near).max() < 0.05
    assert not np.array_equal(exact, near)
    other = MISVM(n_landmarks=100, max_iter=1, random_state=1)
    again = other.fit(bags).decision_function(bags)
    assert not np.array_equal(near, again)


def test_the_linear_kernel_draws_a_plane_through_the_features() -> None:
    rng = np.random.default_rng(4)
    X = rng.standard_normal((400, 2))
    bags = Bags(X, np.arange(400), X[:, :1] + X[:, 1:] > 1.0)
    annotator = MISVM(kernel="linear").fit(bags)
    weights = annotator.models_[0].weights
    assert weights[0] == pytest.approx(weights[1], rel=0.2)
    expected = X @ weights + annotator.models_[0].intercept
    np.testing.assert_allclose(annotator.decision_function(bags)[:, 0], expected)
    assert (annotator.predict(bags) == bags.labels).mean() > 0.95
