from __future__ import annotations

import dataclasses
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from birdmodes.assign.run import Assigned, assign_recordings, result_content
from birdmodes.assign.table import COLUMNS, Limits
from birdmodes.audio.read import find_recordings
from birdmodes.errors import BirdmodesError, ParameterError, WorkspaceError
from birdmodes.labels import FittedLabels
from birdmodes.modes.clustering import Clustering, read_clustering, write_clustering
from birdmodes.modes.digest import assignments_digest
from birdmodes.modes.summary import kept_summary
from birdmodes.review.edits import Edit, Review
from birdmodes.review.history import apply_review, undo_last
from birdmodes.segmentation.parameters import SegmentationParameters
from birdmodes.workspace.segment import segment_recordings
from birdmodes.workspace.settings import Settings
from birdmodes.workspace.store import Workspace

UNLABELLED = FittedLabels({}, [], [])
EVERYTHING = Limits(threshold=0.0, novelty=1e9)


def assign(scene, output: Path, limits: Limits | None = None, **options) -> Assigned:
    recordings = options.pop("recordings", None) or find_recordings([scene.new])
    clustering = options.pop("clustering", None) or read_clustering(scene.workspace, "two")
    labels = options.pop("labels", UNLABELLED)
    return assign_recordings(
        scene.workspace, clustering, recordings, labels, output, limits=limits, **options
    )


@pytest.fixture(scope="module")
def assigned(scene, tmp_path_factory: pytest.TempPathFactory) -> Assigned:
    return assign(scene, tmp_path_factory.mktemp("out") / "new")


def test_new_syllables_come_to_the_mode_of_their_species(assigned: Assigned) -> None:
    table = assigned.table
    assert list(table.columns) == COLUMNS
    expected = np.where(table["low_hz"] < 4000, "Robin", "Wren")
    placed = table["kind"] == "mode"
    assert placed.mean() > 0.8
    assert (table["species"] == expected)[placed].all()
    assert (table["mode"] == table["species"] + " mode 1")[placed].all()
    assert (table["best"] == np.char.add(expected.astype(str), " mode 1")).all()
    assert (table["second_best"] != table["best"]).all()
    assert table["score"].between(0, 1).all()
    assert (table.loc[~placed, ["species", "mode"]] == "").all(axis=None)
    assert (table.loc[~placed, "cluster"] == -1).all()


def test_what_was_assigned_to_a_corrected_clustering_can_be_corrected(
    scene, tmp_path: Path
) -> None:
    shutil.copytree(scene.workspace.folder, tmp_path / "w")
    workspace = Workspace.open(tmp_path / "w")

    def rename(where: Workspace, name: str) -> None:
        base = assignments_digest(read_clustering(where, "two").assignments)
        edit = Edit("0" * 16, "2026-01-01T10:00:00Z", "rename", {"cluster": 0, "name": name})
        apply_review(where, Review("two", base, "", (edit,)))

    rename(workspace, "song")
    corrected = read_clustering(workspace, "two")
    assign_recordings(
        workspace, corrected, find_recordings([scene.new]), UNLABELLED, tmp_path / "a"
    )
    there = Workspace.open(tmp_path / "a")
    assert read_clustering(there).modes["mode"][0].endswith(" song")
    rename(there, "call")
    # What is placed again, as with more recordings, is corrected again.
    assign_recordings(
        workspace, corrected, find_recordings([scene.new]), UNLABELLED, tmp_path / "a"
    )
    assert read_clustering(there).modes["mode"][0].endswith(" call")
    undo_last(there)
    assert read_clustering(there).modes["mode"][0].endswith(" song")


def test_times_are_those_of_the_recorder(assigned: Assigned) -> None:
    table = assigned.table.set_index("recording")["recorded_at"]
    assert table["20240512_050000.wav"].iloc[0].startswith("2024-05-12T05:00:00.")
    assert set(table["wren.wav"]) == {""}


def test_the_same_bytes_whatever_the_batch_and_the_order(
    scene, assigned: Assigned, tmp_path: Path
) -> None:
    recordings = find_recordings([scene.new])
    assign(scene, tmp_path / "a", recordings=recordings[::-1])
    assert (tmp_path / "a" / "assignments.csv").read_bytes() == assigned.path.read_bytes()
    rows = assigned.path.read_text().splitlines()
    assign(scene, tmp_path / "b", recordings=recordings[1:2])
    lines = (tmp_path / "b" / "assignments.csv").read_text().splitlines()
    assert len(lines) > 3
    assert lines == [rows[0], *(row for row in rows if recordings[1].name in row)]


