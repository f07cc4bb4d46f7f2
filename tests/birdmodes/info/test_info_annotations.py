from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from birdmodes.info.model import NextStep, WorkspaceInfo
from birdmodes.info.workspace import workspace_info
from birdmodes.workspace.store import Workspace

FACTS = {
    "annotated_by": "ldc", "recordings": 7, "species_found": 2, "kinds": {"species": 40},
    "left_out": {"micro_f1": 0.75},
}  # fmt: skip
EVALUATION = {
    "parameters": {"method": "mimlca", "recordings": 28, "species": 6, "folds": 10},
    "metrics": {"micro_f1": 0.9, "average_precision": 0.95},
}


@pytest.fixture
def folder(make_workspace) -> Path:
    """A labelled workspace that is not clustered."""
    made: Workspace = make_workspace(("a.wav", [[0]], "Robin"), ("b.wav", [[1]], "Wren"))
    return made.folder


def put(path: Path, content: object, seconds: int = 0) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    os.utime(path, (1_000_000_000 + seconds,) * 2)  # 2001-09-09T01:46:40Z
    return path


def next_of(info: WorkspaceInfo) -> str:
    assert isinstance(info.next, NextStep)
    return info.next.command.split(" --workspace")[0]


def test_annotations_are_listed_oldest_first(folder: Path) -> None:
    assert workspace_info(folder).annotations == []
    put(folder / "annotated" / "late" / "annotated.json", FACTS, 60)
    put(folder / "annotated" / "early" / "annotated.json", {**FACTS, "annotated_by": "mimlca"})
    info = workspace_info(folder)
    assert [each.folder for each in info.annotations] == ["annotated/early", "annotated/late"]
    found = info.annotations[1]
    assert (found.method, found.recordings, found.named, found.species) == ("ldc", 7, 40, 2)
    assert (found.expected_f1, found.written) == (0.75, "2001-09-09T01:47:40Z")
    assert info.annotation is None
    assert info.sizes["annotated"] > 0
    assert json.loads(json.dumps(info.to_dict())) == info.to_dict()


def test_evaluations_are_listed_with_their_page(folder: Path) -> None:
    path = put(folder / "evaluations" / "m.json", EVALUATION)
    (found,) = workspace_info(folder).evaluations
    assert (found.name, found.method, found.recordings, found.species, found.folds) == (
        "m", "mimlca", 28, 6, 10,
    )  # fmt: skip
    assert (found.micro_f1, found.average_precision, found.page) == (0.9, 0.95, "")
    path.with_suffix(".html").write_text("")
    (found,) = workspace_info(folder).evaluations
    assert found.page == "evaluations/m.html"


@pytest.mark.parametrize("content", ["{", "[1]", '{"parameters": 3, "metrics": {"micro_f1": "x"}}'])
def test_what_is_damaged_is_listed_and_stops_nothing(folder: Path, content: str) -> None:
    put(folder / "evaluations" / "m.json", content)
    put(folder / "annotated" / "a" / "annotated.json", content)
    info = workspace_info(folder)
    assert (len(info.evaluations), info.evaluations[0].micro_f1) == (1, None)
    assert len(info.annotations) == 1
    for found in (*info.evaluations, *info.annotations):
        assert found.problem.endswith("cannot be read; make it again")
    assert next_of(info).startswith("birdmodes evaluate")


def test_new_recordings_in_modes_are_listed_oldest_first(folder: Path) -> None:
    assert workspace_info(folder).assigned == []
    facts = {"assigned_from": "ldc-k2", "recordings": 3, "syllables": 9, "kinds": {"mode": 4}}
    put(folder / "assigned" / "late" / "assigned.json", facts, 60)
    put(folder / "assigned" / "early" / "assigned.json", {**facts, "kinds": {"unassigned": 9}})
    put(folder / "assigned" / "never" / "assigned.json", "[", 120)
    info = workspace_info(folder)
    assert [each.folder for each in info.assigned] == [
        "assigned/early", "assigned/late", "assigned/never",
    ]  # fmt: skip
    assert [each.in_modes for each in info.assigned] == [0, 4, 0]
    found = info.assigned[1]
    assert (found.clustering, found.recordings, found.syllables) == ("ldc-k2", 3, 9)
    assert found.written == "2001-09-09T01:47:40Z"
    (damaged,) = info.damaged
    assert damaged.endswith("never/assigned.json: cannot be read; make it again")
    assert info.sizes["assigned"] > 0
    assert json.loads(json.dumps(info.to_dict())) == info.to_dict()


def test_the_next_command_leads_from_evaluating_to_annotating_to_modes(folder: Path) -> None:
    assert next_of(workspace_info(folder)) == "birdmodes cluster"
    put(folder / "evaluations" / "ldc.json", {**EVALUATION, "parameters": {"method": "ldc"}})
    worse = {"parameters": {"method": "citation-knn"}, "metrics": {"micro_f1": 0.4}}
    put(folder / "evaluations" / "knn.json", worse, 60)
    assert next_of(workspace_info(folder)) == "birdmodes annotate NEW_RECORDINGS --method ldc"
    put(folder / "annotated" / "m" / "annotated.json", {**FACTS, "annotated_by": "mimlca"})
    assert next_of(workspace_info(folder)) == "birdmodes evaluate --method mimlca"
    put(folder / "evaluations" / "m.json", EVALUATION)
    assert next_of(workspace_info(folder)) == "birdmodes cluster"


def test_annotated_recordings_need_no_species_lists(make_workspace) -> None:
    made: Workspace = make_workspace(("new.wav", [[0]], None))
    assert "--labels" in next_of(workspace_info(made.folder))
    put(made.folder / "annotated.json", {**FACTS, "kinds": {"unsure": 3}})
    info = workspace_info(made.folder)
    assert info.annotation is not None
    assert (info.annotation.folder, info.annotation.named) == (".", 0)
    assert info.next is None, "nothing was named, so there is nothing to look at"
