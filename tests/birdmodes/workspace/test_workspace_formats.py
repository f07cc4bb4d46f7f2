"""Workspaces of earlier and later versions."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from birdmodes.audio.read import find_recordings
from birdmodes.errors import WorkspaceError
from birdmodes.gallery import build_gallery
from birdmodes.labels import fit_labels
from birdmodes.modes.clustering import read_clustering, write_clustering
from birdmodes.modes.find import ClusterOptions, find_modes
from birdmodes.segmentation.parameters import SegmentationParameters
from birdmodes.workspace.segment import SegmentSummary, segment_recordings
from birdmodes.workspace.settings import Settings
from birdmodes.workspace.store import Workspace

SETTINGS = Settings(SegmentationParameters())

# What recordings/*.parquet had in format 1.
OLD_SCHEMA = pa.schema(
    [
        ("recording", pa.string()),
        ("path", pa.string()),
        ("size_bytes", pa.int64()),
        ("mtime_ns", pa.int64()),
        ("duration_s", pa.float64()),
        ("sample_rate_hz", pa.int64()),
        ("channels", pa.int64()),
        ("labelled", pa.bool_()),
        ("species", pa.string()),
        ("n_clips", pa.int64()),
        ("bag_unit", pa.string()),
        ("n_syllables", pa.int64()),
        ("note", pa.string()),
    ]
)


def segment(root: Path, folder: Path, settings: Settings = SETTINGS) -> SegmentSummary:
    recordings = find_recordings([root])
    workspace = Workspace.prepare(folder, settings)
    return segment_recordings(recordings, fit_labels(recordings), workspace)


def change_description(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    content = json.loads((folder / "workspace.json").read_text())
    change(content)
    (folder / "workspace.json").write_text(json.dumps(content))


@pytest.fixture
def root(write_recording: Callable[..., Path]) -> Path:
    names = [f"site_20210503_05300{number}.wav" for number in range(6)]
    for number, name in enumerate(names):
        root = write_recording(name, [2000 + 3000 * (number % 2)], seed=number).parent
    rows = [f"{name},{['Robin', 'Wren'][number % 2]}" for number, name in enumerate(names)]
    (root / "labels.csv").write_text("\n".join(["recording,species", *rows]) + "\n")
    return root


@pytest.fixture
def old(root: Path, tmp_path: Path) -> Path:
    """Give a workspace as format 1 had it."""
    folder = tmp_path / "w"
    segment(root, folder)
    for shard in (folder / "recordings").glob("*.parquet"):
        pq.write_table(pq.read_table(shard).select(OLD_SCHEMA.names).cast(OLD_SCHEMA), shard)

    def as_it_was(content: dict[str, Any]) -> None:
        content["format"] = 1
        del content["model_digest"]

    change_description(folder, as_it_was)
    return folder


def test_a_workspace_of_format_1_is_read_clustered_and_shown(old: Path, tmp_path: Path) -> None:
    workspace = Workspace.open(old)
    assert workspace.settings == SETTINGS
    table = workspace.recordings()
    assert len(table) == 6
    assert table["recorded_at"].isna().all()
    assert table["clip_species"].isna().all()
    assert table["latitude"].dtype == float
    clustering = find_modes(workspace, ClusterOptions(k=2)).clustering
    write_clustering(workspace, clustering)
    build_gallery(workspace, read_clustering(workspace), tmp_path / "gallery")
    assert "Robin" in (tmp_path / "gallery/index.html").read_text(encoding="utf-8")
    assert json.loads((old / "workspace.json").read_text())["format"] == 1


def test_segment_goes_on_in_a_workspace_of_format_1_and_makes_it_format_2(
    old: Path, root: Path, write_recording: Callable[..., Path]
) -> None:
    before = Workspace.open(old).syllables()
    write_recording("more.wav", [3000])
    summary = segment(root, old)
    assert (summary.segmented, summary.skipped) == (1, 6)
    assert json.loads((old / "workspace.json").read_text())["format"] == 2
    workspace = Workspace.open(old)
    table = workspace.recordings().set_index("recording")
    assert table.loc["site_20210503_053002.wav", "recorded_at"] == pd.Timestamp(
        "2021-05-03T05:30:02"
    )
    assert pd.isna(table.loc["more.wav", "recorded_at"])
    after = workspace.syllables()
    assert after[after["recording"] != "more.wav"].reset_index(drop=True).equals(before)


def test_a_workspace_with_other_settings_than_there_are_now_can_be_read_but_not_continued(
    old: Path, root: Path
) -> None:
    def as_it_was(content: dict[str, Any]) -> None:
        del content["segmentation"]["seed_z"]
        content["segmentation"]["zeal"] = 7
        content["segmentation"]["split_db"] = 5.0

    change_description(old, as_it_was)
    workspace = Workspace.open(old)
    assert workspace.settings.segmentation.split_db == 5.0
    assert len(find_modes(workspace, ClusterOptions(k=2)).clustering.modes) == 2
    with pytest.raises(WorkspaceError, match="other parameters") as raised:
        segment(root, old)
    message = str(raised.value)
    assert f"split_db {SETTINGS.segmentation.split_db!r} instead of 5.0" in message
    assert "seed_z, which is new; zeal, which is no more" in message
    assert "add --restart" in message
    assert "\n" not in message


def test_what_another_version_may_set_and_this_one_not_is_refused(old: Path) -> None:
    change_description(old, lambda content: content["segmentation"].update(clip_s=-1))
    with pytest.raises(WorkspaceError, match=r"another version of birdmodes.*clip_s.*--restart"):
        Workspace.open(old)


def test_a_later_format_is_refused_in_words_and_left_as_it_is(old: Path, root: Path) -> None:
    change_description(old, lambda content: content.update(format=3))
    before = (old / "workspace.json").read_text()
    for attempt in (lambda: Workspace.open(old), lambda: segment(root, old)):
        with pytest.raises(WorkspaceError, match="format 3, this birdmodes reads 1 to 2; use a"):
            attempt()
    assert (old / "workspace.json").read_text() == before
    assert len(list((old / "recordings").glob("*.parquet"))) == 6


def test_a_workspace_that_was_made_anew_with_other_settings_is_not_written_to(
    old: Path, tmp_path: Path
) -> None:
    first = Workspace.prepare(tmp_path / "w", SETTINGS)
    other = Settings(SegmentationParameters(clip_s=5.0))
    Workspace.prepare(tmp_path / "w", other, restart=True)
    with pytest.raises(WorkspaceError, match="made with other parameters"), first.writing():
        pass
