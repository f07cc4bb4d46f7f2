from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from algorithms import Bags
from algorithms.constraints.pairs import Cliques, InducedPairs
from algorithms.graph import knn_affinity
from algorithms.spectral.edited import edit_dense, edit_sparse
from algorithms.spectral.operators import ScaledOperator
from algorithms.spectral.spreg import PenalisedMatrix


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("weights", [None, np.array([1.0, 3.0, 2.0])])
@pytest.mark.parametrize("shift", [None, np.array([0.5, -1.0, 2.0])])
def test_a_scaled_operator_is_the_matrix_it_stands_for(
    sparse: bool, weights: np.ndarray | None, shift: np.ndarray | None
) -> None:
    A = np.array([[1.0, 0.2, 0.0], [0.2, 3.0, 0.7], [0.0, 0.7, 2.0]])
    scale = np.array([1.0, 0.5, 2.0])
    g = np.ones(3) if weights is None else weights
    expected = np.diag(scale) @ (A + 0.1 * np.outer(g, g)) @ np.diag(scale)
    expected += np.diag(np.zeros(3) if shift is None else shift)
    operator = ScaledOperator(sp.csr_array(A) if sparse else A, scale, 0.1, shift, weights)
    vectors = np.random.default_rng(0).standard_normal((3, 2))
    np.testing.assert_allclose(operator.toarray(), expected, atol=1e-15)
    np.testing.assert_allclose(operator @ vectors, expected @ vectors, atol=1e-14)
    np.testing.assert_allclose(operator @ vectors[:, 0], expected @ vectors[:, 0], atol=1e-14)


def test_an_edited_graph_is_the_edited_matrix(worked_bags: Bags) -> None:
    pairs = InducedPairs.from_bags(worked_bags, 3)
    W = knn_affinity(worked_bags.X, n_neighbors=3, t=2).W
    edited = edit_sparse(W, pairs)
    expected = edit_dense(W.toarray(), pairs)
    assert expected[0, 1] == expected[2, 0] == 1
    assert expected[3, 5] == 0
    np.testing.assert_allclose(edited.toarray(), expected, atol=1e-15)
    np.testing.assert_allclose(edited.degrees(), expected.sum(axis=1), atol=1e-14)
    vectors = np.random.default_rng(0).standard_normal((7, 2))
    np.testing.assert_allclose(edited @ vectors, expected @ vectors, atol=1e-14)
    np.testing.assert_allclose(edited @ vectors[:, 0], expected @ vectors[:, 0], atol=1e-14)


@pytest.mark.parametrize("sparse", [False, True])
def test_a_penalised_matrix_fines_every_pair(sparse: bool) -> None:
    group = np.array([0, 1, 0, -1, 0, 1])
    rng = np.random.default_rng(0)
    A = rng.random((6, 6))
    W = A + A.T
    rows = [(0, 2), (0, 4), (2, 4), (1, 5)]  # the constraint matrix U, a row for each pair
    U = np.zeros((4, 6))
    for i, (p, q) in enumerate(rows):
        U[i, p], U[i, q] = 1, -1
    expected = W - 20 * U.T @ U
    matrix = PenalisedMatrix(sp.csr_array(W) if sparse else W, Cliques(group, 2), 20.0)
    vectors = rng.standard_normal((6, 2))
    np.testing.assert_allclose(matrix.toarray(), expected, atol=1e-12)
    np.testing.assert_allclose(matrix @ vectors, expected @ vectors, atol=1e-12)
    np.testing.assert_allclose(matrix @ vectors[:, 0], expected @ vectors[:, 0], atol=1e-12)
