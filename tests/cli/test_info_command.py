from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq

from birdmodes.workspace.store import Workspace

Call = Callable[..., tuple[int, str]]


def test_it_says_what_there_is_and_what_comes_next(call: Call, small_workspace: Path) -> None:
    code, printed = call("info", "-w", small_workspace)
    assert code == 0
    said = " ".join(printed.split())
    # twelve recordings of 10 s with 4 syllables each
    assert "recordings 12 (2 min 0 s), 12 with species lists" in said
    assert "species 2 (Robin, Wren)" in said
    assert "syllables 48" in said
    assert "energy, 22,050 Hz, clips of 10 s" in said
    assert "no galleries" in said
    assert re.search(r"[kM]B on disk: .*syllables \d+(\.\d)? [kM]?B", said)
    assert "next: birdmodes " in said


def test_json(call: Call, small_workspace: Path) -> None:
    code, printed = call("info", "-w", small_workspace, "--json")
    assert code == 0
    content = json.loads(printed)
    assert content["recordings"] == 12
    assert content["next"]["command"].startswith("birdmodes ")


def test_without_a_workspace_it_says_how_to_make_one(call: Call, tmp_path: Path) -> None:
    code, printed = call("info", "-w", tmp_path / "none")
    assert code == 2
    assert printed.count("\n") == 1
    assert "no workspace here; run 'birdmodes segment RECORDINGS' first" in printed


def test_groups_of_recordings_are_listed(
    call: Call, small_workspace: Path, put_grouping: Callable[..., object]
) -> None:
    assert "groups of recordings" not in call("info", "-w", small_workspace)[1]
    put_grouping(Workspace.open(small_workspace), [0, 1] * 6)
    code, printed = call("info", "-w", small_workspace)
    assert code == 0
    assert re.search(r"\nm3ic-k2 +told +briggs38 +2 +2 +12 +20", printed)
    assert "groups of recordings" in printed
    (content,) = json.loads(call("info", "-w", small_workspace, "--json")[1])["groupings"]
    assert (content["name"], content["groups"], content["bags"]) == ("m3ic-k2", 2, 12)


def test_annotations_and_evaluations_are_listed(call: Call, small_workspace: Path) -> None:
    printed = call("info", "-w", small_workspace)[1]
    assert "annotations" not in printed
    assert "evaluation" not in printed
    assert call("evaluate", "-w", small_workspace, "--folds", 2, "--name", "two")[0] == 0
    facts = {"annotated_by": "ldc", "recordings": 3, "species_found": 1, "kinds": {"species": 9}}
    folder = small_workspace / "annotated" / "spring"
    folder.mkdir(parents=True)
    (folder / "annotated.json").write_text(json.dumps(facts))
    (small_workspace / "evaluations" / "bad.json").write_text("{")
    code, printed = call("info", "-w", small_workspace)
    assert code == 1, "one cannot be read"
    assert printed.endswith("evaluations/bad.json: cannot be read; make it again\n")
    assert re.search(r"\nannotated/spring +ldc +3 +9 +1 ", printed)
    assert re.search(r"\ntwo +ldc +12 +2 +\d\.\d{3} +\d\.\d{3} +20", printed)
    assert re.search(r"\nbad +cannot be read", printed)
    assert "page of two: evaluations/two.html" in printed


def test_new_recordings_that_were_assigned_are_listed(call: Call, small_workspace: Path) -> None:
    facts = {"assigned_from": "told", "recordings": 3, "syllables": 12, "kinds": {"mode": 9}}
    folder = small_workspace / "assigned" / "told"
    folder.mkdir(parents=True)
    (folder / "assigned.json").write_text(json.dumps(facts))
    code, printed = call("info", "-w", small_workspace)
    assert code == 0, printed
    assert re.search(r"\nnew recordings +modes of +recordings +syllables +in modes", printed)
    assert re.search(r"\nassigned/told +told +3 +12 +9 +20", printed)
    (content,) = json.loads(call("info", "-w", small_workspace, "--json")[1])["assigned"]
    assert content["in_modes"] == 9


def test_verify_reads_everything_and_says_what_is_damaged(
    call: Callable[..., tuple[int, str]], small_workspace: Path
) -> None:
    code, printed = call("info", "-w", small_workspace, "--verify")
    assert code == 0
    assert "everything was read, and nothing is damaged" in printed
    assert "everything was read" not in call("info", "-w", small_workspace)[1]
    assert json.loads(call("info", "-w", small_workspace, "--verify", "--json")[1])["damaged"] == []
    changed, missing = sorted((small_workspace / "syllables").glob("*.parquet"))[:2]
    content = bytearray(changed.read_bytes())
    column = pq.ParquetFile(changed).metadata.row_group(0).column(10)
    content[column.data_page_offset + column.total_compressed_size - 1] ^= 1
    changed.write_bytes(content)
    missing.unlink()
    code, printed = call("info", "-w", small_workspace, "--verify")
    assert code == 1
    remedy, first, second = printed.splitlines()
    assert remedy.startswith("birdmodes repair moves what is damaged")
    assert first.startswith(f"birdmodes: {changed}: cannot be read (")
    assert first.endswith("delete it and run 'birdmodes segment' again")
    assert second == f"birdmodes: {missing}: missing; run 'birdmodes segment' again"
