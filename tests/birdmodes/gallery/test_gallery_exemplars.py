from __future__ import annotations

import dataclasses
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from birdmodes.modes.words import ModeWords
from birdmodes.modes.words.series import Series
from birdmodes.pictures.exemplars import (
    GROUPS,
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


def chosen(recordings: str, count: int, group: str = "clear") -> str:
    examples = choose_examples(members(recordings), count)
    return "".join(examples.loc[examples["group"] == group, "recording"])


def numbers(examples: pd.DataFrame, group: str) -> list[int]:
    names = examples.loc[examples["group"] == group, "syllable"]
    return [int(name[1:]) for name in names]


def test_the_most_central_come_first_whatever_the_order_of_the_table() -> None:
    table = members("abcd").sample(frac=1, random_state=1)
    assert list(choose_examples(table, 2)["syllable"]) == ["s000", "s001"]


def test_one_of_each_recording_comes_before_a_second_of_any() -> None:
    assert chosen("aaaaabbc", 6) == "abcaba"
    assert chosen("aaaaab", 6) == "abaaaa"
    assert chosen("aaaaaaa", 5) == "aaaaa"


def test_members_of_bags_without_the_species_are_not_typical() -> None:
    table = pd.concat([members("ab"), members("cd", confidence=0.0)], ignore_index=True)
    assert list(typical_members(table)["recording"]) == ["a", "b"]


def test_what_a_reviewer_called_good_is_typical_in_any_bag() -> None:
    table = members("abc", confidence=0.0, review="-g-")
    assert list(typical_members(table)["recording"]) == ["b"]


def test_edge_ones_are_the_least_central_and_a_third_as_many() -> None:
    examples = choose_examples(members("abcdefghijklmnopqrst"), 6)
    assert numbers(examples, "clear") == [0, 1, 2, 3, 4, 5]
    assert numbers(examples, "edge") == [19, 18]
    assert len(numbers(examples, "random")) == 2
    assert set(numbers(examples, "random")) <= set(range(6, 18))


def test_edge_and_random_ones_come_from_several_recordings() -> None:
    # of fifteen: b, c, and of a and d one after the other
    recordings = "a" * 30 + "bc" + "d" * 10
    assert chosen(recordings, 15, "edge") == "dadad"
    assert sorted(chosen(recordings, 15, "random")) == ["a", "a", "a", "a", "d"]


def test_good_ones_come_first_and_are_not_shown_twice() -> None:
    review = "---g----g-----------"
    examples = choose_examples(members("abcdefghijklmnopqrst", review=review), 6)
    assert numbers(examples, "good") == [3, 8]
    assert numbers(examples, "clear") == [0, 1, 2, 4, 5, 6]
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
    assert list(examples["group"]) == ["clear"] * count


def test_nothing_to_choose_from() -> None:
    examples = choose_examples(members(""), 12)
    assert examples.empty
    assert "group" in examples


@given(st.text("abcde", max_size=40), st.integers(1, 15))
def test_as_many_as_wanted_and_spread(recordings: str, count: int) -> None:
    table = members(recordings)
    everything = choose_examples(table, count)
    assert everything["syllable"].is_unique
    assert len(everything) == min(count + 2 * (count // 3), len(recordings))
    examples = everything[everything["group"] == "clear"]
    assert len(examples) == min(count, len(recordings))
    # nothing is shown twice while another recording has more left
    turn = examples.groupby("recording").cumcount()
    assert turn.is_monotonic_increasing
    for _, rows in examples.groupby(turn.to_numpy()):
        assert rows["centrality"].is_monotonic_decreasing


# --- loud and by itself as well as central ---

WHISTLE = ModeWords("Flat whistle", "flat", "whistle", 4000.0, 3900.0, 4100.0, 0.2, 0.0, Series())


def sounds(recordings: str, **changed: Any) -> pd.DataFrame:
    """Members that are all as the words say, 20 dB above the noise, alone and in no series."""
    table = members(recordings).assign(
        level_db=20.0, isolation_db=5.0, pitch_hz=4000.0, shape="flat", truncated=False
    )
    table["run"] = range(len(table))
    for name, values in changed.items():
        table[name] = values
    return table


def clear(table: pd.DataFrame, count: int = 3) -> list[int]:
    return numbers(choose_examples(table, count, WHISTLE), "clear")


def test_a_loud_syllable_comes_before_a_more_central_faint_one() -> None:
    assert clear(sounds("abc", level_db=[9.0, 30.0, 20.0])) == [1, 2, 0]


def test_faint_ones_are_last_even_if_they_are_of_other_recordings() -> None:
    # at least 15 dB where the mode has such: two of a, then the faint one of b
    assert clear(sounds("aab", level_db=[30.0, 20.0, 12.0])) == [0, 1, 2]


def test_of_loud_ones_one_of_each_recording_comes_first() -> None:
    assert clear(sounds("aaab", level_db=[40.0, 35.0, 30.0, 16.0]), 4) == [0, 3, 1, 2]


def test_what_sounds_alone_comes_before_what_is_covered() -> None:
    assert clear(sounds("abc", isolation_db=[-10.0, 12.0, 0.0])) == [1, 2, 0]


def test_what_is_not_as_the_words_say_comes_later() -> None:
    assert clear(sounds("abc", shape=["trill", "flat", "flat"])) == [1, 2, 0]
    assert clear(sounds("abc", pitch_hz=[5000.0, 4100.0, 4000.0])) == [1, 2, 0]
    assert clear(sounds("abc", truncated=[True, False, False])) == [1, 2, 0]


def test_no_two_of_one_series_while_there_are_others() -> None:
    assert clear(sounds("aaab", run=[0, 0, 1, 2]), 4) == [0, 3, 2, 1]


def test_varied_modes_have_examples_of_any_shape() -> None:
    varied = dataclasses.replace(WHISTLE, title="Varied notes", shape="")
    table = sounds("abc", shape=["trill", "flat", "buzz"])
    assert numbers(choose_examples(table, 3, varied), "clear") == [0, 1, 2]


def test_good_ones_are_sorted_by_clearness() -> None:
    table = sounds("abc", level_db=[16.0, 40.0, 20.0]).assign(review=["good", "good", ""])
    examples = choose_examples(table, 3, WHISTLE)
    assert numbers(examples, "good") == [1, 0]
    assert numbers(examples, "clear") == [2]
