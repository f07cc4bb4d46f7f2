"""Exports for R, Excel, eBird and iNaturalist; keys that are equal in all exports."""

from __future__ import annotations

import csv
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import pytest

from birdmodes.errors import BirdmodesError, ParameterError
from birdmodes.export import Choice, ExportOptions, export_clustering
from birdmodes.export.tables import write_csv
from birdmodes.labels import read_label_file

EVERYTHING = Choice(min_confidence=0.0, background=True)


@pytest.fixture
def write(case: Any, tmp_path: Path) -> Callable[..., Path]:
    """Export `case` with some options; gives the file or folder."""

    def run(name: str, format: str, **options: Any) -> Path:
        export_clustering(
            case.workspace, case.clustering, tmp_path / name, ExportOptions(format, **options)
        )
        return tmp_path / name

    return run


def test_keys_of_syllables_are_equal_in_every_export(write: Callable[..., Path]) -> None:
    keys = {}
    for name, format in (("a.csv", "csv"), ("r.csv", "r")):
        table = pd.read_csv(write(name, format, choice=EVERYTHING), keep_default_na=False)
        keys[format] = set(table["syllable"])
    keys["parquet"] = set(pd.read_parquet(write("a.pq", "parquet", choice=EVERYTHING))["syllable"])
    keys["excel"] = set(
        pd.read_excel(write("a.xlsx", "excel", choice=EVERYTHING), engine="openpyxl")["syllable"]
    )
    keys["kaleidoscope"] = set(
        pd.read_csv(write("k.csv", "kaleidoscope", choice=EVERYTHING))["SYLLABLE"]
    )
    raven = write("raven.txt", "raven", choice=EVERYTHING, combined=True)
    keys["raven"] = set(pd.read_csv(raven, sep="\t", keep_default_na=False)["Syllable"])
    assert len(keys["csv"]) == 12
    assert all(found == keys["csv"] for found in keys.values())


def test_a_table_for_r_is_a_selection_table_of_warbler(write: Callable[..., Path]) -> None:
    path = write("r.csv", "r")
    with path.open(newline="") as file:
        assert next(csv.reader(file))[:7] == [
            "sound.files", "channel", "selec", "start", "end", "bottom.freq", "top.freq",
        ]  # fmt: skip
    text = path.read_text()
    assert '"species"' in text.partition("\n")[0]
    table = pd.read_csv(path, keep_default_na=False)
    assert table.groupby("sound.files")["selec"].apply(list).iloc[0][0] == 1
    assert table["bottom.freq"].iloc[0] == 1.0
    found = read_label_file(path)
    assert found.format == "warbleR table"
    assert found.entries[0].low_hz == 1000.0
    assert len(found.entries) == len(table)


def test_channels_are_those_that_were_read(case: Any, write: Callable[..., Path]) -> None:
    """Such as ``--channel auto`` chose; 0 is the mean of all, and older tables do not say."""
    rows = sorted(case.workspace.recording_rows(), key=lambda row: row["recording"])
    told = dict(zip([row["recording"] for row in rows], (3, 2, 0, None), strict=True))
    for row in rows:
        case.workspace.commit({**row, "channel": told[row["recording"]]}, None)
    expected = {name: channel or 1 for name, channel in told.items()}
    table = pd.read_csv(write("r.csv", "r", choice=EVERYTHING))
    assert (
        dict(zip(table["sound.files"].str.lstrip("'"), table["channel"], strict=True)) == expected
    )
    raven = pd.read_csv(write("raven.txt", "raven", choice=EVERYTHING, combined=True), sep="\t")
    assert raven["Channel"].tolist() == table["channel"].tolist()
    kaleidoscope = pd.read_csv(write("k.csv", "kaleidoscope", choice=EVERYTHING))
    assert (kaleidoscope["CHANNEL"] + 1).tolist() == table["channel"].tolist()


def test_a_spreadsheet_holds_texts_and_numbers(write: Callable[..., Path]) -> None:
    path = write("a.xlsx", "excel", choice=EVERYTHING)
    sheet = openpyxl.load_workbook(path)["syllables"]
    header, first = list(sheet.iter_rows(values_only=True))[:2]
    row = dict(zip(header, first, strict=True))
    assert row["start_s"] == 0.5
    assert isinstance(row["cluster"], int)
    assert not [cell.value for line in sheet.iter_rows() for cell in line if cell.data_type == "f"]


