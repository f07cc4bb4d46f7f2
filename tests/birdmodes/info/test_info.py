from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from birdmodes.errors import WorkspaceError
from birdmodes.groups.grouping import Grouping, grouping_digest
from birdmodes.info.annotations import written
from birdmodes.info.model import WorkspaceInfo
from birdmodes.info.workspace import workspace_info
from birdmodes.modes.clustering import (
    Clustering,
    clustering_names,
    read_clustering,
    write_clustering,
)
from birdmodes.modes.digest import assignments_digest
from birdmodes.segmentation import Segment
from birdmodes.segmentation.features import FEATURE_NAMES
from birdmodes.segmentation.parameters import SegmentationParameters
from birdmodes.workspace.settings import Settings
from birdmodes.workspace.store import Workspace
from birdmodes.workspace.tables import ClipSegment, syllables_table

SPECIES = ["Wren;Owl", "Wren", ""]


def _commit(workspace: Workspace, number: int, n_syllables: int) -> None:
    name = f"{number}.wav"
    patch = np.zeros((2, 2), dtype=np.uint8)
    mask = np.ones((2, 2), bool)
    features = np.zeros(len(FEATURE_NAMES))
    found = [
        ClipSegment(0, 0.0, Segment(n, n + 0.2, 1000.0, 2000.0, features, patch, mask, False))
        for n in range(n_syllables)
    ]
    row = {
        "recording": name, "path": name, "size_bytes": 1, "mtime_ns": 1, "duration_s": 1800.0,
        "sample_rate_hz": 22050, "channels": 1, "labelled": number < 2,
        "species": SPECIES[number], "n_clips": 180, "bag_unit": "clip",
        "n_syllables": n_syllables, "note": "",
    }  # fmt: skip
    workspace.commit(row, syllables_table(name, found, "clip"))


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """An hour and a half of three recordings with four syllables each, two of them labelled."""
    settings = Settings(SegmentationParameters(low_hz=500.0))
    made = Workspace.prepare(tmp_path / "my field", settings)
    for number in range(3):
        _commit(made, number, 4)
    made.write_errors(
        pd.DataFrame([["bad.wav", "read", "not a sound"]], columns=["recording", "stage", "reason"])
    )
    return made


def _cluster(workspace: Workspace, name: str, **parameters: object) -> Clustering:
    table = workspace.syllables(["syllable", "recording", "start_s", "end_s", "low_hz", "high_hz"])
    table = table.assign(
        cluster=0, species="Wren", mode="Wren mode 1", confidence=0.9, centrality=0.5,
        recorded_at="", review="",
    )  # fmt: skip
    modes = pd.DataFrame(
        {
            "cluster": [0], "species": ["Wren"], "mode": ["Wren mode 1"], "background": [False],
            "syllables": [12], "recordings": [3], "confidence": [0.9], "consistency": [1.0],
            "p_value": [0.01],
        }
    )  # fmt: skip
    run = {"method": "ldc", "k": 1, **parameters}
    write_clustering(workspace, Clustering(name, table, modes, {"silhouette": None}, run))
    return read_clustering(workspace, name)


def _gallery(workspace: Workspace, clustering: Clustering, folder: Path | None = None) -> None:
    folder = folder or workspace.folder / "gallery" / clustering.name
    (folder / "data").mkdir(parents=True)
    (folder / "birdmodes-gallery.json").write_text('{"format": 2}')
    data = json.dumps({"base": assignments_digest(clustering.assignments)})
    script = f"(globalThis.birdmodesData ??= {{}}).gallery = {data};"
    (folder / "data" / "gallery.js").write_text(script)


def _save_review(workspace: Workspace, clustering: Clustering, n_edits: int) -> Path:
    folder = workspace.folder / "review"
    folder.mkdir(exist_ok=True)
    path = folder / f"pending-{clustering.name}.json"
    edits = [
        {
            "id": f"{n:016x}", "at": "2026-11-28T10:00:00Z", "action": "rename", "cluster": 0,
            "name": f"song {n}",
        }
        for n in range(n_edits)
    ]  # fmt: skip
    base = assignments_digest(clustering.assignments)
    document = {
        "format": 1, "clustering": clustering.name, "base": base, "who": "", "edits": edits,
    }  # fmt: skip
    path.write_text(json.dumps(document))
    return path


