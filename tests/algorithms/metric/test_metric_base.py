from __future__ import annotations

import numpy as np
import pytest

from algorithms import Bags
from algorithms.errors import BagsError, ClusteringError
from algorithms.metric.euclidean import Euclidean


def test_the_euclidean_metric_changes_nothing() -> None:
    X = np.array([[1.0, 2.0], [3.0, -4.0]])
    metric = Euclidean().fit(Bags(X, [0, 0], [[True]]))
    np.testing.assert_array_equal(metric.components_, np.eye(2))
    np.testing.assert_array_equal(metric.transform(X), X)


def test_other_features_are_refused() -> None:
    metric = Euclidean().fit(Bags([[1.0, 2.0]], [0], [[True]]))
    with pytest.raises(ClusteringError, match=r"3 columns but the training instances have 2"):
        metric.transform([[1.0, 2.0, 3.0]])
    with pytest.raises(BagsError, match="row 0, column 1"):
        metric.transform([[1.0, np.nan]])


def test_nothing_to_learn_from() -> None:
    with pytest.raises(ClusteringError, match="call fit first"):
        Euclidean().transform([[1.0]])
    with pytest.raises(ClusteringError, match="no instances to learn a metric from"):
        Euclidean().fit(Bags(np.zeros((0, 2)), [], [[True]]))
