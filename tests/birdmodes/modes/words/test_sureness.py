"""How sure the name of a mode is."""

from __future__ import annotations

from typing import Any

import pytest

from birdmodes.modes.words import LEVELS, Sureness, how_sure, how_sure_elsewhere
from birdmodes.modes.words.sureness import GUESS, WORDS, Evidence


def sure(**values: Any) -> Sureness:
    usual = {
        "species": "Wren",
        "confidence": 0.9,
        "p_value": 0.0004,
        "recordings": 8,
        "listing_with": 8,
        "listing": 10,
        "others_with": 0,
        "others": 30,
    }
    return how_sure(Evidence(**(usual | values)))


def test_the_words_go_from_a_guess_to_sure() -> None:
    assert WORDS == ("a guess", "likely", "sure")
    assert [Sureness(word, ()).level for word in WORDS] == [1, 2, 3]


@pytest.mark.parametrize("level", LEVELS, ids=lambda level: level.word)
@pytest.mark.parametrize("name", ["confidence", "p_value", "recordings"])
def test_a_level_asks_for_all_of_its_row(level: Any, name: str) -> None:
    enough = {key: getattr(level, key) for key in ("confidence", "p_value", "recordings")}
    assert sure(**enough).word == level.word
    step = {"confidence": -0.01, "p_value": 0.001, "recordings": -1}[name]
    assert sure(**{**enough, name: enough[name] + step}).level < Sureness(level.word, ()).level


def test_what_is_not_known_speaks_for_nothing() -> None:
    assert sure(confidence=None).word == GUESS
    assert sure(p_value=None).word == GUESS


def test_a_name_that_a_person_gave_is_sure() -> None:
    found = sure(confidence=0.1, p_value=1.0, twin="Owl", named_by_person=True)
    assert found.word == "sure"
    assert found.reasons[0] == "Somebody has listened to it and said so."


def test_species_that_are_always_listed_together_are_guesses() -> None:
    found = sure(twin="Owl", rival="Owl", rival_with=8)
    assert found.word == GUESS
    assert found.reasons[-1] == (
        "Owl is listed for the same recordings: nothing tells which of the two calls."
    )
    assert len(found.reasons) == 3  # said once


def test_reasons_tell_where_it_was_found() -> None:
    assert sure().reasons == (
        "In 8 of the 10 recordings that list Wren, and in none of the 30 others.",
        "Chance alone would do that less than once in 1,000 times.",
    )
    first = sure(listing_with=10, others_with=2).reasons[0]
    assert first == "In all 10 recordings that list Wren, and in 2 of the 30 others."
    first = sure(listing_with=2, listing=2, others=0).reasons[0]
    assert first == "In both recordings that list Wren."
    first = sure(listing_with=1, listing=1, others_with=1, others=1).reasons[0]
    assert first == "In the only recording that lists Wren, and in the other one."


def test_reasons_tell_what_a_better_word_would_take() -> None:
    found = sure(confidence=0.7999)
    assert (found.word, found.reasons[-1]) == (
        "likely",
        "Its confidence is 0.79: sure takes 0.8.",
    )
    assert sure(recordings=2).reasons[-1] == "It is in 2 recordings: sure takes 3."
    found = sure(confidence=0.3, recordings=2)
    assert (found.word, found.reasons[-1]) == (
        "a guess",
        "Its confidence is 0.3: likely takes 0.5.",
    )


@pytest.mark.parametrize(
    ("p_value", "words"),
    [
        (0.0009, "less than once in 1,000"),
        (0.02, "about once in 50"),
        (0.2, "about 20 times in 100"),
    ],
)
def test_chance_is_told_in_words(p_value: float, words: str) -> None:
    assert words in sure(p_value=p_value).reasons[1]


def test_rivals_and_single_recordings_are_told() -> None:
    assert sure(rival="Owl", rival_with=8).reasons[-1] == (
        "Owl is listed in all of these 8 too: it may be the one that calls."
    )
    assert "Owl is listed in 5 of these 8" in sure(rival="Owl", rival_with=5).reasons[-1]
    single = sure(recordings=1, listing_with=1, rival="Owl", rival_with=1)
    assert single.word == GUESS
    assert single.reasons[-2].startswith("All are of one recording")
    assert single.reasons[-1].startswith("Owl is listed there too")


def test_names_from_elsewhere_are_as_sure_as_their_scores_proved_to_be() -> None:
    said = [how_sure_elsewhere(right, 3).word for right in (0.95, 0.9, 0.89, 0.7, 0.69, None)]
    assert said == ["sure", "sure", "likely", "likely", "a guess", "a guess"]
    sure = how_sure_elsewhere(0.95, 1)
    assert "95 in 100" in sure.reasons[0]
    assert "one recording" in sure.reasons[1]
    assert not any("listened" in reason for reason in sure.reasons)
