from __future__ import annotations

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from algorithms.metric.gaussian_classes import GaussianClasses


def test_probabilities_are_those_of_discriminant_analysis() -> None:
    rng = np.random.default_rng(0)
    category = rng.integers(0, 3, 80)
    points = rng.standard_normal((80, 4)) * [1, 3, 0.2, 1] + np.eye(3, 4)[category]
    expected = LinearDiscriminantAnalysis(solver="lsqr").fit(points, category)
    new = rng.standard_normal((10, 4))
    found = GaussianClasses.fit(points, category, 3)
    everything = np.ones((10, 3), dtype=np.bool_)
    np.testing.assert_allclose(
        found.probabilities(new, everything), expected.predict_proba(new), atol=1e-9
    )


def test_only_allowed_classes_with_instances_have_a_probability() -> None:
    points = np.array([[0.0], [1.0], [10.0], [11.0]])
    classes = GaussianClasses.fit(points, np.array([0, 0, 2, 2]), 3)
    allowed = np.array([[1, 1, 1], [0, 1, 1], [0, 1, 0], [0, 0, 0]], dtype=np.bool_)
    found = classes.probabilities(np.zeros((4, 1)), allowed)
    np.testing.assert_allclose(found[0], [1, 0, 0], atol=1e-9)
    assert found[1].tolist() == [0, 0, 1]
    assert (found[2:] == 0).all()


def test_classes_that_are_single_points() -> None:
    classes = GaussianClasses.fit(np.array([[0.0, 1.0], [2.0, 1.0]]), np.array([0, 1]), 2)
    found = classes.probabilities(np.array([[0.1, 5.0], [1.9, 5.0]]), np.ones((2, 2), dtype=bool))
    np.testing.assert_allclose(found, np.eye(2), atol=1e-6)
    one = GaussianClasses.fit(np.zeros((1, 2)), np.array([0]), 1)
    assert one.probabilities(np.zeros((1, 2)), np.ones((1, 1), dtype=bool)).tolist() == [[1.0]]
