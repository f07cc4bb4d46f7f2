"""Boxes of a review in the syllables themselves, on whistles whose places are known."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import soundfile

from birdmodes.audio.read import AudioFacts, find_recordings
from birdmodes.errors import WorkspaceError
from birdmodes.export.run import ExportOptions, export_clustering
from birdmodes.labels import FittedLabels
from birdmodes.modes.clustering import read_clustering, read_original
from birdmodes.modes.digest import assignments_digest
from birdmodes.modes.find import ClusterOptions
from birdmodes.review.edits import Edit, Review
from birdmodes.review.history import apply_review, undo_last
from birdmodes.review.knowledge import review_knowledge
from birdmodes.review.make import make_modes
from birdmodes.review.mended.mend import mend_again
from birdmodes.review.mended.paint import corrected_paint
from birdmodes.review.segment import SegmentOptions, make_syllables
from birdmodes.segmentation.features import FEATURE_NAMES
from birdmodes.segmentation.parameters import SegmentationParameters
from birdmodes.segmentation.windows import PLACE_NAMES
from birdmodes.workspace.segment import segment_recordings
from birdmodes.workspace.settings import Settings
from birdmodes.workspace.store import Workspace

from ..conftest import RATE_HZ, whistles

MakeEdit = Callable[..., Edit]

PITCHES = {"a.wav": [2000.0], "b.wav": [2000.0], "c.wav": [5000.0], "d.wav": [5000.0]}
LABELS = {"a.wav": ("Robin",), "b.wav": ("Robin",), "c.wav": ("Wren",), "d.wav": ("Wren",)}
BOX = ["start_s", "end_s", "low_hz", "high_hz"]


def segmented(folder: Path, recordings: Path) -> Workspace:
    workspace = Workspace.prepare(folder, Settings(SegmentationParameters()))
    fitted = FittedLabels({name: set(species) for name, species in LABELS.items()}, [], [])
    segment_recordings(find_recordings([recordings]), fitted, workspace)
    return workspace


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Recordings, segmented and clustered; whistles of 0.2 s from 0.3 s on, every half second."""
    root = tmp_path_factory.mktemp("mend")
    (root / "recordings").mkdir()
    for seed, (name, pitches) in enumerate(PITCHES.items()):
        samples = whistles(3.0, pitches, seed=seed)
        soundfile.write(root / "recordings" / name, samples, RATE_HZ)
    workspace = segmented(root / "w", root / "recordings")
    make_modes(workspace, ClusterOptions(k=2, stability_runs=0))
    return root


@pytest.fixture
def workspace(made: Path, tmp_path: Path) -> Workspace:
    shutil.copytree(made / "w", tmp_path / "w")
    return Workspace.open(tmp_path / "w")


def name_of(workspace: Workspace) -> str:
    return read_clustering(workspace).name


def apply(workspace: Workspace, *edits: Edit) -> Any:
    clustering = read_clustering(workspace)
    base = assignments_digest(clustering.assignments)
    return apply_review(workspace, Review(clustering.name, base, "Ana", edits))


def rows(workspace: Workspace, recording: str) -> pd.DataFrame:
    table = workspace.syllables()
    return table[table["recording"] == recording].set_index("syllable")


def drawn(recording: str, start_s: float, end_s: float, **values: Any) -> dict[str, Any]:
    pitch = PITCHES[recording][0]
    box = {"low_hz": pitch - 300, "high_hz": pitch + 300, "species": ""}
    return {"recording": recording, "start_s": start_s, "end_s": end_s, **box, **values}


def test_what_is_thrown_away_and_drawn_again_is_measured_as_it_was_found(
    workspace: Workspace, edit: MakeEdit
) -> None:
    before = rows(workspace, "a.wav")
    whistle = before.iloc[1]
    discard = edit("discard", syllables=[before.index[1]])
    box = {name: float(whistle[name]) for name in BOX}
    result = apply(workspace, discard, edit("add-box", recording="a.wav", species="", **box))
    assert result.conflicts == []
    after = rows(workspace, "a.wav")
    new = after.loc["a.wav#1000000002"]
    assert len(after) == len(before)
    np.testing.assert_allclose(new[BOX].to_numpy(dtype=float), whistle[BOX].to_numpy(dtype=float))
    columns = [*FEATURE_NAMES, *PLACE_NAMES]
    np.testing.assert_allclose(
        new[columns].to_numpy(dtype=float), whistle[columns].to_numpy(dtype=float), rtol=1e-6
    )
    others = before.index.delete(1)
    pd.testing.assert_frame_equal(after.loc[others], before.loc[others])
    windows = workspace.windows()
    assert windows is not None
    assert len(windows) == len(workspace.syllables())
    # it sounds like a whistle of its mode, and comes to lie there
    table = result.clustering.assignments.set_index("syllable")
    assert table.loc[new.name, "cluster"] == table.loc[before.index[0], "cluster"]