def test_what_segment_made(workspace: Workspace) -> None:
    info = workspace_info(workspace.folder)
    assert (info.recordings, info.labelled, info.unread) == (3, 2, 1)
    assert info.duration_s == 5400.0
    assert info.species == ["Owl", "Wren"]
    assert info.syllables == 12
    assert info.changed == {"low_hz": 500.0}
    assert info.settings["bag"] == "auto"
    files = [path for path in workspace.folder.rglob("*") if path.is_file()]
    assert sum(info.sizes.values()) == sum(path.stat().st_size for path in files)
    in_recordings = (workspace.folder / "recordings").iterdir()
    assert info.sizes["recordings"] == sum(path.stat().st_size for path in in_recordings)
    assert info.next is not None
    assert info.next.command == f"birdmodes cluster --workspace '{workspace.folder}'"


def test_the_next_command_follows_what_was_done(workspace: Workspace) -> None:
    where = f"--workspace '{workspace.folder}'"

    def following() -> str:
        step = workspace_info(workspace.folder).next
        assert step is not None
        return step.command

    clustering = _cluster(workspace, "ldc-k1")
    assert following() == f"birdmodes gallery {where}"
    _gallery(workspace, clustering)
    assert following() == f"birdmodes review {where}"
    pending = _save_review(workspace, clustering, 2)
    assert following() == f"birdmodes review apply '{pending}' {where}"
    _save_review(workspace, clustering, 0)
    assert following() == f"birdmodes review {where}"
    reviewed = _cluster(workspace, "ldc-k1", review={"batches": [1]})
    assert following() == f"birdmodes export --format raven {where}"
    assert workspace_info(workspace.folder).clusterings[0].batches == 1
    (workspace.folder / "exports").mkdir()
    (workspace.folder / "exports" / "ldc-k1.csv").write_text("")
    assert workspace_info(workspace.folder).next is None  # all is done
    (workspace.folder / "exports" / "ldc-k10.csv").touch()
    os.utime(workspace.folder / "exports" / "ldc-k1.csv", (1, 1))  # before the corrections
    assert following() == f"birdmodes export --format raven {where}"
    assert reviewed.parameters["method"] == "ldc"


