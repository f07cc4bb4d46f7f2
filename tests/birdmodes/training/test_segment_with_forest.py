"""A trained forest in ``segment``: its copy in the workspace, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from birdmodes.audio.read import find_recordings
from birdmodes.errors import ModelError, WorkspaceError
from birdmodes.labels import FittedLabels
from birdmodes.segmentation import ForestModel, load_model, save_model
from birdmodes.segmentation.forest_model import Training
from birdmodes.workspace.segment import segment_recordings
from birdmodes.workspace.settings import Settings
from birdmodes.workspace.store import Workspace

from .conftest import Painted

Call = Callable[..., tuple[int, str]]

UNLABELLED = FittedLabels({}, [], [])


def other_model(model: ForestModel) -> ForestModel:
    training = Training(("other",), 1, 1, 0, 0.5, 0.5)
    return ForestModel(model.parameters, model.threshold, model.trees, training)


def test_any_number_of_workers_gives_what_the_model_finds(
    painted: Painted, model: ForestModel, tmp_path: Path, two_workers: int
) -> None:
    settings = Settings(model.parameters, model_digest=model.digest)
    tables = []
    for workers in (1, two_workers):
        workspace = Workspace.prepare(tmp_path / str(workers), settings)
        segment_recordings(
            find_recordings([painted.recordings]), UNLABELLED, workspace,
            model=model, workers=workers,
        )  # fmt: skip
        tables.append(workspace.syllables())
        assert load_model(workspace.model_path).digest == model.digest
    assert len(tables[0]) > 10
    assert tables[0].equals(tables[1])


def test_a_model_other_than_that_of_the_settings_is_refused(
    painted: Painted, model: ForestModel, tmp_path: Path
) -> None:
    settings = Settings(model.parameters, model_digest=model.digest)
    workspace = Workspace.prepare(tmp_path / "w", settings)
    recordings = find_recordings([painted.recordings])
    with pytest.raises(WorkspaceError, match="another model"):
        segment_recordings(recordings, UNLABELLED, workspace, model=other_model(model))
    save_model(other_model(model), workspace.model_path)
    with pytest.raises(ModelError, match="not the model that this run uses"):
        segment_recordings(recordings, UNLABELLED, workspace)


def test_segmenting_by_a_model(
    painted: Painted,
    model: ForestModel,
    tmp_path: Path,
    call: Call,
) -> None:
    save_model(model, tmp_path / "m.npz")
    command = ("segment", painted.recordings, "-w", tmp_path / "w", "--workers", 1)
    by_model = (*command, "--segmenter", "forest", "--model", tmp_path / "m.npz")
    code, output = call(*by_model)
    assert code == 0, output
    workspace = Workspace.open(tmp_path / "w")
    assert workspace.settings.segmentation == model.parameters
    assert workspace.settings.model_digest == model.digest
    code, output = call(*by_model)
    assert code == 0
    assert "3 recordings done before, skipped" in output

    save_model(other_model(model), tmp_path / "m.npz")
    code, output = call(*by_model)
    assert code == 2
    assert "model_digest" in output
    for wrong, message in [
        (("--sample-rate", 22050), "does not fit the model"),
        (("--preset", "default"), "the model brings the parameters"),
    ]:
        code, output = call(*by_model, *wrong)
        assert code == 2
        assert message in " ".join(output.split())


def test_a_forest_needs_a_model_and_a_model_a_forest(
    painted: Painted,
    tmp_path: Path,
    call: Call,
) -> None:
    for options, message in [
        (("--segmenter", "forest"), "needs --model"),
        (("--model", "m.npz"), "is for --segmenter forest"),
        (("--segmenter", "forest", "--model", tmp_path / "no.npz"), "no.npz"),
    ]:
        code, output = call("segment", painted.recordings, "-w", tmp_path / "w", *options)
        assert code == 2
        assert message in " ".join(output.split())
        assert not (tmp_path / "w").exists()
