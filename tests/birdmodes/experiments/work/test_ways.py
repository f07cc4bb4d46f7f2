"""Class means from label sets in any space, and what stands for them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from algorithms.bags import Bags
from algorithms.errors import ClusteringError
from birdmodes.experiments.work.learners import LEARNERS
from birdmodes.experiments.work.ways import frequency_ways, ways_of, weak_means


def worked_bags() -> Bags:
    """The example of Law et al.'s Algorithm 1 that mimlca is tested with."""
    X = [[1.0, 0], [0.1, 1.2], [1.1, 0.2], [0.9, -0.1], [-1, 0.3], [0, 0.9], [-0.9, 0.1]]
    labels = [[1, 1, 0], [1, 0, 1], [0, 1, 0], [0, 1, 1]]
    return Bags(X, [0, 0, 1, 1, 1, 2, 3], labels)


def test_weak_means_of_the_worked_example() -> None:
    bags = worked_bags()
    U = np.linalg.svd(bags.X, full_matrices=False)[0]
    means, competes = weak_means(U, bags, 1, 0)
    # Instances 0 and 2 are of class 0, 1 and 5 of class 1, 3 and 6 of class 2, 4 of none.
    np.testing.assert_allclose(means, [U[[0, 2]].mean(0), U[[1, 5]].mean(0), U[[3, 6]].mean(0)])
    assert competes.all()


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 500))
def test_the_order_of_instances_does_not_matter(seed: int) -> None:
    rng = np.random.default_rng(seed)
    bag = rng.integers(0, 6, 20)
    points = rng.standard_normal((20, 3))
    labels = rng.random((6, 3)) < 0.6
    # Ties go by the order: of classes of the same bags, which start at the same centre, and of
    # two instances that are all a class may have.
    assume(np.unique(labels[np.unique(bag)], axis=1).shape[1] == 3)
    assume((labels[bag].sum(axis=0) > 2).all())
    order = rng.permutation(20)
    one = weak_means(points, Bags(points, bag, labels), 1, 0)
    other = weak_means(points[order], Bags(points[order], bag[order], labels), 1, 0)
    np.testing.assert_allclose(one[0], other[0], atol=1e-12)
    np.testing.assert_array_equal(one[1], other[1])


def test_classes_without_bags_do_not_compete() -> None:
    bags = Bags([[1.0], [2.0]], [0, 1], [[1, 0, 0], [0, 0, 1]])
    means, competes = weak_means(bags.X, bags, None, 0)
    np.testing.assert_array_equal(competes, [True, False, True])
    np.testing.assert_array_equal(means[:, 0], [1.0, 0.0, 2.0])


def test_without_labels_there_are_no_means() -> None:
    bags = Bags([[1.0], [2.0]], [0, 1], np.zeros((2, 2)))
    with pytest.raises(ClusteringError, match="no bag that has instances has a label"):
        weak_means(bags.X, bags, 1, 0)


def test_means_of_both_limits() -> None:
    bags = worked_bags()
    learner = LEARNERS["euclidean"]
    one, no_limit, true = ways_of(learner, learner.fit(bags, None), bags, np.zeros(7, int), 0)
    assert (one.means, no_limit.means, true.means) == ("one per label", "no limit", "instances")
    for way, limit in ((one, 1), (no_limit, None)):
        means, _ = weak_means(bags.X, bags, limit, 0)
        squared = ((bags.X[:, None] - means) ** 2).sum(axis=2)
        np.testing.assert_allclose(way.scores(bags.X), -squared, atol=1e-12)
    assert not np.allclose(one.scores(bags.X), no_limit.scores(bags.X))


def test_class_to_bag_distances_of_single_instances() -> None:
    bags = worked_bags()
    fitted = LEARNERS["mc2b"].fit(bags, None, 0)
    new = np.array([[0.3, 0.4], [-2.0, 1.0]])
    way = next(iter(ways_of(LEARNERS["mc2b"], fitted, bags, None, 0)))
    assert way.rule == "class-to-bag"
    for number in range(3):
        examples = bags.X[bags.labels[bags.bag, number]]
        W = fitted.class_components_[number]
        lengths = np.linalg.norm((examples[:, None] - new) @ W, axis=2)
        np.testing.assert_allclose(way.scores(new)[:, number], -lengths.mean(axis=0))


def test_centres_of_miml_are_its_own_means() -> None:
    bags = Bags(
        np.random.default_rng(0).standard_normal((9, 2)),
        np.arange(9) // 3,
        [[1, 0, 0], [0, 0, 1], [1, 0, 1]],
    )
    fitted = LEARNERS["miml"].fit(bags, None, 0)
    way = next(iter(ways_of(LEARNERS["miml"], fitted, bags, None, 0)))
    scores = way.scores(bags.X)
    for number in (0, 2):
        between = (bags.X - fitted.centres_[number]) @ fitted.components_
        np.testing.assert_allclose(scores[:, number], -(between**2).sum(axis=1))
    assert np.isneginf(scores[:, 1]).all()  # no bag has class 1


def test_frequencies_count_bags_and_instances() -> None:
    bags = Bags([[0.0]] * 3, [0, 0, 1], [[1, 1, 0], [0, 1, 0], [1, 0, 0]])
    by_bags, by_instances = frequency_ways(bags, np.array([0, -1, 0]))
    # The last bag has no instances.
    np.testing.assert_array_equal(by_bags.scores(bags.X[:1]), [[1.0, 2.0, -np.inf]])
    np.testing.assert_array_equal(by_instances.scores(bags.X[:1]), [[2.0, -np.inf, -np.inf]])
    assert [way.told for way in frequency_ways(bags, None)] == ["bags"]
