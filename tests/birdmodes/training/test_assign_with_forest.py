from __future__ import annotations

from pathlib import Path
from typing import Any

from birdmodes.assign.run import assign_recordings
from birdmodes.audio.read import find_recordings
from birdmodes.labels import FittedLabels
from birdmodes.modes.clustering import read_clustering, write_clustering
from birdmodes.modes.find import ClusterOptions, find_modes
from birdmodes.segmentation import ForestModel
from birdmodes.workspace.segment import segment_recordings
from birdmodes.workspace.settings import Settings
from birdmodes.workspace.store import Workspace

UNLABELLED = FittedLabels({}, [], [])


def test_new_recordings_are_segmented_by_the_model_of_the_workspace(
    painted: Any, model: ForestModel, tmp_path: Path
) -> None:
    recordings = find_recordings([painted.recordings])
    workspace = Workspace.prepare(
        tmp_path / "w", Settings(model.parameters, model_digest=model.digest)
    )
    segment_recordings(recordings, UNLABELLED, workspace, model=model)
    options = ClusterOptions(method="sp", k=2, stability_runs=0)
    write_clustering(workspace, find_modes(workspace, options, "two").clustering)
    clustering = read_clustering(workspace, "two")
    result = assign_recordings(workspace, clustering, recordings, UNLABELLED, tmp_path / "new")
    output = Workspace.open(tmp_path / "new")
    assert output.settings == workspace.settings
    assert output.syllables().equals(workspace.syllables())
    # no species is known, so no mode either
    assert set(result.table["kind"]) <= {"no species", "unassigned"}
    assert result.modes["name"].str.startswith("no species ").any()
