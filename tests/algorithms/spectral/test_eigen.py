from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import ArpackNoConvergence

import algorithms.spectral.eigen as eigen
from algorithms import Bags
from algorithms.constraints.operator import BagConstraints
from algorithms.errors import ClusteringError
from algorithms.graph import dense_affinity, knn_affinity
from algorithms.spectral.eigen import NormalisedOperator, leading_eigenvectors


def operator_of(
    bags: Bags, *, alpha: float, t: int = 7, sparse: bool = False, uniform: float = 0
) -> NormalisedOperator:
    affinity = knn_affinity(bags.X, t=t) if sparse else dense_affinity(bags.X, t=t)
    inverse_root = 1 / np.sqrt(affinity.degrees() + uniform * bags.n_instances)
    constraints = BagConstraints.from_bags(bags) if alpha else None
    return NormalisedOperator(affinity.W, inverse_root, uniform, constraints, alpha)


def lonely_unlabelled_bag() -> Bags:
    """Sixty labelled bags of one instance, and an unlabelled one of sixty."""
    X = np.random.default_rng(0).standard_normal((120, 3))
    bag = np.concatenate([np.arange(60), np.full(60, 60)])
    labels = np.ones((61, 1), dtype=bool)
    labels[60] = False
    return Bags(X, bag, labels, labels[:, 0])


def test_worked_eigenvalues_of_sp(worked_bags: Bags) -> None:
    values, _ = leading_eigenvectors(operator_of(worked_bags, alpha=0, t=2), 7, 0)
    expected = [1, 0.999523, 0.378469, 0.224152, 0.119492, 0.037603, 0.000159]
    np.testing.assert_allclose(values, expected, atol=6e-7)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("uniform", [0.0, 0.01])
def test_the_operator_equals_the_matrix_it_stands_for(
    blob_bags: Callable[..., Any], sparse: bool, uniform: float
) -> None:
    bags, _ = blob_bags(1)
    operator = operator_of(bags, alpha=0.3, sparse=sparse, uniform=uniform)
    W = operator.W.toarray() if sparse else operator.W
    Q = operator.constraints @ np.eye(operator.n)
    root = np.diag(operator.inverse_root_degree)
    expected = root @ (W + uniform + 0.3 * Q) @ root
    np.testing.assert_allclose(operator.toarray(), expected, atol=1e-14)
    vectors = np.random.default_rng(0).standard_normal((operator.n, 3))
    np.testing.assert_allclose(operator @ vectors, expected @ vectors, atol=1e-12)
    np.testing.assert_allclose(operator @ vectors[:, 0], expected @ vectors[:, 0], atol=1e-12)


@pytest.mark.parametrize("dense_limit", [2000, 10])
def test_largest_means_algebraically_largest(
    monkeypatch: pytest.MonkeyPatch, algorithm_1: Callable[..., Any], dense_limit: int
) -> None:
    monkeypatch.setattr(eigen, "DENSE_SOLVER_LIMIT", dense_limit)
    bags = lonely_unlabelled_bag()
    every = algorithm_1(bags, k=3, alpha=0.7).eigenvalues
    assert -every[-1] > every[1] > 0  # by magnitude the last one would come second
    values, _ = leading_eigenvectors(operator_of(bags, alpha=0.7), 3, 0)
    np.testing.assert_allclose(values, every[:3], atol=1e-6)


def test_iterations_agree_with_the_dense_solver(
    monkeypatch: pytest.MonkeyPatch, blob_bags: Callable[..., Any]
) -> None:
    bags, _ = blob_bags(2, n_bags=60, spread=1.5)
    operator = operator_of(bags, alpha=0.1, sparse=True)
    dense_values, dense_vectors = leading_eigenvectors(operator, 3, 0)
    monkeypatch.setattr(eigen, "DENSE_SOLVER_LIMIT", 10)
    values, vectors = leading_eigenvectors(operator, 3, 0)
    np.testing.assert_allclose(values, dense_values, atol=1e-6)
    np.testing.assert_allclose(vectors, dense_vectors, atol=1e-3)


