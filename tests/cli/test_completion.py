"""What the shell offers when Tab is pressed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from algorithms.registry import METHODS
from cli import options


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two workspaces, one with clusterings, and a folder that is none."""
    for name in ("field-a", "field-b", "photos", ".hidden"):
        (tmp_path / name).mkdir()
    for name in ("field-a", "field-b"):
        (tmp_path / name / "workspace.json").write_text("{}")
    for name in ("csp-k9", "ldc-k20", ".unfinished-ldc-k9"):
        clustering = tmp_path / "field-a" / "clusterings" / name
        clustering.mkdir(parents=True)
        (clustering / "metrics.json").write_text("{}")
    (tmp_path / "field-a" / "clusterings" / "ldc-broken").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_workspaces_come_before_other_folders(folder: Path) -> None:
    assert options.complete_workspace("") == ["field-a", "field-b"]
    assert options.complete_workspace("field-b") == ["field-b"]
    assert options.complete_workspace("ph") == ["photos/"]
    assert options.complete_workspace(".") == [".hidden/"]
    assert options.complete_workspace("./f") == ["./field-a", "./field-b"]
    assert options.complete_workspace(f"{folder}/field") == [
        f"{folder}/field-a",
        f"{folder}/field-b",
    ]
    assert options.complete_workspace("none/at/all") == []


def _context(**values: Any) -> Any:
    return cast("Any", SimpleNamespace(params=values))


def test_clusterings_are_those_of_the_workspace(folder: Path) -> None:
    context = _context(workspace=Path("field-a"))
    assert options.complete_clustering(context, "") == ["csp-k9", "ldc-k20"]
    assert options.complete_clustering(context, "ldc") == ["ldc-k20"]
    assert options.complete_clustering(_context(workspace=Path("photos")), "") == []
    assert options.complete_clustering(_context(), "") == []


def test_groupings_are_those_of_the_workspace(folder: Path) -> None:
    for name in ("m3ic-k5", ".unfinished-m3ic-k4"):
        (folder / "field-a" / "groupings" / name).mkdir(parents=True)
        (folder / "field-a" / "groupings" / name / "metrics.json").write_text("{}")
    context = _context(workspace=Path("field-a"))
    assert options.complete_grouping(context, "m") == ["m3ic-k5"]
    assert options.complete_grouping(context, "l") == []
    assert options.complete_grouping(_context(workspace=Path("field-b")), "") == []


def test_methods_are_offered_with_what_they_do() -> None:
    offered = dict(options.complete_method("c"))
    assert set(offered) >= {"csp"}
    assert all(offered.values())
    assert [name for name, _ in options.complete_method("")] == list(METHODS)


def complete(*words: str, cwd: Path) -> list[str]:
    """Ask the program as bash does: the last word is being typed."""
    environment = {
        **os.environ,
        "_BIRDMODES_COMPLETE": "complete_bash",
        "COMP_WORDS": " ".join(("birdmodes", *words)),
        "COMP_CWORD": str(len(words)),
    }
    answer = subprocess.run(
        [sys.executable, "-c", "import sys; sys.argv[0] = 'birdmodes'; "
         "from cli.main import main; main()"],
        capture_output=True, text=True, check=True, env=environment, cwd=cwd,
    )  # fmt: skip
    return answer.stdout.split()


def test_the_shell_gets_what_fits(folder: Path) -> None:
    assert complete("gal", cwd=folder) == ["gallery"]
    assert complete("gallery", "-w", "field-a", "--clustering", "l", cwd=folder) == ["ldc-k20"]
    assert complete("gallery", "--workspace", "fi", cwd=folder) == ["field-a", "field-b"]
    assert "csp" in complete("cluster", "--method", "c", cwd=folder)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_to_install_can_be_shown(shell: str, tmp_path: Path) -> None:
    answer = subprocess.run(
        [sys.executable, "-c", "import sys; sys.argv[0] = 'birdmodes'; "
         "from cli.main import main; main()", "--show-completion", shell],
        capture_output=True, text=True, check=True, cwd=tmp_path,
        env={**os.environ, "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"},
    )  # fmt: skip
    assert "birdmodes" in answer.stdout
    assert "_BIRDMODES_COMPLETE" in answer.stdout
