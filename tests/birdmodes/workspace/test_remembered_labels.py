"""The labels that a workspace was made with, and results that were made with others."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import soundfile

from birdmodes.errors import WorkspaceError
from birdmodes.workspace.labels import FILE, changed_labels, labels_digest, read_remembered
from birdmodes.workspace.store import Workspace

Call = Callable[..., tuple[int, str]]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with six short recordings of two kinds of tones, and labels elsewhere."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rec").mkdir()
    time = np.arange(22050) / 22050
    for number in range(6):
        samples = 0.001 * np.random.default_rng(number).standard_normal(22050)
        for start in (0.1, 0.6):
            tone = np.sin(2 * np.pi * (2500 + 2000 * (number % 2)) * time)
            samples += 0.3 * tone * ((time > start) & (time < start + 0.2))
        soundfile.write(tmp_path / "rec" / f"r{number}.wav", samples, 22050)
    (tmp_path / "lists").mkdir()
    write_labels(tmp_path, "Robin", "Wren")
    return tmp_path


def write_labels(folder: Path, even: str, odd: str) -> None:
    rows = "".join(f"r{number}.wav,{odd if number % 2 else even}\n" for number in range(6))
    (folder / "lists" / "art.csv").write_text("recording,species\n" + rows)


def species(folder: Path) -> list[str]:
    return Workspace.open(folder).recordings()["species"].to_list()


SEGMENT = ("segment", "rec", "-w", "w", "--workers", 1)
NAMES = ["Robin", "Wren"] * 3


def test_a_run_without_labels_uses_those_of_the_run_before(call: Call, here: Path) -> None:
    code, output = call(*SEGMENT, "--labels", "lists/art.csv")
    assert code == 0, output
    assert species(here / "w") == NAMES
    code, output = call(*SEGMENT)
    assert code == 0, output
    assert "6 recordings, 6 labelled" in output
    assert species(here / "w") == NAMES
    # a map of names that is given now is heeded with them, and remembered too
    (here / "map.csv").write_text("from,to\nRobin,Erithacus\nWren,Wren\n")
    for arguments in (("--species-map", "map.csv"), ()):
        assert call(*SEGMENT, *arguments)[0] == 0
        assert species(here / "w") == ["Erithacus", "Wren"] * 3
    assert call(*SEGMENT, "--no-labels")[0] == 0
    assert species(here / "w") == [""] * 6
    assert read_remembered(here / "w") == {}
    assert "0 labelled" in call(*SEGMENT)[1]
    code, output = call(*SEGMENT, "--no-labels", "--labels", "lists/art.csv")
    assert code == 2
    assert "leave out one" in output


def test_labels_that_are_gone_are_told(call: Call, here: Path) -> None:
    assert call(*SEGMENT, "--labels", "lists")[0] == 0
    (here / "lists" / "art.csv").unlink()
    code, output = call(*SEGMENT)
    assert code == 2
    assert "labels of an earlier run; name others with --labels, or --no-labels" in output
    assert species(here / "w") == NAMES
    (line,) = changed_labels(here / "w")
    assert "art.csv: is gone since" in line


def test_results_made_with_other_labels_are_out_of_date(call: Call, here: Path) -> None:
    assert call(*SEGMENT, "--labels", "lists/art.csv")[0] == 0
    cluster = ("cluster", "-w", "w", "--k", 2, "--stability-runs", 0, "--name", "old")
    assert call(*cluster)[0] == 0
    assert "changed since" not in call("info", "-w", "w")[1]
    write_labels(here, "Robin", "Dunnock")
    changed = call("info", "-w", "w")[1]
    assert "art.csv: has changed since the recordings" in changed
    assert "next: birdmodes segment RECORDINGS --workspace w" in changed
    assert call(*SEGMENT)[0] == 0
    told = "old: the labels have changed since it was made"
    plain = " ".join(call("info", "-w", "w")[1].split())
    assert told in plain
    assert "art.csv" not in plain
    assert "next: birdmodes cluster --workspace w" in plain
    code, output = call("export", "-w", "w", "--format", "csv", "-o", "x.csv")
    assert code == 0
    assert told in " ".join(output.split())
    assert told in " ".join(call("gallery", "-w", "w", "--workers", 1)[1].split())
    assert call(*cluster)[0] == 0
    assert told not in " ".join(
        call("export", "-w", "w", "--format", "csv", "-o", "y.csv")[1].split()
    )


def test_folders_with_labels_of_their_own_are_kept_apart(call: Call, here: Path) -> None:
    (here / "more").mkdir()
    (here / "rec" / "r5.wav").rename(here / "more" / "m.wav")
    (here / "lists" / "m.csv").write_text("recording,species\nm.wav,Owl\n")
    assert call(*SEGMENT, "--labels", "lists/art.csv")[0] == 0
    assert call("segment", "more", "-w", "w", "--workers", 1, "--labels", "lists/m.csv")[0] == 0
    assert call(*SEGMENT)[0] == 0
    assert species(here / "w") == ["Owl", *NAMES[:5]]
    code, output = call("segment", "more", "rec", "-w", "w", "--workers", 1)
    assert code == 2
    assert "labelled in different ways before" in output


def test_a_damaged_memory_is_one_line(call: Call, here: Path) -> None:
    assert call(*SEGMENT, "--labels", "lists/art.csv")[0] == 0
    for content in (
        "",
        "{",
        "[]",
        "[" * 100_000,
        json.dumps({"folders": {"x": {"request": 3, "files": {}}}}),
    ):
        (here / "w" / FILE).write_text(content)
        with pytest.raises(WorkspaceError, match=r"labels\.json: damaged .*delete it"):
            read_remembered(here / "w")
        assert call(*SEGMENT)[0] == 2
        code, output = call("info", "-w", "w")
        assert code == 1
        assert "labels.json: damaged" in output


def test_the_digest_knows_what_is_known_of_the_recordings(call: Call, here: Path) -> None:
    assert call(*SEGMENT, "--labels", "lists/art.csv")[0] == 0
    table = Workspace.open(here / "w").recordings()
    digest = labels_digest(table, table["recording"])
    assert digest == labels_digest(table[::-1], list(table["recording"]))
    # a workspace of an earlier version, whose rows lack the lists
    assert digest == labels_digest(table.assign(timed_labels=None), table["recording"])
    assert digest != labels_digest(table.assign(labelled=False), table["recording"])
    assert digest != labels_digest(table, table["recording"][:5])


def test_errors_of_labels_that_were_never_named_stay_plain(call: Call, here: Path) -> None:
    (here / "rec" / "labels.csv").write_text("recording\n")
    code, output = call(*SEGMENT)
    assert code == 2
    assert "earlier run" not in output
