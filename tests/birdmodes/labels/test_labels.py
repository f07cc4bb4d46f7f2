from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from birdmodes.audio.read import RecordingFile
from birdmodes.errors import LabelError
from birdmodes.labels import (
    FittedLabels,
    LabelRequest,
    NameMatcher,
    fit_labels,
    join_species,
    read_label_file,
    read_labels,
    split_species,
)


def recordings(root: Path, *names: str) -> list[RecordingFile]:
    return [RecordingFile(name, root / name, root) for name in names]


def fit(tmp_path: Path, text: str, *names: str) -> FittedLabels:
    path = tmp_path / "table.csv"
    path.write_text(text, encoding="utf-8")
    return fit_labels(recordings(tmp_path, *names), path)


@pytest.mark.parametrize(
    "written", ["site 1/a.WAV", "site 1\\a.WAV", "site 1/a.wav", "site 1/a", "a.WAV", "a.wav", "a"]
)
def test_a_recording_is_found_by_path_file_name_or_stem(tmp_path: Path, written: str) -> None:
    fitted = fit(tmp_path, f"recording,species\n{written},Robin\n", "site 1/a.WAV", "b.wav")
    assert fitted.species == {"site 1/a.WAV": ("Robin",)}
    assert fitted.warnings == []


def test_a_path_goes_before_a_file_name(tmp_path: Path) -> None:
    fitted = fit(tmp_path, "recording,species\na.wav,Robin\n", "a.wav", "sub/a.wav")
    assert fitted.species == {"a.wav": ("Robin",)}


def test_one_row_per_recording_and_one_per_species_mean_the_same(tmp_path: Path) -> None:
    wide = fit(tmp_path, "recording,species\na,Robin; Wren ;Robin\n", "a.wav")
    long = fit(tmp_path, "recording,species\na,Wren\na,Robin\na,Wren\n", "a.wav")
    assert wide.species == long.species == {"a.wav": ("Robin", "Wren")}


def test_no_row_is_unlabelled_and_an_empty_cell_is_no_species(tmp_path: Path) -> None:
    fitted = fit(tmp_path, "recording,species\na,\nb,Wren\n", "a.wav", "b.wav", "c.wav")
    assert fitted.species == {"a.wav": (), "b.wav": ("Wren",)}


def test_a_table_that_names_no_species_at_all_is_told(tmp_path: Path) -> None:
    fitted = fit(tmp_path, "recording,species\na,\nb,\n", "a.wav", "b.wav", "c.wav")
    assert fitted.species == {"a.wav": (), "b.wav": ()}
    told = "no species for any of 2 recordings, so no sound will have a name"
    assert fitted.warnings == [f"{tmp_path / 'table.csv'}: {told}"]


def test_rows_that_match_nothing_are_named(tmp_path: Path) -> None:
    fitted = fit(tmp_path, "recording,species\na,Wren\nzzz.wav,Robin\n", "a.wav")
    (warning,) = fitted.warnings
    assert "table.csv, line 3" in warning
    assert "'zzz.wav'" in warning


def test_a_table_that_matches_nothing_at_all_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(LabelError, match=r"none of its 1 rows .*line 2 has 'x'.*'a\.wav'"):
        fit(tmp_path, "recording,species\nx,Wren\n", "a.wav")


def test_a_row_that_fits_two_recordings_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(LabelError, match=r"line 2: 'a' fits 2 recordings \(x/a\.wav, y/a\.wav\)"):
        fit(tmp_path, "recording,species\na,Wren\n", "x/a.wav", "y/a.wav")


