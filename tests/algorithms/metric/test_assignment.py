"""Assignments of instances to the labels of their bags, against a search bag by bag."""

from __future__ import annotations

import itertools

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from algorithms import Bags
from algorithms.layout import sorted_bags
from algorithms.metric.assignment import BagAssignment

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


def assign(bags: Bags, costs: Floats, limit: int | None, earlier: Floats | None = None) -> Ints:
    """Label of each instance, in the order of `bags`; `costs` is (n_instances, n_classes)."""
    layout = sorted_bags(bags)
    plan = BagAssignment.of(layout, bags.labels, limit)
    of_pair = (layout.order[plan.row], plan.label)
    previous = None if earlier is None else plan.categories(plan.solve(earlier[of_pair]))
    chosen = plan.solve(costs[of_pair], previous)
    categories = np.empty(bags.n_instances, dtype=np.int64)
    categories[layout.order] = plan.categories(chosen)
    return categories


def one_bag(costs: list[list[float]], limit: int | None = 1) -> list[int]:
    """Assign the instances of one bag that has all labels."""
    table = np.array(costs)
    bags = Bags(np.zeros((len(table), 1)), [0] * len(table), [[True] * table.shape[1]])
    return [int(label) for label in assign(bags, table, limit)]


def test_the_cheapest_instance_is_the_only_labels_example() -> None:
    assert one_bag([[3.0], [1.0], [2.0]]) == [-1, 0, -1]


def test_two_labels_that_want_the_same_instance_are_settled_at_least_cost() -> None:
    # 0 -> first and 1 -> second costs 1 + 6, 1 -> first and 0 -> third 2 + 3
    assert one_bag([[1.0, 2.0], [9.0, 6.0], [3.0, 9.0]]) == [1, -1, 0]


def test_with_fewer_instances_than_labels_every_instance_gets_one() -> None:
    assert one_bag([[5.0, 1.0, 7.0]]) == [1]
    assert one_bag([[1.0, 2.0, 9.0], [1.0, 5.0, 9.0]]) == [1, 0]


def test_without_a_limit_every_instance_goes_to_its_cheapest_label() -> None:
    assert one_bag([[1.0, 2.0], [1.0, 2.0], [4.0, 3.0], [1.0, 0.0]], None) == [0, 0, 1, 1]


def test_a_label_may_have_several_instances() -> None:
    assert one_bag([[4.0], [1.0], [3.0], [2.0]], 2) == [-1, 0, -1, 0]
    # all would rather be of label 0, which has room for two: those that lose least go to 1
    assert one_bag([[0.0, 5.0], [0.0, 1.0], [0.0, 4.0], [0.0, 2.0]], 2) == [0, 1, 0, 1]


def test_at_a_tie_the_first_instance_and_label_are_taken() -> None:
    assert one_bag([[1.0], [1.0]]) == [0, -1]
    assert one_bag([[1.0, 1.0]]) == [0]
    assert one_bag([[2.0, 2.0]], None) == [0]


def test_bags_without_labels_or_instances_are_left_out() -> None:
    bags = Bags(np.zeros((3, 1)), [2, 0, 2], [[False], [True], [True]])
    assert assign(bags, np.array([[2.0], [1.0], [1.0]]), 1).tolist() == [-1, -1, 0]
    empty = Bags(np.zeros((0, 1)), [], [[True]])
    assert assign(empty, np.zeros((0, 1)), None).tolist() == []


def test_distances_of_pairs_are_those_of_numpy() -> None:
    rng = np.random.default_rng(0)
    bags = Bags(rng.standard_normal((30, 4)), rng.integers(0, 7, 30), rng.random((7, 3)) < 0.6)
    layout = sorted_bags(bags)
    centres = rng.standard_normal((3, 4))
    plan = BagAssignment.of(layout, bags.labels, 1)
    expected = ((layout.X[plan.row] - centres[plan.label]) ** 2).sum(axis=1)
    squares = (layout.X**2).sum(axis=1)[plan.row]
    found = plan.squared_distances(layout.X, centres, squares)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_what_is_the_best_still_is_kept_without_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[int] = []

    def count(costs: Floats) -> tuple[Ints, Ints]:
        searched.append(len(costs))
        return linear_sum_assignment(costs)

    monkeypatch.setattr("algorithms.metric.assignment.linear_sum_assignment", count)
    bags = Bags(np.zeros((5, 1)), [0] * 5, [[True] * 4])
    costs = np.array([[1.0, 1, 1, 1], [5, 6, 7, 8], [9, 5, 6, 9], [9, 9, 5, 6], [9, 9, 9, 9]])
    first = assign(bags, costs, 1, costs)
    assert len(searched) == 1  # for the earlier costs
    swapped = costs[[0, 3, 2, 1, 4]]
    np.testing.assert_array_equal(assign(bags, swapped, 1, costs), first[[0, 3, 2, 1, 4]])
    assert len(searched) == 3


