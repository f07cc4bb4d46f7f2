from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

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
