"""Bytes on disk by part of a workspace."""

from __future__ import annotations

from pathlib import Path

from birdmodes.info.workspace import workspace_info
from birdmodes.workspace.store import Workspace


def _write(path: Path, n_bytes: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"x" * n_bytes)


def test_every_file_counts_once_and_those_behind_links_not_at_all(tmp_path: Path) -> None:
    folder = Workspace.prepare(tmp_path / "w").folder
    before = workspace_info(folder).sizes
    _write(folder / "gallery/a/deep/page.html", 10)
    _write(folder / "gallery/recordings/page.html", 100)
    _write(folder / "exports/night/a.txt", 1000)
    _write(folder / "notes.txt", 10_000)
    _write(folder / "recordings/folder/a.txt", 1_000_000)  # those of shards alone are counted
    _write(tmp_path / "elsewhere/a.txt", 100_000)
    (folder / "exports/linked").symlink_to(tmp_path / "elsewhere")
    (folder / "linked").symlink_to(tmp_path / "elsewhere")
    link = folder / "exports/link.txt"
    link.symlink_to(tmp_path / "elsewhere/a.txt")
    sizes = workspace_info(folder).sizes
    assert sizes["gallery"] == 110
    assert sizes["others"] - before["others"] == 11_000 + link.lstat().st_size
    assert sizes.get("recordings", 0) == before.get("recordings", 0)
