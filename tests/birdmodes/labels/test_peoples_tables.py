"""Tables as people have them: titles, marks, columns that say whether a species was there."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from birdmodes.audio.find import find_recordings
from birdmodes.errors import LabelError
from birdmodes.io.sheets import unsaved_formulas
from birdmodes.labels import FittedLabels, fit_labels, read_label_file
from birdmodes.labels.spelling import is_nothing
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
        ("Verification status", "verified", "rejected"),
        ("manual_validation", "1", "0"),
        ("TP/FP", "TP", "FP"),
        ("Anwesenheit", "ja", "nein"),
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


@pytest.mark.parametrize("column", ["n", "value", "seen"])
def test_a_column_that_may_be_a_count_is_one_where_it_counts(read: Read, column: str) -> None:
    text = f"recording,species,{column}\na,Wren,0\nb,Wren,2\n"
    assert species(read, text) == {"a": [], "b": ["Wren"]}


@pytest.mark.parametrize("numbers", [("0", "1", "2"), ("0", "0.5", "1")])
def test_numbers_that_may_be_of_rows_or_scores_are_told(
    read: Read, numbers: tuple[str, ...]
) -> None:
    rows = "".join(f"{name},Wren,{number}\n" for name, number in zip("abc", numbers, strict=True))
    table = read(f"recording,species,n\n{rows}")
    assert [entry.species for entry in table.entries] == ["Wren"] * 3
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


@pytest.mark.parametrize(
    "word", ["<NA>", "n. a.", "no_call", "(none)", "k. A.", "#REF!", "no birds detected"]
)
def test_no_species_however_it_is_written(word: str) -> None:
    assert is_nothing(word)


@pytest.mark.parametrize("name", ["Nandu", "Nene", "NOCA", "Keine Ahnung", "Wren (none seen)"])
def test_names_that_only_begin_like_no_species(name: str) -> None:
    assert not is_nothing(name)


@pytest.mark.parametrize("word", ["keine Art", "aucun oiseau", "Ninguna", "なし", "#NV", "0", "?"])
def test_no_species_in_other_languages(word: str) -> None:
    assert is_nothing(word)


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


def _saved(path: Path, *sheets: tuple[str, Sequence[Sequence[str]]]) -> Path:
    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    for name, rows in sheets:
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def test_formulas_without_a_value_are_told(tmp_path: Path) -> None:
    rows = [("recording", "species"), ("a", "Wren"), ("b", "=B2"), ("c", "=LOWER(B2)")]
    (note,) = read_label_file(_saved(tmp_path / "x.xlsx", ("May", rows))).notes
    assert note.startswith(f"{tmp_path / 'x.xlsx'}: 2 cells, as B3, hold formulas")


def test_formulas_whose_values_are_saved_are_not_told() -> None:
    with_values = b"""
        <c r="A1" s="1"><f>B1</f><v>3</v></c><c r="A2" t="str"><f>LEFT(B1,0)</f><v></v></c>
        <c r="A3"><v></v></c><c r="A4"/><x:c r="A5"><x:f>B1</x:f><x:v/></x:c>"""
    book = io.BytesIO()
    with zipfile.ZipFile(book, "w") as file:
        file.writestr("xl/worksheets/sheet1.xml", with_values)
    assert unsaved_formulas(book.getvalue()) == ["A5"]
    assert unsaved_formulas(b"PK\x03\x04") == []


HEADER = ("recording", "species")


def test_all_sheets_with_labels_are_read_and_the_others_named(tmp_path: Path) -> None:
    path = _saved(
        tmp_path / "x.xlsx",
        ("pond", [HEADER, ("a", "Wren")]),
        ("notes", [("nothing else",)]),
        ("wood", [("Datei", "Art"), ("b", "Robin")]),
    )
    table = read_label_file(path)
    assert [(e.recording, e.species) for e in table.entries] == [("a", "Wren"), ("b", "Robin")]
    assert table.own
    assert "read are the sheets 'pond', 'wood', not 'notes'" in table.notes[-1]


def test_a_sheet_of_one_recording_is_called_after_it(tmp_path: Path) -> None:
    rows = [("Begin Time (s)", "End Time (s)", "Species"), ("0.5", "1", "Wren")]
    table = read_label_file(_saved(tmp_path / "x.xlsx", ("a", rows), ("b", rows)))
    assert [(e.recording, e.start_s) for e in table.entries] == [("a", 0.5), ("b", 0.5)]


def test_a_wrong_row_is_told_with_its_sheet(tmp_path: Path) -> None:
    timed = (*HEADER, "start_s", "end_s")
    path = _saved(
        tmp_path / "x.xlsx",
        ("good", [HEADER, ("a", "Wren")]),
        ("bad", [timed, ("a", "Wren", "x", "2")]),
    )
    with pytest.raises(LabelError, match=r"sheet 'bad', line 2: 'start_s' is 'x'"):
        read_label_file(path)


@pytest.mark.parametrize(
    ("header", "row", "names"),
    [
        ("primary_label,secondary_labels,filename", "\"wren\",\"['owl']\",a", ["wren", "owl"]),
        ("filename,common_name,primary_label,secondary_labels", "a,Wren,wren,['owl']",
         ["wren", "owl"]),
        ("gen,sp,en,also,file-name", "Strix,aluco,Owl,\"['Wren', 'Robin']\",a",
         ["Owl", "Wren", "Robin"]),
        ("file,genus,species", "a,Strix,aluco", ["Strix aluco"]),
        ("file,Genus,Species,Common name", "a,Strix,aluco,Owl", ["Owl"]),
        ("file,scientificName", "a,Strix aluco", ["Strix aluco"]),
    ],
)  # fmt: skip
def test_columns_of_xeno_canto_and_of_biodiversity_tables(
    read: Read, header: str, row: str, names: list[str]
) -> None:
    assert species(read, f"{header}\n{row}\n") == {"a": names}


def _fitted(tmp_path: Path, text: str, **options: Any) -> FittedLabels:
    for name in "abcd":
        (tmp_path / f"{name}.wav").write_bytes(b"RIFF")
    (tmp_path / "x.csv").write_text(text)
    return fit_labels(find_recordings([tmp_path]), [tmp_path / "x.csv"], **options)


def test_a_scientific_name_is_of_one_species_however_it_is_written(tmp_path: Path) -> None:
    rows = (
        'a,Owl,"Strix aluco Linnaeus, 1758"\nb,Waldkauz,Strix  aluco\nc,Waldkauz,strix aluco\n'
        "d,Strix aluco,\n"
    )
    found = _fitted(tmp_path, f"recording,species,scientific name\n{rows}")
    assert set(found.species.values()) == {("Waldkauz",)}
    assert "'Owl' and 'Strix aluco' and 'Waldkauz' are one species" in found.warnings[0]


@pytest.mark.parametrize("nothing", ["NA", "", "unknown/other", "Strix sp."])
def test_what_is_no_scientific_name_joins_nothing(tmp_path: Path, nothing: str) -> None:
    rows = f"a,Owl,{nothing}\nb,Wren,{nothing}\n"
    found = _fitted(tmp_path, f"recording,species,scientific name\n{rows}")
    assert found.species == {"a.wav": ("Owl",), "b.wav": ("Wren",)}
    assert found.warnings == []


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ("a,Robin,Erithacus rubecula\nb,Robin,Turdus migratorius", "'Robin' stands beside"),
        ("a,Black-tailed Gull,\nb,Black tailed Gull,", "are taken for different species"),
        ("a,Pic epeiche,\nb,Pic épeiche,", "are taken for different species"),
        ("a,unknown bird,\nb,Wren,", "'unknown bird' is taken for a species"),
    ],
)
def test_names_that_are_doubtful_are_told(tmp_path: Path, rows: str, told: str) -> None:
    found = _fitted(tmp_path, f"recording,species,scientific name\n{rows}\n")
    assert told in found.warnings[0]


@pytest.mark.parametrize(
    ("first", "second", "column"),
    [("1", "2", "channel"), ("0", "1", "Kanal"), ("left", "right", "Channel")],
)
def test_channels_of_peoples_tables(tmp_path: Path, first: str, second: str, column: str) -> None:
    rows = f"a,Wren,{first}\na,Robin,{second}\n"
    found = _fitted(tmp_path, f"recording,species,{column}\n{rows}", channel=2)
    assert found.species == {"a.wav": ("Robin",)}


def test_confidences_of_peoples_tables(tmp_path: Path) -> None:
    rows = "a,Wren,0.9\na,Robin,0.2\nb,Robin,\n"
    found = _fitted(tmp_path, f"recording,species,confidence\n{rows}", min_conf=0.5)
    assert found.species == {"a.wav": ("Wren",), "b.wav": ("Robin",)}
    found = _fitted(tmp_path, "recording,species,score\na,Wren,90\n", min_conf=0.95)
    assert found.species == {"a.wav": ("Wren",)}
    assert "holds no numbers from 0 to 1" in found.warnings[0]


@pytest.mark.parametrize(
    ("columns", "cells", "notes"),
    [
        ("start_s,duration_s", "0.5,1.5", 0),
        ("Beginn (s),Dauer (s)", "0.5,1.5", 1),
        ("offset,duration", "0.5,1.5", 1),
        ("start_ms,end_ms", "500,2000", 0),
    ],
)
def test_times_as_begin_and_length_and_in_milliseconds(
    read: Read, columns: str, cells: str, notes: int
) -> None:
    table = read(f"filename,species,{columns}\na,Wren,{cells}\n")
    assert [entry[1:5] for entry in table.entries] == [("a", "Wren", 0.5, 2.0)]
    assert ["are taken for begin and length" in note for note in table.notes] == [True] * notes


@pytest.mark.parametrize("column", ["time_s", "start_sample"])
def test_times_that_are_not_used_are_told(read: Read, column: str) -> None:
    table = read(f"recording,species,{column}\na,Wren,4\n")
    assert f"{column!r} is not used" in table.notes[0]


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
