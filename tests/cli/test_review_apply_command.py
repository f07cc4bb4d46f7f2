"""``birdmodes review apply``, ``log`` and ``undo``, and what ``cluster`` does with the log."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from birdmodes.modes.clustering import clustering_names, read_clustering
from birdmodes.modes.digest import assignments_digest
from birdmodes.modes.find import ClusterOptions, find_modes
from birdmodes.review.history import store_made
from birdmodes.segmentation import Segment
from birdmodes.segmentation.features import FEATURE_NAMES
from birdmodes.segmentation.parameters import SegmentationParameters
from birdmodes.workspace.settings import Settings
from birdmodes.workspace.store import Workspace
from birdmodes.workspace.tables import ClipSegment, syllables_table

Call = Callable[..., tuple[int, str]]


def segment(kind: int, number: int, rng: np.random.Generator) -> Segment:
    features = 10.0 * kind + rng.normal(0, 1, len(FEATURE_NAMES))
    patch, mask = np.zeros((2, 2), dtype=np.uint8), np.ones((2, 2), dtype=bool)
    start_s = 0.3 * number
    return Segment(start_s, start_s + 0.2, 1000.0, 2000.0, features, patch, mask, False)


@pytest.fixture
def workspace(made: Workspace, tmp_path: Path) -> Workspace:
    """12 recordings of Robin or Wren with two kinds of syllables each, clustered into four."""
    return Workspace.open(shutil.copytree(made.folder, tmp_path / "w"))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """Make what `workspace` copies."""
    made = Workspace.prepare(
        tmp_path_factory.mktemp("made") / "w", Settings(SegmentationParameters())
    )
    rng = np.random.default_rng(0)
    for number in range(12):
        kinds = [2 * (number % 2) + mode for mode in (0, 1) for _ in range(3)]
        found = [ClipSegment(0, 0.0, segment(kind, i, rng)) for i, kind in enumerate(kinds)]
        name = f"{number:02}.wav"
        about: dict[str, Any] = dict.fromkeys(("size_bytes", "mtime_ns", "channels", "n_clips"), 1)
        row = about | {"recording": name, "path": name, "note": "", "bag_unit": "clip"}
        row |= {"duration_s": 10.0, "sample_rate_hz": 22050, "labelled": True}
        row |= {"species": ("Robin", "Wren")[number % 2], "n_syllables": len(found)}
        made.commit(row, syllables_table(name, found, "clip"))
    options = ClusterOptions(k=4, stability_runs=0)
    clustering = find_modes(made, options, "small").clustering
    store_made(made, clustering, clustering)
    return made


def save(workspace: Workspace, file: Path, *edits: dict[str, Any]) -> Path:
    table = read_clustering(workspace, "small").assignments
    about = {"at": "2026-01-01T10:00:00Z"}
    content = {
        "format": 1,
        "clustering": "small",
        "base": assignments_digest(table),
        "who": "Ana\n<b>",
        "edits": [{"id": f"{i:016x}", **about, **edit} for i, edit in enumerate(edits, start=1)],
    }
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps(content))
    return file


def clusters_of(workspace: Workspace, species: str) -> list[int]:
    modes = read_clustering(workspace, "small").modes
    return [int(number) for number in modes.loc[modes["species"] == species, "cluster"]]


def modes(workspace: Workspace, name: str = "small") -> list[str]:
    return sorted(read_clustering(workspace, name).modes["mode"])


def test_corrections_from_saving_to_taking_back(
    workspace: Workspace, tmp_path: Path, call: Call
) -> None:
    robin = clusters_of(workspace, "Robin")
    file = save(
        workspace,
        tmp_path / "review.json",
        {"action": "rename", "cluster": robin[0], "name": "song"},
        {"action": "rename", "cluster": 99, "name": "x"},
    )
    code, said = call("review", "apply", file, "-w", workspace.folder, "--dry-run")
    assert (code, modes(workspace)[0]) == (0, "Robin mode 1")
    assert "nothing was changed" in said
    code, said = call("review", "apply", file, "-w", workspace.folder)
    assert code == 0
    assert "2 edits applied to small" in said
    assert "warning: rename: there is no cluster 99" in said
    assert "1 conflict;" in said
    assert "next: birdmodes gallery --" in said
    assert modes(workspace)[:2] == ["Robin mode 2", "Robin song"]
    code, said = call("review", "apply", file, "-w", workspace.folder)
    assert (code, "small has all 2 edits of" in said) == (0, True)
    code, said = call("review", "log", "-w", workspace.folder)
    assert (code, "Ana <b>" in said, "2 rename" in said) == (0, True, True)
    code, said = call("review", "undo", "-w", workspace.folder)
    assert (code, "small is made again without it" in said) == (0, True)
    assert modes(workspace)[0] == "Robin mode 1"
    assert "(taken back)" in call("review", "log", "-w", workspace.folder)[1]
    assert call("review", "undo", "-w", workspace.folder)[0] == 2


def test_without_a_file_what_is_pending_is_applied(
    workspace: Workspace, tmp_path: Path, call: Call
) -> None:
    code, said = call("review", "apply", "-w", workspace.folder)
    assert (code, "has saved nothing for small" in said) == (2, True)
    pending = workspace.folder / "review" / "pending-small.json"
    wren = clusters_of(workspace, "Wren")
    save(workspace, pending, {"action": "merge", "clusters": wren})
    assert call("review", "apply", "-w", workspace.folder)[0] == 0
    assert modes(workspace) == ["Robin mode 1", "Robin mode 2", "Wren mode 1"]
    assert not pending.exists()


def test_a_bad_file_is_one_line_and_exit_code_2(
    workspace: Workspace, tmp_path: Path, call: Call
) -> None:
    file = save(workspace, tmp_path / "review.json", {"action": "rename", "cluster": 0})
    code, said = call("review", "apply", file, "-w", workspace.folder)
    assert code == 2
    assert said.strip().endswith("edits[0].name: must be text, not nothing")


def test_clustering_anew_applies_the_log_unless_told_not_to(
    workspace: Workspace, tmp_path: Path, call: Call
) -> None:
    robin = clusters_of(workspace, "Robin")
    table = read_clustering(workspace, "small").assignments
    some = table.loc[table["cluster"] == robin[0], "syllable"].tolist()[:2]
    file = save(
        workspace,
        tmp_path / "review.json",
        {"action": "rename", "cluster": robin[0], "name": "song"},
        {"action": "move", "syllables": some, "cluster": robin[1]},
    )
    call("review", "apply", file, "-w", workspace.folder)
    again = ("cluster", "-w", workspace.folder, "--k", 4, "--stability-runs", 0, "--seed", 5)
    code, said = call(*again, "--name", "again")
    assert (code, "corrections of 1 batch are applied again" in said) == (0, True)
    assert "Robin song" in modes(workspace, "again")
    moved = read_clustering(workspace, "again").assignments
    assert moved.loc[moved["review"] == "moved", "syllable"].tolist() == sorted(some)
    call(*again, "--name", "plain", "--no-review")
    assert "Robin song" not in modes(workspace, "plain")


def test_a_file_from_an_old_gallery_still_counts_after_clustering_anew(
    workspace: Workspace, tmp_path: Path, call: Call
) -> None:
    place = ("-w", workspace.folder)
    assert call("gallery", *place, "--workers", 1)[0] == 0
    robin = clusters_of(workspace, "Robin")[0]
    edit = {"action": "rename", "cluster": robin, "name": "song"}
    file = save(workspace, tmp_path / "review.json", edit)
    renamed = set(members(workspace, robin))
    made = call("cluster", *place, "--k", 5, "--name", "small", "--stability-runs", 0)
    assert made[0] == 0
    code, said = call("review", "apply", file, *place)
    assert (code, "1 edit applied to small" in said) == (0, True)
    table = read_clustering(workspace, "small").assignments
    song = set(table.loc[table["mode"] == "Robin song", "syllable"])
    assert len(song & renamed) > len(renamed) / 2


def members(workspace: Workspace, cluster: int) -> list[str]:
    table = read_clustering(workspace, "small").assignments
    return list(table.loc[table["cluster"] == cluster, "syllable"])


@pytest.mark.parametrize("method", ["ldc", "csp", "splearn", "spreg", "sp"])
def test_corrections_are_constraints_if_asked_for(
    workspace: Workspace, tmp_path: Path, call: Call, method: str
) -> None:
    table = read_clustering(workspace, "small").assignments
    one, other = (clusters_of(workspace, name)[0] for name in ("Robin", "Wren"))
    stray = table.loc[table["cluster"] == one, "syllable"].tolist()[:3]
    file = save(
        workspace,
        tmp_path / "review.json",
        {"action": "move", "syllables": stray, "cluster": other},
        {"action": "mark", "syllables": table["syllable"].tolist()[-1:], "as": "noise"},
    )
    call("review", "apply", file, "-w", workspace.folder)
    arguments = ("--k", 5, "--method", method, "--name", "with", "--stability-runs", 0)
    code, said = call("cluster", "-w", workspace.folder, *arguments, "--with-review", "--no-review")
    assert code == 0, said
    made = read_clustering(workspace, "with")
    assert made.parameters["with_review"] == {
        "species_known": 3, "noise_known": 1, "not_of_species": 0, "modes_known": 1,
    }  # fmt: skip
    if method == "ldc":
        by_name = made.assignments.set_index("syllable")
        assert set(by_name.loc[stray, "species"]) == {"Wren"}
        assert by_name.loc[stray, "cluster"].nunique() == 1
        assert (by_name.loc[stray, "confidence"] == 1).all()
        assert by_name["species"].iloc[-1] == ""


def test_old_files_are_read_without_a_review(workspace: Workspace) -> None:
    file = workspace.folder / "clusterings" / "small" / "assignments.csv"
    pd.read_csv(file).drop(columns="review").to_csv(file, index=False)
    assert set(read_clustering(workspace, "small").assignments["review"]) == {""}


def test_edits_of_several_clusterings_are_listed(
    workspace: Workspace, tmp_path: Path, call: Call
) -> None:
    review = {"action": "rename", "cluster": 0, "name": "song"}
    small = read_clustering(workspace, "small")
    other = replace(small, name="other")
    store_made(workspace, other, other)
    for name in ("small", "other"):
        save(workspace, workspace.folder / "review" / f"pending-{name}.json", review)
    code, said = call("review", "apply", "-w", workspace.folder)
    assert code == 2
    assert "small (1 edit), other (1 edit); name one with --clustering" in said
    code, said = call("review", "apply", "-w", workspace.folder, "--clustering", "small")
    assert (code, "1 edit applied to small" in said) == (0, True)


def test_a_clustering_with_the_corrections_keeps_the_one_it_replaces(
    workspace: Workspace, call: Call
) -> None:
    before = read_clustering(workspace, "small")
    again = ("--k", 4, "--stability-runs", 0, "--seed", 5, "--name", "small", "--with-review")
    code, said = call("cluster", "-w", workspace.folder, *again)
    assert code == 0
    assert "small is replaced by this one; the one before is kept as small-before-1" in said
    kept = read_clustering(workspace, "small-before-1")
    pd.testing.assert_frame_equal(kept.assignments, before.assignments)
    assert clustering_names(workspace)[-1] == "small"
    # killed before the new one was in its place: the copy of before is not made twice
    store_made(workspace, before, before)
    assert call("cluster", "-w", workspace.folder, *again)[0] == 0
    assert clustering_names(workspace) == ["small-before-1", "small"]


def test_two_files_are_merged_and_what_they_say_apart_is_decided(
    workspace: Workspace, tmp_path: Path, call: Call
) -> None:
    wren = clusters_of(workspace, "Wren")
    table = read_clustering(workspace, "small").assignments
    some = table.loc[table["cluster"] == wren[0], "syllable"].tolist()[:3]
    good = {"action": "mark", "as": "good", "syllables": some, "id": "a" * 16}
    move = {"action": "move", "syllables": some[1:], "cluster": wren[1], "id": "b" * 16}
    files = [save(workspace, tmp_path / f"{n}.json", edit) for n, edit in enumerate((good, move))]
    merge = ("review", "merge", *files, "-w", workspace.folder, "-o", tmp_path / "both.json")
    code, said = call(*merge)
    assert code == 0
    assert "2 syllables named by both, 0 alike; Cohen's kappa 0.00" in said
    assert "2 disagreements to decide" in said
    page = (tmp_path / "both-disagreements.html").read_text("utf-8")
    assert "To decide: 2" in page
    assert "&lt;b&gt;" in page
    decisions = tmp_path / "both-disagreements.csv"
    decided = pd.read_csv(decisions, dtype=str, keep_default_na=False)
    decided["decision"] = ["A", "B"]
    decided.to_csv(decisions, index=False)
    # What somebody has decided is not written over, nor is any other file but what was merged.
    before = decisions.read_bytes()
    code, said = call(*merge)
    assert (code, "has decisions, which would be lost; give it with" in said) == (2, True)
    for other in (files[0], files[1], decisions):
        code, said = call(*merge[:-1], other)
        assert (code, "is there already, and is not one that was merged" in said) == (2, True)
    assert decisions.read_bytes() == before
    code, said = call(*merge, "--decisions", decisions)
    assert (code, "to decide" in said) == (0, False)
    assert call("review", "apply", tmp_path / "both.json", "-w", workspace.folder)[0] == 0
    now = read_clustering(workspace, "small").assignments.set_index("syllable")
    assert now.loc[some, "review"].tolist() == ["good", "good", "moved"]
    decided["decision"] = ["A", "both"]
    decided.to_csv(decisions, index=False)
    code, said = call(*merge, "--decisions", decisions)
    assert (code, "line 3: decision must be A, B or empty" in said) == (2, True)