def test_galleries_beside_the_workspace_count_while_they_show_what_is_there(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    clustering = _cluster(workspace, "ldc-k1")
    _gallery(workspace, clustering, workspace.folder.parent / "shown here")
    monkeypatch.chdir(workspace.folder)
    for folder in (workspace.folder, Path()):
        info = workspace_info(folder)
        assert [gallery.folder for gallery in info.galleries] == ["../shown here"]
        assert info.next is not None
        assert "birdmodes review" in info.next.command
    script = workspace.folder.parent / "shown here" / "data" / "gallery.js"
    script.write_text(script.read_text().replace('"base": "', '"base": "another'))
    assert workspace_info(workspace.folder).galleries == []


def test_clusterings_and_galleries_that_are_out_of_date_are_said_to_be(
    workspace: Workspace,
) -> None:
    first = _cluster(workspace, "ldc-k1")
    _gallery(workspace, first)
    info = workspace_info(workspace.folder)
    (clustering,) = info.clusterings
    assert (clustering.method, clustering.k, clustering.modes, clustering.species) == (
        "ldc", 1, 1, 1,
    )  # fmt: skip
    assert clustering.problem == ""
    assert [gallery.current for gallery in info.galleries] == [True]

    _commit(workspace, 0, 5)
    info = workspace_info(workspace.folder)
    (clustering,) = info.clusterings
    assert "other syllables" in clustering.problem
    assert clustering.method == "ldc"
    assert [gallery.current for gallery in info.galleries] == [False]
    assert info.galleries[0].clustering == "ldc-k1"
    assert info.next is not None
    assert (info.next.command.split()[1], info.next.reason) == (
        "cluster",
        "the syllables have changed",
    )


def test_labels_that_have_changed_lead_back(workspace: Workspace) -> None:
    clustering = _cluster(workspace, "ldc-k1", labels_digest="another")
    _gallery(workspace, clustering)
    info = workspace_info(workspace.folder)
    assert info.clusterings[0].other_labels
    assert info.next is not None
    assert info.next.command.startswith("birdmodes cluster")
    assert info.next.reason == "the labels have changed since ldc-k1 was made"


def test_other_names_of_species_are_told(workspace: Workspace) -> None:
    told = workspace.folder / "taxonomy.json"
    told.write_text('{"Robin": ["Erithacus rubecula", "Rotkehlchen"]}')
    info = workspace_info(workspace.folder)
    assert info.other_names == {"Robin": ["Erithacus rubecula", "Rotkehlchen"]}
    told.write_text("{")
    info = workspace_info(workspace.folder)
    assert info.other_names == {}
    assert [line for line in info.damaged if "taxonomy.json" in line]


def test_a_damaged_review_is_listed(workspace: Workspace) -> None:
    clustering = _cluster(workspace, "ldc-k1")
    _save_review(workspace, clustering, 1).write_text("{")
    (pending,) = workspace_info(workspace.folder).pending
    assert (pending.file, pending.clustering, pending.edits) == (
        "review/pending-ldc-k1.json", "", 0,
    )  # fmt: skip


def test_without_the_order_of_results_the_rest_is_listed(workspace: Workspace) -> None:
    _cluster(workspace, "ldc-k1")
    before = workspace_info(workspace.folder)
    order = workspace.folder / "clusterings" / "order.txt"
    order.write_bytes(b"\xff\n")
    found = workspace_info(workspace.folder)
    (line,) = found.damaged
    assert line.startswith(f"{order}: damaged (")
    assert found.clusterings
    assert {one.name for one in found.clusterings} == {one.name for one in before.clusterings}
    assert found.recordings == before.recordings


def test_an_empty_workspace_and_one_without_species_lists(tmp_path: Path) -> None:
    empty = Workspace.prepare(tmp_path / "w", Settings(SegmentationParameters()))
    info = workspace_info(empty.folder)
    assert (info.recordings, info.species, info.clusterings) == (0, [], [])
    assert info.next is not None
    assert info.next.command.startswith("birdmodes segment RECORDINGS")
    _commit(empty, 2, 1)
    info = workspace_info(empty.folder)
    assert info.next is not None
    assert "--labels FILE" in info.next.command


def test_lists_that_name_no_species_lead_to_others(
    make_workspace: Callable[..., Workspace],
) -> None:
    info = workspace_info(make_workspace(("a.wav", [[0]], "")).folder)
    assert (info.labelled, info.species) == (1, [])
    assert info.next is not None
    assert "--labels FILE" in info.next.command
    assert info.next.reason.startswith("every species list is empty")


def test_everything_can_be_written_as_json(workspace: Workspace) -> None:
    _cluster(workspace, "ldc-k1")
    content = workspace_info(workspace.folder).to_dict()
    assert json.loads(json.dumps(content)) == content
    assert content["next"]["command"].startswith("birdmodes gallery")


def test_a_folder_that_is_no_workspace_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(WorkspaceError, match="no workspace here"):
        workspace_info(tmp_path)


def _groups_gallery(workspace: Workspace, grouping: Grouping, *, alone: bool, base: str) -> Path:
    folder = workspace.folder / "gallery" / "g"
    (folder / "data").mkdir(parents=True, exist_ok=True)
    (folder / "birdmodes-gallery.json").write_text('{"format": 2}')
    shown = {"name": grouping.name, "base": grouping_digest(grouping), "alone": alone}
    data = json.dumps({"base": base, "grouping": shown})
    script = f"(globalThis.birdmodesData ??= {{}}).gallery = {data};"
    (folder / "data" / "gallery.js").write_text(script)
    return folder / "birdmodes-gallery.json"


def test_groups_of_recordings_are_listed_and_looked_at_next(
    workspace: Workspace, put_grouping: Callable[..., Grouping]
) -> None:
    n_bags = 3 * 180

    def info() -> WorkspaceInfo:
        return workspace_info(workspace.folder)

    def following() -> str:
        step = info().next
        assert step is not None
        return step.command.split(" --workspace")[0]

    grouping = put_grouping(workspace, [0] * 180 + [1] * (n_bags - 180), "told-k2")
    (found,) = info().groupings
    # Each recording has four syllables in its first clip; clips without any are in no group.
    assert (found.name, found.method, found.k, found.groups, found.bags, found.problem) == (
        "told-k2", "told", 2, 2, 3, "",
    )  # fmt: skip
    assert info().sizes["groupings"] > 0
    assert following() == "birdmodes gallery"
    _groups_gallery(workspace, grouping, alone=True, base="")
    (gallery,) = info().galleries
    assert (gallery.clustering, gallery.grouping, gallery.current) == ("", "told-k2", True)
    assert following() == "birdmodes cluster"

    clustering = _cluster(workspace, "ldc-k1")
    base = assignments_digest(clustering.assignments)
    marker = _groups_gallery(workspace, grouping, alone=False, base=base)
    (gallery,) = info().galleries
    assert (gallery.clustering, gallery.grouping, gallery.current) == ("ldc-k1", "told-k2", True)
    assert following() == "birdmodes review"

    put_grouping(workspace, [0] * n_bags, "told-k1")
    os.utime(marker, (1, 1))
    assert following() == "birdmodes gallery"
    step = info().next
    assert step is not None
    assert step.reason == "the gallery of ldc-k1 does not show told-k1 yet"

    put_grouping(workspace, [0] * 360 + [1] * 180, "told-k2")  # not as the gallery shows it
    assert info().galleries[0].current is False


def test_groups_that_are_out_of_date_are_said_to_be(
    workspace: Workspace, put_grouping: Callable[..., Grouping]
) -> None:
    put_grouping(workspace, [0] * 540, "told-k1")
    _commit(workspace, 0, 5)
    (found,) = workspace_info(workspace.folder).groupings
    assert "other syllables" in found.problem
    assert (found.groups, found.base) == (0, "")


def test_what_was_counted_is_not_read_again_until_a_file_changes(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    _cluster(workspace, "ldc-k1")
    first = workspace_info(workspace.folder).to_dict()
    read: list[str] = []
    for name in ("recordings", "syllables", "syllable_columns"):
        table = getattr(Workspace, name)

        def noted(self: Workspace, *args: Any, name: str = name, table: Any = table) -> Any:
            read.append(name)
            return table(self, *args)

        monkeypatch.setattr(Workspace, name, noted)
    again = workspace_info(workspace.folder).to_dict()
    assert not read
    first.pop("sizes"), again.pop("sizes")  # the summaries themselves
    assert again == first
    recording = workspace.recordings()["recording"][0]
    changed = Path(workspace._syllables.path(recording))
    changed.write_bytes(changed.read_bytes()[:-1])  # in its place, as a failing disk does
    read.clear()
    assert workspace_info(workspace.folder).damaged
    assert "syllable_columns" in read


def test_what_another_command_changes_meanwhile_is_looked_at_again(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    _cluster(workspace, "one")
    looks = []

    def more_meanwhile(store: Workspace) -> list[str]:
        looks.append(len(looks))
        names = clustering_names(store)
        if len(looks) <= changes:
            with workspace.writing():
                _commit(workspace, 0, 4 + len(looks))
        return names

    monkeypatch.setattr("birdmodes.info.workspace.clustering_names", more_meanwhile)
    changes = 1
    info = workspace_info(workspace.folder)
    assert (info.syllables, info.changing, len(looks)) == (13, False, 2)
    assert "other syllables" in info.clusterings[0].problem
    changes = 100
    assert workspace_info(workspace.folder).changing
    assert len(looks) == 5
    looks.clear()
    with workspace.writing():
        changes = 0
        assert workspace_info(workspace.folder).changing  # whatever it is at
    assert len(looks) == 1


def test_what_is_moved_while_it_is_looked_at_is_looked_at_again(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    _gallery(workspace, _cluster(workspace, "one"))
    moved = [FileNotFoundError(2, "No such file or directory")]

    def looked(path: Path) -> str:
        if path.name == "birdmodes-gallery.json" and moved:
            raise moved.pop()
        return written(path)

    monkeypatch.setattr("birdmodes.info.workspace.written", looked)
    info = workspace_info(workspace.folder)
    assert [gallery.current for gallery in info.galleries] == [True]
    assert moved == []
