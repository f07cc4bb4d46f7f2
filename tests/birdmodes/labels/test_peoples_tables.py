"""Tables as people have them: titles, marks, columns that say whether a species was there."""

from __future__ import annotations

import pytest

from birdmodes.errors import LabelError
from birdmodes.labels.spelling import NOTHING
from tests.birdmodes.labels.conftest import Read


def species(read: Read, text: str) -> dict[str, list[str]]:
    table = read(text)
    return {
        name: [e.species for e in table.entries if e.recording == name and e.species]
        for name in dict.fromkeys(entry.recording for entry in table.entries)
    }


@pytest.mark.parametrize(
    "title", ["# dawn survey\n", "Birds, dawn\n\n", "Birds;;\n;;\n", "Survey of\n2024\n\n"]
)
def test_a_title_above_the_names_of_the_columns_does_no_harm(read: Read, title: str) -> None:
    assert species(read, title + "recording,species\na,Wren\n") == {"a": ["Wren"]}


@pytest.mark.parametrize(
    ("column", "yes", "no"),
    [
        ("present?", "1", "0"),
        ("Presence (0/1)", "1.0", "0.0"),
        ("presence/absence", "P", "A"),
        ("occurrenceStatus", "PRESENT", "ABSENT"),
        ("detection", "detected", "not detected"),
        ("is_absent", "0", "1"),
        ("false_positive", "no", "yes"),
        ("is_valid", "TRUE", "FALSE"),
        ("individualCount", "2", "0"),
        ("effectif", "2,0", "0,0"),
        ("個体数", "3", "0"),
        ("Nachweis", "ja", "nein"),
        ("検出", "あり", "なし"),
        ("status", "confirmed", "rejected"),
        ("verified", "x", ""),
        ("present", "1", ""),
    ],
)
def test_columns_that_deny_a_species(read: Read, column: str, yes: str, no: str) -> None:
    rows = f"recording;species;{column}\na;Wren;{yes}\nb;Wren;{no}\n"
    assert species(read, rows) == {"a": ["Wren"], "b": []}


@pytest.mark.parametrize("cells", ["recorded;recorded", ";"])
def test_a_column_of_something_else_denies_nothing(read: Read, cells: str) -> None:
    first, second = cells.split(";")
    rows = f"recording;species;status\na;Wren;{first}\nb;Wren;{second}\n"
    assert species(read, rows) == {"a": ["Wren"], "b": ["Wren"]}


def test_a_column_that_may_be_a_count_is_told(read: Read) -> None:
    table = read("recording,species,n\na,Wren,0\nb,Wren,2\n")
    assert [entry.species for entry in table.entries] == ["Wren", "Wren"]
    assert "the column 'n', which has zeros, is not used" in table.notes[0]


@pytest.mark.parametrize(
    ("yes", "no"), [("ja", "nein"), ("yes", "no"), ("4", "0"), ("1", "NA"), ("x", "")]
)
def test_a_column_for_each_species_in_peoples_words(read: Read, yes: str, no: str) -> None:
    text = f"file;site;Wren;Robin\na;pond;{yes};{no}\nb;wood;{no};{yes}\n"
    assert species(read, text) == {"a": ["Wren"], "b": ["Robin"]}


def test_columns_of_measurements_are_no_species(read: Read) -> None:
    with pytest.raises(LabelError, match="no column species"):
        read("recording,level,gain\na,0.5,1\nb,2.5,0\n")


@pytest.mark.parametrize("word", ["keine Art", "aucun oiseau", "Ninguna", "なし", "#NV", "0", "?"])
def test_no_species_in_other_languages(word: str) -> None:
    assert word.casefold() in NOTHING
