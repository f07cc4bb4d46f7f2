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
