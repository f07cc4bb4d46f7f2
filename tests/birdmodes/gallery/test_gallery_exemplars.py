from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from birdmodes.pictures.exemplars import (
    GROUPS,
    PER_RECORDING,
    choose_examples,
    typical_members,
)


def members(recordings: str, confidence: float = 1.0, review: str = "") -> pd.DataFrame:
    """A member per letter; the letter is its recording, the first is the most central.

    The letters of `review` are what a reviewer said of each: g for good, else nothing.
    """
    n = len(recordings)
    table = pd.DataFrame(
        {
            "syllable": [f"s{number:03}" for number in range(n)],
            "recording": list(recordings),
            "centrality": [1 - number / n for number in range(n)],
            "confidence": confidence,
        }
    )
    return table.assign(review=["good" if c == "g" else "" for c in review]) if review else table


def chosen(recordings: str, count: int, group: str = "central") -> str:
    examples = choose_examples(members(recordings), count)
    return "".join(examples.loc[examples["group"] == group, "recording"])


def numbers(examples: pd.DataFrame, group: str) -> list[int]:
    names = examples.loc[examples["group"] == group, "syllable"]
    return [int(name[1:]) for name in names]


def test_the_most_central_come_first_whatever_the_order_of_the_table() -> None:
    table = members("abcd").sample(frac=1, random_state=1)
    assert list(choose_examples(table, 2)["syllable"]) == ["s000", "s001"]


def test_no_more_than_three_of_a_recording_while_others_are_left() -> None:
    assert chosen("aaaaabbc", 6) == "aaabbc"


def test_a_recording_gives_more_when_the_others_have_too_few() -> None:
    assert chosen("aaaaab", 6) == "aaaaab"
    assert chosen("aaaaaaa", 5) == "aaaaa"


def test_members_of_bags_without_the_species_are_not_typical() -> None:
    table = pd.concat([members("ab"), members("cd", confidence=0.0)], ignore_index=True)
    assert list(typical_members(table)["recording"]) == ["a", "b"]


def test_what_a_reviewer_called_good_is_typical_in_any_bag() -> None:
    table = members("abc", confidence=0.0, review="-g-")
    assert list(typical_members(table)["recording"]) == ["b"]


def test_edge_ones_are_the_least_central_and_a_third_as_many() -> None:
    examples = choose_examples(members("abcdefghijklmnopqrst"), 6)
    assert numbers(examples, "central") == [0, 1, 2, 3, 4, 5]
    assert numbers(examples, "edge") == [19, 18]
    assert len(numbers(examples, "random")) == 2
    assert set(numbers(examples, "random")) <= set(range(6, 18))


def test_edge_and_random_ones_come_from_several_recordings() -> None:
    # the central ones are aaabcddd and seven more of a
    recordings = "a" * 30 + "bc" + "d" * 10
    assert chosen(recordings, 15, "edge") == "dddaa"
    assert sorted(chosen(recordings, 15, "random")) == ["a", "a", "a", "d", "d"]


def test_good_ones_come_first_and_are_not_shown_twice() -> None:
    review = "---g----g-----------"
    examples = choose_examples(members("abcdefghijklmnopqrst", review=review), 6)
    assert numbers(examples, "good") == [3, 8]
    assert numbers(examples, "central") == [0, 1, 2, 4, 5, 6]
    assert list(examples["group"].unique()) == list(GROUPS)


def test_random_ones_depend_on_the_syllables_alone() -> None:
    table = members("abcdefghijklmnopqrst" * 5)
    first = numbers(choose_examples(table, 12), "random")
    shuffled = table.sample(frac=1, random_state=2).reset_index(drop=True)
    assert numbers(choose_examples(shuffled, 12), "random") == first
    # Scattered over the whole, not the next most central ones (seen: 4 of 96)
    assert max(first) - min(first) > 20
    other = table.assign(syllable=table["syllable"].str.replace("s", "t", regex=False))
    assert numbers(choose_examples(other, 12), "random") != first


@pytest.mark.parametrize("count", [1, 2])
def test_few_examples_leave_no_room_for_the_other_kinds(count: int) -> None:
    examples = choose_examples(members("abcdefgh"), count)
    assert list(examples["group"]) == ["central"] * count


def test_nothing_to_choose_from() -> None:
    examples = choose_examples(members(""), 12)
    assert examples.empty
    assert "group" in examples


@given(st.text("abcde", max_size=40), st.integers(1, 15))
def test_as_many_as_wanted_in_order_and_spread(recordings: str, count: int) -> None:
    table = members(recordings)
    everything = choose_examples(table, count)
    assert everything["syllable"].is_unique
    assert len(everything) == min(count + 2 * (count // 3), len(recordings))
    examples = everything[everything["group"] == "central"]
    assert len(examples) == min(count, len(recordings))
    assert examples["centrality"].is_monotonic_decreasing
    left = table[~table["syllable"].isin(examples["syllable"])]
    taken = examples["recording"].value_counts()
    crowded = taken[taken > PER_RECORDING]
    for recording in set(left["recording"]) - set(crowded.index):
        # others were crowded out only if this one has its share already
        assert crowded.empty or taken[recording] == PER_RECORDING
