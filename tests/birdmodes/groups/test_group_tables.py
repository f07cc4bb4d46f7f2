"""Groups in their order, their species and typical syllables, and their figures."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import fisher_exact

from algorithms import Bags
from birdmodes.groups.make_up import species_make_up, top_species
from birdmodes.groups.metrics import bag_silhouette, group_metrics
from birdmodes.groups.tables import by_recording, compact_groups, ranks
from birdmodes.groups.typical import MOST_SYLLABLES, of_neighbours, of_witnesses
from birdmodes.workspace.bags import bag_times, bags_table


def bags_of(
    X: npt.ArrayLike,
    bag: npt.ArrayLike,
    labels: npt.ArrayLike | None = None,
    labelled: npt.ArrayLike | None = None,
) -> Bags:
    """Bags of one feature, without classes unless told; these are called S0, S1 ..."""
    numbers = np.asarray(bag)
    sets = np.zeros((numbers.max(initial=-1) + 1, 0), bool) if labels is None else labels
    names = [f"S{n}" for n in range(np.asarray(sets).shape[1])]
    return Bags(np.asarray(X).reshape(-1, 1), numbers, sets, labelled, names)


@given(st.lists(st.integers(-1, 5), min_size=1, max_size=30))
def test_groups_are_numbered_by_size_then_by_their_first_bag(labels: list[int]) -> None:
    group = compact_groups(np.array(labels))
    sizes, first = [], []
    for number in range(int(group.max()) + 1):
        members = np.flatnonzero(group == number)
        assert len({labels[member] for member in members}) == 1
        sizes.append(-len(members))
        first.append(members[0])
    assert list(zip(sizes, first, strict=True)) == sorted(zip(sizes, first, strict=True))
    assert [number < 0 for number in group] == [label < 0 for label in labels]


def test_ranks_fall_with_strength_within_each_group() -> None:
    group = np.array([0, 1, 0, 0, -1, 0])
    strength = np.array([0.5, 9.0, np.nan, 0.7, np.nan, 0.5])
    assert ranks(group, strength).tolist() == [2, 1, 4, 1, 0, 3]


def test_bags_lie_where_their_clip_does() -> None:
    recordings = pd.DataFrame(
        {
            "recording": ["a", "b", "c"], "bag_unit": ["clip", "recording", "clip"],
            "n_clips": [3, 4, 0], "duration_s": [30.5, 38.0, 0.1], "labelled": True,
            "species": "", "clip_species": [None, None, None],
        }
    )  # fmt: skip
    assert bags_table(recordings)["bag"].tolist() == ["a#0", "a#1", "a#2", "b"]
    start_s, end_s = bag_times(recordings, 10.0)
    assert start_s.tolist() == [0.0, 10.0, 20.0, 0.0]
    assert end_s.tolist() == [10.0, 20.0, 30.5, 38.0]


def test_the_make_up_is_counted_and_tested_against_chance() -> None:
    # Six bags in group 0, four in group 1; one of group 1 is unlabelled, the last is in no group.
    group = np.array([0] * 6 + [1] * 4 + [-1])
    labels = np.zeros((11, 2), bool)
    labels[:5, 0] = True  # five of group 0 have species S0
    labels[[5, 6], 1] = True  # one of each group has S1
    labels[10] = True
    labelled = np.array([True] * 9 + [False, True])
    labels[9] = False
    table = species_make_up(group, bags_of(np.zeros(10), np.arange(10), labels, labelled))
    assert table[["group", "species", "bags_with", "bags_labelled"]].to_numpy().tolist() == [
        [0, "S0", 5, 6], [0, "S1", 1, 6], [1, "S1", 1, 3],
    ]  # fmt: skip
    assert table["share"].tolist() == pytest.approx([5 / 6, 1 / 6, 1 / 3], abs=1e-6)
    assert table["lift"].tolist() == pytest.approx([1.5, 0.75, 1.5], abs=1e-6)
    p_first = fisher_exact(np.array([[5, 0], [1, 3]]), alternative="greater").pvalue
    p_last = fisher_exact(np.array([[1, 1], [2, 5]]), alternative="greater").pvalue
    assert table["p_value"].tolist() == pytest.approx([p_first, 1, p_last], rel=1e-5)
    # Four tests in all: those of species that a group lacks have p = 1.
    assert table["q_value"].tolist() == pytest.approx([4 * p_first, 1, 1], rel=1e-5)
    assert top_species(table, 3) == [
        "none stands out (S0 83 %)", "none stands out (S1 33 %)", "",
    ]  # fmt: skip


def test_species_that_stand_out_are_named_the_surest_first() -> None:
    labels = np.zeros((40, 3), bool)
    labels[:20, 0] = True
    labels[:14, 1] = True
    labels[:, 2] = True  # everywhere: of no group
    bags = bags_of(np.zeros(40), np.arange(40), labels)
    make_up = species_make_up(np.repeat([0, 1], 20), bags)
    assert top_species(make_up, 2) == ["S0 100 %, S1 70 %", "none stands out (S2 100 %)"]


def test_without_labels_nothing_is_said_of_species() -> None:
    bags = bags_of(np.zeros(4), np.arange(4), np.zeros((4, 0), bool), np.zeros(4, bool))
    table = species_make_up(np.array([0, 0, 1, 1]), bags)
    assert table.empty
    assert top_species(table, 2) == ["", ""]


def test_witnesses_of_the_strongest_bags_are_typical() -> None:
    group = np.array([0, 0, 1, -1, 0])
    strength = np.array([1.0, 3.0, 2.0, np.nan, 2.0])
    chosen = of_witnesses(group, strength, np.array([4, 6, 8, -1, 9]))
    assert [rows.tolist() for rows in chosen] == [[6, 9, 4], [8]]


def test_typical_are_syllables_whose_like_are_in_the_groups_other_bags() -> None:
    rng = np.random.default_rng(0)
    # Ten bags, five of each group. Every bag has 4 syllables of its group's kind (at 0 or 100),
    # 4 that all bags have (at 50), and bag 0 repeats a kind that no other has (at 1000).
    bag = np.repeat(np.arange(10), 8)
    group = np.repeat([0, 1], 5)
    own = np.where(np.arange(80) % 8 < 4, 100.0 * group[bag], 50.0)
    X = np.r_[own + rng.normal(0, 1, 80), 1000 + rng.normal(0, 1, 40)]
    bag = np.r_[bag, np.zeros(40, dtype=int)]
    chosen = of_neighbours(group, bags_of(X, bag), seed=0)
    for number, rows in enumerate(chosen):
        assert len(rows) == 10  # two of each of the five bags
        assert np.bincount(bag[rows]).max() == 2
        assert (group[bag[rows]] == number).all()
        # 15 like ones in other bags of the group speak for each
        assert (np.abs(X[rows] - 100.0 * number) < 10).all()


def test_a_group_of_one_bag_has_typical_syllables_far_from_others() -> None:
    group = np.array([0, 0, 1])
    X = np.r_[np.arange(40) / 40, np.arange(40) / 40, np.full(20, 0.5), 9.0 + np.arange(40) / 40]
    bag = np.r_[np.repeat([0, 1], 40), np.full(60, 2)]
    rows = of_neighbours(group, bags_of(X, bag), seed=0)[1]
    assert len(rows) == 2
    assert (X[rows] > 8).all()


def test_few_syllables_are_no_problem() -> None:
    (row,) = of_neighbours(np.array([0]), bags_of([1.0], [0]), seed=0)
    assert row.tolist() == [0]
    bags = bags_of(np.arange(200.0), np.arange(200))
    (rows,) = of_neighbours(np.zeros(200, dtype=int), bags, seed=0)
    assert len(rows) == MOST_SYLLABLES


def test_a_recording_is_of_the_group_of_most_of_its_clips() -> None:
    assignments = pd.DataFrame(
        {
            "recording": ["a", "a", "a", "b", "b", "c"], "group": [1, 0, 1, 2, 1, -1],
            "species": ["Owl", "", "Wren;Owl", "", "", ""],
            "labelled": [True, True, True, False, False, True],
        }
    )  # fmt: skip
    table = by_recording(assignments)
    assert table["group"].tolist() == [1, 1, -1]
    assert table["grouped"].tolist() == [3, 2, 0]
    assert table["share"].tolist()[:2] == pytest.approx([2 / 3, 0.5], abs=1e-6)
    assert np.isnan(table["share"].iloc[2])
    assert table["species"].tolist() == ["Owl;Wren", "", ""]
    assert table["labelled"].tolist() == [True, False, True]


def test_the_silhouette_is_that_of_the_average_hausdorff_distance() -> None:
    # Bags {0}, {1, 3}, {10}, {12}, in groups 0, 0, 1, 1. Average Hausdorff distances: the mean of
    # all syllables' distances to the nearest of the other bag: 0-1: (1 + 1 + 3) / 3,
    # 0-2: 10, 0-3: 12, 1-2: (9 + 7 + 7) / 3, 1-3: (11 + 9 + 9) / 3, 2-3: 2.
    bags = bags_of([0.0, 1.0, 3.0, 10.0, 12.0], [0, 1, 1, 2, 3], np.zeros((5, 0), bool))
    group = np.array([0, 0, 1, 1, -1])
    d01, d02, d03, d12, d13, d23 = 5 / 3, 10.0, 12.0, 23 / 3, 29 / 3, 2.0
    a = [d01, d01, d23, d23]
    b = [(d02 + d03) / 2, (d12 + d13) / 2, (d02 + d12) / 2, (d03 + d13) / 2]
    expected = np.mean([1 - near / far for near, far in zip(a, b, strict=True)])
    assert bag_silhouette(bags, group, seed=0) == pytest.approx(expected)


def test_figures_are_of_the_bags_that_have_a_group() -> None:
    labels = np.zeros((13, 2), bool)
    labels[:6, 0] = labels[6:12, 1] = True
    labels[0, 1] = True  # two species: does not count for the agreement
    bags = bags_of(np.arange(12.0), np.arange(12), labels, [True] * 12 + [False])
    group = np.array([0] * 6 + [1] * 6 + [-1])
    same, other = group.copy(), np.array([0, 1] * 6 + [-1])
    values = group_metrics(bags, group, seed=0, repetitions=[same, 1 - same])
    assert (values["groups"], values["bags"], values["bags_without_syllables"]) == (2, 13, 1)
    assert values["largest_group_share"] == 0.5
    assert (values["label_nmi"], values["label_ari"], values["stability"]) == (1.0, 1.0, 1.0)
    assert values["unlabelled_bag_share"] == pytest.approx(1 / 13, abs=1e-6)
    # 3 and 3 of each: of the 15 + 15 pairs within and 36 across, ARI is (12 - 30 * 30 / 66) /
    # (30 - 30 * 30 / 66)
    chance = 30 * 30 / 66
    values = group_metrics(bags, group, seed=0, repetitions=[other])
    assert values["stability"] == pytest.approx((12 - chance) / (30 - chance), abs=1e-6)


def test_few_single_species_bags_and_single_groups_have_no_figures() -> None:
    labels = np.zeros((9, 2), bool)
    labels[:5, 0] = labels[5:, 1] = True
    bags = bags_of(np.arange(9.0), np.arange(9), labels)
    values = group_metrics(bags, np.zeros(9, dtype=int), seed=0, repetitions=[])
    assert values["silhouette"] is values["stability"] is values["label_nmi"] is None


def test_the_silhouette_of_many_large_bags_is_taken_over_a_sample() -> None:
    rng = np.random.default_rng(1)
    bag = np.repeat(np.arange(500), 2)
    bag = np.r_[bag, np.zeros(300, dtype=int)]
    group = np.arange(500) % 2
    X = 20.0 * group[bag] + rng.normal(0, 1, len(bag))
    bags = bags_of(X, bag)
    first = bag_silhouette(bags, group, seed=0)
    assert first is not None
    assert first > 0.8
    assert bag_silhouette(bags, group, seed=0) == first
    assert bag_silhouette(bags, group, seed=1) != first
