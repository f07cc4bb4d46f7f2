from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import approx_fprime

from algorithms import Bags
from algorithms.mil.emdd import EMDD, negative_log_likelihood

Array = npt.NDArray[np.float64]
Make = Callable[..., Bags]


def density(X: Array, bag: Array, labels: Array, point: Array, scales: Array) -> float:
    """What EM-DD minimises, bag by bag."""
    total = 0.0
    for number, label in enumerate(labels):
        p = np.exp(-(((X[bag == number] - point) * scales) ** 2).sum(axis=1)).max()
        total -= np.log(p if label else 1.0 - p)
    return float(total)


def test_objective_worked_by_hand() -> None:
    # At h = 0, s = 1/2: squared distances 1 and 4 of a positive and a negative instance.
    value, gradient = negative_log_likelihood(
        np.array([0.0, 0.5]), np.array([[2.0], [4.0]]), np.array([True, False])
    )
    assert value == pytest.approx(1.0 - np.log(1.0 - np.exp(-4.0)))
    wrong = np.exp(-4.0) / (1.0 - np.exp(-4.0))
    np.testing.assert_allclose(
        gradient, [-2 * 0.25 * (2.0 - 4.0 * wrong), 2 * 0.5 * (4.0 - 16.0 * wrong)]
    )


@settings(max_examples=30)
@given(st.integers(0, 1000))
def test_gradient_is_that_of_the_objective(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, positive = rng.standard_normal((7, 3)), rng.random(7) < 0.5
    parameters = rng.standard_normal(6)
    value, gradient = negative_log_likelihood(parameters, X, positive)
    expected = density(X, np.arange(7), positive, parameters[:3], parameters[3:])
    assert value == pytest.approx(expected, rel=1e-6)
    numeric = approx_fprime(parameters, lambda p: negative_log_likelihood(p, X, positive)[0], 1e-7)
    np.testing.assert_allclose(gradient, numeric, rtol=1e-3, atol=1e-3)


def test_an_instance_of_a_negative_bag_at_the_concept_costs_much_but_not_everything() -> None:
    value, gradient = negative_log_likelihood(
        np.array([1.0, 1.0]), np.array([[1.0]]), np.array([False])
    )
    assert 20 < value < 100
    assert np.isfinite(gradient).all()
    far, gradient = negative_log_likelihood(
        np.array([0.0, 1.0]), np.array([[1e3]]), np.array([False])
    )
    assert far == 0
    assert not gradient.any()


def test_the_concept_is_found_and_scored_by_the_nearest_instance(witness_bags: Make) -> None:
    train, new = witness_bags(0), witness_bags(1, 20)
    concept = EMDD(max_starts=5).fit(train).models_[0]
    assert np.abs(concept.point).max() < 0.1
    scores = EMDD(max_starts=5).fit(train).decision_function(new)[:, 0]
    squared = (((new.X - concept.point) * concept.scales) ** 2).sum(axis=1)
    expected = [np.log(2.0) - squared[new.bag == number].min() for number in range(20)]
    np.testing.assert_allclose(scores, expected, rtol=1e-9)


def test_more_rounds_and_more_starts_never_fit_worse(witness_bags: Make) -> None:
    bags = witness_bags(5, 14)
    first = Bags(bags.X, bags.bag, bags.labels[:, :1])

    def reached(**parameters: int) -> float:
        found = EMDD(**parameters).fit(first).models_[0]
        return density(bags.X, bags.bag, bags.labels[:, 0], found.point, found.scales)

    of_rounds = [reached(max_iter=n, max_starts=2) for n in (1, 3)]
    assert (np.diff(of_rounds) <= 1e-9).all()
    from_all = reached(n_start_bags=14, max_starts=1000, max_iter=2)
    assert from_all <= reached(max_starts=1, max_iter=2) + 1e-9
    assert of_rounds[-1] < density(bags.X, bags.bag, bags.labels[:, 0], np.zeros(2), np.ones(2))


def test_seeds_choose_the_starts(witness_bags: Make) -> None:
    bags = witness_bags(5, 30)
    points = {
        tuple(EMDD(random_state=seed, max_starts=1, max_iter=1).fit(bags).models_[0].point)
        for seed in (0, 0, 1, 2)
    }
    assert len(points) in (2, 3)
