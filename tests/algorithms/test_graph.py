from __future__ import annotations

import sys

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.neighbors import kneighbors_graph
from threadpoolctl import threadpool_limits

import algorithms.graph as graph_module
from algorithms.errors import ClusteringError
from algorithms.graph import (
    Affinity,
    build_affinity,
    component_labels,
    dense_affinity,
    knn_affinity,
)
from algorithms.nearest import nearest_neighbours

Array = npt.NDArray[np.float64]


def as_dense(affinity: Affinity) -> Array:
    W = affinity.W
    return W if isinstance(W, np.ndarray) else W.toarray()


def points(seed: int, n: int = 60, d: int = 5) -> Array:
    return np.random.default_rng(seed).standard_normal((n, d))


def test_worked_affinities(worked_line: Array) -> None:
    affinity = dense_affinity(worked_line, t=2)
    np.testing.assert_allclose(affinity.sigma, [0.2, 0.2, 0.1, 0.1, 2.7, 3, 2.8])
    W = as_dense(affinity)
    assert W[0, 1] == pytest.approx(0.324652, abs=5e-7)
    assert W[0, 2] == pytest.approx(0.778801, abs=5e-7)
    assert W[4, 6] == pytest.approx(0.997358, abs=5e-7)
    degrees = [2.471680, 2.473052, 2.753211, 2.753211, 2.572523, 2.200843, 2.625102]
    np.testing.assert_allclose(affinity.degrees(), degrees, atol=5e-7)
    assert affinity.rho == 1.0
    assert affinity.kind == "dense"


def test_a_dense_graph_is_exactly_symmetric_with_the_given_diagonal() -> None:
    W = as_dense(dense_affinity(points(0), diagonal=0.0))
    assert (W == W.T).all()
    assert (np.diag(W) == 0).all()


def test_without_the_factor_two_affinities_are_squared() -> None:
    two = as_dense(dense_affinity(points(1)))
    one = as_dense(dense_affinity(points(1), scale_factor=1.0))
    np.testing.assert_allclose(one, two**2)


def test_blocks_do_not_change_the_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    X = points(2)
    whole = dense_affinity(X), knn_affinity(X, n_neighbors=10)
    monkeypatch.setattr(graph_module, "_BLOCK_ENTRIES", 7 * len(X))
    pieces = dense_affinity(X), knn_affinity(X, n_neighbors=10)
    for a, b in zip(whole, pieces, strict=True):
        np.testing.assert_array_equal(as_dense(a), as_dense(b))
    assert whole[1].rho == pytest.approx(pieces[1].rho, rel=1e-12)


def test_more_than_t_identical_instances_keep_affinity_one() -> None:
    X = np.vstack([np.zeros((9, 2)), points(3, 20, 2) + 5])
    for affinity in (dense_affinity(X), knn_affinity(X, n_neighbors=12)):
        W = as_dense(affinity)
        np.testing.assert_allclose(affinity.sigma[:9], 1e-10 * np.median(affinity.sigma))
        assert (W[:9, :9] == 1).all()
        assert np.isfinite(W).all()
        assert W[:9, 9:].max() < 1e-6


def test_all_instances_identical() -> None:
    assert (as_dense(dense_affinity(np.ones((12, 3)))) == 1).all()


def test_with_few_instances_sigma_is_the_farthest_distance() -> None:
    affinity = dense_affinity(np.array([[0.0], [1.0], [4.0]]), t=7)
    np.testing.assert_allclose(affinity.sigma, [4, 3, 4])
    sparse = knn_affinity(np.array([[0.0], [1.0], [4.0]]), t=7)
    np.testing.assert_allclose(sparse.sigma, [4, 3, 4])


def test_a_single_instance_has_affinity_to_itself() -> None:
    for affinity in (dense_affinity(np.zeros((1, 2))), knn_affinity(np.zeros((1, 2)))):
        assert as_dense(affinity).tolist() == [[1.0]]


def test_distances_that_overflow_are_an_error() -> None:
    X = np.array([[1e200], [-1e200], [0.0]])
    for build in (dense_affinity, knn_affinity):
        with pytest.raises(ClusteringError, match="standardise"):
            build(X)


def test_a_neighbour_graph_keeps_the_edges_of_either_end() -> None:
    X = points(4)
    W = as_dense(knn_affinity(X, n_neighbors=9))
    directed = kneighbors_graph(X, 9).toarray() > 0
    expected = directed | directed.T | np.eye(len(X), dtype=bool)
    assert ((W > 0) == expected).all()
    np.testing.assert_allclose(W[expected], as_dense(dense_affinity(X))[expected], rtol=1e-12)


def test_ties_between_neighbours_go_to_the_lower_index() -> None:
    # Instance 0 in the middle of a ring: all others are equally far.
    angle = np.arange(8) * np.pi / 4
    ring = np.round(np.column_stack([np.cos(angle), np.sin(angle)]), 12)
    X = np.vstack([[[0.0, 0.0]], 3 * ring[[0, 2, 4, 6]]])
    indices, squared = nearest_neighbours(X, 2, "exact", 0)
    assert indices[0].tolist() == [1, 2]
    assert squared[0].tolist() == [9.0, 9.0]


