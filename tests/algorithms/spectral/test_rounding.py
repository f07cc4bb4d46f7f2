from __future__ import annotations

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from algorithms.errors import ClusteringWarning
from algorithms.spectral.rounding import cluster_rows, place_leftovers, unit_rows


def test_rows_get_unit_length_and_rows_without_length_stay_zero() -> None:
    embedding, placed = unit_rows(np.array([[3.0, 4.0], [0.0, 0.0], [1e-14, 0.0], [0.0, -2.0]]))
    np.testing.assert_allclose(embedding, [[0.6, 0.8], [0, 0], [0, 0], [0, -1]])
    assert placed.tolist() == [True, False, False, True]


def test_rows_of_different_scaling_have_the_same_direction() -> None:
    vectors = np.random.default_rng(0).standard_normal((20, 3))
    scale = np.random.default_rng(1).random((20, 1)) + 0.1
    np.testing.assert_allclose(unit_rows(vectors)[0], unit_rows(scale * vectors)[0])


def test_separate_rows_are_separate_clusters() -> None:
    embedding = np.repeat(np.eye(3), 5, axis=0)
    labels = cluster_rows(embedding, 3, n_init=5, seed=0)
    assert labels.dtype == np.int64
    assert [len(set(labels[i : i + 5].tolist())) for i in (0, 5, 10)] == [1, 1, 1]
    assert sorted(set(labels.tolist())) == [0, 1, 2]


def test_fewer_distinct_rows_than_clusters_are_warned_about() -> None:
    with pytest.warns(ClusteringWarning, match="only 2 of 3 clusters"):
        labels = cluster_rows(np.repeat(np.eye(2), 4, axis=0), 3, n_init=2, seed=0)
    assert len(set(labels.tolist())) == 2


def test_the_number_of_threads_does_not_matter() -> None:
    embedding = unit_rows(np.random.default_rng(2).standard_normal((3000, 6)))[0]
    results = []
    for threads in (1, 2, 4):
        with threadpool_limits(limits=threads):
            results.append(cluster_rows(embedding, 6, n_init=3, seed=1))
    assert (results[0] == results[1]).all()
    assert (results[0] == results[2]).all()


def test_leftovers_take_the_cluster_of_their_nearest_neighbour() -> None:
    X = np.array([[0.0], [1.0], [9.0], [8.0], [0.4]])
    labels = np.array([0, 0, 1, -1, -1])
    placed = np.array([True, True, True, False, False])
    assert place_leftovers(X, labels, placed).tolist() == [0, 0, 1, 1, 0]
