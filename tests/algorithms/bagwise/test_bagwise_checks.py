from __future__ import annotations

import numpy as np
import pytest

from algorithms import Bags
from algorithms.checks import (
    check_bagwise,
    check_count,
    check_fitted,
    check_new_bags,
    check_seed,
)
from algorithms.errors import ClusteringError


def bags_of(bag: list[int], n_bags: int, n_features: int = 2) -> Bags:
    return Bags(np.zeros((len(bag), n_features)), bag, np.zeros((n_bags, 0)))


def test_bags_with_instances_are_told() -> None:
    filled = check_bagwise(bags_of([4, 1, 1], 6), 2)
    assert filled.dtype == np.int64
    assert list(filled) == [1, 4]


@pytest.mark.parametrize("wrong", [0, -1, 2.0, "3", None, True])
def test_what_is_no_number_of_groups_is_refused(wrong: object) -> None:
    with pytest.raises(ClusteringError, match="n_clusters must be a whole number from 1"):
        check_bagwise(bags_of([0, 1], 2), wrong)  # type: ignore[arg-type]


def test_a_method_may_ask_for_more_groups() -> None:
    with pytest.raises(ClusteringError, match="whole number from 2, not 1"):
        check_bagwise(bags_of([0, 1], 2), 1, minimum=2)


def test_more_groups_than_bags_with_instances_are_refused() -> None:
    bags = bags_of([0, 0, 3], 5)
    assert len(check_bagwise(bags, 2)) == 2
    with pytest.raises(ClusteringError, match="at most 2 groups: only 2 bags have instances"):
        check_bagwise(bags, 3)
    with pytest.raises(ClusteringError, match="at most 1 group: only 1 bag has instances"):
        check_bagwise(bags_of([0], 3), 2)


@pytest.mark.parametrize("n_bags", [0, 3])
def test_no_instances_at_all_are_refused(n_bags: int) -> None:
    with pytest.raises(ClusteringError, match="no bags with instances"):
        check_bagwise(bags_of([], n_bags), 1)


def test_new_bags_must_have_the_features_of_the_fit() -> None:
    assert list(check_new_bags(bags_of([2, 0], 4), 2)) == [0, 2]
    with pytest.raises(ClusteringError, match="have 2 features but those of the fit have 3"):
        check_new_bags(bags_of([0], 1), 3)
    assert not len(check_new_bags(bags_of([], 4, 0), 3))


def test_what_is_not_fitted_is_refused() -> None:
    with pytest.raises(ClusteringError, match="call fit first"):
        check_fitted(object())


def test_counts_and_seeds() -> None:
    check_count("n_init", np.int64(1))
    check_seed(None)
    check_seed(0)
    with pytest.raises(ClusteringError, match="n_init must be a whole number from 1, not 0"):
        check_count("n_init", 0)
    with pytest.raises(ClusteringError, match="random_state must be a whole number from 0"):
        check_seed(-1)
