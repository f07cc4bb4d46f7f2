"""A window, served, for a program that stands in for the commands."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from window_parts import Window, serving, stand_in, write_sound

from birdmodes.app.projects import Project


@pytest.fixture(scope="session")
def window(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Window]:
    """A window that is served in a thread."""
    folder = tmp_path_factory.mktemp("window")
    with serving(stand_in(folder), folder) as served:
        yield served


@pytest.fixture
def recordings(tmp_path: Path) -> Path:
    """Three recordings of two sites, and one that cannot be read."""
    folder = tmp_path / "recordings"
    write_sound(folder / "MARSH_20240512_043000.wav")
    write_sound(folder / "MARSH_20240513_043000.wav")
    write_sound(folder / "<b>OAKS_20240513_053000.wav", 1.0)
    (folder / "bad.wav").write_text("no sound")
    return folder


@pytest.fixture
def project(window: Window, recordings: Path) -> Iterator[Project]:
    """A project of these recordings; nothing holds its commands."""
    yield window.context.projects.open(str(recordings))
    for path in window.folder.glob("*-*"):
        path.unlink()
