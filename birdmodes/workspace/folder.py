"""The folder of a workspace: whose it is, who writes and reads there, put in order, emptied."""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from birdmodes.errors import WorkspaceError
from birdmodes.io.files import (
    TEMPORARY_PREFIX,
    is_unsettled,
    remove_unfinished,
    settle,
    sweep_abandoned,
)
from birdmodes.io.locks import check_unlocked, single_writer
from birdmodes.io.steady import Check, steadily, unchanged
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

SHOWN = (
    *("recordings", "syllables", "clusterings", "groupings"),
    *("errors.csv", "sites.json", "taxonomy.json"),
)
"""What commands read that write for people alone: pages, figures, exports."""

_OWN = (
    *(*TABLES, *RESULTS, *SHOWN, "review", "replaced", "damaged"),
    *(DESCRIPTION, LOCK, WINDOW, "labels.json", "segmenter.npz"),
)
"""What is in a workspace that nobody is to write over."""

T = TypeVar("T")


class LockedFolder:
    """A folder that one program at a time writes to.

    Attributes
    ----------
    folder : pathlib.Path
        Where it is.
    settings : Settings
        What its tables were made with.
    """

    def __init__(self, folder: Path, settings: Settings) -> None:
        self.folder = folder
        self.settings = settings
        self._writer: tuple[int, int] | None = None

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the workspace's write lock; within it, it may be asked for again.

        What a program that was killed had begun to replace is put in order first.

        Raises
        ------
        WorkspaceError
            If another process is writing, or has replaced the workspace by one with other
            settings since it was opened.
        """
        if self._writer == _me():
            yield
            return
        with single_writer(self.folder / LOCK), self._held():
            yield

    @contextlib.contextmanager
    def _held(self) -> Iterator[None]:
        """Put things in order, and note that we have the lock."""
        put_in_order(self.folder, self.settings)
        self._writer = _me()
        try:
            yield
        finally:
            self._writer = None

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        """Read tables that have to fit each other, without the write lock.

        Raises
        ------
        BusyError
            If another process writes, or has changed the tables before they were read.
        WorkspaceError
            If the workspace was replaced by one with other settings since it was opened.
        """
        check_unlocked(self.folder / LOCK)
        with unchanged(self.folder, *TABLES[:-1]):
            check_same_settings(self.folder, self.settings)
            yield


def _me() -> tuple[int, int]:
    return os.getpid(), threading.get_ident()


def read_steadily(folder: Path, make: Callable[[Check], T]) -> T:
    """Make something of a workspace; again, if another command changes it meanwhile.

    Parameters
    ----------
    folder : pathlib.Path
        The workspace, to be opened by `make`: another may have replaced it by one with other
        settings.
    make : callable
        As for `birdmodes.io.steady.steadily`.

    Returns
    -------
    made
        What `make` gave.

    Raises
    ------
    ChangedError
        If it changes again and again.
    """
    made, _ = steadily(make, lambda: unchanged(folder, *SHOWN, lock=folder / LOCK))
    return made


def check_output(output: Path) -> None:
    """Refuse to write a result for people to where a workspace keeps its own.

    Parameters
    ----------
    output : pathlib.Path
        A file or folder to be written.

    Raises
    ------
    WorkspaceError
        If it is in a workspace, and not in one of its folders for such results.
    """
    place = output.resolve()
    for folder in place.parents:
        part = place.relative_to(folder).parts[0]
        if part in _OWN and (folder / DESCRIPTION).is_file():
            raise WorkspaceError(
                f"{output}: is where the workspace {folder} keeps its own; name another place"
            )


def is_ours(folder: Path) -> bool:
    """Whether a folder is a workspace, or may become one: not there, empty, or barely begun."""
    if not folder.exists() or (folder / DESCRIPTION).exists():
        return True
    names = [path.name for path in folder.iterdir()]
    return all(name in (LOCK, WINDOW) or name.startswith(TEMPORARY_PREFIX) for name in names)


@contextlib.contextmanager
def made_ready(
    folder: Path, settings: Settings, *, restart: bool, check: Check | None = None
) -> Iterator[None]:
    """Make a workspace's folder, or see that its tables were made with the same settings.

    Within the block, nobody else writes there.

    Parameters
    ----------
    folder : pathlib.Path
        Where.
    settings : Settings
        What the tables are to be made with.
    restart : bool
        Drop existing tables, see `birdmodes.Workspace.prepare`.
    check : callable, optional
        Raises an error if what was read before there is not so any more: then nothing is changed.

    Raises
    ------
    WorkspaceError
        If it was made with other settings and `restart` is False, `folder` is something else, or
        another process is writing.
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
        if check is not None:
            check()
        if restart:
            _clear(folder)
        elif (folder / DESCRIPTION).exists():
            check_same_settings(folder, settings)
        # Before the tables, so that a run killed here leaves what the next one recognises.
        write_description(folder, settings)
        for part in (folder, *(folder / name for name in TABLES)):
            part.mkdir(exist_ok=True)
            remove_unfinished(part)
        yield


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
    for name in (*_WITHOUT_LOCK, *TABLES):
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
