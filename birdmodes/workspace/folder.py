"""The folder of a workspace: whose it is, made ready for ``segment``, put in order, emptied."""

from __future__ import annotations

import itertools
import shutil
from pathlib import Path

from birdmodes.errors import WorkspaceError
from birdmodes.io.files import (
    TEMPORARY_PREFIX,
    is_unsettled,
    remove_unfinished,
    settle,
    sweep_abandoned,
)
from birdmodes.io.locks import single_writer
from birdmodes.workspace.description import DESCRIPTION, check_same_settings, write_description
from birdmodes.workspace.settings import Settings
from birdmodes.workspace.window import WINDOW

LOCK = "lock"

RESULTS = ("clusterings", "groupings", "evaluations")
"""Folders of what later commands make; only who holds the lock may write there."""

_WITHOUT_LOCK = ("exports", "figures", "compare", "gathered", "review")
"""Folders in which programs write that do not hold the lock."""

TABLES = ("recordings", "syllables", "found", "gathered")
"""Folders of what ``segment`` makes."""


def is_ours(folder: Path) -> bool:
    """Whether a folder is a workspace, or may become one: not there, empty, or barely begun."""
    if not folder.exists() or (folder / DESCRIPTION).exists():
        return True
    names = [path.name for path in folder.iterdir()]
    return all(name in (LOCK, WINDOW) or name.startswith(TEMPORARY_PREFIX) for name in names)


def make_ready(folder: Path, settings: Settings, *, restart: bool) -> None:
    """Make a workspace's folder, or see that its tables were made with the same settings.

    Parameters
    ----------
    folder : pathlib.Path
        Where.
    settings : Settings
        What the tables are to be made with.
    restart : bool
        Drop existing tables, see `birdmodes.Workspace.prepare`.

    Raises
    ------
    WorkspaceError
        If it was made with other settings and `restart` is False, or `folder` is something else.
    """
    if folder.exists() and not folder.is_dir():
        raise WorkspaceError(f"{folder}: is a file; name a folder with --workspace")
    if not is_ours(folder):
        raise WorkspaceError(
            f"{folder}: not empty and not a workspace; name another folder with --workspace"
        )
    folder.mkdir(parents=True, exist_ok=True)
    # Another run's unfinished files must not be removed under it.
    with single_writer(folder / LOCK):
        if restart:
            _clear(folder)
        elif (folder / DESCRIPTION).exists():
            check_same_settings(folder, settings)
        # Before the tables, so that a run killed here leaves what the next one recognises.
        write_description(folder, settings)
        for part in (folder, *(folder / name for name in TABLES)):
            part.mkdir(exist_ok=True)
            remove_unfinished(part)


def is_in_disorder(folder: Path) -> bool:
    """Whether a program was killed while it replaced something."""
    return any(is_unsettled(part) for part in _parts(folder))


def put_in_order(folder: Path, settings: Settings) -> None:
    """Finish or take back what a killed program had begun to replace; the caller has the lock.

    Raises
    ------
    WorkspaceError
        If the workspace is no longer the one with these settings.
    """
    check_same_settings(folder, settings)
    for part in _parts(folder):
        settle(part)
    for name in RESULTS:
        remove_unfinished(folder / name)
    # Who has a review open writes what is pending, without this lock.
    remove_unfinished(folder / "review", spared="*-pending-*")
    for name in _WITHOUT_LOCK:
        sweep_abandoned(folder / name)


def _parts(folder: Path) -> list[Path]:
    """Folders in which something may be set aside or wait to be put in its place."""
    return [folder, *(folder / name for name in RESULTS)]


def _clear(folder: Path) -> None:
    # What somebody may have worked on is out of the way before anything is deleted.
    for part in ("clusterings", "groupings"):
        if (folder / part).is_dir() and any((folder / part).iterdir()):
            replaced = folder / "replaced"
            replaced.mkdir(exist_ok=True)
            places = (replaced / f"{part}-{number}" for number in itertools.count(1))
            (folder / part).rename(next(place for place in places if not place.exists()))
    for part in TABLES:
        shutil.rmtree(folder / part, ignore_errors=True)
    (folder / "errors.csv").unlink(missing_ok=True)
