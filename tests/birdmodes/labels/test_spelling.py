"""One species for spellings that look alike; what separates species in a cell."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from birdmodes.labels.spelling import CellLists, names_in_cell, spelled


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("Swainson&#8217;s Thrush", "Swainson's Thrush"),
        ("Swainson&rsquo;s Thrush", "Swainson's Thrush"),
        ("Swainson`s Thrush", "Swainson's Thrush"),
        ("Swainson\u02bcs  Thrush", "Swainson's Thrush"),
        ("Bar\u2011tailed\u00a0Godwit", "Bar-tailed Godwit"),
        ("Bar\u2212tailed\u2009Godwit ", "Bar-tailed Godwit"),
        ("\ufeffWren\u200b", "Wren"),
        ("Wr\u00aden", "Wren"),
        ("Be\u0301casse", "B\u00e9casse"),
        ("B&eacute;casse", "B\u00e9casse"),
        ("Black & White Warbler", "Black & White Warbler"),
        ("&amp", "&amp"),
        # joiners that the letters of some scripts need are part of the name
        ("\u0645\u06cc\u200c\u062e", "\u0645\u06cc\u200c\u062e"),
    ],
)
def test_look_alikes_are_written_alike(written: str, name: str) -> None:
    assert spelled(written) == name


@given(st.text())
def test_spelling_comes_to_rest_and_is_composed(text: str) -> None:
    once = spelled(text.replace("&", ""))
    assert spelled(once) == once
    assert unicodedata.is_normalized("NFC", once)
    assert once == once.strip()


@pytest.mark.parametrize(
    ("cell", "names"),
    [
        ("Wren; Robin ;Wren", ("Wren", "Robin")),
        ("Wren\r\nRobin", ("Wren", "Robin")),
        ("Cooper&#39;s Hawk;Wren", ("Cooper's Hawk", "Wren")),
        ("['Wren', 'Robin']", ("Wren", "Robin")),
        ("[\"Cooper's Hawk\", 'Wren']", ("Cooper's Hawk", "Wren")),
        ("['Wren' 'Robin']", ("Wren", "Robin")),
        ("['Wren'\n 'Robin']", ("Wren", "Robin")),
        ("{'Wren'}", ("Wren",)),
        ("('Wren', 'Robin')", ("Wren", "Robin")),
        ("[]", ()),
        ("", ()),
        ("(Wren)", ("(Wren)",)),
        ("[song] Wren", ("[song] Wren",)),
        ("Owl, Barn", ("Owl, Barn",)),
    ],
)
def test_names_in_a_cell(cell: str, names: tuple[str, ...]) -> None:
    assert names_in_cell(cell) == names


@pytest.mark.parametrize(
    ("cells", "split"),
    [
        (["Wren, Robin", "Robin, Wren"], ("Wren", "Robin")),
        (["Wren, Robin", "Robin", "Wren"], ("Wren", "Robin")),
        (["Wren / Robin", "Robin", "Wren / Dipper", "Dipper"], ("Wren", "Robin")),
        # where a column is of lists, a name that stands in one of them only is one too
        (["Wren, Robin", "Robin, Wren", "Wren, Dipper"], ("Wren", "Robin")),
    ],
)
def test_what_separates_is_seen_from_the_other_cells(
    cells: list[str], split: tuple[str, ...]
) -> None:
    lists = CellLists(cells)
    assert lists.unclear == []
    assert lists.split(cells[0]) == split


@pytest.mark.parametrize(
    "cells", [["Owl, Barn"], ["Owl, Barn", "Owl, Tawny", "Wren"], ["Rook / Crow", "Wren"]]
)
def test_what_may_be_a_name_is_unclear(cells: list[str]) -> None:
    lists = CellLists(cells)
    assert lists.unclear == [cell for cell in cells if cell != "Wren"]
    assert lists.split(cells[0]) == (cells[0],)


def test_a_slash_without_spaces_is_part_of_a_name() -> None:
    assert CellLists(["Common/Lesser Redpoll", "Wren"]).unclear == []
