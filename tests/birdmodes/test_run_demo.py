"""The demonstration, where it cannot be written."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

import pytest

from birdmodes.demo import run_demo
from birdmodes.errors import BirdmodesError


def test_a_full_disk_is_told_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(source: str, target: str) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), target)

    monkeypatch.setattr(shutil, "copy2", full)
    with pytest.raises(BirdmodesError) as raised:
        run_demo(tmp_path / "x", workers=1, on_step=print, on_progress=print)
    line = str(raised.value)
    assert line.startswith(f"{tmp_path / 'x' / 'recordings'}{os.sep}")
    assert ": cannot be written (No space left on device); " in line
    assert "Errno" not in line


def test_what_is_in_the_way_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("a file")
    with pytest.raises(BirdmodesError, match=r"x: cannot be written \([^\]\[]*\); name another"):
        run_demo(tmp_path / "x", workers=1, on_step=print, on_progress=print)
