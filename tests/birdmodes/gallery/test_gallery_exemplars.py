from __future__ import annotations

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from birdmodes.gallery.exemplars import PER_RECORDING, choose_examples, typical_members


def members(recordings: str, confidence: float = 1.0) -> pd.DataFrame:
    """A member per letter; the letter is its recording, the first is the most central."""
    n = len(recordings)
    return pd.DataFrame(
        {
            "syllable": [f"s{number:03}" for number in range(n)],
            "recording": list(recordings),
            "centrality": [1 - number / n for number in range(n)],
            "confidence": confidence,
        }
    )


def chosen(recordings: str, count: int) -> str:
    return "".join(choose_examples(members(recordings), count)["recording"])


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


@given(st.text("abcde", max_size=40), st.integers(1, 15))
def test_as_many_as_wanted_in_order_and_spread(recordings: str, count: int) -> None:
    table = members(recordings)
    examples = choose_examples(table, count)
    assert len(examples) == min(count, len(recordings))
    assert examples["centrality"].is_monotonic_decreasing
    left = table[~table["syllable"].isin(examples["syllable"])]
    taken = examples["recording"].value_counts()
    crowded = taken[taken > PER_RECORDING]
    for recording in set(left["recording"]) - set(crowded.index):
        # others were crowded out only if this one has its share already
        assert crowded.empty or taken[recording] == PER_RECORDING
