"""What is written, read again by pandas, by our own readers and by crowsetta."""

from __future__ import annotations

import csv
import dataclasses
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from birdmodes.errors import BirdmodesError
from birdmodes.export import Choice, ExportOptions, default_output, export_clustering, unguarded
from birdmodes.export.kaleidoscope import _place
from birdmodes.labels import read_label_file
from birdmodes.segmentation.features import FEATURE_NAMES

EVERYTHING = Choice(min_confidence=0.0, background=True)
FLAT = '=HYPERLINK("http://x";"y") <b> ../..'
"""The hostile species on one line."""


@pytest.fixture
def write(case: Any, tmp_path: Path) -> Callable[..., Path]:
    """Export `case` with some options; gives the file or folder."""

    def run(name: str, format: str, **options: Any) -> Path:
        export_clustering(
            case.workspace, case.clustering, tmp_path / name, ExportOptions(format, **options)
        )
        return tmp_path / name

    return run


def entries(path: Path) -> list[tuple[str, float, float]]:
    table = read_label_file(path)
    return [(entry.species, entry.start_s or 0.0, entry.end_s or 0.0) for entry in table.entries]


def test_csv_has_every_column_and_no_formula(
    write: Callable[..., Path], case: Any, recordings: list[str], hostile: str
) -> None:
    path = write("a.csv", "csv", choice=EVERYTHING)
    table = pd.read_csv(path, keep_default_na=False, dtype={"latitude": str})
    assert " ".join(table) == (
        "syllable recording path start_s end_s low_hz high_hz species mode cluster kind "
        "remark confidence centrality review recorded_at latitude longitude"
    )
    assert len(table) == 12
    assert table["recording"].tolist() == [
        f"./{name}" if name.startswith("-") else name for name in recordings for _ in range(3)
    ]
    assert table["syllable"][0] == "./-x.wav#00000"
    first = table.iloc[0]
    assert first[["start_s", "end_s", "low_hz", "high_hz"]].tolist() == [0.5, 0.7, 1000.0, 2000.0]
    assert first[["review", "recorded_at", "latitude"]].tolist() == [
        "good",
        "2021-10-01T12:00:04.500",
        "48.5",
    ]
    assert table["species"][1] == f"'{hostile}"
    assert unguarded(table["mode"][1]) == f"{hostile} mode 1"
    assert table["kind"][2] == "background"
    assert table["path"][0] == str(case.recording("-x.wav"))
    with path.open(newline="") as file:
        assert not any(cell[:1] in tuple("=+-@") for row in csv.reader(file) for cell in row[:3])


def test_features_follow_by_name(write: Callable[..., Path]) -> None:
    table = pd.read_csv(write("a.csv", "csv", features=True))
    assert list(table)[-38:] == list(FEATURE_NAMES)
    # of recording 1 and cluster 1, see conftest
    row = table[table["syllable"] == "dawn/a.wav#00001"].iloc[0]
    assert row[list(FEATURE_NAMES)].tolist() == [101.0 + n for n in range(38)]


def test_parquet_keeps_names_as_they_are(
    write: Callable[..., Path], recordings: list[str], hostile: str
) -> None:
    table = pd.read_parquet(write("a.parquet", "parquet", choice=EVERYTHING))
    assert table["species"].tolist() == ["Robin", hostile, ""] * 4
    assert table["recording"].tolist()[::3] == recordings
    assert table["start_s"].dtype == np.float64


def test_our_csv_is_a_label_table(write: Callable[..., Path]) -> None:
    plain = entries(write("a.csv", "csv", choice=Choice(species=("Robin",))))
    assert plain == [("Robin", 0.5, 0.7)] * 3


def test_raven_tables_lie_as_the_recordings_do(write: Callable[..., Path], case: Any) -> None:
    folder = write("raven", "raven", choice=EVERYTHING)
    ending = ".Table.1.selections.txt"
    assert sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.txt")) == [
        f"-x{ending}",
        f"dawn/a{ending}",
        f"dawn/b, 'c'{ending}",
        f"dusk/a{ending}",
    ]
    lines = (folder / f"dawn/a{ending}").read_bytes().decode().split("\n")
    assert lines[0] == (
        "Selection\tView\tChannel\tBegin Time (s)\tEnd Time (s)\tLow Freq (Hz)\tHigh Freq (Hz)\t"
        "Begin File\tBegin Path\tFile Offset (s)\tSpecies\tMode\tConfidence\tSyllable"
    )
    path = case.recording("dawn/a.wav")
    assert lines[1] == (
        f"1\tSpectrogram 1\t1\t0.500000\t0.700000\t1000.000\t2000.000\ta.wav\t{path}\t0.500000\t"
        "Robin\tRobin mode 1\t0.750000\tdawn/a.wav#00000"
    )
    assert lines[3].split("\t")[:2] == ["3", "Spectrogram 1"]
    assert lines[3].split("\t")[10:12] == ["", "Cluster 2"]
    assert lines[4:] == [""]


