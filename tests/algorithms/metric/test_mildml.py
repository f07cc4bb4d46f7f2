from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy.optimize import approx_fprime
from scipy.spatial.distance import cdist
from sklearn.base import clone

from algorithms import Bags
from algorithms.errors import ClusteringError
from algorithms.layout import sorted_bags
from algorithms.metric.closest_pairs import AllBagPairs, SomeBagPairs
from algorithms.metric.mildml import MildML, Objective

Array = npt.NDArray[np.float64]


def noisy_bags(seed: int = 0, n_bags: int = 30, *, scale: float = 1.0) -> Bags:
    """Two to four instances a bag, one for each label among them; the last 3 features are noise."""
    rng = np.random.default_rng(seed)
    labels = rng.random((n_bags, 3)) < 0.3
    labels[np.arange(n_bags), np.arange(n_bags) % 3] = True
    rows, bag = [], []
    for m in range(n_bags):
        for c in [*np.flatnonzero(labels[m]), -1]:
            centre = np.zeros(6) if c < 0 else 4.0 * np.eye(3, 6)[c]
            rows.append(centre + rng.standard_normal(6) * ([0.5] * 3 + [3.0] * 3))
            bag.append(m)
    return Bags(scale * np.array(rows), bag, labels)


def by_definition(bags: Bags, L: Array, b: float) -> float:
    """F, one pair of bags at a time."""

    def sigmoid(x: float) -> float:
        return float(1 / (1 + np.exp(-x)))

    positive, negative = [], []
    for i in range(bags.n_bags):
        for j in range(i):
            d = cdist(bags.X[bags.bag == i] @ L, bags.X[bags.bag == j] @ L, "sqeuclidean").min()
            if (bags.labels[i] & bags.labels[j]).any():
                positive.append(np.log(sigmoid(b - d)))
            else:
                negative.append(np.log(1 - sigmoid(b - d)))
    of_itself = bags.n_instances / len(positive) * np.log(sigmoid(b))
    return float(-2 * (np.mean(positive) + np.mean(negative)) - of_itself)


@pytest.fixture(params=["all", "some"])
def objective(request: pytest.FixtureRequest) -> Objective:
    """F of small bags, by both ways to find the nearest instances; the sample has all pairs."""
    bags = noisy_bags(scale=0.2)
    layout = sorted_bags(bags)
    if request.param == "all":
        return Objective.of(AllBagPairs(layout, bags.labels))
    return Objective.of(SomeBagPairs(layout, bags.labels, 10_000, np.random.default_rng(0)))


def test_objective_as_defined(objective: Objective) -> None:
    L, b = np.random.default_rng(1).standard_normal((6, 2)), 0.7
    value, _ = objective(np.append(L, b))
    assert value == pytest.approx(by_definition(noisy_bags(scale=0.2), L, b), rel=1e-10)


@pytest.mark.parametrize("seed", range(3))
def test_gradient_is_that_of_finite_differences(objective: Objective, seed: int) -> None:
    rng = np.random.default_rng(seed)
    at = np.append(rng.standard_normal((6, 2)), rng.random())
    numeric = approx_fprime(at, lambda x: objective(x)[0], 1e-6)
    np.testing.assert_allclose(objective(at)[1], numeric, rtol=1e-4, atol=1e-5)


def test_extreme_distances_leave_numbers_finite() -> None:
    bags = noisy_bags(scale=1e3)
    objective = Objective.of(AllBagPairs(sorted_bags(bags), bags.labels))
    value, gradient = objective(np.append(np.eye(6), 0.5))
    assert np.isfinite(value)
    assert np.isfinite(gradient).all()


def test_f_falls_step_by_step() -> None:
    bags = noisy_bags()
    values = [MildML(max_iter=n).fit(bags).objective_ for n in (1, 2, 5, 20, 80)]
    assert (np.diff(values) < 0).all()


def test_what_is_reported_is_f_of_the_metric() -> None:
    bags = noisy_bags()
    learner = MildML(2, max_iter=30).fit(bags)
    expected = by_definition(bags, learner.components_, learner.bias_)
    assert learner.objective_ == pytest.approx(expected, rel=1e-9)


