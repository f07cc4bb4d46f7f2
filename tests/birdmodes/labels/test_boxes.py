"""Boxes in tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from birdmodes.errors import ModelError
from birdmodes.labels.formats.boxes import Box, read_boxes

RAVEN = (
    "Selection\tView\tChannel\tBegin Time (s)\tEnd Time (s)\tLow Freq (Hz)\tHigh Freq (Hz)\tnote\n"
    "1\tSpectrogram 1\t1\t1.5\t2.5\t1000.0\t2000.0\tsong\n"
    "1\tWaveform 1\t1\t1.5\t2.5\t1000.0\t2000.0\tsong\n"
    "2\tSpectrogram 1\t1\t3\t4.25\t500\t750\n"
)
SONG, CALL = Box(1.5, 2.5, 1000.0, 2000.0), Box(3.0, 4.25, 500.0, 750.0)


def test_raven_tables_name_their_recording_by_their_own_name(tmp_path: Path) -> None:
    for name in ("a.Table.1.selections.txt", "a.selections.txt", "a.txt"):
        (tmp_path / name).write_text(RAVEN, newline="")
        assert read_boxes(tmp_path / name, ModelError) == {"a": [SONG, CALL]}
    (tmp_path / "e.Table.1.selections.txt").write_text(RAVEN.partition("\n")[0] + "\n")
    assert read_boxes(tmp_path / "e.Table.1.selections.txt", ModelError) == {"e": []}


def test_raven_tables_over_several_files_count_from_the_start_of_each(tmp_path: Path) -> None:
    (tmp_path / "all.txt").write_text(
        "Begin Time (s)\tEnd Time (s)\tLow Freq (Hz)\tHigh Freq (Hz)\tBegin File\t"
        "File Offset (s)\r\n"
        "1.5\t2.5\t1000\t2000\ta.wav\t1.5\r\n"
        "13.0\t14.25\t500\t750\tb.wav\t3.0\r\n",
        newline="",
    )
    assert read_boxes(tmp_path / "all.txt", ModelError) == {"a.wav": [SONG], "b.wav": [CALL]}


def test_csv_tables_name_the_recording(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(
        "recording,start_s,end_s,low_hz,high_hz,species\n"
        "x/a.wav,1.5,2.5,1000,2000,Wren\nb.wav,3,4.25,500,750,Robin\n"
    )
    assert read_boxes(tmp_path / "t.csv", ModelError) == {"x/a.wav": [SONG], "b.wav": [CALL]}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hello", "neither a picture, nor"),
        ("recording,start_s,end_s\na,1,2\n", "neither a picture, nor"),
        ("recording,start_s,end_s,low_hz,high_hz\na,1,2,,\n", "line 2: 'low_hz' is empty"),
        ("recording,start_s,end_s,low_hz,high_hz\na,2,1,5,6\n", "line 2: a box from 2 to 1 s"),
        ("recording,start_s,end_s,low_hz,high_hz\n,1,2,5,6\n", "line 2: no recording"),
        ("Begin Time (s)\tEnd Time (s)\n1\t2\n", "no column 'Low Freq .Hz.' .found: Begin"),
        (RAVEN.replace("2000.0", ""), "line 2: no frequencies in this row"),
        (RAVEN.replace("2000.0", "500"), "line 2: a box from 1.5 to 2.5 s and 1000 to 500 Hz"),
        (
            RAVEN.replace("2000.0", "high"),
            "line 2: 'High Freq .Hz.' is 'high', which is not a number",
        ),
    ],
)
def test_tables_that_say_too_little_are_refused(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "t.txt").write_text(text)
    with pytest.raises(ModelError, match=message) as caught:
        read_boxes(tmp_path / "t.txt", ModelError)
    assert str(tmp_path / "t.txt") in str(caught.value)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig", "cp1252"])
def test_raven_tables_are_read_in_every_encoding(tmp_path: Path, encoding: str) -> None:
    header, rows = RAVEN.replace("song", "Grasmücke").split("\n", 1)
    text = f"{header}\tBegin File\n" + "".join(
        f"{row.ljust(1)}\tWäldchen.wav\n" if row.count("\t") == 7 else f"{row}\t\tWäldchen.wav\n"
        for row in rows.splitlines()
    )
    (tmp_path / "t.txt").write_bytes(text.encode(encoding))
    assert read_boxes(tmp_path / "t.txt", ModelError) == {"Wäldchen.wav": [SONG, CALL]}


def test_raven_tables_of_a_locale_with_decimal_commas(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(RAVEN.replace(".", ","))
    assert read_boxes(tmp_path / "a.txt", ModelError) == {"a": [SONG, CALL]}


def test_times_that_count_on_over_recordings_without_an_offset_are_refused(tmp_path: Path) -> None:
    (tmp_path / "all.txt").write_text(
        "Begin Time (s)\tEnd Time (s)\tLow Freq (Hz)\tHigh Freq (Hz)\tBegin File\n"
        "1.5\t2.5\t1000\t2000\ta.wav\n13.0\t14.25\t500\t750\tb.wav\n"
    )
    with pytest.raises(ModelError, match=r"2 recordings and no column 'File Offset \(s\)'"):
        read_boxes(tmp_path / "all.txt", ModelError)
