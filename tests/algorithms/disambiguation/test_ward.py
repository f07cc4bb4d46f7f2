"""Ward's tree."""

from __future__ import annotations

import numpy as np

from algorithms.disambiguation.ward import WardTree


def test_inertia_and_clusters_of_points_on_a_line():
    # Two pairs 1 apart, with means 10 apart.
    points = np.array([[0.0], [10.0], [1.0], [11.0]])
    tree = WardTree.of(points)
    np.testing.assert_allclose(tree.inertia, [101.0, 1.0, 0.5, 0.0])
    np.testing.assert_array_equal(tree.cut(1), [0, 0, 0, 0])
    labels = tree.cut(2)
    assert labels[0] == labels[2] != labels[1] == labels[3]
    assert sorted(tree.cut(4)) == [0, 1, 2, 3]
    assert sorted(tree.centres(points, 2).ravel()) == [0.5, 10.5]


def test_equally_distant_points_give_as_many_clusters_as_asked_for():
    tree = WardTree.of(np.eye(5))
    for k in range(1, 6):
        assert len(set(tree.cut(k))) == k


def test_one_point_is_one_cluster():
    tree = WardTree.of(np.array([[3.0, 4.0]]))
    np.testing.assert_array_equal(tree.cut(1), [0])
    np.testing.assert_array_equal(tree.inertia, [0.0])
