from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from algorithms.errors import ClusteringError
from algorithms.placement.placer import GAMMA, RIDGE, Placer, Places

CENTRES = np.array([[3.0, 0, 0, 0], [-3.0, 0, 0, 0], [0, 3.0, 3.0, 0]])


def blobs(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Three clusters of n instances each, in five groups."""
    rng = np.random.default_rng(seed)
    cluster = np.repeat(np.arange(3), n)
    return rng.normal(0, 0.5, (3 * n, 4)) + CENTRES[cluster], cluster, np.arange(3 * n) % 5


@pytest.fixture(scope="module")
def placer() -> Placer:
    return Placer.fit(*blobs(40))


def same(one: Places, other: Places, rows: np.ndarray | slice = slice(None)) -> bool:
    return all(
        np.array_equal(getattr(one, name)[rows], getattr(other, name))
        for name in ("cluster", "second", "score", "remoteness")
    )


def test_new_instances_come_to_the_cluster_they_lie_in(placer: Placer) -> None:
    X, cluster, _ = blobs(100, seed=1)
    places = placer.place(X)
    assert (places.cluster == cluster).mean() > 0.99
    assert places.score.mean() > 0.9
    assert (places.remoteness > 1).mean() < 0.05
    assert (places.second != places.cluster).all()


def test_what_is_far_from_everything_is_remote(placer: Placer) -> None:
    places = placer.place(np.array([[0, 0, 0, 40.0], [3.0, 0, 0, 0]]))
    assert places.remoteness[0] > 10
    assert places.remoteness[1] < 1


def test_what_lies_between_two_clusters_scores_less(placer: Placer) -> None:
    places = placer.place(np.array([CENTRES[0], (CENTRES[0] + CENTRES[1]) / 2]))
    assert places.score[1] < places.score[0] - 0.1


def test_an_instance_is_placed_the_same_whatever_is_beside_it(placer: Placer) -> None:
    X = blobs(1500, seed=2)[0]  # more than one block
    rng = np.random.default_rng(3)
    allowed = rng.random((len(X), 3)) < 0.7
    places = placer.place(X, allowed)
    order = rng.permutation(len(X))
    assert same(places, placer.place(X[order], allowed[order]), order)
    for size in (1, 2, 3, 7, 64, 1001):
        rows = order[:size]
        assert same(places, placer.place(X[rows], allowed[rows]), rows)
    assert same(places, placer.place(np.asfortranarray(X), allowed))


def test_the_same_training_makes_the_same_placer(placer: Placer) -> None:
    again = Placer.fit(*blobs(40))
    assert np.array_equal(again.weights, placer.weights)
    assert again.calibration == placer.calibration


def test_scores_are_those_of_kernel_ridge_regression(placer: Placer) -> None:
    # in its dual form: k(x, X) (K + ridge I)^-1 Y
    X, cluster, _ = blobs(40)
    new = placer.kernel.scaled(blobs(5, seed=4)[0])
    known = placer.kernel.scaled(X)
    K = np.exp(-GAMMA * cdist(known, known, "sqeuclidean"))
    k = np.exp(-GAMMA * cdist(new, known, "sqeuclidean"))
    expected = k @ np.linalg.solve(K + RIDGE * np.eye(len(K)), np.eye(3)[cluster])
    scores = np.exp(-GAMMA * cdist(new, placer.kernel.landmarks, "sqeuclidean")) @ placer.weights
    assert scores == pytest.approx(expected, abs=1e-4)


def test_labels_leave_only_the_clusters_they_allow(placer: Placer) -> None:
    X, cluster, _ = blobs(10, seed=5)
    allowed = np.ones((30, 3), dtype=bool)
    allowed[np.arange(30), cluster] = False
    places = placer.place(X, allowed)
    assert (places.cluster != cluster).all()
    assert (places.second != cluster).all()
    alone = placer.place(X, np.eye(3, dtype=bool)[cluster])
    assert (alone.cluster == cluster).all()
    assert (alone.second == -1).all()
    nowhere = placer.place(X, np.zeros((30, 3), dtype=bool))
    assert (nowhere.cluster == -1).all()
    assert (nowhere.score == 0).all()


def test_a_group_is_placed_without_its_own_instances() -> None:
    # a cluster that one group has to itself cannot be found when the group is left out
    X, cluster, group = blobs(40)
    group[cluster == 2] = 7
    placer = Placer.fit(X, cluster, group)
    own = placer.left_out.cluster == cluster
    assert own[cluster != 2].mean() > 0.95
    assert own[cluster == 2].mean() == 0
    assert (placer.place(X).cluster == cluster).all()


def test_labels_help_those_that_were_left_out() -> None:
    X, cluster, group = blobs(40)
    X = X * 0.2 + np.random.default_rng(0).normal(0, 1, X.shape)  # hard to tell apart
    allowed = np.ones((120, 3), dtype=bool)
    allowed[np.arange(120), (cluster + 1) % 3] = False
    placer = Placer.fit(X, cluster, group, allowed)
    plain, restricted = placer.left_out, placer.left_out_restricted
    assert (restricted.cluster == cluster).mean() > (plain.cluster == cluster).mean()
    assert placer.restricted != placer.calibration


def test_landmarks_that_are_all_of_one_group_still_give_a_reach() -> None:
    X, cluster, _ = blobs(40)
    group = np.ones(120, dtype=np.int64)
    group[0] = 0
    placer = Placer.fit(X, cluster, group, n_landmarks=5)
    assert np.isfinite(placer.reach)


def test_no_instances_are_no_trouble(placer: Placer) -> None:
    assert len(placer.place(np.empty((0, 4))).cluster) == 0


def test_what_cannot_be_learned_from_is_refused() -> None:
    X, cluster, group = blobs(10)
    with pytest.raises(ClusteringError, match="two groups"):
        Placer.fit(X, cluster, np.zeros(30, dtype=np.int64))
    with pytest.raises(ClusteringError, match="one row per instance"):
        Placer.fit(X, cluster, group[:-1])
