from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp

import algorithms.spectral.eigen as eigen
from algorithms import Bags, make_clusterer
from algorithms.errors import ClusteringWarning
from algorithms.spectral.deflation import DeflatedOperator, leading_beyond, part_indicators
from algorithms.spectral.operators import InverseOperator, ScaledOperator


def operator_of(values: list[float]) -> tuple[ScaledOperator, np.ndarray]:
    """A matrix with these eigenvalues, and its eigenvectors."""
    n = len(values)
    Q = np.linalg.qr(np.random.default_rng(0).standard_normal((n, n)))[0]
    return ScaledOperator((Q * values) @ Q.T, np.ones(n)), Q


def test_known_eigenvalues_are_lowered_and_the_others_stay() -> None:
    operator, Q = operator_of([1.0, 1.0, 0.5, -0.2])
    deflated = DeflatedOperator(operator, Q[:, :2], 2.0)
    values = np.linalg.eigvalsh(deflated.toarray())
    np.testing.assert_allclose(values, [-1.0, -1.0, -0.2, 0.5], atol=1e-14)
    vectors = np.random.default_rng(1).standard_normal((4, 2))
    np.testing.assert_allclose(deflated @ vectors, deflated.toarray() @ vectors, atol=1e-14)


def test_indicators_are_orthonormal_and_leave_out_parts_without_weight() -> None:
    indicators = part_indicators(np.array([0, 1, 0, 2]), np.array([3.0, 2.0, 4.0, 0.0]))
    np.testing.assert_allclose(indicators, [[0.6, 0], [0, 1], [0.8, 0], [0, 0]])


@pytest.mark.parametrize("k", [2, 3, 5])
def test_multiple_eigenvalues_are_all_found(monkeypatch: pytest.MonkeyPatch, k: int) -> None:
    monkeypatch.setattr(eigen, "DENSE_SOLVER_LIMIT", 10)
    spectrum = [1.0, 1.0, *np.linspace(0.9, -0.9, 58)]
    operator, Q = operator_of(spectrum)
    values, vectors = leading_beyond(operator, Q[:, :2], k, 0)
    np.testing.assert_allclose(values, spectrum[:k], atol=1e-6)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(k), atol=1e-6)
    np.testing.assert_allclose(operator @ vectors, vectors * values, atol=1e-5)


@pytest.mark.parametrize("method", ["sp", "splearn", "spreg"])
@pytest.mark.parametrize("graph", ["dense", "knn"])
def test_iterations_see_every_part_of_a_graph(
    monkeypatch: pytest.MonkeyPatch, method: str, graph: str
) -> None:
    """From one start vector they would not: an eigenvalue of 1 for each part."""
    monkeypatch.setattr(eigen, "DENSE_SOLVER_LIMIT", 10)
    rng = np.random.default_rng(0)
    X = np.vstack([1e4 * b + rng.standard_normal((100, 4)) for b in range(4)])
    bags = Bags(X, np.arange(400) // 2, np.zeros((200, 1)), np.zeros(200))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ClusteringWarning)  # spreg has no must-links
        fitted = make_clusterer(method, n_clusters=4, graph=graph).fit(bags)
    np.testing.assert_allclose(fitted.eigenvalues_, 1, atol=1e-12)
    parts = fitted.labels_.reshape(4, 100)
    assert (parts == parts[:, :1]).all()
    assert sorted(parts[:, 0].tolist()) == [0, 1, 2, 3]


def test_the_inverse_has_the_same_eigenvectors() -> None:
    operator, Q = operator_of([1.0, 0.5, -30.0, -200.0])
    inverse = InverseOperator.of(operator, 1.01)
    expected = np.linalg.inv(1.01 * np.eye(4) - operator.toarray())
    np.testing.assert_allclose(inverse.toarray(), expected, atol=1e-10)
    np.testing.assert_allclose(inverse @ Q[:, 1], Q[:, 1] / 0.51, atol=1e-12)
    np.testing.assert_allclose(inverse @ Q, Q / (1.01 - np.array([1, 0.5, -30, -200])), atol=1e-10)


def test_a_sparse_matrix_can_be_formed_too() -> None:
    operator = ScaledOperator(sp.csr_array(np.diag([1.0, 0.5])), np.ones(2))
    deflated = DeflatedOperator(operator, np.array([[1.0], [0.0]]), 2.0)
    np.testing.assert_allclose(deflated.toarray(), np.diag([-1.0, 0.5]))
