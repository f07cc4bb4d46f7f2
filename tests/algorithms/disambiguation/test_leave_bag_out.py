"""Closed-form predictions of left-out bags, against leaving them out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import Ridge

from algorithms.blocks.rows import Packed, blocks_of_bags
from algorithms.blocks.runners import Here
from algorithms.disambiguation.leave_bag_out import LeaveBagOutRidge, usual_penalty


def fit(coordinates, bag, ridge, n_rows=10**6):
    """A regression on blocks of so many rows, and the rows of each."""
    rows = blocks_of_bags(bag, n_rows)
    runner = Here()
    made = runner.make(lambda block: (block,), [coordinates[own] for own in rows])
    return LeaveBagOutRidge.fit(made, [bag[own] for own in rows], ridge, runner), rows


def predict(coordinates, bag, targets, ridge, n_rows=10**6):
    model, rows = fit(coordinates, bag, ridge, n_rows)
    made = model.predict_left_out(packed(targets, rows), np.zeros(targets.shape[1]))
    found = np.empty_like(targets)
    for own, predicted in zip(
        rows, model.runner.results(lambda block: block[0], made), strict=True
    ):
        found[own] = predicted
    return found


def coefficients(coordinates, bag, targets, ridge, n_rows=10**6):
    model, rows = fit(coordinates, bag, ridge, n_rows)
    return model.coefficients(packed(targets, rows), np.zeros(targets.shape[1]))


def packed(targets, rows):
    return [Packed.of(targets[own]) for own in rows]


def left_out_one_by_one(coordinates, bag, targets, ridge):
    predicted = np.empty_like(targets)
    for name in np.unique(bag):
        own = bag == name
        model = Ridge(alpha=ridge, fit_intercept=False).fit(coordinates[~own], targets[~own])
        predicted[own] = model.predict(coordinates[own]).reshape(targets[own].shape)
    return predicted


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    sizes=st.lists(st.integers(1, 9), min_size=2, max_size=8),
    m=st.integers(1, 6),
    ridge=st.sampled_from([0.01, 0.1, 3.0]),
    n_rows=st.sampled_from([1, 5, 1000]),
)
def test_as_if_every_bag_had_been_left_out(seed, sizes, m, ridge, n_rows):
    rng = np.random.default_rng(seed)
    bag = rng.permutation(np.repeat(np.arange(len(sizes)) * 3, sizes))  # gaps, in any order
    coordinates = rng.standard_normal((len(bag), m))
    targets = rng.standard_normal((len(bag), 2))
    found = predict(coordinates, bag, targets, ridge, n_rows)
    expected = left_out_one_by_one(coordinates, bag, targets, ridge)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-7)


def test_coefficients_are_those_of_ridge_regression():
    rng = np.random.default_rng(0)
    coordinates, targets = rng.standard_normal((20, 4)), rng.standard_normal((20, 3))
    found = coefficients(coordinates, np.arange(20), targets, 0.5, n_rows=7)
    expected = Ridge(alpha=0.5, fit_intercept=False).fit(coordinates, targets).coef_.T
    np.testing.assert_allclose(found, expected)


def test_a_single_bag_is_predicted_from_nothing():
    rng = np.random.default_rng(0)
    coordinates, bag = rng.standard_normal((3, 5)), np.zeros(3, dtype=np.int64)
    found = predict(coordinates, bag, rng.standard_normal((3, 2)), 0.1)
    np.testing.assert_allclose(found, 0.0, atol=1e-9)


def test_a_bag_does_not_confirm_its_own_targets():
    rng = np.random.default_rng(2)
    coordinates, bag = rng.standard_normal((12, 3)), np.repeat(np.arange(4), 3)
    targets = rng.standard_normal((12, 1))
    changed = targets.copy()
    changed[bag == 2] += 100
    before, after = (predict(coordinates, bag, each, 0.1) for each in (targets, changed))
    np.testing.assert_allclose(before[bag == 2], after[bag == 2], atol=1e-8)
    assert not np.allclose(before[bag != 2], after[bag != 2])


def test_single_precision_is_nearly_as_good():
    rng = np.random.default_rng(0)
    coordinates, targets = rng.standard_normal((60, 20)), rng.standard_normal((60, 3))
    bag = np.repeat(np.arange(12), 5)
    single = coordinates.astype(np.float32)
    for of in (predict, coefficients):
        found, exact = (of(precise, bag, targets, 0.5) for precise in (single, coordinates))
        np.testing.assert_allclose(found, exact, atol=1e-4)


def test_the_penalty_grows_with_instances_and_where_bags_are_few():
    assert usual_penalty(500, 150) == 0.1
    assert usual_penalty(640 * 8, 500) == pytest.approx(0.4)
    assert usual_penalty(180, 20) == pytest.approx(0.6)
    assert usual_penalty(20, 3) == 1.0
