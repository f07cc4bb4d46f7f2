from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

Call = Callable[..., tuple[int, str]]

BIRDNET = (
    "Start (s),End (s),Scientific name,Common name,Confidence,File\n"
    "0.0,3.0,Turdus merula,Eurasian Blackbird,0.9,D:/sd\\a.wav\n"
    "3.0,6.0,Turdus merula,Eurasian Blackbird,0.2,D:/sd\\a.wav\n"
    "3.0,6.0,Troglodytes troglodytes,Eurasian Wren,0.6,D:/sd\\b.wav\n"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    labels = tmp_path / "labels"
    labels.mkdir()
    (labels / "combined.csv").write_text(BIRDNET)
    (labels / "c.txt").write_text("0.5\t1.5\tEurasian Wren\n")
    (labels / "BirdNET_analysis_params.csv").write_text("File splitting duration,Segment length\n")
    return tmp_path


def words(text: str) -> list[list[str]]:
    return [line.split() for line in text.splitlines()]


def test_it_shows_formats_labels_and_species(call: Call, folder: Path) -> None:
    code, printed = call("labels", folder / "labels")
    assert code == 0
    lines = words(printed)
    assert ["combined.csv", "BirdNET", "CSV", "3", "3", "2"] in lines
    assert ["c.txt", "Audacity", "labels", "1", "1", "1"] in lines
    assert ["Eurasian", "Blackbird", "2", "1"] in lines
    assert ["Eurasian", "Wren", "2", "2"] in lines
    assert "skipped, no label files: 1 file" in printed
    assert "holds BirdNET's settings, no labels" in " ".join(printed.split())


def test_it_shows_what_the_options_leave(call: Call, folder: Path) -> None:
    (folder / "map.csv").write_text("from,to\nEurasian Wren,Wren\n")
    code, printed = call(
        "labels", folder / "labels", "--min-conf", "0.5", "--species-map", folder / "map.csv"
    )
    assert code == 0
    lines = words(printed)
    assert ["combined.csv", "BirdNET", "CSV", "3", "2", "2"] in lines
    assert ["Eurasian", "Blackbird", "1", "1"] in lines
    assert ["Wren", "2", "2"] in lines


def test_it_names_labels_of_recordings_that_are_not_here(call: Call, folder: Path) -> None:
    (folder / "audio").mkdir()
    (folder / "audio" / "a.wav").touch()
    (folder / "audio" / "c.wav").touch()
    code, printed = call("labels", folder / "labels", "--recordings", folder / "audio")
    assert code == 0
    assert ["combined.csv", "BirdNET", "CSV", "3", "3", "2", "1"] in words(printed)
    assert "2 recordings, 2 labelled, 2 of them with times" in printed
    assert "combined.csv, line 4: no recording matches 'D:/sd/b.wav'" in printed


def test_one_bad_file_does_not_hide_the_others(call: Call, folder: Path) -> None:
    (folder / "labels" / "bad.txt").write_text("0.5\t1.5\tWren\n0.5\tlate\tWren\n")
    code, printed = call("labels", folder / "labels")
    assert code == 1
    assert ["c.txt", "Audacity", "labels", "1", "1", "1"] in words(printed)
    assert "bad.txt, line 2: 'end' is 'late', which is not a number" in printed


def test_nothing_but_bad_files_is_an_error(call: Call, folder: Path) -> None:
    code, printed = call("labels", folder / "labels" / "BirdNET_analysis_params.csv")
    assert code == 2
    assert printed.count("\n") == 1
    code, printed = call("labels", folder / "none.csv")
    assert code == 2
    assert "none.csv: cannot be read" in printed


def test_labels_that_fit_no_recording_are_an_error(call: Call, folder: Path) -> None:
    (folder / "audio").mkdir()
    (folder / "audio" / "z.wav").touch()
    code, printed = call("labels", folder / "labels", "--recordings", folder / "audio")
    assert code == 2
    assert "none of its 4 rows matches a recording" in printed


def test_many_files_are_counted_by_format(call: Call, tmp_path: Path) -> None:
    for number in range(12):
        (tmp_path / f"{number}.txt").write_text("0.5\t1.5\tWren\n")
    (tmp_path / "own.csv").write_text("recording,species\n1,Owl\n")
    code, printed = call("labels", tmp_path)
    assert code == 0
    assert ["12", "Audacity", "labels", "12", "12", "12"] in words(printed)
    assert ["1", "birdmodes", "CSV", "1", "1", "1"] in words(printed)
    assert ["Wren", "12", "12"] in words(printed)


def test_a_folder_without_label_files_is_an_error(call: Call, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("dawn\n")
    code, printed = call("labels", tmp_path)
    assert code == 2
    assert "none of 1 files (.csv, .txt" in printed


def test_a_recording_that_two_files_name_differently_counts_once(
    call: Call, tmp_path: Path
) -> None:
    (tmp_path / "one.csv").write_text("recording,species\nsite/a.wav,Wren\n")
    (tmp_path / "a.Table.1.selections.txt").write_text(
        "Selection\tBegin Time (s)\tEnd Time (s)\tSpecies\n1\t0\t1\tWren\n"
    )
    code, output = call("labels", tmp_path)
    assert code == 0
    assert "1 species in 1 recording\n" in output
