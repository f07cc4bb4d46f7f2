from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from algorithms import Bags
from algorithms.bags import Known
from algorithms.errors import ClusteringError
from algorithms.metric.mlca import MLCA

X = np.array([[1, 0, 0], [1, 0.2, 0], [0, 1, 0.1], [0, 0.8, -0.1], [-0.2, 0, 1]])
Y = np.array([0, 0, 1, 1, 2])
BAGS = Bags(X, [0] * 5, [[True] * 3])


def random_case(seed: int = 0) -> tuple[Bags, Any, Any]:
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 4, 60)
    features = rng.standard_normal((60, 6)) + 2.0 * np.eye(4, 6)[y]
    J = np.eye(4)[y] / np.sqrt(np.bincount(y))
    return Bags(features, [0] * 60, [[True] * 4]), y, J


def test_the_worked_example() -> None:
    expected = [
        [0.706996, -0.078202, -0.000780],
        [-0.001638, 0.767286, -0.011579],
        [0.138659, -0.030379, 0.980466],
    ]
    metric = MLCA().fit(BAGS, Y)
    np.testing.assert_allclose(metric.components_, expected, atol=1e-6)
    np.testing.assert_array_equal(metric.predict_classes(X), Y)


def test_the_map_is_the_pseudo_inverse_times_the_scaled_indicators() -> None:
    bags, y, J = random_case()
    expected = np.linalg.pinv(bags.X) @ J
    np.testing.assert_allclose(MLCA().fit(bags, y).components_, expected, atol=1e-10)


def test_more_features_than_instances_put_every_class_on_its_own_axis() -> None:
    features = np.random.default_rng(1).standard_normal((4, 9))
    metric = MLCA().fit(Bags(features, [0] * 4, [[True] * 3]), [0, 1, 1, 2])
    expected = np.diag([1.0, 2**-0.5, 1.0])  # e_c / sqrt(n_c)
    np.testing.assert_allclose(metric.transform(features), expected[[0, 1, 1, 2]], atol=1e-10)
    np.testing.assert_allclose(metric.class_means_, expected, atol=1e-10)


def test_ridge_is_that_of_regression() -> None:
    bags, y, J = random_case()
    penalty = 0.1 * np.trace(bags.X.T @ bags.X) / 6
    expected = np.linalg.solve(bags.X.T @ bags.X + penalty * np.eye(6), bags.X.T @ J)
    np.testing.assert_allclose(MLCA(ridge=0.1).fit(bags, y).components_, expected, atol=1e-10)


def test_truncation_is_the_pseudo_inverse_of_what_is_left() -> None:
    bags, y, J = random_case()
    U, s, Vt = np.linalg.svd(bags.X, full_matrices=False)
    kept = int(np.searchsorted((s**2).cumsum() / (s**2).sum(), 0.8)) + 1
    assert kept < 6
    expected = (Vt[:kept].T / s[:kept]) @ U[:, :kept].T @ J
    found = MLCA(variance=0.8).fit(bags, y).components_
    np.testing.assert_allclose(found, expected, atol=1e-10)
    by_size = MLCA(rcond=float(s[kept] / s[0]) * 1.001).fit(bags, y).components_
    np.testing.assert_allclose(by_size, expected, atol=1e-10)


def test_fewer_axes_than_classes_keep_the_strongest_part_of_the_projection() -> None:
    bags, y, J = random_case()
    U, s, _ = np.linalg.svd(bags.X @ np.linalg.pinv(bags.X) @ J)
    L = np.linalg.pinv(bags.X) @ U[:, :2] * np.sqrt(s[:2])
    found = MLCA(n_components=2, rule="nearest").fit(bags, y).components_
    assert found.shape == (6, 2)
    np.testing.assert_allclose(found @ found.T, L @ L.T, atol=1e-10)