def test_features_that_tell_nothing_shrink() -> None:
    learner = MildML(max_iter=50).fit(noisy_bags(n_bags=60))
    weight = np.linalg.norm(learner.components_, axis=1)
    assert weight[:3].min() > 2 * weight[3:].max()


def test_same_seed_same_metric_and_more_starts_are_no_worse() -> None:
    bags = noisy_bags()
    one = MildML(2, random_state=3, max_iter=10).fit(bags)
    again = clone(one).fit(bags)
    np.testing.assert_array_equal(one.components_, again.components_)
    other = MildML(2, random_state=4, max_iter=10).fit(bags)
    assert (one.components_ != other.components_).any()
    several = MildML(2, random_state=3, n_init=4, max_iter=10).fit(bags)
    assert several.objective_ <= one.objective_


def test_order_of_instances_and_numbers_of_bags_do_not_matter() -> None:
    bags = noisy_bags()
    rng = np.random.default_rng(5)
    rows, number = rng.permutation(bags.n_instances), rng.permutation(bags.n_bags)
    moved = Bags(bags.X[rows], number[bags.bag[rows]], bags.labels[np.argsort(number)])
    one, other = (MildML(2, max_iter=5).fit(b) for b in (bags, moved))
    np.testing.assert_allclose(one.components_, other.components_, rtol=1e-6, atol=1e-8)


def test_many_bags_are_compared_by_samples() -> None:
    bags = noisy_bags(n_bags=60)
    options: dict[str, Any] = {"n_components": 2, "max_iter": 20}
    sampled = MildML(**options, max_bags=20, n_pairs=40).fit(bags)
    thorough = MildML(**options, max_bags=20, n_pairs=10_000).fit(bags)
    full = MildML(**options).fit(bags)
    assert sampled.objective_ != pytest.approx(full.objective_, rel=1e-3)
    assert thorough.objective_ == pytest.approx(full.objective_, rel=0.2)
    again = MildML(**options, max_bags=20, n_pairs=40).fit(bags)
    np.testing.assert_array_equal(sampled.components_, again.components_)


def test_samples_estimate_f_without_bias() -> None:
    bags = noisy_bags(scale=0.2)
    layout = sorted_bags(bags)
    at = np.append(np.random.default_rng(1).standard_normal((6, 2)), 0.7)
    values = [
        Objective.of(SomeBagPairs(layout, bags.labels, 30, np.random.default_rng(seed)))(at)[0]
        for seed in range(200)
    ]
    error = np.std(values) / np.sqrt(200)
    expected = by_definition(bags, at[:-1].reshape(6, 2), 0.7)
    assert np.mean(values) == pytest.approx(expected, abs=4 * error)
    assert error < 0.02 * expected


def test_unlabelled_bags_are_left_out() -> None:
    bags = noisy_bags()
    more = Bags(
        np.vstack([bags.X, np.ones((2, 6))]),
        np.append(bags.bag, [bags.n_bags] * 2),
        np.vstack([bags.labels, np.zeros((2, 3), dtype=bool)]),
        np.append(bags.labelled, [False, True]),
    )
    one, other = (MildML(2, max_iter=5).fit(b) for b in (bags, more))
    np.testing.assert_array_equal(one.components_, other.components_)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([[1, 0], [0, 1], [0, 0]], "no two labelled bags share a label"),
        ([[1, 0], [1, 1], [1, 0]], "no two labelled bags have no label in common"),
    ],
)
def test_pairs_of_both_kinds_are_needed(labels: list[list[int]], message: str) -> None:
    with pytest.raises(ClusteringError, match=message):
        MildML().fit(Bags(np.eye(3), range(3), labels))


def test_what_cannot_be_fitted_is_refused() -> None:
    with pytest.raises(ClusteringError, match="no two labelled bags with instances"):
        MildML().fit(Bags(np.eye(3), [0, 1, 2], [[1], [0], [0]], [True, False, False]))
    with pytest.raises(ClusteringError, match="no instances"):
        MildML().fit(Bags(np.zeros((0, 2)), [], [[1]]))
    with pytest.raises(ClusteringError, match="at most the number of features, 6"):
        MildML(7).fit(noisy_bags())
    with pytest.raises(ClusteringError, match="n_init must be"):
        MildML(n_init=0).fit(noisy_bags())
