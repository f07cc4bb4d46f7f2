from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from algorithms import Bags
from algorithms.layout import sorted_bags


def test_instances_are_ordered_by_bag() -> None:
    X = np.arange(10.0).reshape(5, 2)
    layout = sorted_bags(Bags(X, [4, 1, 4, 1, 2], np.zeros((6, 0))))
    assert list(layout.order) == [1, 3, 4, 0, 2]
    np.testing.assert_array_equal(layout.X, X[[1, 3, 4, 0, 2]])
    assert list(layout.starts) == [0, 2, 3]
    assert list(layout.sizes) == [2, 1, 2]
    assert list(layout.bag_numbers) == [1, 2, 4]
    assert list(layout.run) == [0, 0, 1, 2, 2]
    assert (layout.n_filled, layout.n_bags) == (3, 6)


def test_values_of_runs_reach_their_bags() -> None:
    layout = sorted_bags(Bags(np.zeros((2, 1)), [3, 1], np.zeros((4, 0))))
    labels = layout.to_bags(np.array([7, 8]), -1)
    assert labels.dtype == np.int64
    assert list(labels) == [-1, 7, -1, 8]
    rows = layout.to_bags(np.array([[1.0], [2.0]]), np.nan)
    np.testing.assert_array_equal(rows, [[np.nan], [1.0], [np.nan], [2.0]])


def test_no_instances() -> None:
    layout = sorted_bags(Bags(np.zeros((0, 0)), [], np.zeros((3, 0))))
    assert layout.n_filled == 0
    assert layout.X.shape == (0, 0)
    assert list(layout.to_bags(layout.starts, -1)) == [-1, -1, -1]


@given(st.lists(st.integers(0, 5), max_size=20))
def test_sums_of_runs_are_sums_of_bags(bag: list[int]) -> None:
    X = np.arange(len(bag), dtype=float)[:, None] ** 2
    layout = sorted_bags(Bags(X, bag, np.zeros((6, 0))))
    sums = np.zeros(6)
    for value, number in zip(X[:, 0], bag, strict=True):
        sums[number] += value
    if layout.n_filled:
        found = np.add.reduceat(layout.X[:, 0], layout.starts)
        np.testing.assert_array_equal(layout.to_bags(found, 0), sums)
