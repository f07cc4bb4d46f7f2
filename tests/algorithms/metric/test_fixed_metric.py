from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.distance import cdist, pdist
from sklearn.base import clone

from algorithms import Bags
from algorithms.errors import ClusteringError
from algorithms.metric.citation_knn import CitationKNN
from algorithms.metric.fixed import FixedMetric
from algorithms.metric.learned_space import in_learned_space
from algorithms.metric.mimlca import MIMLCA

L = [[2.0, 0.0, 1.0], [0.0, 1.0, -1.0]]
BAGS = Bags([[0.0, 0.0], [1.0, 2.0], [3.0, -1.0]], [0, 0, 1], [[1, 0, 1], [0, 1, 0]])


@pytest.mark.parametrize("mean", [None, [5.0, -7.0]])
def test_distances_are_those_of_the_matrix(mean: Any) -> None:
    M = np.array(L) @ np.transpose(L)
    assert M.tolist() == [[5, -1], [-1, 2]]
    mapped = in_learned_space(BAGS, FixedMetric(L, mean=mean).fit(BAGS)).X
    # (1, 2) M (1, 2)' = 5 - 4 + 8
    assert pdist(mapped)[0] == pytest.approx(3)
    np.testing.assert_allclose(cdist(mapped, mapped), cdist(BAGS.X, BAGS.X, "mahalanobis", VI=M))


def test_rules_by_hand() -> None:
    # Class means in the space of the metric: (2, 0, 1), (0, 1, -1), (2, 1, 0), of squared length
    # 5, 2, 5. The instance (1, 0.8) is at (2, 0.8, 0.2): squared distances 1.28, 5.48 and 0.08.
    centroids = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
    metric = FixedMetric(L, centroids=centroids, rule="nearest").fit(BAGS)
    np.testing.assert_allclose(metric.class_scores([[1, 0.8]]), [[-1.28, -5.48, -0.08]])
    assert metric.predict_classes([[1, 0.8]]) == [2]
    assert metric.predict_classes([[1, 0.8]], [[True, True, False]]) == [0]
    metric = FixedMetric(L, centroids=centroids, alpha=0.5).fit(BAGS)
    np.testing.assert_allclose(metric.class_scores([[1, 0.8]]), [[-0.5, -0.2, -2.3]])
    # Less the mean (1, 0) all is (2, 0, 1) further down.
    metric = FixedMetric(L, mean=[1, 0], centroids=centroids, alpha=0.5).fit(BAGS)
    np.testing.assert_allclose(metric.class_means_, [[0, 0, 0], [-2, 1, -2], [0, 1, -1]])
    np.testing.assert_allclose(metric.class_scores([[1, 0.8]]), [[0, 0.8 - 4.5, -0.8 - 1]])


def test_it_stands_in_for_what_was_learned() -> None:
    rng = np.random.default_rng(0)
    bags = Bags(rng.normal(size=(60, 4)), np.arange(60) % 20, rng.random((20, 3)) < 0.5)
    learned = MIMLCA(center=True).fit(bags)
    means = np.array([bags.X[learned.assigned_ == c].mean(axis=0) for c in range(3)])
    fixed = FixedMetric(learned.components_, mean=learned.mean_, centroids=means)
    new = Bags(rng.normal(size=(20, 4)), np.arange(20) % 5, np.zeros((5, 3)))
    np.testing.assert_allclose(fixed.fit(bags).class_scores(new.X), learned.class_scores(new.X))
    votes = [CitationKNN(each).fit(bags).decision_function(new) for each in (learned, clone(fixed))]
    np.testing.assert_array_equal(*votes)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"components": [[1.0]]}, "a row for each of the 2 features, not 1"),
        ({"components": [1.0, 2.0]}, "components must be finite numbers in rows and columns"),
        ({"components": [[1.0], [np.nan]]}, "components must be finite"),
        ({"components": [[1.0], ["a"]]}, "components must be numbers in rows of equal length"),
        ({"mean": [1.0]}, "mean must have a number for each of the 2 features, not 1"),
        ({"centroids": [[1.0]]}, "centroids must have a number for each of the 2 features"),
        ({"centroids": [[1.0, 2.0]]}, "3 columns and centroids 1 rows"),
        ({"rule": "best"}, "rule must be one of"),
        ({"alpha": -1}, "alpha must be a number from 0"),
    ],
)
def test_what_does_not_fit_is_refused(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ClusteringError, match=message):
        FixedMetric(**{"components": L, **parameters}).fit(BAGS)


def test_classes_need_their_means() -> None:
    with pytest.raises(ClusteringError, match="give them as centroids"):
        FixedMetric(L).fit(BAGS).predict_classes(BAGS.X)
    with pytest.raises(ClusteringError, match="call fit first"):
        FixedMetric(L, centroids=np.zeros((3, 2))).class_scores(BAGS.X)
