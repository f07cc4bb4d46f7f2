from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from birdmodes.errors import ParameterError, WorkspaceError
from birdmodes.modes.clustering import (
    ASSIGNMENT_COLUMNS,
    MODE_COLUMNS,
    Clustering,
    clustering_names,
    read_clustering,
    write_clustering,
)
from birdmodes.review.pending import only_one_review
from birdmodes.segmentation import Segment
from birdmodes.segmentation.features import FEATURE_NAMES
from birdmodes.segmentation.parameters import SegmentationParameters
from birdmodes.segmentation.windows import N_BANDS, N_COLUMNS
from birdmodes.workspace.bags import bags_table
from birdmodes.workspace.results import check_name
from birdmodes.workspace.settings import Settings
from birdmodes.workspace.store import Workspace
from birdmodes.workspace.tables import ClipSegment, syllables_table, unpack_patch

SETTINGS = Settings(SegmentationParameters())


def make_segment(seed: int) -> Segment:
    rng = np.random.default_rng(seed)
    return Segment(
        start_s=0.5,
        end_s=0.75,
        low_hz=1000.0,
        high_hz=2000.0,
        features=rng.random(len(FEATURE_NAMES)),
        patch=rng.integers(0, 256, (5, 7), dtype=np.uint8),
        mask=rng.random((5, 7)) > 0.5,
        truncated=False,
    )


def row(recording: str, **changes: object) -> dict[str, object]:
    values: dict[str, object] = {
        "recording": recording,
        "path": f"/somewhere/{recording}",
        "size_bytes": 1,
        "mtime_ns": 2,
        "duration_s": 3.0,
        "sample_rate_hz": 22050,
        "channels": 1,
        "labelled": True,
        "species": "Robin;Wren",
        "n_clips": 1,
        "bag_unit": "clip",
        "n_syllables": 1,
        "note": "",
    }
    return {**values, **changes}


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    made = Workspace.prepare(tmp_path / "w", SETTINGS)
    for number, name in enumerate(["sub/b.wav", "a.wav"]):
        segments = [ClipSegment(clip, 10.0 * clip, make_segment(number)) for clip in (0, 1)]
        made.commit(row(name, n_clips=2, n_syllables=2), syllables_table(name, segments, "clip"))
    return made


def test_what_was_committed_is_read_again(workspace: Workspace) -> None:
    again = Workspace.open(workspace.folder)
    assert again.settings == SETTINGS
    assert list(again.recordings()["recording"]) == ["a.wav", "sub/b.wav"]
    table = again.syllables()
    assert list(table["syllable"]) == [
        "a.wav#00000",
        "a.wav#00001",
        "sub/b.wav#00000",
        "sub/b.wav#00001",
    ]
    assert list(table["bag"]) == ["a.wav#0", "a.wav#1", "sub/b.wav#0", "sub/b.wav#1"]
    assert list(table["start_s"]) == [0.5, 10.5, 0.5, 10.5]
    expected = make_segment(1).features
    np.testing.assert_array_equal(table.loc[0, list(FEATURE_NAMES)].to_numpy(dtype=float), expected)
    assert "patch" not in table


def test_patches_survive_packing(workspace: Workspace) -> None:
    packed = workspace.patches("a.wav").iloc[0]
    patch, mask = unpack_patch(
        packed["patch_bins"], packed["patch_frames"], packed["patch"], packed["mask"]
    )
    np.testing.assert_array_equal(patch, make_segment(1).patch)
    np.testing.assert_array_equal(mask, make_segment(1).mask)


def test_windows_are_in_the_order_of_the_syllables(workspace: Workspace) -> None:
    assert workspace.windows() is None  # these syllables were made without
    given = {}
    for number, name in enumerate(["b.wav", "sub/b.wav", "a.wav"]):
        window = np.full((N_BANDS, N_COLUMNS), number, dtype=np.uint8)
        place = np.arange(7, dtype=np.float32) + number
        segment = replace(make_segment(number), window=window, place=place)
        table = syllables_table(name, [ClipSegment(0, 0.0, segment)], "clip")
        workspace.commit(row(name), table)
        given[name] = window
    windows, table = workspace.windows(), workspace.syllables()
    assert windows is not None
    for found, name in zip(windows, table["recording"], strict=True):
        np.testing.assert_array_equal(found, given[name])
    assert table["next-similar"].tolist() == [2, 0, 1]
    assert "window" not in table


def test_a_window_of_another_size_counts_as_missing(workspace: Workspace) -> None:
    for name, shape in (("a.wav", (2, 2)), ("sub/b.wav", (N_BANDS, N_COLUMNS))):
        segment = replace(make_segment(0), window=np.zeros(shape, dtype=np.uint8))
        workspace.commit(row(name), syllables_table(name, [ClipSegment(0, 0.0, segment)], "clip"))
    assert workspace.windows() is None


