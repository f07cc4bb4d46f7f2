from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import approx_fprime
from scipy.special import expit

from algorithms import Bags
from algorithms.layout import SortedBags, sorted_bags
from algorithms.mil.milboost import MILBoost, log_likelihood, noisy_or

Array = npt.NDArray[np.float64]


def runs_of(*sizes: int) -> SortedBags:
    bag = np.repeat(np.arange(len(sizes)), sizes)
    return sorted_bags(Bags(np.zeros((len(bag), 1)), bag, np.zeros((len(sizes), 0))))


def probabilities(scores: Array, runs: SortedBags) -> Array:
    p = expit(scores)
    return np.array(
        [
            1.0 - np.prod(1.0 - p[start : start + size])
            for start, size in zip(runs.starts, runs.sizes, strict=True)
        ]
    )


def test_noisy_or_worked_by_hand() -> None:
    # Two instances of probability 1/2 and one of 1/4: 1 - 1/4 = 3/4, and 1/4.
    scores = np.array([0.0, 0.0, -np.log(3.0)])
    np.testing.assert_allclose(noisy_or(scores, runs_of(2, 1)), [np.log(3.0), -np.log(3.0)])
    value, slope = log_likelihood(scores, np.array([True, False]), runs_of(2, 1))
    assert value == pytest.approx(2.0 * np.log(0.75))
    # p (1 - P) / P = 1/2 * 1/4 / (3/4) for the first two, -p for the third.
    np.testing.assert_allclose(slope, [1 / 6, 1 / 6, -1 / 4])


@settings(max_examples=30)
@given(st.integers(0, 1000))
def test_slope_is_that_of_the_likelihood(seed: int) -> None:
    rng = np.random.default_rng(seed)
    runs = runs_of(*rng.integers(1, 5, 6))
    scores = rng.normal(0, 2, len(runs.X))
    positive = rng.random(6) < 0.5
    value, slope = log_likelihood(scores, positive, runs)
    P = probabilities(scores, runs)
    assert value == pytest.approx(np.log(np.where(positive, P, 1.0 - P)).sum())
    numeric = approx_fprime(scores, lambda s: log_likelihood(s, positive, runs)[0], 1e-7)
    np.testing.assert_allclose(slope, numeric, atol=1e-5)
    np.testing.assert_allclose(noisy_or(scores, runs), np.log(P / (1.0 - P)), rtol=1e-9)


def test_extreme_scores_stay_finite_and_in_order() -> None:
    scores = np.array([-700.0, -600.0, -50.0, 40.0, 600.0])
    odds = noisy_or(scores, runs_of(1, 1, 1, 1, 1))
    np.testing.assert_allclose(odds, scores, rtol=1e-9)
    assert np.isfinite(noisy_or(np.array([-1e4, 1e4]), runs_of(1, 1))).all()


def test_trees_only_ever_raise_the_likelihood(witness_bags: Callable[..., Bags]) -> None:
    bags = witness_bags(0)
    reached = []
    for n_rounds in (1, 2, 3, 10, 30):
        scores = MILBoost(n_rounds=n_rounds).fit(bags).decision_function(bags)
        signed = np.where(bags.labels, scores, -scores)
        reached.append(-np.logaddexp(0.0, -signed).sum())
    assert (np.diff(reached) > 0).all()


def test_start_is_the_best_constant() -> None:
    # Bags of one instance: the log odds of the share of positive ones, here 1 of 4.
    bags = Bags(np.arange(8.0)[:, None], np.arange(8), np.arange(8)[:, None] % 4 == 1)
    committee = MILBoost(n_rounds=1).fit(bags).models_[0]
    assert committee.start == pytest.approx(-np.log(3.0), abs=1e-4)


def test_one_stump_on_bags_of_one_instance_is_a_stump() -> None:
    X = np.arange(10.0)[:, None]
    bags = Bags(X, np.arange(10), X >= 6.0)
    new = Bags([[5.4], [5.6], [-9.0], [20.0]], np.arange(4), np.zeros((4, 1)))
    assert MILBoost(n_rounds=1).fit(bags).predict(new)[:, 0].tolist() == [False, True, False, True]


def test_it_stops_when_every_bag_is_fitted() -> None:
    X = np.arange(10.0)[:, None]
    committee = MILBoost(n_rounds=1000).fit(Bags(X, np.arange(10), X >= 6.0)).models_[0]
    assert len(committee.trees) < 20
