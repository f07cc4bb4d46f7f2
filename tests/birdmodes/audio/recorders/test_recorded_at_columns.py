"""The times of recordings on their way into the tables."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from birdmodes.audio.read import find_recordings
from birdmodes.labels import fit_labels
from birdmodes.modes.clustering import read_clustering, write_clustering
from birdmodes.modes.find import ClusterOptions, find_modes
from birdmodes.segmentation.parameters import SegmentationParameters
from birdmodes.workspace.segment import segment_recordings
from birdmodes.workspace.settings import Settings
from birdmodes.workspace.store import Workspace

WriteRecording = Callable[..., Path]


@pytest.fixture
def workspace(write_recording: WriteRecording, tmp_path: Path) -> Workspace:
    """A recording of known time, and one of unknown time."""
    root = write_recording("S4A03895_20190522_235959.wav", [2000, 4000]).parent
    write_recording("unknown.wav", [2000, 4000], seed=1)
    (root / "labels.csv").write_text(
        "recording,species\nS4A03895_20190522_235959,Wren\nunknown,Wren\n"
    )
    made = Workspace.prepare(tmp_path / "w", Settings(SegmentationParameters()))
    recordings = find_recordings([root])
    segment_recordings(recordings, fit_labels(recordings), made)
    return made


def test_recordings_have_time_device_and_recorder(workspace: Workspace) -> None:
    table = workspace.recordings().set_index("recording")
    columns = ["recorded_at", "utc_offset", "device", "recorder"]
    assert list(table.loc["S4A03895_20190522_235959.wav", columns]) == [
        pd.Timestamp("2019-05-22 23:59:59"), "", "S4A03895", "Song Meter SM4"
    ]  # fmt: skip
    assert list(table.loc["unknown.wav", columns]) == [pd.NaT, "", "", ""]
    assert table["recorded_at"].dt.hour.max() == 23
    assert table[["latitude", "longitude"]].isna().all(axis=None)


def test_every_syllable_has_its_time_if_the_recording_has_one(workspace: Workspace) -> None:
    clustering = find_modes(workspace, ClusterOptions(k=2, stability_runs=0)).clustering
    folder = write_clustering(workspace, clustering)
    table = read_clustering(workspace).assignments
    pd.testing.assert_series_equal(table["recorded_at"], clustering.assignments["recorded_at"])
    timed = table[table["recording"] != "unknown.wav"]
    assert len(timed) >= 4
    assert (table.loc[table["recording"] == "unknown.wav", "recorded_at"] == "").all()
    since = pd.to_datetime(timed["recorded_at"]) - pd.Timestamp("2019-05-22 23:59:59")
    np.testing.assert_allclose(since.dt.total_seconds(), timed["start_s"], atol=0.0006)
    assert timed["recorded_at"].str.startswith("2019-05-23T00:00:0").any()
    header = (folder / "assignments.csv").read_text().splitlines()[0]
    assert header.endswith(",confidence,centrality,recorded_at,review")


def test_clusterings_from_before_there_were_times_can_be_read(workspace: Workspace) -> None:
    clustering = find_modes(workspace, ClusterOptions(k=2, stability_runs=0)).clustering
    file = write_clustering(workspace, clustering) / "assignments.csv"
    pd.read_csv(file).drop(columns="recorded_at").to_csv(file, index=False)
    assert (read_clustering(workspace).assignments["recorded_at"] == "").all()
