"""Another command changes the workspace while something is exported of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from birdmodes.errors import BusyError, WorkspaceError
from birdmodes.export import ExportOptions, make, make_export, run
from birdmodes.groups.grouping import Grouping
from birdmodes.modes.clustering import write_clustering
from birdmodes.workspace.labels import labels_digest
from birdmodes.workspace.store import Workspace
from birdmodes.workspace.tables import SYLLABLES_SCHEMA

PutGrouping = Callable[..., Grouping]


@pytest.fixture
def workspace(make_case: Callable[[], Any], put_grouping: PutGrouping) -> Workspace:
    """A clustering, and groups of the recordings."""
    case = make_case()
    recordings = case.workspace.recordings()
    digest = {"labels_digest": labels_digest(recordings, recordings["recording"])}
    parameters = {**case.clustering.parameters, **digest}
    write_clustering(case.workspace, replace(case.clustering, parameters=parameters))
    put_grouping(case.workspace, [1, 0, 0, 1])
    kept: Workspace = case.workspace
    return kept


def meanwhile(monkeypatch: pytest.MonkeyPatch, change: Callable[[], None], times: int = 1) -> None:
    """Let something happen so many times, when groups and modes are read, and nothing else."""
    left = [change] * times

    def changed(real: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        if left:
            left.pop()()
        return real(*arguments, **options)

    monkeypatch.setattr(run, "export_clustering", partial(changed, run.export_clustering))
    monkeypatch.setattr(make, "export_streamed", partial(changed, make.export_streamed))


def test_recordings_that_are_added_meanwhile_are_told_in_words(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = workspace.recording_rows()[0]
    rows = workspace.syllable_rows(row["recording"]).to_pandas()
    rows["syllable"] = [f"z.wav#{number}" for number in range(len(rows))]
    more = pa.Table.from_pandas(rows.assign(recording="z.wav", bag="z.wav"), SYLLABLES_SCHEMA)

    def add() -> None:
        with workspace.writing():
            workspace.commit({**row, "recording": "z.wav"}, more)

    meanwhile(monkeypatch, add)
    told: list[list[str]] = []
    with pytest.raises(WorkspaceError, match="made from other syllables"):
        make_export(workspace, ExportOptions("csv"), None, tmp_path / "x.csv", on_notes=told.append)
    assert told == []
    assert not (tmp_path / "x.csv").exists()


@pytest.mark.parametrize("groups", [True, False])
def test_what_changes_meanwhile_is_everywhere_or_nowhere(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, groups: bool
) -> None:
    row = {**workspace.recording_rows()[0], "species": "Owl", "latitude": 12.25}

    def relabel() -> None:
        with workspace.writing():
            workspace.commit(row, None)

    meanwhile(monkeypatch, relabel)
    made = make_export(workspace, ExportOptions("csv"), None, tmp_path / "x.csv", groups=groups)
    assert 12.25 in pd.read_csv(tmp_path / "x.csv")["latitude"].to_list()
    assert any("the labels have changed since it was made" in line for line in made.warnings)


def test_what_changes_again_and_again_is_told(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write() -> None:
        with workspace.writing():
            pass

    meanwhile(monkeypatch, write, times=3)
    output = tmp_path / "x.csv"
    output.write_text("as it was")
    with pytest.raises(BusyError, match="another birdmodes command has changed it meanwhile"):
        make_export(workspace, ExportOptions("csv", overwrite=True), None, output)
    assert output.read_text() == "as it was"
    make_export(workspace, ExportOptions("csv", overwrite=True), None, output)
    assert output.read_text() != "as it was"