def test_near_duplicates_far_from_the_origin_keep_their_distance() -> None:
    # The expanded square |x|^2 - 2xy + |y|^2 has no digit left for 1e-9 at 1e4.
    X = np.array([[1e4], [1e4 + 1e-6], [1e4 + 3e-6], [2e4]])
    squared = nearest_neighbours(X, 1, "exact", 0)[1]
    np.testing.assert_allclose(np.sqrt(squared[:3, 0]), [1e-6, 1e-6, 2e-6], rtol=1e-4)


def test_with_all_neighbours_sparse_equals_dense() -> None:
    X = points(5)
    sparse, dense = knn_affinity(X, n_neighbors=len(X) - 1), dense_affinity(X)
    np.testing.assert_allclose(as_dense(sparse), as_dense(dense), rtol=1e-12)
    assert sparse.rho == pytest.approx(1)


@pytest.mark.parametrize("diagonal", [0.0, 1.0])
def test_rho_is_the_ratio_of_the_total_weights(diagonal: float) -> None:
    X = points(6, 200)
    sparse = knn_affinity(X, n_neighbors=20, diagonal=diagonal)
    dense = dense_affinity(X, diagonal=diagonal)
    expected = as_dense(sparse).sum() / as_dense(dense).sum()
    assert sparse.rho == pytest.approx(expected, rel=1e-12)


def test_rho_is_estimated_from_a_sample_of_many_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    X = points(7, 500)
    exact = knn_affinity(X).rho
    monkeypatch.setattr(graph_module, "RHO_ROWS", 100)
    estimates = [knn_affinity(X, seed=seed).rho for seed in range(3)]
    assert len(set(estimates)) == 3
    np.testing.assert_allclose(estimates, exact, rtol=0.1)
    assert knn_affinity(X, seed=1).rho == estimates[1]


def test_too_few_neighbours_for_the_local_scale_are_an_error() -> None:
    with pytest.raises(ClusteringError, match=r"n_neighbors=7 must be larger than t=7: use 8"):
        knn_affinity(points(8), n_neighbors=7)


def test_auto_turns_sparse_above_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    X = points(9)
    assert build_affinity(X).kind == "dense"
    monkeypatch.setattr(graph_module, "DENSE_LIMIT", len(X) - 1)
    assert build_affinity(X).kind == "knn"
    assert build_affinity(X, graph="dense").kind == "dense"


def test_approximate_neighbours_need_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pynndescent", None)
    with pytest.raises(ClusteringError, match=r"birdmodes\[large\]") as raised:
        knn_affinity(points(10), neighbours="approximate")
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("d", [5, 20])  # a tree, and all distances
def test_the_number_of_threads_does_not_matter(d: int) -> None:
    X = points(14, 2000, d)
    graphs = []
    for threads in (1, 2, 4):
        with threadpool_limits(limits=threads):
            graphs.append(knn_affinity(X))
    for other in graphs[1:]:
        np.testing.assert_array_equal(graphs[0].W.indices, other.W.indices)
        np.testing.assert_array_equal(graphs[0].W.data, other.W.data)
        assert graphs[0].rho == other.rho


@pytest.mark.slow
def test_approximate_neighbours_are_nearly_the_exact_ones_and_repeatable() -> None:
    pytest.importorskip("pynndescent")
    X = points(11, 3000, 20)
    exact = as_dense(knn_affinity(X)) > 0
    first = as_dense(knn_affinity(X, neighbours="approximate", seed=5))
    again = as_dense(knn_affinity(X, neighbours="approximate", seed=5))
    assert (first == again).all()
    assert ((first > 0) & exact).sum() / exact.sum() > 0.95


def test_components_of_far_blobs_are_separate() -> None:
    rng = np.random.default_rng(12)
    X = np.vstack([rng.standard_normal((40, 2)) + shift for shift in (0, 1e4, 2e4)])
    expected = np.repeat([0, 1, 2], 40)
    for affinity in (dense_affinity(X), knn_affinity(X)):
        assert component_labels(affinity).tolist() == expected.tolist()


def test_one_blob_is_one_component() -> None:
    for affinity in (dense_affinity(points(13)), knn_affinity(points(13), n_neighbors=10)):
        assert (component_labels(affinity) == 0).all()


def test_isolated_instances_are_components_of_their_own() -> None:
    affinity = Affinity(np.diag([0.0, 1.0, 0.0]), np.ones(3), 1.0, "dense")
    assert component_labels(affinity).tolist() == [0, 1, 2]


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.integers(3, 40), st.integers(1, 6))
def test_the_order_of_instances_does_not_matter(seed: int, n: int, d: int) -> None:
    rng = np.random.default_rng(seed)
    X, order = rng.standard_normal((n, d)), rng.permutation(n)
    for build in (dense_affinity, knn_affinity):
        one, other = as_dense(build(X)), as_dense(build(X[order]))
        np.testing.assert_allclose(one[np.ix_(order, order)], other, rtol=1e-9, atol=1e-300)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.floats(1e-3, 1e3), st.floats(-100, 100))
def test_scale_and_position_do_not_matter(seed: int, scale: float, shift: float) -> None:
    X = points(seed, 20, 3)
    one, other = as_dense(dense_affinity(X)), as_dense(dense_affinity(scale * X + shift))
    np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-12)