def test_columns_can_be_chosen(workspace: Workspace) -> None:
    table = workspace.syllables(["low_hz", "freq-gini"])
    assert list(table.columns) == ["low_hz", "freq-gini"]
    assert len(table) == 4


def test_syllables_without_the_commit_mark_do_not_count(workspace: Workspace) -> None:
    for mark in (workspace.folder / "recordings").glob("a-wav-*.parquet"):
        mark.unlink()
    assert set(workspace.syllables()["recording"]) == {"sub/b.wav"}


def test_labels_can_change_without_touching_syllables(workspace: Workspace) -> None:
    before = workspace.syllables()
    workspace.commit(row("a.wav", species="", n_clips=2, n_syllables=2), None)
    assert list(workspace.recordings()["species"]) == ["", "Robin;Wren"]
    pd.testing.assert_frame_equal(workspace.syllables(), before)


def test_an_empty_workspace_has_empty_tables(tmp_path: Path) -> None:
    empty = Workspace.prepare(tmp_path / "w", SETTINGS)
    assert empty.recordings().empty
    assert empty.syllables().empty
    assert list(empty.errors().columns) == ["recording", "stage", "reason"]


def test_other_parameters_are_refused_and_named(workspace: Workspace) -> None:
    other = Settings(SegmentationParameters(clip_s=5.0), bag="clip")
    with pytest.raises(
        WorkspaceError, match=r"clip_s 5\.0 instead of 10\.0.*bag 'clip'.*--restart"
    ):
        Workspace.prepare(workspace.folder, other)
    assert len(Workspace.open(workspace.folder).recordings()) == 2


def test_restart_drops_the_tables_and_keeps_clusterings(workspace: Workspace) -> None:
    write_clustering(workspace, make_clustering(workspace, "mine"))
    other = Settings(SegmentationParameters(clip_s=5.0))
    again = Workspace.prepare(workspace.folder, other, restart=True)
    assert again.recordings().empty
    assert Workspace.open(workspace.folder).settings == other
    assert clustering_names(again) == []
    assert (workspace.folder / "replaced/clusterings-1/mine/assignments.csv").is_file()


def test_restart_keeps_what_is_replaced_under_the_first_free_number(workspace: Workspace) -> None:
    """Also where an earlier number was removed by hand, and each time again."""
    earlier = workspace.folder / "replaced" / "clusterings-2" / "old"
    earlier.mkdir(parents=True)
    for number in (1, 3):
        write_clustering(workspace, make_clustering(workspace, "mine"))
        workspace = Workspace.prepare(workspace.folder, SETTINGS, restart=True)
        assert (workspace.folder / f"replaced/clusterings-{number}/mine/modes.csv").is_file()
        segments = [ClipSegment(0, 0.0, make_segment(seed)) for seed in range(4)]
        workspace.commit(row("a.wav", n_syllables=4), syllables_table("a.wav", segments, "clip"))
    assert earlier.is_dir()


def test_a_folder_that_is_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.docx").write_text("x")
    with pytest.raises(WorkspaceError, match="not empty and not a workspace"):
        Workspace.prepare(tmp_path, SETTINGS)
    with pytest.raises(WorkspaceError, match="is a file"):
        Workspace.prepare(tmp_path / "thesis.docx", SETTINGS)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.docx"]


def test_a_workspace_that_is_not_there_or_damaged_says_so(tmp_path: Path) -> None:
    with pytest.raises(WorkspaceError, match="no workspace here; run 'birdmodes segment"):
        Workspace.open(tmp_path)
    (tmp_path / "workspace.json").write_text('{"format": 1')
    with pytest.raises(WorkspaceError, match="damaged"):
        Workspace.open(tmp_path)


@pytest.mark.parametrize("content", ["[" * 100_000, '{"channel": "left"}', '{"bag": "night"}'])
def test_a_description_that_is_not_what_was_written_is_damaged(
    workspace: Workspace, content: str
) -> None:
    path = workspace.folder / "workspace.json"
    if content.startswith("{"):
        content = json.dumps({**json.loads(path.read_text()), **json.loads(content)})
    path.write_text(content)
    with pytest.raises(WorkspaceError, match=r"workspace\.json: damaged \(.*restart'$"):
        Workspace.open(workspace.folder)


def test_a_damaged_shard_is_named(workspace: Workspace) -> None:
    shard = next((workspace.folder / "syllables").glob("a-wav-*.parquet"))
    shard.write_bytes(b"nonsense")
    with pytest.raises(WorkspaceError, match=rf"{shard.name}: cannot be read.*segment"):
        workspace.syllables()