def test_raven_tables_are_read_by_pandas_and_by_us(write: Callable[..., Path]) -> None:
    folder = write("raven", "raven")
    path = folder / "dawn" / "a.Table.1.selections.txt"
    table = pd.read_csv(path, sep="\t")
    assert table["Selection"].tolist() == [1, 2]
    assert table["Species"].tolist() == ["Robin", f"'{FLAT}"]
    assert table["High Freq (Hz)"].tolist() == [2000.0, 3000.0]
    assert entries(path) == [("Robin", 0.5, 0.7), (FLAT, 0.6, 0.9)]


def test_combined_raven_times_go_on_over_all_recordings(
    write: Callable[..., Path], recordings: list[str]
) -> None:
    path = write("a.txt", "raven", combined=True, choice=Choice(species=("Robin",)))
    table = pd.read_csv(path, sep="\t")
    # lengths 2, 3, 4 and 2.5 s
    assert table["Begin Time (s)"].tolist() == [0.5, 2.5, 5.5]
    assert table["End Time (s)"].tolist() == pytest.approx([0.7, 2.7, 5.7])
    assert table["File Offset (s)"].tolist() == [0.5] * 3
    assert table["Selection"].tolist() == [1, 2, 3]
    read = read_label_file(path).entries
    assert [entry.start_s for entry in read] == [0.5] * 3
    assert [Path(entry.recording).name for entry in read] == [
        Path(name).name for name in recordings[:3]
    ]


def test_audacity_labels_with_and_without_frequencies(write: Callable[..., Path]) -> None:
    spectral = write("spectral", "audacity") / "dawn" / "a.txt"
    assert spectral.read_bytes().decode() == (
        "0.500000\t0.700000\tRobin mode 1\n\\\t1000.000\t2000.000\n"
        f"0.600000\t0.900000\t'{FLAT} mode 1\n\\\t2000.000\t3000.000\n"
    )
    plain = write("plain", "audacity", spectral=False, label="species") / "dawn" / "a.txt"
    assert plain.read_text() == f"0.500000\t0.700000\tRobin\n0.600000\t0.900000\t'{FLAT}\n"
    assert entries(plain) == [("Robin", 0.5, 0.7), (FLAT, 0.6, 0.9)]
    assert entries(spectral)[0] == ("Robin mode 1", 0.5, 0.7)


def test_kaleidoscope_names_places_programs_and_people(
    write: Callable[..., Path], case: Any, hostile: str
) -> None:
    path = write("k.csv", "kaleidoscope", choice=EVERYTHING)
    table = pd.read_csv(path, keep_default_na=False, dtype=str)
    assert "|".join(table) == (
        "INDIR|FOLDER|IN FILE|CHANNEL|OFFSET|DURATION|Fmin|Fmax|DATE|TIME|HOUR|AUTO ID|TOP1MATCH|"
        "TOP1DIST|MANUAL ID|CONFIDENCE|SYLLABLE"
    )
    root = str(case.root / "recordings")
    assert table.iloc[0].tolist() == [
        root, "", "./-x.wav", "0", "0.5", "0.2", "1000.0", "2000.0", "2021-10-01", "12:00:04", "12",
        "Robin", "Robin mode 1", "0.0", "Robin", "0.75", "./-x.wav#00000",
    ]  # fmt: skip
    assert table.iloc[4][["FOLDER", "IN FILE", "TIME", "MANUAL ID"]].tolist() == [
        "dawn",
        "a.wav",
        "",
        f"'{FLAT}",
    ]
    noise = table.iloc[5]
    assert noise[["AUTO ID", "TOP1MATCH", "MANUAL ID"]].tolist() == ["NoID", "Cluster 2", "Noise"]
    assert table.iloc[6]["MANUAL ID"] == ""
    read = read_label_file(path)
    assert read.format == "Kaleidoscope table"
    assert [entry.species for entry in read.entries[:3]] == ["Robin", FLAT, ""]
    assert read.entries[0].recording == f"{root}/./-x.wav"


def test_a_recording_that_lies_elsewhere_has_its_own_folder() -> None:
    assert _place("/r/a/b.wav", "a/b.wav") == ("/r", "a", "b.wav")
    assert _place("/elsewhere/b.wav", "a/b.wav") == ("/elsewhere", "", "b.wav")
    assert _place(r"C:\r\a\b.wav", "a/b.wav") == (r"C:\r", "a", "b.wav")
    assert _place("/b.wav", "b.wav") == ("/", "", "b.wav")


