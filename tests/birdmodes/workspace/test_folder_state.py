from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from birdmodes.workspace.gathering.folder_state import folder_state, states_digest

NAMES = ["b.parquet", "a-1.parquet", "a.parquet", "é 日.parquet"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Files, one of which is being written, and a folder."""
    for number, name in enumerate([*NAMES, ".unfinished-1-a.parquet"], start=1):
        (tmp_path / name).write_bytes(b"x" * number)
        os.utime(tmp_path / name, ns=(number, number))
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "file").touch()
    return tmp_path


def test_files_are_told_by_time_of_change_and_size(folder: Path) -> None:
    state = folder_state(folder)
    assert state.files == {name: (n, n) for n, name in enumerate(NAMES, start=1)}
    assert state.size_bytes == 1 + 2 + 3 + 4 + 5


def test_the_digest_is_that_of_earlier_versions(folder: Path) -> None:
    """What they kept by it is found anew otherwise, which may take a minute."""
    told = "\0".join(sorted(f"{name}/{n}/{n}" for n, name in enumerate(NAMES, start=1)))
    state = folder_state(folder)
    assert state.digest == hashlib.sha256(told.encode()).hexdigest()
    assert state.digest == states_digest(state.files)


@pytest.mark.parametrize("change", ["time", "size", "name", "more", "less"])
def test_every_change_is_seen(folder: Path, change: str) -> None:
    before, file = folder_state(folder).digest, folder / "a.parquet"
    if change == "time":
        os.utime(file, ns=(3, 4))
    elif change == "size":
        file.write_bytes(b"")
        os.utime(file, ns=(3, 3))
    elif change == "name":
        file.rename(folder / "c.parquet")
    elif change == "more":
        (folder / "c.parquet").touch()
    else:
        file.unlink()
    assert folder_state(folder).digest != before


def test_a_folder_that_is_not_there_is_empty(folder: Path) -> None:
    (folder / "empty").mkdir()
    assert folder_state(folder / "none") == folder_state(folder / "empty")
    assert folder_state(folder / "none").files == {}


@pytest.mark.skipif(os.scandir not in os.supports_fd, reason="a system without such folders")
def test_where_folders_are_not_opened_the_same_is_seen(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = folder_state(folder)
    monkeypatch.setattr(os, "supports_fd", set())
    assert folder_state(folder) == before