def test_every_kind_of_correction_reaches_tables_and_clustering(
    workspace: Workspace, edit: MakeEdit
) -> None:
    names = rows(workspace, "a.wav").index
    mended = {"start_s": 1.25, "end_s": 1.6, "low_hz": 1500.0, "high_hz": 2500.0}
    result = apply(
        workspace,
        edit("cut", syllable=names[0], at_s=0.4),
        edit("join", syllables=[names[1], names[2]]),
        edit("mend-box", syllable=names[3], **mended),
        edit("add-box", **drawn("c.wav", 0.6, 0.7, species="Wren")),
    )
    assert result.conflicts == []
    now = rows(workspace, "a.wav")
    assert list(now.index) == [names[0], names[1], names[3], *names[4:], "a.wav#1000000001"]
    hop_s = 0.02
    assert now.loc[names[0], "end_s"] == pytest.approx(0.4, abs=hop_s)
    assert now.loc["a.wav#1000000001", "start_s"] == pytest.approx(0.4, abs=hop_s)
    assert now.loc[names[1], "end_s"] > 1.4
    for name, value in mended.items():
        assert now.loc[names[3], name] == pytest.approx(value, abs=60 if "hz" in name else hop_s)
    table = result.clustering.assignments.set_index("syllable")
    assert set(table.index) == set(workspace.syllables("syllable")["syllable"])
    assert table.loc["c.wav#1000000004", ["species", "review"]].tolist() == ["Wren", "moved"]
    assert table.loc["a.wav#1000000001", "cluster"] == table.loc[names[0], "cluster"]
    # what is read back is current, so everything that reads clusterings goes on with it
    again = read_clustering(workspace)
    assert again.assignments["syllable"].tolist() == list(table.index)
    assert len(again.model["features"]) == len(table)


def test_taking_back_restores_syllables_and_clustering(
    workspace: Workspace, edit: MakeEdit
) -> None:
    folder = workspace.folder / "clusterings" / name_of(workspace)
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix != ".npz"}
    table = workspace.syllables()
    names = rows(workspace, "a.wav").index
    apply(workspace, edit("join", syllables=list(names[:2])), edit("discard", syllables=[names[3]]))
    undo_last(workspace)
    pd.testing.assert_frame_equal(workspace.syllables(), table)
    after = {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix != ".npz"}
    assert after == before


def test_a_second_review_goes_on_with_what_the_first_drew(
    workspace: Workspace, edit: MakeEdit
) -> None:
    apply(workspace, edit("add-box", **drawn("a.wav", 0.55, 0.7)))
    second = edit("mark", syllables=["a.wav#1000000001"], as_="noise")
    third = edit("cut", syllable="a.wav#1000000001", at_s=0.6)
    result = apply(workspace, second, third)
    assert result.conflicts == []
    table = result.clustering.assignments.set_index("syllable")["review"]
    assert table[["a.wav#1000000001", "a.wav#1000000003"]].tolist() == ["noise", "noise"]


def test_clusterings_made_before_follow_and_those_made_after_have_them(
    workspace: Workspace, edit: MakeEdit
) -> None:
    other = make_modes(workspace, ClusterOptions(k=3, stability_runs=0), "other").clustering
    first = next(
        n
        for n in (p.name for p in (workspace.folder / "clusterings").iterdir())
        if n not in ("other", "order.txt")
    )
    base = assignments_digest(read_clustering(workspace, first).assignments)
    edits = (edit("add-box", **drawn("a.wav", 0.55, 0.7)),)
    apply_review(workspace, Review(first, base, "Ana", edits))
    assert name_of(workspace) == first  # what was corrected is what 'gallery' shows
    followed = read_clustering(workspace, "other")
    assert len(followed.assignments) == len(other.assignments) + 1
    assert followed.assignments["cluster"].min() >= 0
    pd.testing.assert_frame_equal(read_original(workspace, "other").assignments, other.assignments)
    after = make_modes(workspace, ClusterOptions(k=2, stability_runs=0), "after")
    assert after.reviewed is not None
    assert after.reviewed.conflicts == []
    assert "a.wav#1000000001" in after.clustering.assignments["syllable"].tolist()
    # taken back, the one that was made with it does without
    undo_last(workspace)
    assert len(read_clustering(workspace, "after").assignments) == len(other.assignments)


