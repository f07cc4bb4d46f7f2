"""``--features`` and ``--table`` on the command line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from birdmodes.workspace.store import Workspace

Call = Callable[..., tuple[int, str]]


def test_sets_that_a_workspace_lacks_are_refused_in_one_line(
    call: Call, small_workspace: Path
) -> None:
    for command in ("cluster", "evaluate"):
        code, text = call(command, "-w", small_workspace, "--features", "mel,briggs38")
        assert code == 2
        assert "segmented by an earlier birdmodes" in text
        assert "segment --restart" in text
        code, text = call(command, "-w", small_workspace, "--features", "mell")
        assert code == 2
        assert "no feature set 'mell' (did you mean 'mel'?)" in text


def test_a_workspace_without_windows_goes_on_with_the_38(call: Call, small_workspace: Path) -> None:
    code, text = call("cluster", "-w", small_workspace, "--k", 3, "--stability-runs", 0)
    assert code == 0, text
    assert "features: briggs38 (38)" in text
    assert "is of an earlier birdmodes" in text
    code, text = call("info", "-w", small_workspace)
    assert any(line.split()[:3] == ["ldc-k3", "ldc", "briggs38"] for line in text.splitlines())


def test_a_table_of_ones_own(call: Call, small_workspace: Path, tmp_path: Path) -> None:
    names = Workspace.open(small_workspace).syllables("syllable")["syllable"]
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"syllable": names, "x": rng.random(len(names)), "y": 1.5})
    table.to_csv(tmp_path / "mine.csv", index=False)
    code, text = call(
        "cluster", "-w", small_workspace, "--method", "sp", "--k", 3, "--stability-runs", 0,
        "--features", f"table:{tmp_path / 'mine.csv'}",
    )  # fmt: skip
    assert code == 0, text
    assert "features: table:mine.csv (2)" in text
    assert (small_workspace / "clusterings" / "sp-table-k3" / "metrics.json").is_file()
    for none in ("none.csv", "none.parquet", "none.npz"):
        code, text = call("evaluate", "-w", small_workspace, "--features", f"table:{none}")
        assert code == 2
        assert f"{none}: cannot be read as a table of features (No such file" in text
