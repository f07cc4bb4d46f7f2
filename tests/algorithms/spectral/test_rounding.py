from __future__ import annotations

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

import algorithms.spectral.rounding as rounding
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


def noisy_axes(n: int, k: int, spread: float) -> np.ndarray:
    """Unit rows about the axes of k dimensions."""
    rng = np.random.default_rng(3)
    axes = np.eye(k)[rng.integers(0, k, n)]
    return unit_rows(axes + spread * rng.standard_normal((n, k)))[0]


def test_many_rows_are_started_from_a_sample_and_get_as_close(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    embedding = noisy_axes(1000, 8, 0.6)
    whole, centres = rounding.kmeans_rows(embedding, 8, 20, 0)
    monkeypatch.setattr(rounding, "SAMPLE_ROWS", 200)
    monkeypatch.setattr(rounding, "SAMPLE_ROWS_PER_CLUSTER", 30)
    sampled, sampled_centres = rounding.kmeans_rows(embedding, 8, 20, 0)
    inertia = ((embedding - centres[whole]) ** 2).sum()
    assert ((embedding - sampled_centres[sampled]) ** 2).sum() <= 1.01 * inertia
    # All rows were moved to their nearest centres, not only the sampled ones.
    distance = ((embedding[:, None] - sampled_centres) ** 2).sum(axis=2)
    assert (distance.argmin(axis=1) == sampled).all()
    assert (rounding.kmeans_rows(embedding, 8, 20, 0)[0] == sampled).all()


def test_a_sample_of_alike_rows_still_gives_all_clusters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rounding, "SAMPLE_ROWS", 20)
    monkeypatch.setattr(rounding, "SAMPLE_ROWS_PER_CLUSTER", 5)
    embedding = np.repeat(np.eye(3), [496, 2, 2], axis=0)
    assert len(set(cluster_rows(embedding, 3, n_init=4, seed=0).tolist())) == 3


def test_the_number_of_threads_does_not_matter_for_many_rows() -> None:
    embedding = noisy_axes(5000, 6, 0.8)
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