@st.composite
def problems(draw: st.DrawFn) -> tuple[Bags, Floats, int | None]:
    """Bags of up to 12 instances and 6 labels, and costs with many ties or hardly any."""
    n_bags = draw(st.integers(1, 6))
    n_classes = draw(st.integers(1, 6))
    sizes = draw(st.lists(st.integers(0, 12), min_size=n_bags, max_size=n_bags))
    seed = draw(st.integers(0, 2**32 - 1))
    largest = draw(st.sampled_from([2, 10, 10**6]))
    rng = np.random.default_rng(seed)
    bag = rng.permutation(np.repeat(np.arange(n_bags), sizes))
    labels = rng.random((n_bags, n_classes)) < draw(st.sampled_from([0.3, 0.6, 1.0]))
    costs = rng.integers(0, largest, (len(bag), n_classes)).astype(np.float64)
    return Bags(np.zeros((len(bag), 1)), bag, labels), costs, draw(st.sampled_from([1, 2, 3, None]))


@settings(max_examples=200, deadline=None)
@given(problems(), st.sampled_from([None, 0.0, 0.1, 1.0]))
def test_assignments_are_legal_and_as_cheap_as_the_best(
    problem: tuple[Bags, Floats, int | None], change: float | None
) -> None:
    """Also when an earlier assignment, of somewhat or entirely other costs, is given."""
    bags, costs, limit = problem
    earlier = None
    if change is not None:
        changed = np.random.default_rng(0).random(costs.shape) < change
        earlier = np.where(changed, costs.max(initial=0.0) - costs, costs)
    categories = assign(bags, costs, limit, earlier)
    for m in range(bags.n_bags):
        rows, labels = np.flatnonzero(bags.bag == m), np.flatnonzero(bags.labels[m])
        got = categories[rows]
        room = len(rows) if limit is None else limit
        copies = np.repeat(costs[np.ix_(rows, labels)], room, axis=1)
        best = copies[linear_sum_assignment(copies)]
        assert (got >= 0).sum() == len(best)
        assert set(got[got >= 0]) <= set(labels)
        assert np.bincount(got[got >= 0], minlength=1).max(initial=0) <= room
        assert costs[rows[got >= 0], got[got >= 0]].sum() == best.sum()  # whole numbers: exact


@pytest.mark.parametrize("limit", [1, 2, 3])
@pytest.mark.parametrize("n_changed", [1, 5, 40])
def test_an_earlier_assignment_is_kept_only_where_it_is_the_best(
    limit: int, n_changed: int
) -> None:
    rng = np.random.default_rng(n_changed)
    n_bags, n_classes = 80, 6
    bag = np.repeat(np.arange(n_bags), rng.integers(2, 11, n_bags))
    labels = rng.random((n_bags, n_classes)) < 0.7
    bags = Bags(np.zeros((len(bag), 1)), bag, labels)
    costs = rng.integers(0, 12, (len(bag), n_classes)).astype(np.float64)
    earlier = costs.copy()
    for m in range(n_bags):
        rows = np.flatnonzero(bag == m)
        for _ in range(n_changed):
            earlier[rng.choice(rows), rng.integers(n_classes)] += rng.choice([-3, -1, 1, 3])
    categories = assign(bags, costs, limit, earlier)
    for m in range(n_bags):
        rows, own = np.flatnonzero(bag == m), np.flatnonzero(labels[m])
        copies = np.repeat(costs[np.ix_(rows, own)], limit, axis=1)
        best = copies[linear_sum_assignment(copies)]
        got = categories[rows]
        assert (got >= 0).sum() == len(best)
        assert costs[rows[got >= 0], got[got >= 0]].sum() == best.sum()


@settings(max_examples=60, deadline=None)
@given(problems(), st.integers(0, 2**32 - 1))
def test_other_bags_and_their_numbers_do_not_matter(
    problem: tuple[Bags, Floats, int | None], seed: int
) -> None:
    bags, costs, limit = problem
    number = np.random.default_rng(seed).permutation(bags.n_bags)
    labels = np.empty_like(bags.labels)
    labels[number] = bags.labels
    renumbered = Bags(bags.X, number[bags.bag], labels)
    categories = assign(bags, costs, limit)
    np.testing.assert_array_equal(assign(renumbered, costs, limit), categories)
    alone = bags.bag == 0
    one = Bags(bags.X[alone], np.zeros(alone.sum(), dtype=np.int64), bags.labels[:1])
    np.testing.assert_array_equal(assign(one, costs[alone], limit), categories[alone])


def test_three_labels_are_settled_as_by_trying_all_permutations() -> None:
    rng = np.random.default_rng(3)
    for _ in range(50):
        costs = rng.random((3, 3)) * [1.0, 0.1, 0.1]
        costs[0] = 0.0  # all want the first instance
        found = one_bag(costs.tolist())
        cheapest = min(
            itertools.permutations(range(3)), key=lambda p: sum(costs[i, p[i]] for i in range(3))
        )
        assert tuple(found) == cheapest
