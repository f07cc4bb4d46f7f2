from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import soundfile

Call = Callable[..., tuple[int, str]]

RATE_HZ = 22050


@pytest.fixture
def recordings(tmp_path: Path) -> Path:
    """One good recording of a whistle, one that cannot be read."""
    folder = tmp_path / "new"
    folder.mkdir()
    t = np.arange(2 * RATE_HZ) / RATE_HZ
    whistle = 0.2 * np.sin(2 * np.pi * 3000 * t) * (np.sin(2 * np.pi * t) > 0.6)
    noise = 0.001 * np.random.default_rng(0).standard_normal(t.size)
    soundfile.write(folder / "good.wav", whistle + noise, RATE_HZ)
    return folder


@pytest.fixture(scope="module")
def clustered(made_workspace: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    from birdmodes.modes.clustering import write_clustering
    from birdmodes.modes.find import ClusterOptions, find_modes
    from birdmodes.workspace.store import Workspace

    folder = shutil.copytree(made_workspace, tmp_path_factory.mktemp("assign") / "w")
    workspace = Workspace.open(folder)
    options = ClusterOptions(k=3, stability_runs=0)
    write_clustering(workspace, find_modes(workspace, options, "for-assign").clustering)
    return folder


def test_assigning_writes_a_table_and_says_where(
    call: Call, clustered: Path, recordings: Path, tmp_path: Path
) -> None:
    command = (
        "assign", recordings, "-w", clustered, "--clustering", "for-assign", "-o", tmp_path / "o",
        "--workers", 1,
    )  # fmt: skip
    code, printed = call(*command)
    assert code == 0, printed
    table = pd.read_csv(tmp_path / "o" / "assignments.csv", keep_default_na=False)
    assert len(table) > 0
    assert f"written to {tmp_path / 'o' / 'assignments.csv'}" in printed
    assert "come to their own cluster" in printed
    code, printed = call(*command, "--json")
    assert code == 0
    start = printed.index("{")
    content, _ = json.JSONDecoder().raw_decode(printed[start:])
    assert content["syllables"] == len(table)
    assert content["assigned_from"] == "for-assign"
    assert start == 0, "messages go to the other channel"


def test_what_cannot_be_read_is_told_and_the_rest_placed(
    call: Call, clustered: Path, recordings: Path, tmp_path: Path
) -> None:
    (recordings / "bad.wav").write_bytes(b"RIFF nonsense")
    code, printed = call(
        "assign", recordings, "-w", clustered, "--clustering", "for-assign", "-o", tmp_path / "o",
        "--workers", 1,
    )  # fmt: skip
    assert code == 1
    assert "bad.wav" in printed
    assert (tmp_path / "o" / "assignments.csv").exists()


def test_what_does_not_match_is_one_line(
    call: Call, clustered: Path, recordings: Path, tmp_path: Path
) -> None:
    code, printed = call("assign", recordings, "-w", clustered, "-o", clustered)
    assert code == 2
    assert printed.count("\n") == 1
    code, printed = call("assign", recordings, "-w", clustered, "--clustering", "missing")
    assert code == 2
    assert "no clustering 'missing'" in printed
    code, printed = call("assign", recordings, "-w", clustered, "--novelty", 0)
    assert code == 2
    assert "novelty must be above 0" in printed