def test_many_instances_get_two_digits(
    monkeypatch: pytest.MonkeyPatch, blob_bags: Callable[..., Any]
) -> None:
    operator = operator_of(blob_bags(2, n_bags=60, spread=1.5)[0], alpha=0.1, sparse=True)
    expected, _ = leading_eigenvectors(operator, 3, 0)
    monkeypatch.setattr(eigen, "DENSE_SOLVER_LIMIT", 10)
    monkeypatch.setattr(eigen, "LARGE", 10)
    values, vectors = leading_eigenvectors(operator, 3, 0)
    np.testing.assert_allclose(values, expected, rtol=1e-2)
    residuals = np.linalg.norm(operator @ vectors - vectors * values, axis=0)
    assert (residuals <= 1e-2 * values).all()


def no_convergence(*_: Any, **__: Any) -> None:
    raise ArpackNoConvergence("no convergence", np.zeros(0), np.zeros((0, 0)))


def test_lobpcg_takes_over_when_lanczos_fails(
    monkeypatch: pytest.MonkeyPatch, blob_bags: Callable[..., Any]
) -> None:
    bags, _ = blob_bags(3, spread=1.5)
    operator = operator_of(bags, alpha=0.1)
    expected, _ = leading_eigenvectors(operator, 3, 0)
    monkeypatch.setattr(eigen, "DENSE_SOLVER_LIMIT", 10)
    monkeypatch.setattr(eigen, "DENSE_RESCUE_LIMIT", 10)
    monkeypatch.setattr(eigen, "eigsh", no_convergence)
    values, vectors = leading_eigenvectors(operator, 3, 0)
    np.testing.assert_allclose(values, expected, atol=1e-4)
    residual = np.linalg.norm(operator @ vectors - vectors * values, axis=0)
    assert residual.max() < 1e-4


def test_the_dense_solver_is_the_last_resort_and_then_an_error(
    monkeypatch: pytest.MonkeyPatch, blob_bags: Callable[..., Any]
) -> None:
    bags, _ = blob_bags(3)
    operator = operator_of(bags, alpha=0.1)
    expected = leading_eigenvectors(operator, 3, 0)
    monkeypatch.setattr(eigen, "DENSE_SOLVER_LIMIT", 10)
    monkeypatch.setattr(eigen, "eigsh", no_convergence)
    monkeypatch.setattr(eigen, "_LOBPCG_ITERATIONS", 1)
    rescued = leading_eigenvectors(operator, 3, 0)
    np.testing.assert_array_equal(rescued[1], expected[1])
    monkeypatch.setattr(eigen, "DENSE_RESCUE_LIMIT", 10)
    with pytest.raises(ClusteringError, match=r"residuals up to .*larger n_neighbors"):
        leading_eigenvectors(operator, 3, 0)


def test_signs_are_fixed_by_the_largest_entry(blob_bags: Callable[..., Any]) -> None:
    _, vectors = leading_eigenvectors(operator_of(blob_bags(4)[0], alpha=0.2), 4, 0)
    largest = np.abs(vectors).argmax(axis=0)
    assert (vectors[largest, np.arange(4)] > 0).all()


def outlier_bags() -> Bags:
    """A cloud of single-label bags, and one instance far away."""
    rng = np.random.default_rng(5)
    X = np.vstack([rng.standard_normal((80, 2)), [[100.0, 0.0]]])
    labels = np.eye(2, dtype=bool)[np.arange(27) % 2]
    return Bags(X, np.arange(81) // 3, labels)


def test_a_diagonal_of_one_keeps_an_outlier_from_taking_over() -> None:
    bags = outlier_bags()
    shares, tops = [], []
    for diagonal in (0.0, 1.0):
        affinity = dense_affinity(bags.X, diagonal=diagonal)
        operator = NormalisedOperator(
            affinity.W,
            1 / np.sqrt(affinity.degrees()),
            constraints=BagConstraints.from_bags(bags),
            alpha=0.7,
        )
        values, vectors = leading_eigenvectors(operator, 1, 0)
        tops.append(values[0])
        shares.append(vectors[-1, 0] ** 2)
    assert shares[0] > 0.999
    assert tops[0] > 1e6
    assert shares[1] < 0.5
    assert tops[1] < 100


def test_isolated_rows_stay_zero() -> None:
    W = sp.csr_array(np.diag([0.0, 1.0, 1.0]))
    operator = NormalisedOperator(W, np.array([0.0, 1.0, 1.0]))
    values, vectors = leading_eigenvectors(operator, 2, 0)
    np.testing.assert_allclose(values, [1, 1])
    np.testing.assert_allclose(vectors[0], 0, atol=1e-15)
