"""Bags dealt into smaller ones, and lists made wrong."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms.bags import Bags
from birdmodes.experiments.data import Data
from birdmodes.experiments.work.sub_bags import split_bags, with_errors, wrong_lists


def data_of(seed: int, n: int = 60, n_bags: int = 9, n_classes: int = 5) -> Data:
    rng = np.random.default_rng(seed)
    bag, truth = rng.integers(0, n_bags, n), rng.integers(0, n_classes, n)
    labels = np.zeros((n_bags, n_classes), dtype=np.bool_)
    labels[bag, truth] = True
    return Data("any", Bags(np.arange(n, dtype=float)[:, None], bag, labels), truth)


@given(st.integers(0, 1000), st.sampled_from([1.0, 1.45, 2.4, 50.0]))
def test_every_sub_bag_is_of_one_bag_and_has_the_classes_of_its_instances(
    seed: int, size: float
) -> None:
    data = data_of(seed)
    split = split_bags(data, size, seed)
    assert split.truth is data.truth
    np.testing.assert_array_equal(split.bags.X, data.bags.X)
    for number in range(split.bags.n_bags):
        own = split.bags.bag == number
        assert len(set(data.bags.bag[own].tolist())) <= 1
        assert set(np.flatnonzero(split.bags.labels[number])) == set(data.known_truth[own].tolist())
    expected = [max(1, round(int(n) / size)) for n in data.bags.sizes]
    assert split.bags.n_bags == sum(expected)


def test_parts_of_a_bag_differ_by_one_instance_at_most() -> None:
    data = Data("any", Bags(np.zeros((7, 1)), np.zeros(7, int), [[1]]), np.zeros(7, np.int64))
    assert sorted(split_bags(data, 2.4, 0).bags.sizes.tolist()) == [2, 2, 3]


def test_a_label_that_no_known_instance_explains_goes_with_the_unknown_ones() -> None:
    data = Data("any", Bags([[0.0], [1.0]], [0, 0], [[1, 1, 0]]), np.array([0, -1]))
    split = split_bags(data, 1.0, 0)
    of_instances = split.bags.labels[split.bags.bag]
    assert of_instances.tolist() == [[True, False, False], [False, True, False]]


def test_as_many_false_labels_are_added_as_true_ones_are_taken_away() -> None:
    rng = np.random.default_rng(0)
    labels = rng.random((4000, 10)) < 0.3
    labels[:, 0] = True
    bags = Bags(np.zeros((4000, 1)), np.arange(4000), labels)
    wrong = with_errors(bags, 0.2, 1)
    taken, added = (labels & ~wrong.labels).sum(), (wrong.labels & ~labels).sum()
    # Where all of a list would go it stays whole, so a few less are taken than a fifth.
    assert added == pytest.approx(0.2 * labels.sum(), rel=0.05)
    assert 0.85 * added < taken <= added * 1.05
    assert wrong.labels.any(axis=1).all()
    assert (with_errors(bags, 0.0, 1).labels == labels).all()


def test_what_has_no_list_gets_none() -> None:
    bags = Bags(np.zeros((2, 1)), [0, 1], [[1, 0], [0, 0]], [True, False])
    assert not with_errors(bags, 0.9, 0).labels[1].any()


def listed_bags(n_bags: int = 400, n_classes: int = 10) -> Bags:
    labels = np.random.default_rng(0).random((n_bags, n_classes)) < 0.4
    return Bags(np.zeros((n_bags, 1)), np.arange(n_bags), labels)


def test_species_are_added_and_taken_as_often_as_is_said() -> None:
    bags = listed_bags()
    false = wrong_lists(bags, 0.3, 0.0, 1).labels
    assert (false >= bags.labels).all()
    assert false[~bags.labels].mean() == pytest.approx(0.3, abs=0.03)
    missing = wrong_lists(bags, 0.0, 0.3, 1).labels
    assert (missing <= bags.labels).all()
    assert missing[bags.labels].mean() == pytest.approx(0.7, abs=0.03)


def test_no_list_is_emptied_and_none_is_made() -> None:
    bags = listed_bags()
    some = Bags(bags.X, bags.bag, bags.labels & (bags.bag > 9)[:, None], np.asarray(bags.bag > 9))
    noisy = wrong_lists(some, 0.0, 0.9, 1)
    assert np.array_equal(noisy.labels.any(axis=1), some.labels.any(axis=1))
    noisy = wrong_lists(some, 0.5, 0.9, 1)
    assert not noisy.labels[:10].any()


def test_clean_lists_stay_and_draws_depend_on_the_seed() -> None:
    bags = listed_bags()
    assert np.array_equal(wrong_lists(bags, 0, 0, 1).labels, bags.labels)
    assert not np.array_equal(
        wrong_lists(bags, 0.3, 0, 1).labels, wrong_lists(bags, 0.3, 0, 2).labels
    )
