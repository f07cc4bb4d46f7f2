"""Tables with hostile names, written and taken apart again."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pandas as pd
import pytest

from birdmodes.io.csv_writer import to_csv

NAMES = ["plain", "a\rb", "\r", "a\r\nb", 'a"\r', "a,b", "a\nb", ""]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_with_a_line_end_stays_one_cell(name: str, tmp_path: Path) -> None:
    table = pd.DataFrame({"name": [name, "Wren"], "number": [1, 2], "share": [0.25, 0.5]})
    path = tmp_path / "table.csv"
    to_csv(path, table)
    with path.open(encoding="utf-8", newline="") as file:
        assert list(csv.reader(file)) == [
            ["name", "number", "share"],
            [name, "1", "0.25"],
            ["Wren", "2", "0.5"],
        ]
    read = pd.read_csv(io.BytesIO(path.read_bytes()), keep_default_na=False)
    pd.testing.assert_frame_equal(read, table)


def test_names_without_line_ends_have_quotes_only_where_needed(tmp_path: Path) -> None:
    to_csv(tmp_path / "t.csv", pd.DataFrame({"a": ["x", "y,z"], "b": [1.0, 0.125]}))
    assert (tmp_path / "t.csv").read_bytes() == b'a,b\nx,1.0\n"y,z",0.125\n'


@pytest.mark.parametrize("quoted", [False, True])
@pytest.mark.parametrize("columns", [["s", "c", "x", "n"], ["s", "b"], ["s"], ["x", "m"]])
def test_tables_are_written_as_pandas_writes_them(
    columns: list[str], quoted: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("birdmodes.io.csv_writer.ROWS", 2)
    table = pd.DataFrame(
        {
            "s": ["a", None, "", 'b"c', "=d, e"],
            "c": pd.Categorical(["x,y", "z", "z", "x,y", None]),
            "x": [1.0, float("nan"), 1e-7, 0.1, 123456.75],
            "n": [1, 2, -3, 4, 5],
            "b": [True, False, True, True, False],
            "m": pd.Series(["a", 1, None, 2.5, True], dtype=object),
        }
    )[columns]
    path = tmp_path / "t.csv"
    to_csv(path, table.iloc[:3], quoted=quoted, encoding="utf-8-sig", missing="NA")
    to_csv(path, table.iloc[3:], quoted=quoted, encoding="utf-8-sig", missing="NA", append=True)
    rule = csv.QUOTE_NONNUMERIC if quoted else csv.QUOTE_MINIMAL
    text = table.to_csv(index=False, lineterminator="\n", quoting=rule, na_rep="NA")
    assert path.read_text(encoding="utf-8-sig") == text


def test_whole_numbers_stay_whole_where_some_are_missing(tmp_path: Path) -> None:
    table = pd.DataFrame({"site": ["a", "b"], "day": pd.array([1, None], dtype="Int64")})
    to_csv(tmp_path / "t.csv", table)
    assert (tmp_path / "t.csv").read_bytes() == b"site,day\na,1\nb,\n"
