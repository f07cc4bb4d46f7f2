"""Commands as people type them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from birdmodes.workspace.commands import command_line


def test_a_workspace_is_named_where_it_is_not_the_default_one() -> None:
    assert command_line("gallery", folder=Path("birdmodes-workspace")) == "birdmodes gallery"
    assert command_line("gallery", folder="./birdmodes-workspace/") == "birdmodes gallery"
    assert command_line("info", folder="ws") == "birdmodes info --workspace ws"
    assert command_line("info", program=".venv/bin/birdmodes") == ".venv/bin/birdmodes info"


@pytest.mark.parametrize(
    ("system", "line"),
    [("posix", "birdmodes info --workspace 'my ws'"), ("nt", 'birdmodes info --workspace "my ws"')],
)
def test_a_folder_with_blanks_is_quoted_as_the_shell_wants(
    monkeypatch: pytest.MonkeyPatch, system: str, line: str
) -> None:
    folder = "my ws"
    with monkeypatch.context() as patched:
        patched.setattr(os, "name", system)
        said = command_line("info", "--workspace", folder)
    assert said == line