def test_centring_is_taking_the_mean_away() -> None:
    bags, y, _ = random_case()
    mean = bags.X.mean(axis=0)
    moved = Bags(bags.X - mean, bags.bag, bags.labels)
    centred = MLCA(center=True).fit(bags, y)
    plain = MLCA().fit(moved, y)
    np.testing.assert_allclose(centred.components_, plain.components_, atol=1e-10)
    np.testing.assert_array_equal(centred.predict_classes(bags.X), plain.predict_classes(moved.X))


def test_instances_of_unknown_class_play_no_part() -> None:
    bags = Bags(np.vstack([X, [[50.0, -3.0, 7.0]]]), [0] * 6, [[True] * 3])
    found = MLCA().fit(bags, [*Y, -1])
    np.testing.assert_allclose(found.components_, MLCA().fit(BAGS, Y).components_, atol=1e-12)


def test_known_classes_are_read_from_the_bags() -> None:
    may_be = np.zeros((5, 4), dtype=bool)
    may_be[np.arange(4), Y[:4]] = True
    may_be[4, 3] = True  # known to be of none
    bags = Bags(X, [0] * 5, [[True] * 3], known=Known(may_be, np.full(5, -1)))
    expected = MLCA().fit(BAGS, [0, 0, 1, 1, -1])
    np.testing.assert_allclose(MLCA().fit(bags).components_, expected.components_, atol=1e-12)
    assert expected.competes_.tolist() == [True, True, False]


def test_a_class_without_instances_is_never_predicted() -> None:
    metric = MLCA(rule="nearest").fit(BAGS, [0, 0, 0, 0, 2])
    assert (metric.components_[:, 1] == 0).all()
    assert set(metric.predict_classes(X)) <= {0, 2}
    assert np.isneginf(metric.class_scores(X)[:, 1]).all()


def test_scores_are_those_of_equations_15_and_16() -> None:
    bags, y, _ = random_case()
    near = MLCA(rule="nearest").fit(bags, y)
    learned = bags.X @ near.components_
    means = np.array([learned[y == c].mean(axis=0) for c in range(4)])
    squared = ((learned[:, None] - means) ** 2).sum(axis=2)
    np.testing.assert_allclose(near.class_scores(bags.X), -squared, atol=1e-12)
    penalised = MLCA(alpha=0.7).fit(bags, y)
    expected = learned - 0.7 * (means**2).sum(axis=1)
    np.testing.assert_allclose(penalised.class_scores(bags.X), expected, atol=1e-12)


@pytest.mark.parametrize("rule", ["penalised", "nearest"])
def test_candidates_narrow_the_choice(rule: Any) -> None:
    metric = MLCA(rule=rule).fit(BAGS, Y)
    candidates = [[0, 1, 1], [0, 0, 1], [0, 0, 0], [1, 0, 0], [1, 1, 0]]
    found = metric.predict_classes(X, candidates)
    assert found[1] == 2
    assert found[2] == 1  # no candidates: all are possible
    assert found[3] == 0
    scores = metric.class_scores(X)
    assert found[0] == 1 + scores[0, 1:].argmax()
    assert found[4] == scores[4, :2].argmax()
    with pytest.raises(ClusteringError, match="a row for each of the 5 instances"):
        metric.predict_classes(X, [[True] * 3])


@pytest.mark.parametrize(
    ("parameters", "y", "message"),
    [
        ({"ridge": -1}, Y, "ridge must be a number from 0"),
        ({"alpha": -1}, Y, "alpha must be"),
        ({"rule": "15"}, Y, "rule must be one of penalised, nearest"),
        ({"n_components": 4, "rule": "nearest"}, Y, "from 1 to the number of classes, 3"),
        ({"n_components": 2}, Y, "needs an axis for every class"),
        ({}, None, "give them as y, or use mimlca"),
        ({}, [0, 1], "for each of the 5 instances"),
        ({}, [0, 0, 1, 1, 3], "instance 4 is of class 3"),
        ({}, [-1] * 5, "at least one"),
    ],
)
def test_impossible_requests(parameters: dict[str, Any], y: Any, message: str) -> None:
    with pytest.raises(ClusteringError, match=message):
        MLCA(**parameters).fit(BAGS, y)
