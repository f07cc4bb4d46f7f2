"""Files that are no tables: told what they are, and what to do."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from birdmodes.errors import LabelError
from birdmodes.labels import read_label_file
from birdmodes.labels.errors import NotLabelsError

TABLE = b"recording,species\na,Wren\n"


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"%PDF-1.4\n1 0 obj\n", "a PDF document.*save the labels as CSV"),
        (b"{\\rtf1 recording,species}", "a document in RTF.*save the labels as CSV"),
        (b"\x89PNG\r\n\x1a\n" + TABLE, "a picture"),
        (b"\xff\xd8\xff\xe0" + TABLE, "a picture"),
        (b"\xef\xbb\xbf\n<!DOCTYPE html>\n<p>Sign in</p>", "a web page.*save the table"),
        (b"<HTML><table>", "a web page"),
        (gzip.compress(TABLE, mtime=0), "a compressed file.*unpack"),
        (b"fLaC" + TABLE, "a sound file"),
        (b"RIFF\n\n\n\nWAVEfmt ", "a sound file"),
        (b'<?xml version="1.0"?>\n<Sequences/>', "an XML file.*save the labels as CSV"),
        (b'{"audio": {"a": 1},\n "n": 2}', "JSON, but neither a table nor AOEF; save the labels"),
    ],
)
def test_what_is_no_table_is_told_with_what_to_do(
    tmp_path: Path, content: bytes, told: str
) -> None:
    path = tmp_path / "labels.csv"
    path.write_bytes(content)
    with pytest.raises(NotLabelsError, match=rf"labels\.csv: {told}"):
        read_label_file(path)


@pytest.mark.parametrize(
    "content",
    ["[" * 100_000, '{"a":' * 100_000, '[{"recording": "a", "species": 1' + "0" * 5000 + "}]"],
    ids=["lists", "objects", "number"],
)
def test_json_that_no_parser_reads_is_told_in_one_line(tmp_path: Path, content: str) -> None:
    path = tmp_path / "l.json"
    path.write_text(content)
    with pytest.raises(LabelError, match=r"^[^\n]*l\.json[^\n]*$") as told:
        read_label_file(path)
    assert len(str(told.value)) < 1000


def test_a_parquet_file_that_is_damaged_is_told_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "l.parquet"
    path.write_bytes(b"PAR1" + bytes(50) + b"PAR1")
    with pytest.raises(LabelError, match=r"^[^\n]*l\.parquet: damaged [^\n]*; make it again$"):
        read_label_file(path)


@pytest.mark.parametrize(
    "whole", [b'[{"recording": "a", "species": "Wren"},\n {"recor', b'{"recor']
)
def test_json_that_is_cut_off_says_where(tmp_path: Path, whole: bytes) -> None:
    path = tmp_path / "l.json"
    path.write_bytes(whole)
    with pytest.raises(LabelError, match=r"l\.json: broken JSON \(.*make it again") as told:
        read_label_file(path)
    assert not isinstance(told.value, NotLabelsError)  # a folder that has it is not read without it


def test_json_lines_that_are_cut_off_say_which_line(tmp_path: Path) -> None:
    path = tmp_path / "l.jsonl"
    path.write_text('{"recording": "a", "species": "Wren"}\n{"recording": "b", "sp')
    with pytest.raises(LabelError, match=r"l\.jsonl, line 2: not JSON"):
        read_label_file(path)


@pytest.mark.parametrize("name", ["[a]", "{a}", "<3", "GIF", "ID", "%"])
def test_tables_may_begin_alike(tmp_path: Path, name: str) -> None:
    path = tmp_path / "labels.csv"
    path.write_text(f"{name} recordings of May\nrecording,species\na,Wren\n")
    assert [entry.species for entry in read_label_file(path).entries] == ["Wren"]
