"""Measurements are kept in the workspace, and made anew only for what has changed."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from birdmodes.modes.words import syllable_measures, table
from birdmodes.workspace.store import Workspace


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Recordings that are measured."""
    names: list[str] = []
    measure = table.measure_recording

    def noted(task: table._Task) -> pd.DataFrame:
        names.append(task.recording)
        return measure(task)

    monkeypatch.setattr(table, "measure_recording", noted)
    return names


@pytest.fixture
def workspace(make_workspace: Callable[..., Workspace]) -> Workspace:
    return make_workspace(("b.wav", [[0, 1]], "Wren"), ("a.wav", [[0], [1, 1]], "Robin"))


def kept(workspace: Workspace) -> Path:
    return workspace.folder / "gathered" / "measures.parquet"


def test_all_syllables_are_measured_in_the_workspace_s_order(workspace: Workspace) -> None:
    found = syllable_measures(workspace)
    syllables = workspace.syllables(["syllable", "recording", "start_s", "end_s"])
    assert found["syllable"].tolist() == syllables["syllable"].tolist()
    assert found["recording"].tolist() == ["a.wav"] * 3 + ["b.wav"] * 2
    lengths = syllables["end_s"] - syllables["start_s"]
    assert found["duration_s"].to_numpy() == pytest.approx(lengths.to_numpy())
    assert found.drop(columns=["syllable", "recording"]).notna().all(axis=None)


def test_what_was_measured_is_read(workspace: Workspace, measured: list[str]) -> None:
    first = syllable_measures(workspace)
    assert sorted(measured) == ["a.wav", "b.wav"]
    measured.clear()
    pd.testing.assert_frame_equal(syllable_measures(workspace), first)
    assert measured == []


def test_a_recording_that_was_segmented_anew_is_measured_anew(
    workspace: Workspace, measured: list[str]
) -> None:
    syllable_measures(workspace)
    measured.clear()
    row = next(r for r in workspace.recordings().to_dict("records") if r["recording"] == "b.wav")
    rows = workspace.syllable_rows("b.wav").slice(0, 1)
    row = {name: None if value != value else value for name, value in row.items()}
    workspace.commit({**row, "n_syllables": 1}, rows)
    found = syllable_measures(workspace)
    assert measured == ["b.wav"]
    assert found["recording"].tolist() == ["a.wav"] * 3 + ["b.wav"]


@pytest.mark.parametrize("content", [b"", b"PAR1 nonsense"])
def test_a_damaged_file_counts_as_none(
    content: bytes, workspace: Workspace, measured: list[str]
) -> None:
    first = syllable_measures(workspace)
    kept(workspace).write_bytes(content)
    measured.clear()
    pd.testing.assert_frame_equal(syllable_measures(workspace), first)
    assert sorted(measured) == ["a.wav", "b.wav"]


def test_a_changed_bit_is_no_other_measurement(workspace: Workspace) -> None:
    first = syllable_measures(workspace)
    whole = kept(workspace).read_bytes()
    for place in range(0, len(whole), 11):
        changed = bytearray(whole)
        changed[place] ^= 16
        kept(workspace).write_bytes(changed)
        pd.testing.assert_frame_equal(syllable_measures(workspace), first)


def test_another_way_of_measuring_makes_all_anew(
    workspace: Workspace, measured: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    syllable_measures(workspace)
    measured.clear()
    monkeypatch.setattr(table, "VERSION", table.VERSION + 1)
    syllable_measures(workspace)
    assert sorted(measured) == ["a.wav", "b.wav"]


def test_a_workspace_that_cannot_be_written_is_measured_each_time(
    workspace: Workspace, measured: list[str]
) -> None:
    shutil.rmtree(workspace.folder / "gathered", ignore_errors=True)
    (workspace.folder / "gathered").write_text("in the way")
    first = syllable_measures(workspace)
    pd.testing.assert_frame_equal(syllable_measures(workspace), first)
    assert sorted(measured) == ["a.wav", "a.wav", "b.wav", "b.wav"]
