"""Delimited text of every sort."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from birdmodes.errors import LabelError
from birdmodes.io.numbers import Numbers
from birdmodes.io.tables import Table, read_rows

HERE = Path("t.csv")


def table(text: str) -> Table:
    return Table(HERE, text, LabelError)


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_cells_are_separated_as_the_first_line_has_them(delimiter: str, end: str) -> None:
    lines = ["", "Name , Low*", "Owl,1", "", '"Owl; Barn",2', ","]
    text = end.join(line.replace(",", delimiter) for line in lines) + end
    found = table(text)
    assert found.header.names == ("Name", "Low*")
    assert found.header.keys == ("name", "low")
    assert list(found.rows()) == [(3, ["Owl", "1"]), (5, ["Owl; Barn", "2"])]
    assert list(found.records(["low"], ["name", "x"])) == [
        (3, {"low": "1", "name": "Owl", "x": ""}),
        (5, {"low": "2", "name": "Owl; Barn", "x": ""}),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,c\n", r"t.csv: no column b \(found: a, c\); .*'a,b'"),
        ("a,b\n1,2,3\n", "t.csv, line 2: more cells than columns; put names that contain a comma"),
        ("a;b\n1;2;3\n", "t.csv, line 2: more cells than columns; put several names in a cell in"),
        ('a,b\n1,"2"3\n', "t.csv, line 2: not a CSV table .*quote"),
        ('a,b\n1,2\n"3,4\n5,6\n', "t.csv, line 3: not a CSV table .*quote"),
    ],
)
def test_what_is_wrong_with_a_table_is_told(text: str, message: str) -> None:
    with pytest.raises(LabelError, match=message):
        list(table(text).records(["a", "b"]))


@pytest.mark.parametrize(
    "text",
    [
        "sep=|\na|b\n1|x, y\n",
        "a|b\n1|x, y\n",
        # R leaves out the name of the column of row names
        '"a","b"\n"7",1,"x, y"\n',
        '"a"\t"b"\n"7"\t1\t"x, y"\n',
    ],
)
def test_tables_in_bars_and_tables_of_r(text: str) -> None:
    (row,) = table(text).records(["a", "b"])
    assert row[1] == {"a": "1", "b": "x, y"}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_tables_are_read_in_the_encodings_of_spreadsheets(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "t.txt"
    path.write_bytes("von\tzu\r\nGrünfink\tUhu\r\n".encode(encoding))
    assert list(read_rows(path, ["von"], LabelError)) == [(2, {"von": "Grünfink"})]


@pytest.mark.parametrize(
    ("cell", "value"),
    [("1", 1.0), ("-1.5e2", -150.0), (".5", 0.5), ("1,5", 1.5), (",5", 0.5), ("-0,25E1", -2.5)],
)
def test_numbers_have_points_or_commas(cell: str, value: float) -> None:
    assert Numbers(HERE, LabelError).read(2, "x", cell) == value


@pytest.mark.parametrize(
    "cell",
    ["one", "1.000,5", "1,000.5", "1,2,3", "nan", "inf", "1e999", "1_000", "١", "1 5", "--1"],
)
def test_other_cells_are_no_numbers(cell: str) -> None:
    with pytest.raises(LabelError, match=r"t\.csv, line 2: 'x' is '.*', which is not .*; mend"):
        Numbers(HERE, LabelError).read(2, "x", cell, "; mend it")


def test_points_and_commas_in_one_file_are_refused() -> None:
    numbers = Numbers(HERE, LabelError)
    assert [numbers.read(line, "x", cell) for line, cell in ((2, "3"), (3, "0,5"), (4, "2,125"))]
    with pytest.raises(LabelError, match=r"line 5: 'x' is '2\.5'; .*line 5\) as well.*line 3\)"):
        numbers.read(5, "x", "2.5")


@given(st.floats(-1e6, 1e6).map(lambda value: round(value, 6)))
def test_what_python_writes_is_read(value: float) -> None:
    assert Numbers(HERE, LabelError).read(1, "x", repr(value)) == value
    assert Numbers(HERE, LabelError).read(1, "x", repr(value).replace(".", ",")) == value
