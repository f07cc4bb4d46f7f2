from __future__ import annotations

import numpy as np

from algorithms import Bags
from algorithms.layout import sorted_bags
from algorithms.metric.weak_kmeans import WeakKMeans, WeakKMeansOptions, candidate_means

OPTIONS = WeakKMeansOptions(
    init="candidates", n_init=1, max_per_label=1, max_iter=100, random_state=0
)


def test_a_class_that_is_assigned_nothing_keeps_its_centre() -> None:
    bags = Bags([[0.0], [10.0]], [0, 1], [[1, 1], [1, 1]])
    # both centres are at 5, and ties go to the first label; a centre at 0 would win the first bag
    found = WeakKMeans.fit(bags.X, sorted_bags(bags), bags.labels, OPTIONS)
    assert found.category.tolist() == [0, 0]
    assert found.objectives.tolist() == [50.0, 50.0]


def test_candidate_means_weigh_every_instance_of_a_labels_bags_alike() -> None:
    bags = Bags([[1.0], [2.0], [6.0], [9.0]], [0, 2, 0, 0], [[1, 0, 0], [1, 1, 0], [1, 1, 0]])
    means = candidate_means(sorted_bags(bags).X, sorted_bags(bags), bags.labels)
    assert means.ravel().tolist() == [4.5, 2.0, 0.0]


def test_it_is_k_means_where_every_bag_has_one_label_and_one_instance() -> None:
    rng = np.random.default_rng(0)
    labels = np.eye(3, dtype=np.bool_)[rng.integers(0, 3, 30)]
    bags = Bags(rng.standard_normal((30, 2)), np.arange(30), labels)
    found = WeakKMeans.fit(bags.X, sorted_bags(bags), bags.labels, OPTIONS)
    np.testing.assert_array_equal(found.category, labels.argmax(axis=1))
    within = sum(
        ((bags.X[labels[:, c]] - bags.X[labels[:, c]].mean(axis=0)) ** 2).sum() for c in range(3)
    )
    np.testing.assert_allclose(found.objectives, [within, within])
