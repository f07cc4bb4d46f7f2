from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from algorithms import Bags
from algorithms.bagwise.voting import majority_vote
from algorithms.layout import sorted_bags


def make(bag: list[int]) -> Bags:
    return Bags(np.zeros((len(bag), 1)), bag, np.zeros((max(bag) + 1, 1)))


def test_most_instances_decide_and_ties_go_to_what_suits_the_bag_best() -> None:
    layout = sorted_bags(make([0, 0, 0, 2, 2, 3, 3, 4]))
    clusters = np.array([1, 0, 1, 0, 2, 1, 0, 2])
    merit = np.zeros((8, 3))
    merit[0, 0] = 100.0  # does not outweigh the majority
    merit[3] = [0.0, 9.0, 1.0]  # cluster 1 has none of bag 2, so it cannot win
    labels, shares = majority_vote(layout, clusters, merit)
    assert labels.tolist() == [1, 2, 0, 2]
    np.testing.assert_allclose(shares, [2 / 3, 1 / 2, 1 / 2, 1.0])


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3)), min_size=1, max_size=30))
def test_the_winner_has_as_many_instances_as_any(rows: list[tuple[int, int]]) -> None:
    bag, clusters = (list(column) for column in zip(*rows, strict=True))
    layout = sorted_bags(make(bag))
    merit = np.random.default_rng(0).standard_normal((len(bag), 4))
    labels, shares = majority_vote(layout, np.array(clusters)[layout.order], merit)
    for number, label, share in zip(layout.bag_numbers, labels, shares, strict=True):
        own = [c for b, c in rows if b == number]
        counts = [own.count(c) for c in range(4)]
        assert counts[label] == max(counts)
        assert share == max(counts) / len(own)
