"""Baselines that use the list of a bag and little else."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms import Bags
from algorithms.disambiguation.list_baselines import (
    LIST_BASELINES,
    kmeans_with_list,
    random_of_list,
)


def bags_of(n_bags: int = 60) -> tuple[Bags, np.ndarray]:
    """Two of three classes in each bag, twice each, well apart."""
    rng = np.random.default_rng(0)
    true = np.concatenate([np.repeat(rng.choice(3, 2, replace=False), 2) for _ in range(n_bags)])
    bag = np.repeat(np.arange(n_bags), 4)
    labels = np.zeros((n_bags, 3), dtype=bool)
    labels[bag, true] = True
    X = 6 * np.eye(3)[true] + rng.standard_normal((len(true), 3))
    return Bags(X, bag, labels), true


@pytest.mark.parametrize("name", LIST_BASELINES)
def test_every_class_is_of_the_list(name: str) -> None:
    bags, _ = bags_of()
    found = LIST_BASELINES[name](bags, 0)
    assert bags.labels[bags.bag, found].all()
    assert np.array_equal(found, LIST_BASELINES[name](bags, 0))


def test_a_random_one_of_two_is_right_half_of_the_time() -> None:
    bags, true = bags_of(500)
    assert (random_of_list(bags, 0) == true).mean() == pytest.approx(0.5, abs=0.05)


def test_centres_settle_on_their_classes() -> None:
    bags, true = bags_of()
    assert (kmeans_with_list(bags, 0) == true).mean() > 0.98


def test_a_bag_without_a_list_may_be_anything() -> None:
    bags, true = bags_of()
    labelled = np.arange(60) > 5
    some = Bags(bags.X, bags.bag, bags.labels & labelled[:, None], labelled)
    assert (kmeans_with_list(some, 0) == true).mean() > 0.95