def test_what_is_said_of_drawn_and_mended_syllables_is_known_while_clustering_again(
    workspace: Workspace, edit: MakeEdit
) -> None:
    names = rows(workspace, "a.wav").index
    gone = rows(workspace, "c.wav").index[0]
    new = edit("add-box", **drawn("a.wav", 0.55, 0.7, species="Robin"))
    added = f"a.wav#1{int(new.id[-7:], 16):09d}"
    cut = edit("cut", syllable=names[0], at_s=0.4)
    marks = edit("mark", syllables=[added, names[1]], **{"as": "good"})
    discard = edit("discard", syllables=[gone])
    assert apply(workspace, new, cut, marks, discard).conflicts == []
    known = review_knowledge(workspace)
    place = {name: row for row, name in enumerate(workspace.syllables()["syllable"])}
    assert known.species == {place[added]: "Robin", place[names[1]]: "Robin"}
    made = make_modes(workspace, ClusterOptions(k=2, stability_runs=0), with_review=True)
    assert made.reviewed is not None
    assert made.reviewed.conflicts == []


def test_boxes_come_back_when_recordings_are_segmented_anew(
    made: Path, workspace: Workspace, edit: MakeEdit
) -> None:
    names = rows(workspace, "a.wav").index
    gone = rows(workspace, "c.wav").index[0]
    apply(
        workspace,
        edit("add-box", **drawn("a.wav", 0.55, 0.7)),
        edit("discard", syllables=[gone]),
        edit("join", syllables=list(names[1:3])),
    )
    n_found = {"a.wav": len(names), "c.wav": len(rows(workspace, "c.wav")) + 1}
    options = SegmentOptions(parameters={"min_duration_s": 0.03})
    again = make_syllables(made / "recordings", workspace.folder, options, restart=True)
    anew = again.workspace
    assert again.conflicts == []
    assert len(rows(anew, "a.wav")) == n_found["a.wav"]  # one more drawn, one fewer joined
    assert "a.wav#1000000001" in rows(anew, "a.wav").index
    assert len(rows(anew, "c.wav")) == n_found["c.wav"] - 1
    assert mend_again(anew) == []  # nothing is done twice
    assert len(rows(anew, "a.wav")) == n_found["a.wav"]


def test_what_is_not_found_any_more_is_told_and_kept(workspace: Workspace, edit: MakeEdit) -> None:
    names = rows(workspace, "a.wav").index
    apply(workspace, edit("cut", syllable=names[0], at_s=0.4))
    # as if nothing had been found at that place
    workspace.found.write("a.wav", workspace.found.read_one("a.wav").slice(1))
    (conflict,) = mend_again(workspace)
    assert "not found any more" in conflict.problem
    assert "a.wav" in conflict.problem
    assert len(rows(workspace, "a.wav")) == len(names) - 1


def test_a_box_outside_of_the_recording_is_a_conflict(workspace: Workspace, edit: MakeEdit) -> None:
    n = len(workspace.syllables())
    result = apply(
        workspace,
        edit("add-box", **drawn("a.wav", 8.0, 9.0)),
        edit("add-box", **{**drawn("a.wav", 0.5, 0.6), "recording": "z.wav"}),
    )
    assert len(result.conflicts) == 2
    assert len(workspace.syllables()) == n


