from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from algorithms.bagwise.balanced_qp import BalancedQP

Array = npt.NDArray[np.float64]


def primal_by_slsqp(m: Array, C: float, balance: float, planes: Array, offsets: Array) -> float:
    """Least objective over (W, xi), all k(k - 1) balance constraints written out."""
    n, k, d = planes.shape
    pairs = [(p, q) for p in range(k) for q in range(k) if p != q]
    rows = np.zeros((n + len(pairs) + 1, k * d + 1))
    right = np.zeros(len(rows))
    rows[:n, :-1], rows[:n, -1], right[:n] = planes.reshape(n, -1), 1.0, offsets
    for number, (p, q) in enumerate(pairs):
        e = np.zeros((k, d))
        e[p], e[q] = m, -m
        rows[n + number, :-1], right[n + number] = e.ravel(), -balance
    rows[-1, -1] = 1.0
    found = minimize(
        lambda z: 0.5 * (z[:-1] ** 2).sum() + C * z[-1],
        np.zeros(k * d + 1),
        jac=lambda z: np.append(z[:-1], C),
        constraints={"type": "ineq", "fun": lambda z: rows @ z - right, "jac": lambda z: rows},
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 1000},
    )
    return float(found.fun)


def random_program(seed: int) -> tuple[Array, int, float, float, Array, Array]:
    rng = np.random.default_rng(seed)
    n, k, d = rng.integers(1, 6), rng.integers(2, 5), rng.integers(1, 4)
    planes = rng.standard_normal((n, k, d))
    planes -= planes.mean(axis=1, keepdims=True)
    m = rng.standard_normal(d) * rng.choice([0.1, 1.0, 30.0])
    return m, int(k), 2.0 ** rng.integers(-4, 5), rng.choice([0, 0.1, 1]), planes, rng.random(n)


@pytest.mark.parametrize(
    ("C", "balance", "weight", "slack", "objective"),
    [
        (1.0, 10.0, 0.5, 0.0, 0.25),  # 2 w >= 1 - xi
        (0.25, 10.0, 0.25, 0.5, 0.1875),  # the multiplier is no larger than C
        (1.0, 0.4, 0.2, 0.6, 0.64),  # |2 w| <= 0.4
        (1.0, 0.0, 0.0, 1.0, 1.0),
    ],
)
def test_two_clusters_on_a_line(
    C: float, balance: float, weight: float, slack: float, objective: float
) -> None:
    program = BalancedQP(np.array([1.0]), 2, C, balance)
    program.add_plane(np.array([[1.0], [-1.0]]), 1.0)
    found = program.solve()
    np.testing.assert_allclose(found.weights, [[weight], [-weight]], atol=1e-8)
    assert found.slack == pytest.approx(slack, abs=1e-8)
    assert found.objective == pytest.approx(objective, abs=1e-8)


def test_without_a_balance_vector_nothing_is_held_in_balance() -> None:
    program = BalancedQP(np.array([0.0]), 2, 1.0, 0.0)
    program.add_plane(np.array([[1.0], [-1.0]]), 1.0)
    np.testing.assert_allclose(program.solve().weights, [[0.5], [-0.5]], atol=1e-8)


def test_without_planes_the_weights_are_zero() -> None:
    found = BalancedQP(np.ones(3), 2, 1.0, 0.5).solve()
    assert not found.weights.any()
    assert (found.slack, found.objective, len(found.multipliers)) == (0, 0, 0)


@pytest.mark.parametrize("seed", range(25))
def test_the_dual_is_the_primal_of_the_paper(seed: int) -> None:
    m, k, C, balance, planes, offsets = random_program(seed)
    program = BalancedQP(m, k, C, balance)
    program.add_planes(planes, offsets)
    found = program.solve()
    assert found.objective == pytest.approx(
        primal_by_slsqp(m, C, balance, planes, offsets), rel=1e-6
    )
    scores = found.weights @ m
    assert scores.max() - scores.min() <= balance + 1e-7
    values = np.tensordot(planes, found.weights, 2)
    assert found.slack == pytest.approx(max(0, (offsets - values).max()), abs=1e-9)


@settings(max_examples=25)
@given(st.integers(0, 10_000), st.integers(0, 5))
def test_planes_added_one_by_one_or_after_others_were_dropped(seed: int, room: int) -> None:
    m, k, C, balance, planes, offsets = random_program(seed)
    at_once = BalancedQP(m, k, C, balance)
    at_once.add_planes(planes, offsets)
    singly = BalancedQP(m, k, C, balance)
    others = np.random.default_rng(seed).standard_normal((8 * room, *planes.shape[1:]))
    singly.add_planes(others, np.ones(len(others)))
    for plane, offset in zip(planes, offsets, strict=True):
        singly.add_plane(plane, offset)
    singly.keep_planes(np.arange(len(others) + len(planes)) >= len(others))
    assert singly.n_planes == at_once.n_planes == len(planes)
    expected = at_once.solve()
    np.testing.assert_allclose(singly.solve().weights, expected.weights, atol=1e-6)
    singly.replace_planes(others[:1], np.ones(len(others[:1])))
    singly.replace_planes(planes, offsets)
    np.testing.assert_allclose(singly.solve().weights, expected.weights, atol=1e-6)


@pytest.mark.parametrize("seed", range(10))
def test_planes_with_multiplier_0_could_as_well_be_missing(seed: int) -> None:
    m, k, C, balance, planes, offsets = random_program(seed)
    program = BalancedQP(m, k, C, balance)
    program.add_planes(planes, offsets)
    before = program.solve()
    assert (before.multipliers >= 0).all()
    assert before.multipliers.sum() <= C * (1 + 1e-12)
    program.keep_planes(before.multipliers > 1e-6 * C)
    assert program.solve().objective == pytest.approx(before.objective, rel=1e-5)


@pytest.mark.parametrize("scale", [1e-5, 1e5])
@pytest.mark.parametrize("seed", range(4))
def test_features_of_any_size(seed: int, scale: float) -> None:
    m, k, C, balance, planes, offsets = random_program(seed)
    program = BalancedQP(m, k, C, balance)
    program.add_planes(planes, offsets)
    scaled = BalancedQP(scale * m, k, C / scale**2, balance)
    scaled.add_planes(scale * planes, offsets)
    expected, found = program.solve(), scaled.solve()
    assert scale**2 * found.objective == pytest.approx(expected.objective, rel=1e-6)
    np.testing.assert_allclose(scale * found.weights, expected.weights, atol=1e-5)


def test_a_plane_twice_is_a_plane() -> None:
    m, k, C, balance, planes, offsets = random_program(3)
    once, twice = BalancedQP(m, k, C, balance), BalancedQP(m, k, C, balance)
    once.add_planes(planes, offsets)
    twice.add_planes(np.concatenate([planes, planes]), np.concatenate([offsets, offsets]))
    np.testing.assert_allclose(twice.solve().weights, once.solve().weights, atol=1e-6)
