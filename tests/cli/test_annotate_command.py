from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import soundfile

from birdmodes.annotate.methods import ANNOTATORS
from cli.commands.annotate import Method

Call = Callable[..., tuple[int, str]]

RATE_HZ = 22050


@pytest.fixture
def recordings(tmp_path: Path) -> Path:
    folder = tmp_path / "new"
    folder.mkdir()
    t = np.arange(2 * RATE_HZ) / RATE_HZ
    whistle = 0.2 * np.sin(2 * np.pi * 3000 * t) * (np.sin(2 * np.pi * t) > 0.6)
    noise = 0.001 * np.random.default_rng(0).standard_normal(t.size)
    soundfile.write(folder / "good.wav", whistle + noise, RATE_HZ)
    return folder


def json_of(printed: str) -> dict:
    assert printed.startswith("{"), "messages go to the other channel"
    content, _ = json.JSONDecoder().raw_decode(printed)
    return content


def test_the_command_has_all_methods() -> None:
    assert [method.value for method in Method] == list(ANNOTATORS)


def test_annotating_writes_tables_and_says_where(
    call: Call, small_workspace: Path, recordings: Path, tmp_path: Path
) -> None:
    command = ("annotate", recordings, "-w", small_workspace, "-o", tmp_path / "o")
    code, printed = call(*command, "--workers", 1)
    assert code == 0, printed
    table = pd.read_csv(tmp_path / "o" / "annotations.csv", keep_default_na=False)
    assert len(table) > 0
    for name in ("annotations.csv", "recording_species.csv"):
        assert f"written to {tmp_path / 'o' / name}" in printed
    assert "of the species said to be present are" in " ".join(printed.split())
    # the workspace's sounds are nothing like a whistle
    assert set(table["kind"]) == {"unsure"}
    assert (table["likeness"] < 0.05).all()
    assert "unsure, unlike anything: " in printed
    assert "half of the sounds or more are unlike anything" in " ".join(printed.split())
    assert "not found: 2 species" in printed
    assert "birdmodes export" not in printed, "there is nothing to export"
    code, printed = call(*command, "--workers", 1, "--json")
    assert code == 0
    content = json_of(printed)
    assert content["syllables"] == len(table)
    assert content["failed"] == []


def test_what_cannot_be_read_is_told_and_the_rest_annotated(
    call: Call, small_workspace: Path, recordings: Path, tmp_path: Path
) -> None:
    (recordings / "bad.wav").write_bytes(b"RIFF nonsense")
    code, printed = call(
        "annotate", recordings, "-w", small_workspace, "-m", "citation-knn", "-o", tmp_path / "o",
        "--workers", 1,
    )  # fmt: skip
    assert code == 1
    assert "bad.wav" in printed
    table = pd.read_csv(tmp_path / "o" / "recording_species.csv")
    assert set(table["recording"]) == {"good.wav"}


def test_evaluating_prints_and_keeps_the_same(call: Call, small_workspace: Path) -> None:
    command = ("evaluate", "-w", small_workspace, "--folds", 3, "--name", "trial")
    code, printed = call(*command)
    assert code == 0, printed
    assert "12 bags of 12 recordings with species lists, 2 species, 3 folds" in printed
    assert "macro average precision" in printed
    assert "confidence of a syllable" in printed
    page = small_workspace / "evaluations" / "trial.html"
    assert f"to look at: {page}" in printed
    assert "Robin" in page.read_text(encoding="utf-8")
    code, printed = call(*command, "--json")
    content = json_of(printed)
    path = Path(content.pop("written_to"))
    assert path == small_workspace / "evaluations" / "trial.json"
    assert json.loads(path.read_text(encoding="utf-8")) == content


def test_errors_are_one_line(call: Call, small_workspace: Path, tmp_path: Path) -> None:
    for arguments, message in [
        (("--folds", 1), "folds must be 2 or more"),
        (("--name", "a/b"), "use letters, digits"),
        (("-m", "citation-knn", "--truth", tmp_path / "t.csv"), "leave it out"),
    ]:
        code, printed = call("evaluate", "-w", small_workspace, *arguments)
        assert code == 2
        assert message in printed
        assert printed.count("\n") == 1
