"""Exports that are written some recordings at a time are those that are written at once."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from birdmodes.errors import BirdmodesError, WorkspaceError
from birdmodes.export import Choice, ExportOptions, export_clustering
from birdmodes.export.label_tracks import Tracks
from birdmodes.export.streamed import can_stream, export_streamed
from birdmodes.modes.clustering import read_clustering, write_clustering
from birdmodes.modes.digest import assignments_digest
from birdmodes.modes.streamed import stream_clustering
from birdmodes.modes.summary import ClusteringSummary, keep_summary, kept_summary, summary_of
from birdmodes.workspace.store import Workspace

EVERYTHING = Choice(min_confidence=0.0, background=True)
OPTIONS = [
    ExportOptions("csv"),
    ExportOptions("csv", EVERYTHING, mark=True),
    ExportOptions("csv", Choice(species=("robin",), modes=("mode 1",))),
    ExportOptions("r", EVERYTHING),
    ExportOptions("kaleidoscope", EVERYTHING),
    ExportOptions("raven", EVERYTHING, combined=True),
    ExportOptions("crowsetta", EVERYTHING, combined=True),
    ExportOptions("parquet", EVERYTHING),
    ExportOptions("excel", EVERYTHING),
    ExportOptions("ebird", EVERYTHING),
    ExportOptions("inaturalist"),
]
FOLDERS = [
    ExportOptions("raven", EVERYTHING),
    ExportOptions("audacity", EVERYTHING, label="species"),
    ExportOptions("audacity", Choice(modes=("Robin mode 1",)), spectral=False),
    ExportOptions("crowsetta", EVERYTHING),
    ExportOptions("detections", EVERYTHING),
]


@pytest.fixture
def kept(case: Any) -> Any:
    write_clustering(case.workspace, case.clustering)
    keep_summary(case.workspace, read_clustering(case.workspace))
    return case


@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: options.format)
@pytest.mark.parametrize("n_rows", [2, 4, 1000])
def test_parts_make_the_same_file(
    kept: Any, tmp_path: Path, options: ExportOptions, n_rows: int
) -> None:
    whole, parts = _both(kept.workspace, tmp_path, options, n_rows)
    if options.format == "parquet":
        pd.testing.assert_frame_equal(*[pd.read_parquet(path) for path in (whole, parts)])
    else:
        assert whole.read_bytes() == parts.read_bytes()
    assert list(parts.parent.iterdir()) == [parts]


@pytest.mark.parametrize("options", FOLDERS, ids=lambda options: options.format)
@pytest.mark.parametrize("n_rows", [2, 1000])
def test_parts_make_the_same_folder(
    kept: Any, tmp_path: Path, options: ExportOptions, n_rows: int
) -> None:
    whole, parts = (_contents(f) for f in _both(kept.workspace, tmp_path, options, n_rows))
    assert whole == parts
    assert len(whole) > 2


def _both(
    workspace: Workspace, folder: Path, options: ExportOptions, n_rows: int
) -> tuple[Path, Path]:
    """Where an export is that was written as a whole, and one that was written in parts."""
    outputs = folder / "whole" / "x", folder / "parts" / "x"
    whole = export_clustering(workspace, read_clustering(workspace), outputs[0], options)
    stream = stream_clustering(workspace, None, n_rows)
    assert stream is not None
    assert can_stream(options)
    parts = export_streamed(workspace, stream, outputs[1], options)
    told = [(one.syllables, one.files, one.left_out) for one in (whole, parts)]
    assert told[0] == told[1]
    return outputs


def _contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_files_are_named_as_if_recordings_without_syllables_were_not_there(tmp_path: Path) -> None:
    names = ["d/a.flac", "d/a.wav", "d/b.wav"]
    tracks = Tracks(tmp_path, names, ".txt")
    for name in names[1:]:
        rows = pd.DataFrame({"recording": [name, name]})
        tracks.write(tracks.files(rows, pa.array([f"{name} 1\n", "2\n"]), "head\n"))
    digests = tracks.finish()
    found = _contents(tmp_path)
    assert found == {
        "d/a.txt": b"head\nd/a.wav 1\n2\n",
        "d/b.txt": b"head\nd/b.wav 1\n2\n",
    }
    assert digests == {file: hashlib.sha256(text).hexdigest() for file, text in found.items()}


@pytest.mark.parametrize(
    "choice", [Choice(species=("Wren",)), Choice(modes=("mode 9",)), Choice(min_confidence=1.5)]
)
def test_refusals_are_the_same(kept: Any, tmp_path: Path, choice: Choice) -> None:
    options, said = ExportOptions("csv", choice), []
    stream = stream_clustering(kept.workspace, None, 2)
    assert stream is not None
    for export in (
        lambda: export_clustering(
            kept.workspace, read_clustering(kept.workspace), tmp_path / "x.csv", options
        ),
        lambda: export_streamed(kept.workspace, stream, tmp_path / "x.csv", options),
    ):
        with pytest.raises(BirdmodesError) as error:
            export()
        said.append(str(error.value))
    assert said[0] == said[1]
    assert not list(tmp_path.glob("*x.csv*"))


@pytest.mark.parametrize("part", ["recordings", "syllables", "clusterings"])
def test_what_has_changed_since_is_read_as_a_whole(kept: Any, part: str) -> None:
    assert stream_clustering(kept.workspace, None) is not None
    [file, *_] = sorted((kept.workspace.folder / part).rglob("*.[pc][as][rv]*"))
    os.utime(file, ns=(1, 1))
    assert stream_clustering(kept.workspace, None) is None


def _told(workspace: Workspace, name: str) -> ClusteringSummary | str:
    """Summary of a clustering as it is read in parts, or why it cannot be read."""
    try:
        return summary_of(workspace, name)
    except WorkspaceError as error:
        return str(error)


@pytest.mark.parametrize("n_rows", [2, 5, 1000])
def test_a_large_clustering_that_was_never_summarised_is_read_in_parts(
    case: Any, n_rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_clustering(case.workspace, case.clustering)
    assert stream_clustering(case.workspace, None) is None
    monkeypatch.setattr("birdmodes.modes.summary.PART_ROWS", n_rows)
    monkeypatch.setattr("birdmodes.modes.streamed.MANY", 1)
    stream = stream_clustering(case.workspace, None)
    assert stream is not None
    keep_summary(case.workspace, read_clustering(case.workspace))
    assert stream.summary == kept_summary(case.workspace, case.clustering.name)
    assert stream.summary.by_recording


def test_summaries_in_parts_refuse_what_readers_refuse(
    case: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("birdmodes.modes.summary.PART_ROWS", 5)
    clustering, table = case.clustering, case.clustering.assignments
    name = clustering.name
    folder = write_clustering(case.workspace, clustering)
    whole = {path: path.read_bytes() for path in folder.iterdir()}

    def moved() -> None:
        later = table["start_s"].where(table["syllable"] != table["syllable"].iloc[-1], 1.6)
        write_clustering(
            case.workspace, replace(clustering, assignments=table.assign(start_s=later))
        )

    def cut(file: str, keep: int) -> Callable[[], None]:
        def write() -> None:
            lines = whole[folder / file].splitlines(keepends=True)
            (folder / file).write_bytes(b"".join(lines[:keep]))

        return write

    def spoilt() -> None:
        content = bytearray(whole[folder / "model.npz"])
        content[len(content) // 2 :] = b""
        (folder / "model.npz").write_bytes(content)

    said = []
    for spoil in (moved, cut("assignments.csv", -1), cut("modes.csv", -1), spoilt):
        for path, content in whole.items():
            path.write_bytes(content)
        spoil()
        with pytest.raises(WorkspaceError) as error:
            read_clustering(case.workspace, name)
        said.append(_told(case.workspace, name))
        assert said[-1] == str(error.value)
    assert len(set(said)) == len(said)


def test_of_a_table_in_no_order_all_is_read_at_a_time(
    case: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    shuffled = case.clustering.assignments.iloc[::-1].reset_index(drop=True)
    write_clustering(case.workspace, replace(case.clustering, assignments=shuffled))
    monkeypatch.setattr("birdmodes.modes.summary.PART_ROWS", 5)
    found = summary_of(case.workspace, case.clustering.name)
    assert not found.by_recording
    assert found.base == assignments_digest(shuffled)
    monkeypatch.setattr("birdmodes.modes.streamed.MANY", 1)
    assert stream_clustering(case.workspace, None) is None
