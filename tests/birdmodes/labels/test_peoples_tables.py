"""Tables as people have them: titles, marks, columns that say whether a species was there."""

from __future__ import annotations

from pathlib import Path

import openpyxl
import pytest

from birdmodes.audio.find import find_recordings
from birdmodes.errors import LabelError
from birdmodes.labels import fit_labels, read_label_file
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


@pytest.mark.parametrize(
    "header",
    [
        "Name der Datei;Vogelart(en)",
        "Dateiname;Deutscher Artname",
        "Nom de l’enregistrement;Nom vernaculaire",
        "Fichier son;Nom de l'espèce",
        "録音ファイル名;種名（和名）",
        "Recording name;Species present",
        "audio_filename;species_common_name",
        "Recording ID;Species 1",
    ],
)
def test_columns_by_the_names_that_people_give_them(read: Read, header: str) -> None:
    assert species(read, f"{header}\na;Wren\n") == {"a": ["Wren"]}


def test_several_columns_of_species(read: Read) -> None:
    text = "file,species 1,species 2\na,Wren,Robin\nb,Wren,\n"
    assert species(read, text) == {"a": ["Wren", "Robin"], "b": ["Wren"]}
    assert species(read, text.replace("species 1", "species")) == species(read, text)


@pytest.mark.parametrize(
    ("columns", "cells", "box"),
    [
        ("start,end", "0.5,2", (0.5, 2.0, None, None)),
        ("Begin Time (s),End Time (s)", "0.5,2", (0.5, 2.0, None, None)),
        ("onset_s,offset_s", "0.5,2", (0.5, 2.0, None, None)),
        ("début,fin", "0.5,2", (0.5, 2.0, None, None)),
        ("start,end,low_freq,high_freq", "0.5,2,1500,3000", (0.5, 2.0, 1500.0, 3000.0)),
        ("start,end,fmin,fmax", "0.5,2,1.5,3", (0.5, 2.0, 1500.0, 3000.0)),
        ("start,end,low_hz,high_hz", "0.5,2,NA,NA", (0.5, 2.0, None, None)),
    ],
)
def test_times_and_bands_by_other_names(
    read: Read, columns: str, cells: str, box: tuple[float | None, ...]
) -> None:
    table = read(f"filename,species,{columns}\na,Wren,{cells}\n")
    (entry,) = table.entries
    assert (entry.recording, entry.species) == ("a", "Wren")
    assert (entry.start_s, entry.end_s, entry.low_hz, entry.high_hz) == box
    assert "are taken for times in seconds" in table.notes[0]


def test_times_of_a_clock_are_not_used_and_told(read: Read) -> None:
    table = read("filename,species,start,end\na,Wren,05:30:00,05:31:00\n")
    assert table.entries[0].start_s is None
    assert "'start' and 'end' are not in seconds and not used" in table.notes[0]


@pytest.mark.parametrize(
    "text",
    [
        '{"recording": ["a"], "species": ["Wren"]}',
        '{"recording": {"0": "a"}, "species": {"0": "Wren"}}',
        '{"columns": ["recording", "species"], "index": [0], "data": [["a", "Wren"]]}',
    ],
)
def test_json_by_columns(read: Read, text: str) -> None:
    assert species(read, text) == {"a": ["Wren"]}


def test_merged_cells_count_for_all_their_rows_and_hidden_sheets_last(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(("recording", "species"))
    sheet.append(("old", "Owl"))
    sheet.sheet_state = "hidden"
    shown = book.create_sheet("May")
    for row in (("recording", "species"), ("a", "Wren"), (None, "Robin"), ("b", "Owl"), ("c", "")):
        shown.append(row)
    shown.merge_cells("A2:A3")
    shown.merge_cells("B4:B5")
    book.active = 1
    book.save(tmp_path / "x.xlsx")
    entries = read_label_file(tmp_path / "x.xlsx").entries
    assert [(e.recording, e.species) for e in entries] == [
        ("a", "Wren"), ("a", "Robin"), ("b", "Owl"), ("c", "Owl"),
    ]  # fmt: skip


@pytest.mark.parametrize("path", ["D:\\calls\\a.wav", "/home/me/calls/a.mp3", "\\\\nas\\x\\a.wav"])
def test_paths_of_another_computer_in_peoples_tables(tmp_path: Path, path: str) -> None:
    (tmp_path / "rec").mkdir()
    (tmp_path / "rec" / "a.wav").write_bytes(b"RIFF")
    (tmp_path / "x.csv").write_text(f"recording,species\n{path},Wren\n")
    found = fit_labels(find_recordings([tmp_path / "rec"]), [tmp_path / "x.csv"])
    assert found.species == {"a.wav": ("Wren",)}


def test_a_list_in_a_label_of_one_sound_is_split_where_clear_and_doubted_otherwise(
    tmp_path: Path,
) -> None:
    (tmp_path / "a.wav").write_bytes(b"RIFF")
    row = "{}\t{}\tSpectrogram 1\t1\t0.1\t0.3\t1000\t3000\n"
    header = "Species\tSelection\tView\tChannel\tBegin Time (s)\tEnd Time (s)\tLow Freq (Hz)\t"
    header += "High Freq (Hz)\n"
    for cells, names, told in (
        (["Wren, Robin", "Wren", "Robin"], ("Robin", "Wren"), False),
        (["Owl, Barn"], ("Owl, Barn",), True),
    ):
        rows = "".join(row.format(cell, number) for number, cell in enumerate(cells, start=1))
        (tmp_path / "a.txt").write_text(header + rows)
        found = fit_labels(find_recordings([tmp_path]), [tmp_path / "a.txt"])
        assert found.species == {"a.wav": names}
        assert any("is taken for one species" in line for line in found.warnings) == told