def test_bags_are_listed_with_and_without_syllables() -> None:
    recordings = pd.DataFrame(
        [
            row("a.wav", n_clips=2, bag_unit="recording"),
            row("b.wav", n_clips=2, bag_unit="clip", labelled=False, species=""),
            row("c.wav", n_clips=0, bag_unit="clip"),
        ]
    )
    bags = bags_table(recordings)
    assert list(bags["bag"]) == ["a.wav", "b.wav#0", "b.wav#1"]
    assert list(bags["labelled"]) == [True, False, False]


def make_clustering(workspace: Workspace, name: str) -> Clustering:
    syllables = workspace.syllables(
        ["syllable", "recording", "start_s", "end_s", "low_hz", "high_hz"]
    )
    assignments = syllables.assign(
        cluster=0,
        species="NA",
        mode="NA mode 1",
        confidence=0.5,
        centrality=1.0,
        recorded_at=["", "2021-10-01T12:00:04.250", "", ""],
        review=["", "good", "", "noise"],
    )
    modes = pd.DataFrame(
        [(0, "NA", "NA mode 1", False, 4, 2, 0.5, 1.0, np.nan, "")], columns=MODE_COLUMNS
    )
    return Clustering(
        name, assignments, modes, {"clusters": 1, "silhouette": None}, {"k": 1}, {"x": np.eye(2)}
    )


def test_a_clustering_survives_writing_and_reading(workspace: Workspace) -> None:
    made = make_clustering(workspace, "csp-k1")
    folder = write_clustering(workspace, made)
    assert sorted(path.name for path in folder.iterdir()) == [
        "assignments.csv",
        "metrics.json",
        "model.json",
        "model.npz",
        "modes.csv",
    ]
    read = read_clustering(workspace)
    pd.testing.assert_frame_equal(
        read.assignments, made.assignments[ASSIGNMENT_COLUMNS], check_dtype=False
    )
    # a species called NA is a name, not a gap
    assert list(read.modes["species"]) == ["NA"]
    assert read.modes["p_value"].isna().all()
    assert read.metrics == made.metrics
    assert read.parameters == made.parameters
    np.testing.assert_array_equal(read.model["x"], np.eye(2))


def test_the_newest_clustering_is_read_unless_named(workspace: Workspace) -> None:
    with pytest.raises(WorkspaceError, match="no clustering yet"):
        read_clustering(workspace)
    for name in ("b", "a"):
        write_clustering(workspace, make_clustering(workspace, name))
    assert read_clustering(workspace).name == "a"
    assert read_clustering(workspace, "b").name == "b"
    with pytest.raises(WorkspaceError, match=r"no clustering 'c'; there are: b, a"):
        read_clustering(workspace, "c")


def test_a_clustering_of_other_syllables_is_refused(workspace: Workspace) -> None:
    write_clustering(workspace, make_clustering(workspace, "old"))
    workspace.forget("a.wav")
    with pytest.raises(WorkspaceError, match=r"other syllables.*cluster' again"):
        read_clustering(workspace)


def test_a_clustering_of_syllables_that_were_found_anew_is_refused(workspace: Workspace) -> None:
    write_clustering(workspace, make_clustering(workspace, "old"))
    moved = [ClipSegment(clip, 10.0 * clip + 0.01, make_segment(1)) for clip in (0, 1)]
    workspace.commit(
        row("a.wav", n_clips=2, n_syllables=2), syllables_table("a.wav", moved, "clip")
    )
    with pytest.raises(WorkspaceError, match="other syllables"):
        read_clustering(workspace)


@pytest.mark.parametrize(
    "name", ["", ".", "..", "../x", "a/b", "a\\b", "C:x", "-" * 101, ".hidden"]
)
def test_names_of_clusterings_cannot_leave_the_workspace(name: str) -> None:
    with pytest.raises(WorkspaceError, match="clustering name"):
        check_name(name)


def test_a_workspace_gives_its_bags(workspace: Workspace) -> None:
    bags = workspace.bags(standardized=False)
    assert bags.bag_names == ("a.wav#0", "a.wav#1", "sub/b.wav#0", "sub/b.wav#1")
    assert bags.class_names == ("Robin", "Wren")
    assert bags.labels.all()
    assert bags.bag.tolist() == [0, 1, 2, 3]
    np.testing.assert_array_equal(bags.X, workspace.syllables()[FEATURE_NAMES])


def test_features_of_the_bags_can_be_chosen(workspace: Workspace) -> None:
    table = workspace.syllables()
    for wanted in (["area", "low_hz"], "area"):
        names = [wanted] if isinstance(wanted, str) else wanted
        raw = table[names].to_numpy(dtype=float)
        np.testing.assert_array_equal(workspace.bags(wanted, standardized=False).X, raw)
    scaled = workspace.bags("area").X
    np.testing.assert_allclose([scaled.mean(), scaled.std()], [0, 1], atol=1e-12)