def test_a_killed_run_is_finished_by_the_next(
    workspace: Workspace, edit: MakeEdit, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = rows(workspace, "a.wav").index
    clustering = read_clustering(workspace)
    base = assignments_digest(clustering.assignments)
    review = Review(clustering.name, base, "", (edit("discard", syllables=list(names[:1])),))

    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("birdmodes.review.history.replay", killed)
        with pytest.raises(KeyboardInterrupt):
            apply_review(workspace, review)
    with pytest.raises(WorkspaceError, match="other syllables"):
        read_clustering(workspace)
    apply_review(workspace, review)
    assert names[0] not in read_clustering(workspace).assignments["syllable"].tolist()


@pytest.mark.parametrize("killed_at", ["_store", "_follow", "_put_away"])
def test_the_other_clusterings_follow_though_a_run_was_killed(
    workspace: Workspace,
    edit: MakeEdit,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    killed_at: str,
) -> None:
    name = name_of(workspace)
    other = make_modes(workspace, ClusterOptions(k=3, stability_runs=0), "other").clustering
    base = assignments_digest(read_clustering(workspace, name).assignments)
    review = Review(name, base, "", (edit("add-box", **drawn("a.wav", 0.55, 0.7)),))
    file = workspace.folder / "review" / f"pending-{name}.json"
    file.parent.mkdir()
    file.write_text(json.dumps(review.to_dict()))

    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(f"birdmodes.review.history.{killed_at}", killed)
        with pytest.raises(KeyboardInterrupt):
            apply_review(workspace, review, file=file)
    assert file.exists(), "it can be done again"
    apply_review(workspace, review, file=file)
    assert not file.exists()
    followed = read_clustering(workspace, "other")
    assert len(followed.assignments) == len(other.assignments) + 1

    with monkeypatch.context() as patch:
        patch.setattr("birdmodes.review.history.write_log", killed)
        with pytest.raises(KeyboardInterrupt):
            undo_last(workspace)
    undo_last(workspace)
    pd.testing.assert_frame_equal(
        read_clustering(workspace, "other").assignments, other.assignments
    )
    assert read_clustering(workspace, name).assignments["syllable"].tolist() == (
        other.assignments["syllable"].tolist()
    )


def test_what_a_killed_run_left_half_written_beside_shards_is_swept(workspace: Workspace) -> None:
    for part in ("syllables", "found", "recordings"):
        (workspace.folder / part).mkdir(exist_ok=True)
        (workspace.folder / part / ".unfinished-4194305-a.parquet").touch()
    with workspace.writing():
        assert not list(workspace.folder.rglob(".unfinished-*"))


def test_exports_have_the_mended_boxes(
    workspace: Workspace, edit: MakeEdit, tmp_path: Path
) -> None:
    apply(workspace, edit("add-box", **drawn("a.wav", 0.55, 0.7)))
    clustering = read_clustering(workspace)
    box = clustering.assignments.set_index("syllable").loc["a.wav#1000000001", BOX]
    for format in ("csv", "raven", "audacity", "kaleidoscope", "crowsetta"):
        output = tmp_path / format
        export_clustering(workspace, clustering, output, ExportOptions(format=format))
        files = [output] if output.is_file() else sorted(output.rglob("*"))
        text = "".join(path.read_text("utf-8") for path in files if path.is_file())
        assert f"{np.floor(100 * box['start_s']) / 100:.2f}" in text, format


def test_corrected_boxes_are_examples_for_the_segmenter(
    workspace: Workspace, edit: MakeEdit, tmp_path: Path, call: Callable[..., tuple[int, str]]
) -> None:
    model = tmp_path / "model.npz"
    train = ("train-segmenter", "--corrections", workspace.folder, "-m", model, "--trees", 4)
    code, said = call(*train)
    assert (code, "nobody has corrected boxes there yet" in said) == (2, True)
    whistle = rows(workspace, "a.wav").iloc[1]
    apply(
        workspace,
        edit("discard", syllables=[whistle.name]),
        edit("add-box", **drawn("a.wav", 0.55, 0.7)),
        edit("add-box", **drawn("c.wav", 0.55, 0.7)),
    )
    painted = {one.recording.name: one.paint for one in corrected_paint(workspace)}
    assert sorted(painted) == ["a.wav", "c.wav"]
    seconds = np.array([0.4, 0.6, (whistle["start_s"] + whistle["end_s"]) / 2])
    at = painted["a.wav"].at(np.array([2000.0, 6000.0]), seconds, AudioFacts(RATE_HZ, 1, 3.0, ""))
    assert at.tolist() == [[True, True, False], [False, False, False]]
    code, said = call(*train)
    assert (code, "2 recordings with corrected boxes" in said) == (0, True)
    assert model.exists()