def test_a_contradiction_between_rows_is_a_warning(tmp_path: Path) -> None:
    fitted = fit(tmp_path, "recording,species\na,\na,Wren\n", "a.wav")
    assert fitted.species == {"a.wav": ("Wren",)}
    assert "line 2" in fitted.warnings[0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("tape,species\na,Wren\n", "no column recording .*found: tape, species"),
        ("recording;species\na;Wren;Robin\n", "line 2: more cells.*several names in a cell in quo"),
        ("", "found: nothing"),
        ("recording,species\na,Wren,Robin\n", "line 2: more cells than columns"),
        ("recording,species\na," + "x" * 200_000 + "\n", "line 2: not a CSV table"),
        ("recording,species\n,Wren\n", "line 2: no recording"),
    ],
)
def test_tables_that_cannot_be_understood_say_why(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(LabelError, match=message):
        fit(tmp_path, text, "a.wav")


def test_spreadsheet_quirks_are_read(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes('\ufeffSpecies , Recording\r\n"Gr\u00e4smücke;Wren",a.wav\r\n,\r\n'.encode())
    (row,) = read_labels(path)
    assert row.species == ("Gräsmücke", "Wren")
    assert row.line == 2
    path.write_bytes("recording,species\na,Gräsmücke\n".encode("cp1252"))
    assert read_labels(path)[0].species == ("Gräsmücke",)


def test_a_missing_table_is_named(tmp_path: Path) -> None:
    with pytest.raises(LabelError, match=r"none\.csv: cannot be read"):
        fit_labels([], tmp_path / "none.csv")


def test_labels_beside_the_recordings_are_used(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "labels.csv").write_text("recording,species\na,Wren\nsub/b,Robin\n")
    (tmp_path / "sub/labels.csv").write_text("recording,species\nb.wav,Dipper\n")
    found = fit_labels(recordings(tmp_path, "a.wav", "sub/b.wav"))
    # the folder's own table goes before the one above, whose row for it then matches nothing
    assert found.species == {"a.wav": ("Wren",), "sub/b.wav": ("Dipper",)}
    assert len(found.files) == 2
    assert "sub/b" in found.warnings[0]


def test_without_any_table_nothing_is_labelled(tmp_path: Path) -> None:
    found = fit_labels(recordings(tmp_path, "a.wav"))
    assert found == FittedLabels({}, [], [], request=LabelRequest())


names = st.text(st.characters(codec="utf-8", exclude_characters=";\r\n"), min_size=1).map(str.strip)


@given(st.sets(names.filter(bool)))
def test_species_cells_survive_writing_and_reading(species: set[str]) -> None:
    assert set(split_species(join_species(species))) == species


@given(st.lists(st.text("ab/.", min_size=1, max_size=6), unique=True))
def test_a_full_name_always_finds_its_own_recording(paths: list[str]) -> None:
    matcher = NameMatcher(paths)
    for path in paths:
        assert path in matcher.find(path)


@pytest.mark.parametrize(
    "text",
    [
        'recording,species\n"a.wav,Robin\nb.wav,Wren\n',
        'Start (s),End (s),Scientific name,Common name,Confidence\n0,3,"Aa bb,Bird,0.9\n',
    ],
)
def test_a_quote_that_is_never_closed_does_not_swallow_the_rest(tmp_path: Path, text: str) -> None:
    (tmp_path / "labels.csv").write_text(text)
    with pytest.raises(LabelError, match=r"labels\.csv, line \d+: not a CSV table.*quote"):
        read_label_file(tmp_path / "labels.csv")


@pytest.mark.parametrize("name", ["Artenliste.csv", "labels.xlsx", "x.Table.1.selections.txt"])
def test_label_files_beside_the_recordings_that_nobody_named_are_told(
    tmp_path: Path, name: str
) -> None:
    if name.endswith("xlsx"):
        pd.DataFrame({"Datei": ["a.wav"], "Art": ["Wren"]}).to_excel(tmp_path / name)
    elif name.endswith("txt"):
        (tmp_path / name).write_text("Selection\tBegin Time (s)\tEnd Time (s)\tSpecies\n")
    else:
        (tmp_path / name).write_text("Datei;Art\na.wav;Wren\n")
    (tmp_path / "notes.txt").write_text("rain from ten\n")
    (warning,) = fit_labels(recordings(tmp_path, "a.wav")).warnings
    assert warning == (
        f"found {tmp_path / name}, which looks like labels; to use it: --labels {tmp_path / name}"
    )
    (tmp_path / "b.Table.1.selections.txt").write_text(
        "Selection\tBegin Time (s)\tEnd Time (s)\tSpecies\n"
    )
    (warning,) = fit_labels(recordings(tmp_path, "a.wav")).warnings
    assert f"and 1 more, which look like labels; to use them: --labels {tmp_path}" in warning
    (tmp_path / "labels.csv").write_text("recording,species\na.wav,Wren\n")
    assert fit_labels(recordings(tmp_path, "a.wav")).warnings == []
