"""Labels that must occur, against a general optimiser and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

import algorithms.disambiguation.occupancy as occupancy
from algorithms.blocks.rows import Packed


def occupy(posterior, bag, claims):
    """Of a whole table."""
    return occupancy.occupy(Packed.of(posterior), bag, claims).table()


def claims(labels, expected):
    """The same number of instances for every label."""
    return expected * np.asarray(labels, dtype=float)


ONE_BAG = np.zeros(3, dtype=np.int64)
BOTH = np.array([[True, True]])


def test_nothing_changes_where_all_labels_occur():
    posterior = np.array([[0.9, 0.1], [0.2, 0.8], [0.5, 0.5]])
    np.testing.assert_allclose(occupy(posterior, ONE_BAG, claims(BOTH, 1.0)), posterior)


def test_zero_asks_for_nothing():
    posterior = np.array([[1.0, 0.0], [0.999, 0.001], [1.0, 0.0]])
    np.testing.assert_array_equal(occupy(posterior, ONE_BAG, claims(BOTH, 0.0)), posterior)


def test_the_likeliest_instance_takes_the_label_that_would_be_missing():
    posterior = np.array([[0.99, 0.01], [0.9, 0.1], [0.999, 0.001]])
    raised = occupy(posterior, ONE_BAG, claims(BOTH, 1.0))
    assert raised[:, 1].sum() == pytest.approx(1.0, abs=0.05)
    assert list(np.argsort(-raised[:, 1])) == [1, 0, 2]
    assert raised[1, 1] > 0.5


def test_the_nearest_posterior_in_divergence_that_meets_the_claims(monkeypatch):
    monkeypatch.setattr(occupancy, "_ROUNDS", 3000)
    rng = np.random.default_rng(0)
    posterior = rng.dirichlet([4.0, 0.4, 0.3], size=6)
    must = np.array([[True, True, True]])
    found = occupy(posterior, np.zeros(6, dtype=np.int64), claims(must, 1.3))

    def divergence(flat):
        q = flat.reshape(posterior.shape)
        return float((q * np.log(np.maximum(q, 1e-300) / posterior)).sum())

    best = minimize(
        divergence,
        np.full(18, 1 / 3),
        bounds=[(1e-9, 1)] * 18,
        constraints=[
            {"type": "eq", "fun": lambda flat: flat.reshape(6, 3).sum(axis=1) - 1},
            {"type": "ineq", "fun": lambda flat: flat.reshape(6, 3).sum(axis=0) - 1.3},
        ],
        options={"maxiter": 500, "ftol": 1e-12},
    )
    assert best.success
    np.testing.assert_allclose(found, best.x.reshape(6, 3), atol=5e-3)


def test_a_bag_of_fewer_instances_than_labels_asks_for_what_it_can():
    posterior = np.array([[0.98, 0.01, 0.01]])
    raised = occupy(posterior, np.array([0]), claims([[True, True, True]], 1.5))
    np.testing.assert_allclose(raised, [[0.4, 0.3, 0.3]], atol=0.02)  # 0.9 / 3 for the weak ones


def test_classes_outside_the_label_set_are_not_raised():
    posterior = np.array([[0.6, 0.4, 0.0], [0.6, 0.4, 0.0]])
    raised = occupy(posterior, np.array([5, 5]), claims(np.eye(6, 3), 1.5))
    np.testing.assert_allclose(raised, posterior)  # bag 5 has an empty label set


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10_000), expected=st.sampled_from([0.5, 1.0, 1.5]))
def test_rows_sum_to_one_and_the_order_of_instances_does_not_matter(seed, expected):
    rng = np.random.default_rng(seed)
    labels = rng.random((5, 4)) < 0.6
    bag = rng.integers(0, 5, 14)
    posterior = rng.dirichlet(np.full(4, 0.3), size=14) + 1e-9
    posterior /= posterior.sum(axis=1, keepdims=True)
    raised = occupy(posterior, bag, claims(labels, expected))
    np.testing.assert_allclose(raised.sum(axis=1), 1.0)
    order = rng.permutation(14)
    np.testing.assert_allclose(
        occupy(posterior[order], bag[order], claims(labels, expected)), raised[order]
    )
