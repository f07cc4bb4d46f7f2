"""Clusters within groups."""

from __future__ import annotations

import functools
import itertools

import numpy as np
import pytest
from sklearn.cluster import KMeans

from algorithms.disambiguation.splitting import feature_scale, share_clusters, split_groups


@pytest.fixture
def blobs():
    """Group 0: one blob; group 4: three far apart; group -1: two close together."""
    rng = np.random.default_rng(0)
    centres = [(0, 0), (50, 0), (50, 40), (90, 0), (0, 50), (0, 56)]
    points = np.vstack([centre + rng.standard_normal((20, 2)) for centre in centres])
    return points, np.repeat([0, 4, 4, 4, -1, -1], 20), np.repeat(np.arange(6), 20)


def test_further_clusters_go_where_they_help_most(blobs):
    points, group, _ = blobs
    assert share_clusters(points, group, 3, 0) == {-1: 1, 0: 1, 4: 1}
    assert share_clusters(points, group, 5, 0) == {-1: 1, 0: 1, 4: 3}
    assert share_clusters(points, group, 6, 0) == {-1: 2, 0: 1, 4: 3}


def test_the_shares_have_the_least_inertia_of_all(blobs):
    points, group, _ = blobs
    names = [-1, 0, 4]

    @functools.cache
    def inertia_of(name, k):
        return KMeans(k, n_init=10, random_state=1).fit(points[group == name]).inertia_

    def inertia(counts):
        return sum(inertia_of(name, k) for name, k in zip(names, counts, strict=True))

    every = [counts for counts in itertools.product(range(1, 6), repeat=3) if sum(counts) == 7]
    best = min(every, key=inertia)
    shared = share_clusters(points, group, 7, 0)
    assert tuple(shared[name] for name in names) == best


def test_each_cluster_lies_in_one_group(blobs):
    points, group, blob = blobs
    labels, group_of_cluster, centres = split_groups(points, group, {-1: 2, 0: 1, 4: 3}, 5, 0)
    np.testing.assert_array_equal(group_of_cluster, [-1, -1, 0, 4, 4, 4])
    np.testing.assert_array_equal(group_of_cluster[labels], group)
    for cluster in range(6):
        assert len(set(blob[labels == cluster])) == 1
        np.testing.assert_allclose(centres[cluster], points[labels == cluster].mean(axis=0))


def test_trees_that_sharing_has_built_split_as_new_ones_do():
    points = np.random.default_rng(0).standard_normal((60, 3))
    group, trees = np.repeat([0, 1, 7], 20), {}
    counts = share_clusters(points, group, 9, 0, trees=trees)
    assert trees.keys() == {0, 1, 7}
    anew, given = (split_groups(points, group, counts, 5, 0, trees=own) for own in (None, trees))
    for one, other in zip(anew, given, strict=True):
        np.testing.assert_array_equal(one, other)


def test_no_more_clusters_than_distinct_points():
    points = np.array([[0.0], [0.0], [0.0], [1.0], [2.0], [3.0]])
    group = np.array([0, 0, 0, 1, 1, 1])
    assert share_clusters(points, group, 20, 0) == {0: 1, 1: 3}
    labels, _, centres = split_groups(points, group, {0: 4, 1: 9}, 3, 0)
    assert len(centres) == 4
    assert set(labels[:3]) == {0}
    assert len(set(labels[3:])) == 3


@pytest.mark.parametrize(("same", "others", "found"), [(40, 2, 3), (40, 0, 1), (0, 40, 4)])
def test_a_group_of_few_different_points_gets_no_more_clusters(same: int, others: int, found: int):
    apart = 10.0 * np.arange(1, others + 1)[:, None]
    points = np.vstack([np.zeros((same, 1)), apart])  # the different ones last
    labels, groups, centres = split_groups(
        points, np.zeros(len(points), dtype=np.int64), {0: 4}, 3, 0
    )
    assert (len(groups), len(centres), len(np.unique(labels))) == (found, found, found)


def test_features_are_scaled_to_their_weights_and_a_variance_of_one_in_all() -> None:
    X = np.array([[0.0, 0.0, 7.0], [2.0, 6.0, 7.0]])  # variances 1, 9 and 0
    np.testing.assert_allclose(feature_scale(X, None), np.sqrt(1 / 10))
    np.testing.assert_allclose(feature_scale(X, [2.0, 1.0, 5.0]), np.sqrt([2 / 11, 1 / 11, 5 / 11]))
    np.testing.assert_allclose(feature_scale(X[:1], [2.0, 1.0, 5.0]), np.sqrt([2.0, 1.0, 5.0]))
