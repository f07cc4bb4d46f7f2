"""Writing files so that a reader never sees half of one, and one writer at a time."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from birdmodes.errors import WorkspaceError

TEMPORARY_PREFIX = ".unfinished-"

# What the operating systems say when another process holds a lock.
HELD = (errno.EAGAIN, errno.EACCES, errno.EDEADLK)


@contextlib.contextmanager
def atomic_path(target: Path) -> Iterator[Path]:
    """Give a temporary path beside `target`; rename it to `target` when the block succeeds.

    Parameters
    ----------
    target : pathlib.Path
        The file to make. Its folder must exist.

    Yields
    ------
    pathlib.Path
        Where to write. It has the same ending as `target`. If the block raises, what was written
        is removed and `target` stays as it was.

    Raises
    ------
    OSError
        If the file cannot be written, as on a full disk; it names `target`.
    """
    temporary = target.with_name(f"{TEMPORARY_PREFIX}{os.getpid()}-{target.name}")
    try:
        yield temporary
        with temporary.open("rb+") as written:
            os.fsync(written.fileno())
        temporary.replace(target)
    except BaseException as error:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        # pyarrow's errors name no file, and the temporary one would mean nothing to the user.
        if isinstance(error, OSError) and error.errno and error.filename in (None, str(temporary)):
            raise OSError(error.errno, os.strerror(error.errno), str(target)) from error
        raise


def write_text(target: Path, text: str) -> None:
    """Write `text` (UTF-8, line ends as given) to `target` atomically."""
    with atomic_path(target) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="")


def remove_unfinished(folder: Path) -> None:
    """Remove what a killed run left half-written in `folder`."""
    for leftover in folder.glob(f"{TEMPORARY_PREFIX}*"):
        leftover.unlink(missing_ok=True)


def put_in_place(unfinished: Path, target: Path) -> None:
    """Rename a folder to `target`, which it replaces; if that fails, the old one stays.

    Parameters
    ----------
    unfinished : pathlib.Path
        The whole new folder, beside `target`.
    target : pathlib.Path
        A folder, or nothing yet.

    Raises
    ------
    OSError
        If one of them cannot be renamed.
    """
    superseded = target.with_name(f"{TEMPORARY_PREFIX}old-{target.name}")
    shutil.rmtree(superseded, ignore_errors=True)
    if target.exists():
        target.rename(superseded)
    try:
        unfinished.rename(target)
    except OSError:
        if superseded.exists():
            superseded.rename(target)
        raise
    shutil.rmtree(superseded, ignore_errors=True)


def safe_name(name: str) -> str:
    """Turn any text into a file name: readable start, then a hash that keeps names apart.

    Parameters
    ----------
    name : str
        Anything: a recording's path, a species name.

    Returns
    -------
    str
        Only ASCII letters, digits, ``-`` and ``_``; at most 61 characters; different for
        different names; never a device name or a path out of the folder.
    """
    readable = re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-")[:48]
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return f"{readable or 'x'}-{digest}"


@contextlib.contextmanager
def single_writer(lock_file: Path) -> Iterator[None]:
    """Hold the operating system's lock on `lock_file`; it is released even when we are killed.

    Raises
    ------
    WorkspaceError
        If another process holds it, or the file system has no locks.
    """
    with lock_file.open("a+b") as handle:
        try:
            _lock(handle)
        except OSError as error:
            if error.errno not in HELD:
                raise WorkspaceError(
                    f"{lock_file.parent}: this file system cannot lock files ({error.strerror}); "
                    "use a --workspace on another one"
                ) from error
            raise WorkspaceError(
                f"{lock_file.parent}: another birdmodes command is writing here; "
                "wait for it or use another --workspace"
            ) from error
        yield


if sys.platform == "win32":
    import msvcrt

    def _lock(handle: IO[bytes]) -> None:
        handle.seek(0)
        msvcrt.locking(handle.fileno(), msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(handle: IO[bytes]) -> None:
        fcntl.flock(handle.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
