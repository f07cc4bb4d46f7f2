"""One species for spellings that look alike; names that a cell lists."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from birdmodes.labels.spelling import names_in_cell, spelled


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
        ("Swainson&amp;#39;s Thrush", "Swainson's Thrush"),
        ("Bar\ufe58tailed Godwit", "Bar-tailed Godwit"),
        ("\uff8b\uff96\uff84\uff9e\uff98", "\u30d2\u30e8\u30c9\u30ea"),
        ("\uff37\uff52\uff45\uff4e\ufe0f", "Wren"),
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
        ("['Wren', nan]", ("Wren",)),
        ("[None]", ()),
        ("set()", ()),
        ('c("Wren", "Robin")', ("Wren", "Robin")),
        (
            "\u5927\u5c71\u96c0\uff1b\u767d\u5934\u9e4e",
            ("\u5927\u5c71\u96c0", "\u767d\u5934\u9e4e"),
        ),
        ("[]", ()),
        ("", ()),
        ("(Wren)", ("(Wren)",)),
        ("[song] Wren", ("[song] Wren",)),
        ("Owl, Barn", ("Owl, Barn",)),
    ],
)
def test_names_in_a_cell(cell: str, names: tuple[str, ...]) -> None:
    assert names_in_cell(cell) == names
