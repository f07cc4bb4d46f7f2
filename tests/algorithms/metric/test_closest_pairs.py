from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from algorithms import Bags
from algorithms.layout import sorted_bags
from algorithms.metric import closest_pairs
from algorithms.metric.closest_pairs import (
    AllBagPairs,
    SomeBagPairs,
    first_minimum,
    nearest_in_bags,
)

Array = npt.NDArray[np.float64]


def random_bags(seed: int, n_bags: int, *, n_classes: int = 4) -> Bags:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 6, n_bags)
    sizes[0] = 12
    bag = rng.permutation(np.repeat(np.arange(n_bags), sizes))
    X = rng.standard_normal((len(bag), 3))
    return Bags(X, bag, rng.random((n_bags, n_classes)) < 0.3)


def check_pairs(pairs: AllBagPairs | SomeBagPairs, bags: Bags, Z: Array) -> set[tuple[int, int]]:
    """Compare with a loop over all pairs of bags; gives the pairs that there are."""
    bag_of = {tuple(x): m for x, m in zip(bags.X.tolist(), bags.bag.tolist(), strict=True)}
    bag = np.array([bag_of[tuple(x)] for x in pairs.X.tolist()])
    found = pairs.closest(Z)
    names = [tuple(sorted(p)) for p in zip(bag[found.one], bag[found.two], strict=True)]
    assert len(set(names)) == len(names)
    for (m, n), squared, u, v, positive in zip(
        names, found.squared, found.one, found.two, pairs.positive, strict=True
    ):
        between = cdist(Z[bag == m], Z[bag == n], "sqeuclidean")
        assert squared == pytest.approx(between.min(), rel=1e-9, abs=1e-12)
        assert ((Z[u] - Z[v]) ** 2).sum() == pytest.approx(between.min(), rel=1e-9)
        assert positive == (bags.labels[m] & bags.labels[n]).any()
    return set(names)


@given(st.integers(0, 2**20), st.integers(2, 12), st.sampled_from([1, 5, 512]))
@settings(max_examples=25)
def test_every_pair_of_bags_has_its_nearest_instances(seed: int, n_bags: int, rows: int) -> None:
    bags = random_bags(seed, n_bags)
    layout = sorted_bags(bags)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(closest_pairs, "_GROUP_ROWS", rows)
        pairs = AllBagPairs(layout, bags.labels)
        names = check_pairs(pairs, bags, pairs.X @ np.diag([1.0, 0.1, 3.0]))
    assert len(names) == n_bags * (n_bags - 1) // 2


@given(st.integers(0, 2**20), st.integers(1, 30))
@settings(max_examples=25)
def test_a_sample_of_the_pairs_has_its_nearest_instances(seed: int, n_pairs: int) -> None:
    bags = random_bags(seed, 8)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(closest_pairs, "_BLOCK_PAIRS", 40)
        patch.setattr(closest_pairs, "_BLOCK_ENTRIES", 20)
        pairs = SomeBagPairs(sorted_bags(bags), bags.labels, n_pairs, np.random.default_rng(seed))
        check_pairs(pairs, bags, pairs.X @ np.diag([1.0, 0.1, 3.0]))
    share = bags.labels.astype(int) @ bags.labels.T > 0
    n_positive = int(np.triu(share, 1).sum())
    assert pairs.positive.sum() == min(n_pairs, n_positive)
    assert (~pairs.positive).sum() == min(n_pairs, 28 - n_positive)


def test_all_pairs_are_drawn_equally_often() -> None:
    labels = np.zeros((6, 1), dtype=bool)
    layout = sorted_bags(Bags(np.arange(6.0)[:, None], np.arange(6), labels))
    counts = np.zeros((6, 6))
    for seed in range(600):
        drawn = SomeBagPairs(layout, labels, 5, np.random.default_rng(seed))
        closest = drawn.closest(drawn.X)
        counts[closest.one, closest.two] += 1
    upper = counts[np.triu_indices(6, 1)]
    assert upper.sum() == 3000
    assert (np.abs(upper - 200) < 60).all()


def test_first_of_equal_minima() -> None:
    values = np.array([3.0, 1.0, 1.0, 1.0, 0.0, 5.0, 5.0])
    found = first_minimum(values, np.array([0, 3, 5]), np.array([3, 2, 2]))
    assert found.tolist() == [1, 4, 5]


@given(st.integers(0, 2**20), st.integers(1, 12), st.sampled_from([1, 5, 512]))
@settings(max_examples=25)
def test_every_bag_has_the_instance_nearest_to_a_point(seed: int, n_bags: int, rows: int) -> None:
    bags = random_bags(seed, n_bags)
    layout = sorted_bags(bags)
    points = np.random.default_rng(seed).standard_normal((7, 3))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(closest_pairs, "_GROUP_ROWS", rows)
        found = nearest_in_bags(points, layout)
    between = cdist(points, layout.X)
    for m in range(n_bags):
        own = np.flatnonzero(layout.run == m)
        np.testing.assert_array_equal(found[:, m], own[between[:, own].argmin(axis=1)])
