from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms.errors import ClusteringError
from algorithms.metric.thin_svd import ThinSVD, check_truncation, n_largest


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 12), st.integers(1, 12), st.integers(0, 2**32 - 1))
def test_it_is_a_singular_value_decomposition(n: int, d: int, seed: int) -> None:
    X = np.random.default_rng(seed).standard_normal((n, d))
    svd = ThinSVD.of(X, rcond=None, variance=None)
    U = svd.left(X)
    np.testing.assert_allclose(U * svd.sigma @ svd.right.T, X, atol=1e-9)
    # near-singular matrices lose digits in U in proportion
    spread = svd.sigma[0] / svd.sigma[-1]
    np.testing.assert_allclose(U.T @ U, np.eye(len(svd.sigma)), atol=1e-13 * spread + 1e-12)


def test_directions_without_variance_are_left_out() -> None:
    X = np.array([[1.0, 1.0, 0.0], [2.0, 2.0, 0.0], [0.0, 0.0, 0.0], [1.0, 1.0, 1.0]])
    assert len(ThinSVD.of(X, rcond=None, variance=None).sigma) == 2
    nothing = ThinSVD.of(np.zeros((3, 2)), rcond=None, variance=0.9)
    assert nothing.left(np.zeros((3, 2))).shape == (3, 0)


def test_truncation_by_size_and_by_share() -> None:
    X = np.diag([10.0, 3.0, 1.0])  # squares 100, 9, 1
    assert ThinSVD.of(X, rcond=0.2, variance=None).sigma.tolist() == [10.0, 3.0]
    assert ThinSVD.of(X, rcond=None, variance=0.9).sigma.tolist() == [10.0]
    assert ThinSVD.of(X, rcond=None, variance=0.95).sigma.tolist() == [10.0, 3.0]
    assert ThinSVD.of(X, rcond=None, variance=1.0).sigma.tolist() == [10.0, 3.0, 1.0]


def test_how_many_hold_a_share() -> None:
    values = np.array([5.0, 3.0, 2.0])
    assert [n_largest(values, share) for share in (0.1, 0.5, 0.51, 0.8, 0.81, 1.0)] == [
        1, 1, 2, 2, 3, 3,
    ]  # fmt: skip
    assert n_largest(np.full(3, 0.1), 1.0) == 3


@pytest.mark.parametrize(
    ("rcond", "variance", "message"),
    [
        (-1.0, None, "rcond must be a number from 0"),
        (1.0, None, "rcond must be below 1"),
        (None, 0.0, "variance must be a share"),
        (None, 1.5, "variance must be a share"),
    ],
)
def test_impossible_truncations(rcond: float, variance: float, message: str) -> None:
    with pytest.raises(ClusteringError, match=message):
        check_truncation(rcond, variance)


def test_tall_matrices_are_decomposed_in_blocks_to_the_same_end() -> None:
    rng = np.random.default_rng(0)
    for n in (95, 96, 97, 130, 500):
        X = rng.standard_normal((n, 3)) * [1e6, 1, 1e-6]
        found = ThinSVD.of(X, rcond=None, variance=None)
        _, sigma, right = np.linalg.svd(X, full_matrices=False)
        np.testing.assert_allclose(found.sigma, sigma, rtol=1e-8)
        np.testing.assert_allclose(np.abs((found.right * right.T).sum(axis=0)), 1.0)
        U = found.left(X)
        np.testing.assert_allclose(U.T @ U, np.eye(3), atol=1e-8)