def test_a_spreadsheet_is_the_same_whenever_it_is_written(
    write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = write("a.xlsx", "excel")
    with monkeypatch.context() as patch:
        patch.setattr("time.time", lambda: 2_000_000_000.0)
        later = write("b.xlsx", "excel")
    assert now.read_bytes() == later.read_bytes()
    core = zipfile.ZipFile(now).read("docProps/core.xml")
    assert core.count(b">1980-01-01T00:00:00Z<") == 2


def test_a_byte_order_mark_is_for_csv_alone(write: Callable[..., Path]) -> None:
    marked, plain = write("m.csv", "csv", mark=True), write("p.csv", "csv")
    assert marked.read_bytes() == b"\xef\xbb\xbf" + plain.read_bytes()
    with pytest.raises(ParameterError, match="--bom is for --format csv"):
        write("r.csv", "r", mark=True)


def test_a_species_called_na_is_quoted(tmp_path: Path) -> None:
    names = {"review": "", "recorded_at": "", "syllable": "a#0", "recording": "a", "path": "/a"}
    table = pd.DataFrame({**names, "species": ["NA", "Wren"], "mode": ["NA mode 1", "Wren mode 1"]})
    write_csv(tmp_path / "t.csv", table)
    assert '"NA"' in (tmp_path / "t.csv").read_text()
    read = pd.read_csv(tmp_path / "t.csv", keep_default_na=False)
    assert list(read["species"]) == ["NA", "Wren"]
    write_csv(tmp_path / "u.csv", table[1:])
    assert '"' not in (tmp_path / "u.csv").read_text()


def dated(case: Any) -> list[dict[str, Any]]:
    """Recordings with a date that have syllables of a species, counted by hand."""
    recordings = case.workspace.recordings().set_index("recording")
    rows = case.clustering.assignments
    rows = rows[(rows["species"] != "") & (rows["confidence"] > 0) & (rows["mode"] != "")]
    return [
        {"recording": name, "sounds": len(group), "row": recordings.loc[name]}
        for (name, _), group in rows.groupby(["recording", "species"])
        if pd.notna(recordings.loc[name, "recorded_at"])
        and recordings.loc[name, "recorded_at"] != ""
    ]


def test_checklists_have_a_row_for_each_species_of_a_dated_recording(
    case: Any, tmp_path: Path
) -> None:
    known = dated(case)
    assert known
    for format in ("ebird", "inaturalist"):
        result = export_clustering(
            case.workspace, case.clustering, tmp_path / f"{format}.csv", ExportOptions(format)
        )
        assert "recordings have no date and are left out" in result.warnings[0]
    with (tmp_path / "ebird.csv").open(newline="") as file:
        ebird = list(csv.reader(file))
    assert len(ebird) == len(known)
    assert {len(row) for row in ebird} == {19}
    assert all(row[5] for row in ebird), "eBird refuses a checklist without a place"
    first = known[0]
    moment = pd.Timestamp(first["row"]["recorded_at"])
    assert ebird[0][3] == "X"
    assert ebird[0][4].startswith(f"{first['sounds']} sound")
    assert ebird[0][8:10] == [moment.strftime("%m/%d/%Y"), moment.strftime("%H:%M")]
    assert ebird[0][12:16] == ["Stationary", "1", "1", "N"]
    with (tmp_path / "inaturalist.csv").open(newline="") as file:
        inaturalist = list(csv.DictReader(file))
    assert len(inaturalist) == len(known)
    assert inaturalist[0]["Date observed"] == moment.strftime("%Y-%m-%d %H:%M")
    assert first["recording"].strip("-") in inaturalist[0]["Description"]


def test_a_checklist_needs_dates(case: Any, tmp_path: Path, monkeypatch: Any) -> None:
    undated = case.workspace.recordings().assign(recorded_at=pd.NaT)
    monkeypatch.setattr(type(case.workspace), "recordings", lambda self: undated)
    with pytest.raises(BirdmodesError, match="no date is known of the recordings with species"):
        export_clustering(
            case.workspace, case.clustering, tmp_path / "e.csv", ExportOptions("ebird")
        )
