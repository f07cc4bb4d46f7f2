from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms import Bags, make_clusterer
from algorithms.bags import Known
from algorithms.errors import ClusteringError
from algorithms.metric.euclidean import Euclidean
from algorithms.metric.learned_space import in_learned_space
from algorithms.metric.mildml import MildML
from algorithms.metric.miml import MIML
from algorithms.metric.mimlca import MIMLCA
from algorithms.metrics import adjusted_rand_index

X = np.array([[1, 0], [0.1, 1.2], [1.1, 0.2], [0.9, -0.1], [-1, 0.3], [0, 0.9], [-0.9, 0.1]])
WORKED = Bags(X, [0, 0, 1, 1, 1, 2, 3], [[1, 1, 0], [1, 0, 1], [0, 1, 0], [0, 1, 1]])


def noisy_bags(seed: int, n_bags: int = 30) -> tuple[Bags, np.ndarray]:
    """Three classes told apart by two features of seven; the others are loud noise."""
    rng = np.random.default_rng(seed)
    present = [rng.choice(3, size=rng.integers(1, 3), replace=False) for _ in range(n_bags)]
    labels = np.zeros((n_bags, 3), dtype=bool)
    for number, classes in enumerate(present):
        labels[number, classes] = True
    truth = np.concatenate([np.resize(classes, 6) for classes in present])
    centres = np.array([[0, 0], [4, 0], [0, 4]])
    features = np.hstack(
        [
            centres[truth] + 0.3 * rng.standard_normal((len(truth), 2)),
            2 * rng.standard_normal((len(truth), 5)),
        ]
    )
    return Bags(features, np.repeat(np.arange(n_bags), 6), labels), truth


def test_instances_become_what_the_worked_map_makes_of_them() -> None:
    # L of the worked example of MIMLCA, by hand
    L = np.array([[0.385260, -0.008394, 0], [0.034537, 0.643406, 0]])
    learned = in_learned_space(WORKED, MIMLCA().fit(WORKED))
    expected = [[x * L[0, c] + y * L[1, c] for c in range(3)] for x, y in X]
    np.testing.assert_allclose(learned.X, expected, atol=2e-6)


def test_everything_but_the_features_stays() -> None:
    known = Known(np.ones((7, 4), dtype=bool), np.array([0, 0, -1, -1, 1, -1, -1]))
    bags = Bags(
        X, WORKED.bag, WORKED.labels & [[1], [1], [1], [0]], [1, 1, 1, 0], list("abc"), known=known
    )
    learned = in_learned_space(bags, MIMLCA().fit(bags))
    for name in ("bag", "labels", "labelled"):
        np.testing.assert_array_equal(getattr(learned, name), getattr(bags, name))
    assert learned.class_names == ("a", "b", "c")
    assert learned.known is not None
    np.testing.assert_array_equal(learned.known.mode, known.mode)


def test_no_metric_changes_nothing() -> None:
    learned = in_learned_space(WORKED, Euclidean().fit(WORKED))
    np.testing.assert_array_equal(learned.X, WORKED.X)


@pytest.mark.parametrize("method", ["sp", "csp"])
def test_clustering_there_is_clustering_bags_that_are_mapped_by_hand(method: str) -> None:
    bags, _ = noisy_bags(0)
    learner = MIMLCA(max_per_label=None).fit(bags)
    by_hand = Bags(bags.X @ learner.components_, bags.bag, bags.labels)
    one, other = (
        make_clusterer(method, n_clusters=3).fit(each).labels_
        for each in (in_learned_space(bags, learner), by_hand)
    )
    np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("learner", [MIMLCA(), MIMLCA(max_per_label=None), MIML(), MildML()])
def test_a_learned_metric_finds_classes_that_noise_hides(learner: Any) -> None:
    bags, truth = noisy_bags(1)
    found = [
        adjusted_rand_index(truth, make_clusterer("sp", n_clusters=3).fit(each).labels_)
        for each in (bags, in_learned_space(bags, learner.fit(bags)))
    ]
    assert found[0] < 0.5
    assert found[1] > 0.9


@settings(max_examples=8)
@given(st.integers(0, 2**16), st.floats(0.01, 100))
def test_the_scale_of_the_features_does_not_matter(seed: int, scale: float) -> None:
    bags, _ = noisy_bags(seed, n_bags=8)
    labels = []
    for factor in (1.0, scale):
        scaled = Bags(factor * bags.X, bags.bag, bags.labels)
        learned = in_learned_space(scaled, MIMLCA(max_per_label=None).fit(scaled))
        labels.append(make_clusterer("sp", n_clusters=3).fit(learned).labels_)
    assert adjusted_rand_index(*labels) == pytest.approx(1.0)


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(ClusteringError, match="call fit first"):
        in_learned_space(WORKED, MIMLCA())
    other = Bags(np.ones((1, 3)), [0], [[True, False, False]])
    with pytest.raises(ClusteringError, match="3 columns but the training instances have 2"):
        in_learned_space(other, MIMLCA().fit(WORKED))
