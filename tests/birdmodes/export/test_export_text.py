from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from birdmodes.export.text import one_line, tab_cell
from birdmodes.io.formula_guard import guarded, guarded_path, unguarded


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Robin", "Robin"),
        ("=1+1", "'=1+1"),
        ("+1", "'+1"),
        ("-1", "'-1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("  =1", "'  =1"),
        ("\t=1", "'\t=1"),
        ("＝1", "'＝1"),
        ("'=1", "''=1"),
        ("'s Graven", "'s Graven"),
        ("Red-tailed + others", "Red-tailed + others"),
        ("", ""),
    ],
)
def test_only_what_would_be_a_formula_gets_an_apostrophe(name: str, expected: str) -> None:
    assert guarded(name) == expected


@given(st.text() | st.from_regex(r"\A['\s]*[=+\-@].*"))
def test_the_apostrophe_can_be_taken_off_again(name: str) -> None:
    assert unguarded(guarded(name)) == name
    assert guarded(name).strip()[:1] not in {"=", "+", "-", "@"} or not name


def test_a_path_stays_the_same_file() -> None:
    assert guarded_path("-x.wav") == "./-x.wav"
    assert guarded_path("a/-x.wav") == "a/-x.wav"


def test_line_ends_of_every_kind_become_one_space() -> None:
    assert one_line("a\r\n\tb\x0bc\x1cd\x85e\u2028f\0g") == "a b c d e f g"


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=1, max_size=4))
def test_tab_cells_are_read_back_by_a_csv_reader(names: list[str]) -> None:
    line = "\t".join(tab_cell(name) for name in ["", *names]) + "\n"
    read = list(csv.reader(io.StringIO(line, newline=""), delimiter="\t", strict=True))
    assert [unguarded(cell) for cell in read[0][1:]] == [one_line(name) for name in names]
    assert len(line.splitlines()) == 1
