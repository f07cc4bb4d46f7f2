"""Groupings on disk."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from birdmodes.errors import WorkspaceError
from birdmodes.groups.grouping import (
    Grouping,
    grouping_digest,
    grouping_names,
    groups_of_syllables,
    newest_grouping,
    read_grouping,
    write_grouping,
)
from birdmodes.workspace.settings import Settings
from birdmodes.workspace.store import Workspace

MakeWorkspace = Callable[..., Workspace]
PutGrouping = Callable[..., Grouping]

HOSTILE = '=x;"y",\n\u2028<b>ö.wav'


@pytest.fixture
def workspace(make_workspace: MakeWorkspace) -> Workspace:
    """Four bags: the hostile recording, unlabelled; two clips, one silent; and another clip."""
    return make_workspace(
        ("a.wav", [[0, 0, 1], []], "Robin;Wren"),
        ("b/NA", [[1]], "None"),
        (HOSTILE, [[0], [1, 1]], None, "recording"),
    )


def assert_same(read: Grouping, written: Grouping) -> None:
    for part in ("assignments", "groups", "species"):
        pd.testing.assert_frame_equal(
            getattr(read, part), getattr(written, part), check_dtype=False
        )
    assert (read.name, read.metrics, read.parameters) == (
        written.name, written.metrics, written.parameters,
    )  # fmt: skip
    assert set(read.model) == set(written.model)
    for name, array in written.model.items():
        np.testing.assert_array_equal(read.model[name], array)


def test_what_is_read_is_what_was_written(workspace: Workspace, put_grouping: PutGrouping) -> None:
    written = put_grouping(workspace, [0, 0, -1, 1])
    read = read_grouping(workspace, "m3ic-k2")
    assert_same(read, written)
    table = read.assignments
    assert table["bag"].tolist() == [HOSTILE, "a.wav#0", "a.wav#1", "b/NA#0"]
    assert table["group"].tolist() == [0, 0, -1, 1]
    assert table["labelled"].dtype == bool
    assert table["group"].dtype == np.int64
    hostile = read.groups["typical_syllables"].explode()
    assert any(str(name).startswith(HOSTILE) for name in hostile)


def test_names_that_pandas_takes_for_missing_stay_names(
    workspace: Workspace, put_grouping: PutGrouping
) -> None:
    put_grouping(workspace, [0, 0, 0, 0])
    read = read_grouping(workspace)
    assert "None" in set(read.species["species"])
    assert "b/NA" in set(read.assignments["recording"])


def test_the_newest_is_read_and_others_by_name(
    workspace: Workspace, put_grouping: PutGrouping
) -> None:
    put_grouping(workspace, [0, 0, 1, 1], "first")
    put_grouping(workspace, [0, 0, 0, 1], "second")
    put_grouping(workspace, [0, 0, 0, 0], "first")
    assert grouping_names(workspace) == ["second", "first"]
    assert read_grouping(workspace).name == "first"
    assert len(read_grouping(workspace, "second").groups) == 2
    with pytest.raises(WorkspaceError, match="no grouping 'third'; there are: second, first"):
        read_grouping(workspace, "third")
    there = [path.name for path in (workspace.folder / "groupings").iterdir()]
    assert sorted(there) == ["first", "order.txt", "second"]


def test_a_killed_run_leaves_the_earlier_result(
    workspace: Workspace, put_grouping: PutGrouping, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = put_grouping(workspace, [0, 0, 1, 1])
    changed = replace(written, metrics={"groups": 7})

    def stop(*args: object, **kwargs: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("birdmodes.io.stored.np.lib.format.write_array", stop)
    with pytest.raises(KeyboardInterrupt):
        write_grouping(workspace, changed)
    monkeypatch.undo()
    assert grouping_names(workspace) == ["m3ic-k2"]
    assert_same(read_grouping(workspace), written)
    write_grouping(workspace, changed)
    assert read_grouping(workspace).metrics == {"groups": 7}


@pytest.mark.parametrize(
    ("file", "damage", "message"),
    [
        ("metrics.json", lambda text: text[:20], "metrics.json: damaged"),
        ("metrics.json", lambda text: "[]", "not an object"),
        ("metrics.json", lambda text: "{}", "no metrics and no parameters"),
        ("assignments.csv", lambda text: text.replace("group", "gruppe", 1), "no column group"),
        ("assignments.csv", lambda text: text.replace("True", "maybe", 1), "assignments.csv: dam"),
        ("groups.csv", lambda text: text.replace("[", "", 1), "groups.csv: damaged"),
        ("species_make_up.csv", lambda text: "", "species_make_up.csv: damaged"),
        ("model.npz", lambda text: "PK", "model.npz: damaged"),
    ],
)
def test_damaged_files_are_one_line_that_names_them(
    workspace: Workspace,
    put_grouping: PutGrouping,
    file: str,
    damage: Callable[[str], str],
    message: str,
) -> None:
    put_grouping(workspace, [0, 0, 1, 1])
    path = workspace.folder / "groupings" / "m3ic-k2" / file
    text = "" if file == "model.npz" else path.read_text(encoding="utf-8")
    path.write_text(damage(text), encoding="utf-8")
    with pytest.raises(WorkspaceError, match=message) as caught:
        read_grouping(workspace)
    assert "\n" not in str(caught.value)
    assert "again" in str(caught.value)


def test_a_grouping_of_other_syllables_is_refused_or_left_out(
    make_workspace: MakeWorkspace, put_grouping: PutGrouping
) -> None:
    workspace = make_workspace(("a.wav", [[0]], "Robin"), ("b.wav", [[1]], "Wren"))
    assert newest_grouping(workspace) == (None, [])
    put_grouping(workspace, [0, 1])
    grouping, warnings = newest_grouping(workspace)
    assert grouping is not None
    assert warnings == []
    make_workspace(("b.wav", [[1, 1]], "Wren"))  # one syllable more than before
    with pytest.raises(WorkspaceError, match=r"other syllables than .* --method told' again"):
        read_grouping(workspace)
    grouping, (warning,) = newest_grouping(workspace)
    assert grouping is None
    assert warning.startswith("groups of recordings are left out: grouping 'm3ic-k2' was made")
    with pytest.raises(WorkspaceError, match="other syllables"):
        newest_grouping(workspace, "m3ic-k2")


def test_syllables_have_the_group_of_their_bag(
    workspace: Workspace, put_grouping: PutGrouping
) -> None:
    written = put_grouping(workspace, [0, 0, -1, 1])
    groups = groups_of_syllables(workspace, written)
    assert groups.to_dict() == {
        **{f"{HOSTILE}#{number:05d}": 0 for number in range(3)},
        **{f"a.wav#{number:05d}": 0 for number in range(3)},
        "b/NA#00000": 1,
    }


def test_the_digest_tells_groups_apart(workspace: Workspace, put_grouping: PutGrouping) -> None:
    one = put_grouping(workspace, [0, 0, 1, 1])
    assert grouping_digest(read_grouping(workspace)) == grouping_digest(one)
    assert grouping_digest(put_grouping(workspace, [0, 1, 0, 1])) != grouping_digest(one)


def test_restarting_keeps_groupings_aside(workspace: Workspace, put_grouping: PutGrouping) -> None:
    put_grouping(workspace, [0, 0, 1, 1])
    settings: Settings = workspace.settings
    Workspace.prepare(workspace.folder, settings, restart=True)
    assert grouping_names(workspace) == []
    (kept,) = (workspace.folder / "replaced").iterdir()
    assert (kept.name, (kept / "m3ic-k2" / "groups.csv").is_file()) == ("groupings-1", True)


def test_a_name_that_is_no_name_is_refused(workspace: Workspace, put_grouping: PutGrouping) -> None:
    with pytest.raises(WorkspaceError, match="use letters, digits"):
        put_grouping(workspace, [0, 0, 1, 1], "../x")
    assert not Path(workspace.folder / "x").exists()


def test_the_files_are_tables_and_json(workspace: Workspace, put_grouping: PutGrouping) -> None:
    put_grouping(workspace, [0, 0, 1, 1])
    folder = workspace.folder / "groupings" / "m3ic-k2"
    assert sorted(path.name for path in folder.iterdir()) == [
        "assignments.csv", "groups.csv", "metrics.json", "model.json", "model.npz",
        "species_make_up.csv",
    ]  # fmt: skip
    shapes = json.loads((folder / "model.json").read_text(encoding="utf-8"))["arrays"]
    assert shapes["box_sums"] == [4, 5]