def test_going_on_gives_the_same_as_going_through(
    scene, assigned: Assigned, tmp_path: Path
) -> None:
    recordings = find_recordings([scene.new])
    first = assign(scene, tmp_path / "a", recordings=recordings[:1])
    assert first.table["recording"].nunique() == 1
    second = assign(scene, tmp_path / "a")
    assert (second.summary.skipped, second.summary.segmented) == (1, 2)
    assert second.path.read_bytes() == assigned.path.read_bytes()


def test_labels_leave_only_modes_of_their_species(scene, tmp_path: Path) -> None:
    species = {"20240512_050000.wav": ("Wren",), "wren.wav": ("Wren", "Dunnock")}
    labels = FittedLabels(species, [], [])
    result = assign(scene, tmp_path / "a", EVERYTHING, labels=labels)
    found = result.table.groupby("recording")["species"].agg(set)
    assert found["20240512_050000.wav"] == {"Wren"}
    assert found["wren.wav"] == {"Wren"}
    assert found["b/both.wav"] == {"Robin", "Wren"}
    assert "no mode of 1 species" in result.warnings[0]
    assert "Dunnock" in result.warnings[0]
    # without labels again, in the same folder
    found = assign(scene, tmp_path / "a", EVERYTHING).table.groupby("recording")["species"].agg(set)
    assert found["20240512_050000.wav"] == {"Robin"}


def test_a_recording_of_no_species_has_no_modes(scene, tmp_path: Path) -> None:
    labels = FittedLabels({"wren.wav": ()}, [], [])
    table = assign(scene, tmp_path / "a", EVERYTHING, labels=labels).table
    of_wren = table[table["recording"] == "wren.wav"]
    assert set(of_wren["kind"]) == {"unassigned"}
    assert set(of_wren["best"]) == {""}
    assert set(of_wren["score"]) == {0.0}


def test_the_limits_decide_what_is_left_unassigned(scene, tmp_path: Path) -> None:
    table = assign(scene, tmp_path / "a", EVERYTHING).table
    assert set(table["unassigned"]) == {""}
    table = assign(scene, tmp_path / "a", Limits(threshold=1.0, novelty=1e9)).table
    assert set(table["unassigned"]) == {"undecided"}
    table = assign(scene, tmp_path / "a", Limits(threshold=0.0, novelty=1e-9)).table
    assert set(table["unassigned"]) == {"unlike anything"}
    for limits in (Limits(threshold=1.5), Limits(novelty=0.0), Limits(threshold=float("nan"))):
        with pytest.raises(ParameterError):
            assign(scene, tmp_path / "a", limits)


def test_the_result_is_a_clustering_for_the_other_commands(scene, assigned: Assigned) -> None:
    output = Workspace.open(assigned.path.parent)
    kept = kept_summary(output, "two")
    assert kept is not None, "info need not count it again"
    clustering = read_clustering(output)
    assert kept.base == assignments_digest(clustering.assignments)
    assert clustering.name == "two"
    assert len(clustering.assignments) == len(assigned.table)
    assert clustering.parameters["assigned_from"] == "two"
    assert not {"labels_digest", "lists"} & clustering.parameters.keys(), "of other recordings"
    modes = clustering.modes.set_index("cluster")
    assert modes["syllables"].sum() == len(assigned.table)
    placed = assigned.table[assigned.table["kind"] == "mode"]
    for cluster, members in placed.groupby("cluster"):
        assert modes.loc[cluster, "mode"] == members["mode"].iloc[0]
        assert modes.loc[cluster, "syllables"] == len(members)
        assert modes.loc[cluster, "confidence"] == pytest.approx(members["score"].mean())
    assert clustering.assignments["centrality"].between(0, 1, inclusive="right").all()
    with pytest.raises(WorkspaceError, match="is itself what 'birdmodes assign' wrote"):
        assign_recordings(
            output, clustering, find_recordings([scene.new]), UNLABELLED, output.folder / "again"
        )


def test_the_summary_adds_up(scene, assigned: Assigned) -> None:
    content = result_content(assigned, scene.clustering, Limits())
    assert sum(content["kinds"].values()) == content["syllables"] == len(assigned.table)
    assert sum(mode["syllables"] for mode in content["modes"]) == content["syllables"]
    assert content["recordings"] == 3
    assert 0.8 < content["left_out"]["right"] <= 1