def test_crowsetta_sequences(write: Callable[..., Path], case: Any, hostile: str) -> None:
    folder = write("c", "crowsetta", label="species")
    simple = folder / "dawn" / "a.csv"
    assert list(pd.read_csv(simple).itertuples(index=False, name=None)) == [
        (0.5, 0.7, "Robin"),
        (0.6, 0.9, f"'{hostile}"),
    ]
    assert entries(simple) == [("Robin", 0.5, 0.7), (hostile, 0.6, 0.9)]
    generic = write("c.csv", "crowsetta", combined=True)
    table = pd.read_csv(generic)
    assert " ".join(table) == ("label onset_s offset_s notated_path annot_path sequence annotation")
    assert table["annotation"].tolist() == [0, 0, 1, 1, 2, 2, 3]
    assert set(table["sequence"]) == {0}
    assert set(table["annot_path"]) == {"c.csv"}
    assert entries(generic)[0] == ("Robin mode 1", 0.5, 0.7)
    assert read_label_file(generic).entries[0].recording == str(case.recording("-x.wav"))


def test_crowsetta_itself_reads_what_is_written(write: Callable[..., Path], hostile: str) -> None:
    crowsetta = pytest.importorskip("crowsetta")
    folder = write("raven", "raven", choice=EVERYTHING)
    raven = crowsetta.formats.bbox.Raven.from_file(
        folder / "dawn" / "a.Table.1.selections.txt", annot_col="Mode"
    ).to_bbox()
    assert [(box.onset, box.high_freq, box.label) for box in raven] == [
        (0.5, 2000.0, "Robin mode 1"),
        (0.6, 3000.0, f"'{FLAT} mode 1"),
        (1.25, 750.5, "Cluster 2"),
    ]
    audacity = write("audacity", "audacity") / "dawn" / "a.txt"
    boxes = crowsetta.formats.bbox.AudBBox.from_file(audacity).to_bbox()
    assert [box.label for box in boxes] == ["Robin mode 1", f"'{FLAT} mode 1"]
    simple = crowsetta.formats.seq.SimpleSeq.from_file(write("c", "crowsetta") / "dawn" / "a.csv")
    assert list(simple.labels) == ["Robin mode 1", f"'{hostile} mode 1"]
    generic = crowsetta.formats.seq.GenericSeq.from_file(write("c.csv", "crowsetta", combined=True))
    assert [len(annotation.seq.labels) for annotation in generic.annots] == [2, 2, 2, 1]


@pytest.mark.parametrize(
    ("format", "combined"),
    [("csv", False), ("parquet", False), ("raven", False), ("raven", True), ("crowsetta", True),
     ("kaleidoscope", False), ("audacity", False)],
)  # fmt: skip
def test_the_same_clustering_gives_the_same_bytes(
    write: Callable[..., Path], format: str, combined: bool
) -> None:
    written = []
    for name in ("1/x", "2/x"):
        path = write(name, format, combined=combined)
        files = sorted(path.rglob("*.*")) if path.is_dir() else [path]
        written.append([file.read_bytes() for file in files])
    assert written[0] == written[1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"format": "xls"}, "no format 'xls'; there are: csv"),
        ({"format": "csv", "combined": True}, "--combined is for --format raven and crowsetta"),
        (
            {"format": "raven", "features": True},
            "--features is for --format csv and r and excel and parquet",
        ),
        ({"format": "csv", "label": "species"}, "--label is for"),
        ({"format": "csv", "spectral": False}, "--plain is for --format audacity"),
    ],
)
def test_options_of_another_format_are_refused(
    write: Callable[..., Path], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(BirdmodesError, match=message):
        write("x", **options)


def test_exports_go_to_the_workspace_unless_told(case: Any) -> None:
    def name(format: str, combined: bool = False) -> str:
        options = ExportOptions(format, combined=combined)
        path = default_output(case.workspace, case.clustering, options)
        return path.relative_to(case.workspace.folder).as_posix()

    assert name("csv") == "exports/hostile.csv"
    assert name("raven") == "exports/hostile-raven"
    assert name("raven", combined=True) == "exports/hostile.Table.1.selections.txt"


def test_recordings_that_are_gone_do_not_matter_for_tables(
    make_case: Callable[[], Any], tmp_path: Path
) -> None:
    case = make_case()
    case.recording("dawn/a.wav").unlink()
    result = export_clustering(
        case.workspace, case.clustering, tmp_path / "r", ExportOptions("raven")
    )
    assert (result.syllables, result.files, result.left_out) == (7, 4, 1)


@pytest.mark.parametrize("format", ["raven", "kaleidoscope", "audacity"])
def test_many_syllables_are_quick(
    case: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, format: str
) -> None:
    small = case.clustering.assignments
    big = pd.concat([small] * 2500, ignore_index=True)
    big["syllable"] = [f"{name}{row}" for row, name in enumerate(big["syllable"])]
    clustering = dataclasses.replace(case.clustering, assignments=big)
    start = time.process_time()
    result = export_clustering(
        case.workspace, clustering, tmp_path / "x", ExportOptions(format, choice=EVERYTHING)
    )
    assert result.syllables == 30_000
    assert time.process_time() - start < 10