def test_columns_that_are_not_there_are_told_in_words(workspace: Workspace) -> None:
    with pytest.raises(ParameterError, match=r"no feature 'aera' \(did you mean 'area'\?\)"):
        workspace.bags(["aera"])
    with pytest.raises(ParameterError, match="no feature 'recording'; there are: clip, start_s"):
        workspace.bags("recording")
    with pytest.raises(ParameterError, match=r"no column 'lowhz' \(did you mean 'low_hz'\?\)"):
        workspace.syllables("lowhz")
    assert list(workspace.syllables("low_hz")) == ["low_hz"]


def test_folders_may_be_text_and_settings_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    made = Workspace.prepare("birds")
    assert made.settings == Settings()
    assert Workspace.open("birds").folder == Path("birds")
    with pytest.raises(WorkspaceError, match="birdmodes-workspace: no workspace here"):
        Workspace.open()


def with_names(workspace: Workspace, name: str) -> Clustering:
    made = make_clustering(workspace, "named")
    assignments = made.assignments.assign(species=name, mode=f"{name} mode 1")
    modes = made.modes.assign(species=name, mode=f"{name} mode 1")
    return replace(made, assignments=assignments, modes=modes)


@pytest.mark.parametrize("name", ["=1+1", "'=1+1", "-x", " @y", "''+", "./=z", "it's", "Wren"])
def test_tables_of_a_clustering_hold_no_formulas_and_are_read_back_right(
    tmp_path: Path, name: str
) -> None:
    workspace = Workspace.prepare(tmp_path / "w", SETTINGS)
    for number, recording in enumerate(["=a/b.wav", "+c.wav"]):
        segments = [ClipSegment(clip, 10.0 * clip, make_segment(number)) for clip in (0, 1)]
        workspace.commit(row(recording), syllables_table(recording, segments, "clip"))
    made = with_names(workspace, name)
    folder = write_clustering(workspace, made)
    for file in ("assignments.csv", "modes.csv"):
        table = pd.read_csv(folder / file, dtype=str, keep_default_na=False)
        assert not table.map(lambda cell: cell.strip()[:1] in {"=", "+", "-", "@"}).to_numpy().any()
    again = read_clustering(workspace)
    pd.testing.assert_frame_equal(again.assignments, made.assignments[ASSIGNMENT_COLUMNS])
    pd.testing.assert_frame_equal(again.modes, made.modes)


def test_names_that_an_earlier_version_wrote_are_read_as_they_are(workspace: Workspace) -> None:
    """It did not guard them, so an apostrophe before a formula is a part of the name."""
    made = with_names(workspace, "'=1+1")
    folder = write_clustering(workspace, made)
    for file in ("assignments.csv", "modes.csv"):
        text = (folder / file).read_text(encoding="utf-8")
        (folder / file).write_text(text.replace("''=", "'="), encoding="utf-8")
    facts = json.loads((folder / "metrics.json").read_text(encoding="utf-8"))
    del facts["names_are_guarded"]
    (folder / "metrics.json").write_text(json.dumps(facts), encoding="utf-8")
    assert set(read_clustering(workspace).assignments["species"]) == {"'=1+1"}
    assert set(read_clustering(workspace).modes["species"]) == {"'=1+1"}


def test_what_was_left_half_written_without_the_lock_is_swept_by_who_holds_it(
    workspace: Workspace,
) -> None:
    for name in ("exports", "figures", "compare", "gathered", "review"):
        folder = workspace.folder / name
        folder.mkdir(exist_ok=True)
        (folder / f".unfinished-{os.getpid()}-a.csv").touch()
        (folder / f".unfinished-{2**22 + 1}-pending-a.json").touch()
        (folder / f".unfinished-{2**22 + 1}-raven").mkdir()
        (folder / f".unfinished-{2**22 + 1}-raven" / "a.txt").touch()
    with workspace.writing():
        for name in ("exports", "figures", "compare", "gathered"):
            left = [path.name for path in (workspace.folder / name).iterdir()]
            assert [each for each in left if each.startswith(".")] == [
                f".unfinished-{os.getpid()}-a.csv"
            ]
        assert list((workspace.folder / "review").iterdir()) == []


def test_what_was_left_half_written_of_a_review_is_swept_by_who_may(workspace: Workspace) -> None:
    review = workspace.folder / "review"
    review.mkdir()
    log, pending = (
        review / ".unfinished-7-log.jsonl",
        review / f".unfinished-{os.getpid()}-pending-a.json",
    )
    log.touch()
    pending.touch()
    with workspace.writing():
        assert not log.exists()
        assert pending.exists(), "a review that is open may be writing it"
    with only_one_review(workspace.folder):
        assert not pending.exists()
