"""Closed-form predictions of left-out bags, against leaving them out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import Ridge

from algorithms.disambiguation.leave_bag_out import LeaveBagOutRidge, usual_penalty


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
)
def test_as_if_every_bag_had_been_left_out(seed, sizes, m, ridge):
    rng = np.random.default_rng(seed)
    bag = rng.permutation(np.repeat(np.arange(len(sizes)) * 3, sizes))  # gaps, in any order
    coordinates = rng.standard_normal((len(bag), m))
    targets = rng.standard_normal((len(bag), 2))
    found = LeaveBagOutRidge.fit(coordinates, bag, ridge).predict_left_out(targets)
    expected = left_out_one_by_one(coordinates, bag, targets, ridge)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-7)


def test_coefficients_are_those_of_ridge_regression():
    rng = np.random.default_rng(0)
    coordinates, targets = rng.standard_normal((20, 4)), rng.standard_normal((20, 3))
    found = LeaveBagOutRidge.fit(coordinates, np.arange(20), 0.5).coefficients(targets)
    expected = Ridge(alpha=0.5, fit_intercept=False).fit(coordinates, targets).coef_.T
    np.testing.assert_allclose(found, expected)


def test_a_single_bag_is_predicted_from_nothing():
    rng = np.random.default_rng(0)
    model = LeaveBagOutRidge.fit(rng.standard_normal((3, 5)), np.zeros(3, dtype=np.int64), 0.1)
    np.testing.assert_allclose(model.predict_left_out(rng.standard_normal((3, 2))), 0.0, atol=1e-9)


def test_a_bag_does_not_confirm_its_own_targets():
    rng = np.random.default_rng(2)
    coordinates, bag = rng.standard_normal((12, 3)), np.repeat(np.arange(4), 3)
    model = LeaveBagOutRidge.fit(coordinates, bag, 0.1)
    targets = rng.standard_normal((12, 1))
    changed = targets.copy()
    changed[bag == 2] += 100
    before, after = model.predict_left_out(targets), model.predict_left_out(changed)
    np.testing.assert_allclose(before[bag == 2], after[bag == 2], atol=1e-8)
    assert not np.allclose(before[bag != 2], after[bag != 2])


def test_single_precision_is_nearly_as_good():
    rng = np.random.default_rng(0)
    coordinates, targets = rng.standard_normal((60, 20)), rng.standard_normal((60, 3))
    bag = np.repeat(np.arange(12), 5)
    exact = LeaveBagOutRidge.fit(coordinates, bag, 0.5)
    single = LeaveBagOutRidge.fit(coordinates.astype(np.float32), bag, 0.5)
    np.testing.assert_allclose(
        single.predict_left_out(targets), exact.predict_left_out(targets), atol=1e-4
    )
    np.testing.assert_allclose(single.coefficients(targets), exact.coefficients(targets), atol=1e-4)


def test_the_penalty_grows_with_instances_and_where_bags_are_few():
    assert usual_penalty(500, 150) == 0.1
    assert usual_penalty(640 * 8, 500) == pytest.approx(0.4)
    assert usual_penalty(180, 20) == pytest.approx(0.6)
    assert usual_penalty(20, 3) == 1.0
