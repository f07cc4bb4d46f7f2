"""Whether files stay as they are while something is made of them."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from birdmodes.errors import BusyError
from birdmodes.io.locks import lock_state

_TRIES = 3

T = TypeVar("T")

Check: TypeAlias = Callable[[], None]
"""Raises `ChangedError` if files are not as they were."""


class ChangedError(BusyError):
    """Files have changed while something was made of them."""


@contextlib.contextmanager
def unchanged(workspace: Path, *names: str, lock: Path | None = None) -> Iterator[Check]:
    """Make something of files that nobody may change meanwhile.

    Parameters
    ----------
    workspace : pathlib.Path
        Where they are.
    *names : str
        Files, and folders with all that is in them; need not exist.
    lock : pathlib.Path, optional
        File that is locked by whoever changes them. If nobody holds it to begin with, it alone is
        looked at, which takes no time; then whoever locks it meanwhile counts as having changed
        them.

    Yields
    ------
    check : callable
        Raises the error that the end of the block would raise now. To be called when all is read,
        before what was made takes the place of something else: what changes after that does not
        matter, so that the end of the block does not look again.

    Raises
    ------
    ChangedError
        If they have. What else went wrong then, came of it.
    """
    free = None if lock is None else lock_state(lock)

    def state() -> object:
        if lock is not None and free is not None:
            return lock_state(lock)
        return [_digest(workspace / name) for name in names]

    before = state()
    trouble = f"{workspace}: another birdmodes command has changed it meanwhile; do this again"

    done = False

    def check() -> None:
        nonlocal done
        if state() != before:
            raise ChangedError(trouble)
        done = True

    try:
        yield check
    except ChangedError:
        raise
    except Exception as error:
        if done or state() == before:
            raise
        raise ChangedError(trouble) from error
    if not done:
        check()


def steadily(
    make: Callable[[Check], T], watched: Callable[[], AbstractContextManager[Check]]
) -> tuple[T, bool]:
    """Make something of files that others may change; again, if they do so meanwhile.

    Parameters
    ----------
    make : callable
        Is given a `Check`, see `unchanged`.
    watched : callable
        Gives what `unchanged` does.

    Returns
    -------
    made
        What `make` gave.
    again : bool
        Whether it was made again.

    Raises
    ------
    ChangedError
        If they change again and again.
    """
    for attempt in range(_TRIES - 1):
        with contextlib.suppress(ChangedError), watched() as check:
            return make(check), attempt > 0
    with watched() as check:
        return make(check), True


def _digest(path: Path) -> str:
    """Of `tree_states`, which take 60 MB for the files of a hundred thousand recordings."""
    return hashlib.sha256(json.dumps(tree_states(path)).encode()).hexdigest()


def tree_states(path: Path) -> list[list[Any]]:
    """Address, size and time of change of a file, or of all below a folder; caches do not count.

    Parameters
    ----------
    path : pathlib.Path
        Need not exist.

    Returns
    -------
    list of list
        Address from the folder, size (bytes) and time of change (ns), in the order of names.
    """
    found = []
    for place, folders, files in os.walk(path):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        inside = os.path.relpath(place, path)
        before = "" if inside == os.curdir else f"{inside}{os.sep}"
        for name in sorted(files):
            state = file_state(f"{place}{os.sep}{name}")
            if state is not None:
                found.append([f"{before}{name}", *state])
    alone = None if found else file_state(str(path))
    return [[path.name, *alone]] if alone and not path.is_dir() else found


def file_state(path: str) -> list[int] | None:
    """Size (bytes) and time of change (ns) of a file; None if there is none."""
    try:
        status = os.stat(path)  # noqa: PTH116  thousands of them
    except OSError:
        return None
    return [status.st_size, status.st_mtime_ns]