def test_corrected_clusterings_are_placed_by_what_they_say_now(scene, tmp_path: Path) -> None:
    original = read_clustering(scene.workspace, "two")
    robin = original.modes.set_index("species").loc["Robin", "cluster"]
    assignments = original.assignments.copy()
    low = assignments["cluster"] == robin
    assignments.loc[low, ["cluster", "mode"]] = [70, "Robin drum"]
    modes = original.modes.copy()
    modes.loc[modes["cluster"] == robin, ["cluster", "mode"]] = [70, "Robin drum"]
    corrected = dataclasses.replace(original, assignments=assignments, modes=modes)
    table = assign(scene, tmp_path / "a", EVERYTHING, clustering=corrected).table
    assert set(table.loc[table["low_hz"] < 4000, "mode"]) == {"Robin drum"}
    assert set(table.loc[table["low_hz"] < 4000, "cluster"]) == {70}


def with_model(clustering: Clustering, **changes: object) -> Clustering:
    model = {
        name: value for name, value in {**clustering.model, **changes}.items() if value is not None
    }
    return dataclasses.replace(clustering, model=model)


def test_what_does_not_match_is_refused_in_one_line(scene, tmp_path: Path) -> None:
    good = read_clustering(scene.workspace, "two")
    names = good.model["feature_names"].copy()
    names[0] = "pitch"
    settings = str(good.model["settings"]).replace('"channel": null', '"channel": 2')
    for clustering, message in [
        (with_model(good, features=None), "did not keep what new recordings are compared with"),
        (with_model(good, feature_names=names), "other features than this birdmodes computes"),
        (with_model(good, settings=np.array(settings)), "channel None instead of 2"),
        (with_model(good, settings=np.array("{")), "damaged"),
        (with_model(good, features=good.model["features"][:-1]), "other features than the work"),
        (with_model(good, features=good.model["features"] + 1), "other features than the work"),
    ]:
        with pytest.raises(BirdmodesError, match=message) as caught:
            assign(scene, tmp_path / "a", clustering=clustering)
        assert "\n" not in str(caught.value)
        assert "clustering 'two'" in str(caught.value)
    assert not (tmp_path / "a").exists()


def test_outputs_that_do_not_fit_are_refused(scene, tmp_path: Path) -> None:
    with pytest.raises(WorkspaceError, match="holds the syllables of the clustering itself"):
        assign(scene, scene.workspace.folder)
    other = Settings(SegmentationParameters(low_hz=500.0))
    Workspace.prepare(tmp_path / "other", other)
    with pytest.raises(WorkspaceError, match="made with other parameters"):
        assign(scene, tmp_path / "other")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.txt").touch()
    with pytest.raises(WorkspaceError, match="not a workspace"):
        assign(scene, tmp_path / "full")


def test_recordings_without_syllables_give_an_empty_table(scene, tmp_path: Path) -> None:
    soundfile.write(tmp_path / "silence.wav", np.zeros(22050), 22050)
    result = assign(scene, tmp_path / "a", recordings=find_recordings([tmp_path / "silence.wav"]))
    assert result.table.empty
    assert result.path.read_text().startswith("syllable,recording,")
    assert result.modes.empty


def test_the_clustering_of_a_copied_workspace_is_as_good(scene, tmp_path: Path) -> None:
    # written and read again, the model is the same to the bit
    copy = dataclasses.replace(read_clustering(scene.workspace, "two"), name="copy")
    write_clustering(scene.workspace, copy)
    one = assign(scene, tmp_path / "a").table
    other = assign(scene, tmp_path / "b", clustering=read_clustering(scene.workspace, "copy")).table
    assert one.equals(other)


def test_so_many_workers_segment_the_new_recordings(
    scene: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That their number changes nothing is shown where they are at work."""
    asked = []

    def spied(*args: Any, workers: int, **options: Any) -> Any:
        asked.append(workers)
        return segment_recordings(*args, workers=1, **options)

    monkeypatch.setattr("birdmodes.assign.run.segment_recordings", spied)
    recordings = find_recordings([scene.new])[:1]
    assign(scene, tmp_path / "new", recordings=recordings, workers=3)
    assert asked == [3]
