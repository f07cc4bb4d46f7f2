"""Whether files stay as they are while something is made of them."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from birdmodes.errors import BusyError


class ChangedError(BusyError):
    """Files have changed while something was made of them."""


@contextlib.contextmanager
def unchanged(workspace: Path, *names: str) -> Iterator[None]:
    """Make something of files that nobody may change meanwhile.

    Parameters
    ----------
    workspace : pathlib.Path
        Where they are.
    *names : str
        Files, and folders with all that is in them; need not exist.

    Raises
    ------
    ChangedError
        If they have. What else went wrong then, came of it.
    """
    before = [_digest(workspace / name) for name in names]
    trouble = f"{workspace}: another birdmodes command has changed it meanwhile; do this again"
    try:
        yield
    except Exception as error:
        if [_digest(workspace / name) for name in names] == before:
            raise
        raise ChangedError(trouble) from error
    if [_digest(workspace / name) for name in names] != before:
        raise ChangedError(trouble)


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
