"""What README.md shows in Python runs as it stands."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from birdmodes.modes.clustering import write_clustering
from birdmodes.modes.find import ClusterOptions, find_modes
from birdmodes.workspace.store import DEFAULT_FOLDER, Workspace

README = Path(__file__).parents[2] / "README.md"
SNIPPETS = re.findall(r"^```python\n(.*?)^```", README.read_text(encoding="utf-8"), re.M | re.S)


@pytest.fixture
def beside_a_workspace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make_workspace: Callable[..., Workspace]
) -> None:
    """Stand in a folder with a workspace of 36 syllables and its modes."""
    made = make_workspace(
        *((f"a{n}_20240512_050000.wav", [[0, 0, 1]], "Robin") for n in range(6)),
        *((f"b{n}.wav", [[2, 3, 3]], "Wren") for n in range(6)),
    )
    folder = made.folder.rename(tmp_path / DEFAULT_FOLDER)
    workspace = Workspace.open(folder)
    modes = find_modes(workspace, ClusterOptions(k=4, stability_runs=0)).clustering
    write_clustering(workspace, modes)
    monkeypatch.chdir(tmp_path)


def test_there_are_snippets() -> None:
    assert len(SNIPPETS) == 3


@pytest.mark.usefixtures("beside_a_workspace")
@pytest.mark.parametrize("number", range(len(SNIPPETS)))
def test_the_snippet_runs_on_a_workspace(number: int, capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {}
    exec(SNIPPETS[number], names)  # noqa: S102
    assert capsys.readouterr().out.strip()
