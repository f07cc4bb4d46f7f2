from __future__ import annotations

from itertools import product

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms import Bags
from algorithms.constraints.pairs import Cliques, InducedPairs, only_class
from algorithms.errors import ClusteringError


def table_1(bags: Bags, k: int) -> tuple[set[tuple[int, int]], set[tuple[int, int]]]:
    """Must-links and cannot-links, pair by pair, as the paper's Table 1 words them."""
    must, cannot = set(), set()
    for p, q in product(range(bags.n_instances), repeat=2):
        one, other = (set(np.flatnonzero(bags.labels[bags.bag[i]]).tolist()) for i in (p, q))
        if p >= q or not one or not other:
            continue
        if k == bags.n_classes and len(one) == 1 and one == other:
            must.add((p, q))
        if not one & other:
            cannot.add((p, q))
    return must, cannot


def listed(pairs: InducedPairs) -> tuple[set[tuple[int, int]], set[tuple[int, int]]]:
    n, group = len(pairs.bag), pairs.cliques.group
    rows, columns = np.triu_indices(n, 1)
    must = {
        (int(p), int(q))
        for p, q in zip(rows, columns, strict=True)
        if group[p] == group[q] and group[p] >= 0
    }
    cannot = pairs.disjoint(pairs.labels, pairs.bag[rows], columns)
    return must, {(int(p), int(q)) for p, q, c in zip(rows, columns, cannot, strict=True) if c}


def random_bags(seed: int, c: int = 3) -> Bags:
    rng = np.random.default_rng(seed)
    labelled = rng.random(8) < 0.8
    labels = (rng.random((8, c)) < 0.4) & labelled[:, None]
    return Bags(rng.standard_normal((20, 2)), rng.integers(0, 8, 20), labels, labelled)


def test_worked_example(worked_bags: Bags) -> None:
    must, cannot = listed(InducedPairs.from_bags(worked_bags, 3))
    assert must == {(0, 1), (0, 2), (1, 2)}
    assert cannot == {(0, 5), (1, 5), (2, 5), (3, 5), (4, 5)}


def test_with_more_clusters_than_classes_only_cannot_links_hold(worked_bags: Bags) -> None:
    must, cannot = listed(InducedPairs.from_bags(worked_bags, 4))
    assert must == set()
    assert len(cannot) == 5
    assert not InducedPairs.from_bags(worked_bags, 4).cliques.has_pairs


def test_fewer_clusters_than_classes_imply_nothing_unless_forced(worked_bags: Bags) -> None:
    message = r"n_clusters=2 is below the number of classes, 3.*use 3 clusters or more, or force"
    with pytest.raises(ClusteringError, match=message):
        InducedPairs.from_bags(worked_bags, 2)
    forced = InducedPairs.from_bags(worked_bags, 2, force=True)
    assert listed(forced) == listed(InducedPairs.from_bags(worked_bags, 3))


@settings(max_examples=40)
@given(st.integers(0, 10_000), st.integers(3, 5), st.sampled_from([1, 3, 20]))
def test_blocks_are_the_pairs_of_table_1(seed: int, k: int, n_classes: int) -> None:
    bags = random_bags(seed, n_classes)
    k = max(k, n_classes)
    pairs = InducedPairs.from_bags(bags, k)
    assert listed(pairs) == table_1(bags, k)
    # Said for pairs and for bags, it is the same.
    rows, columns = np.indices((20, 20)).reshape(2, -1)
    by_bag = pairs.disjoint_from_bags(bags.labels[bags.bag])[:, bags.bag]
    by_pair = pairs.disjoint(bags.labels, bags.bag[rows], columns)
    assert (by_pair.reshape(20, 20) == by_bag).all()


def test_many_pairs_are_looked_at_in_blocks(
    monkeypatch: pytest.MonkeyPatch, worked_bags: Bags
) -> None:
    expected = listed(InducedPairs.from_bags(worked_bags, 3))
    monkeypatch.setattr("algorithms.constraints.pairs._BLOCK_PAIRS", 4)
    assert listed(InducedPairs.from_bags(worked_bags, 3)) == expected


def test_new_bags_join_the_clique_of_their_only_label(worked_bags: Bags) -> None:
    sets = np.array([[1, 0, 0], [1, 1, 0], [0, 0, 0], [0, 0, 1]], dtype=bool)
    assert InducedPairs.from_bags(worked_bags, 3).group_of(sets).tolist() == [0, -1, -1, 2]
    assert InducedPairs.from_bags(worked_bags, 4).group_of(sets).tolist() == [-1] * 4


def test_no_classes_imply_no_pairs() -> None:
    bags = Bags(np.zeros((3, 1)), [0, 0, 1], np.zeros((2, 0)))
    assert listed(InducedPairs.from_bags(bags, 1)) == (set(), set())
    assert only_class(bags.labels).tolist() == [-1, -1]


@pytest.mark.parametrize("shape", [(5,), (5, 2)])
def test_sums_over_cliques(shape: tuple[int, ...]) -> None:
    held: npt.NDArray[np.float64] = np.arange(np.prod(shape), dtype=float).reshape(shape)
    cliques = Cliques(np.array([2, -1, 0, 2, -1]), 4)
    assert cliques.sizes.tolist() == [1, 0, 2, 0]
    asked = np.array([2, -1, 0, 1])
    assert cliques.sizes_of(asked).tolist() == [2, 0, 1, 0]
    zero = np.zeros(shape[1:])
    expected = np.array([held[0] + held[3], zero, held[2], zero])
    np.testing.assert_array_equal(cliques.sums_of(asked, held), expected)
