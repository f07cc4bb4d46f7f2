"""What the pages show in Python runs as it stands, and the notebook does."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import joblib
import pytest

from birdmodes.modes.clustering import write_clustering
from birdmodes.modes.find import ClusterOptions, find_modes
from birdmodes.workspace.store import DEFAULT_FOLDER, Workspace

ROOT = Path(__file__).parents[2]
SNIPPETS = [
    pytest.param(text, id=f"{page}-{number}")
    for page in ("docs/python.md", "docs/researchers.md", "docs/methods.md")
    for number, text in enumerate(
        re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(encoding="utf-8"), re.M | re.S)
    )
]


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
    assert len(SNIPPETS) == 4


@pytest.mark.usefixtures("beside_a_workspace")
@pytest.mark.parametrize("snippet", SNIPPETS)
def test_the_snippet_runs_on_a_workspace(snippet: str, capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {}
    with joblib.parallel_config("threading"):  # which starts no processes
        exec(snippet, names)  # noqa: S102
    assert capsys.readouterr().out.strip()
