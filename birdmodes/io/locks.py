"""One writer at a time, and words for the others about who that is."""

from __future__ import annotations

import contextlib
import errno
import os
import platform
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from birdmodes.errors import BusyError, WorkspaceError

# What the operating systems say when another process holds a lock.
_HELD = (errno.EAGAIN, errno.EACCES, errno.EDEADLK)

_MOST_WORDS = 300  # bytes

# Who only looks whether a lock is held, holds it for an instant: nobody is refused for that.
_LOOKS = 5
_BETWEEN_LOOKS_S = 0.02


@contextlib.contextmanager
def single_writer(lock_file: Path) -> Iterator[IO[bytes]]:
    """Hold the operating system's lock on `lock_file`; it is released even when we are killed.

    While it is held, the file says by whom.

    Yields
    ------
    file
        The open file: a program that inherits it holds the lock as well, as long as it runs.

    Raises
    ------
    BusyError
        If another process holds it; says which.
    WorkspaceError
        If the file system has no locks.
    OSError
        If the file cannot be written, as on a full disk or a read-only one; so what takes long to
        make does not have to fail only when it is to be kept.
    """
    with _locked(lock_file) as handle:
        before = os.fstat(handle.fileno()).st_mtime_ns
        try:
            _say_who(handle)
        except OSError as error:
            raise OSError(error.errno, os.strerror(error.errno or 0), str(lock_file)) from error
        try:
            yield handle
        finally:
            with contextlib.suppress(OSError):
                handle.truncate(0)
                # File systems count in steps of milliseconds: `lock_state` must not miss one.
                now = max(time.time_ns(), before + 1)
                os.utime(lock_file, ns=(now, now))


def check_unlocked(lock_file: Path) -> None:
    """Make sure that nobody writes at the moment, for who only reads.

    Parameters
    ----------
    lock_file : pathlib.Path
        As for `single_writer`; need not exist.

    Raises
    ------
    BusyError
        If another process holds the lock; says which.
    """
    if is_locked(lock_file):
        with lock_file.open("rb") as handle:
            raise _busy(lock_file, handle)


def is_locked(lock_file: Path) -> bool:
    """Whether somebody holds the lock on a file right now.

    Parameters
    ----------
    lock_file : pathlib.Path
        As for `single_writer`; need not exist.
    """
    try:
        handle = lock_file.open("r+b")
    except OSError:  # not there, or on a disk that nobody can write to
        return False
    with handle:
        try:
            _look(handle)
        except OSError as error:
            return error.errno in _HELD
    return False


def lock_state(lock_file: Path) -> tuple[int, int] | None:
    """What changes whenever somebody locks a file with `single_writer`, or releases it.

    Parameters
    ----------
    lock_file : pathlib.Path
        As for `single_writer`; need not exist.

    Returns
    -------
    tuple of int or None
        None while somebody holds it.
    """
    if is_locked(lock_file):
        return None
    try:
        status = lock_file.stat()
    except OSError:
        return 0, 0
    return status.st_mtime_ns, status.st_size


def _locked(lock_file: Path) -> IO[bytes]:
    """Open and lock a file; errors as of `single_writer`."""
    for left in reversed(range(_LOOKS)):
        handle = lock_file.open("a+b", buffering=0)  # else closing it writes again
        try:
            _lock(handle)
        except OSError as error:
            with handle:
                if error.errno not in _HELD:
                    raise WorkspaceError(
                        f"{lock_file.parent}: this file system cannot lock files "
                        f"({error.strerror}); use a --workspace on another one"
                    ) from error
                if not left:
                    raise _busy(lock_file, handle) from error
        else:
            if _is_at(lock_file, handle):
                return handle
            handle.close()
        time.sleep(_BETWEEN_LOOKS_S)
    raise _busy(lock_file)


def _is_at(path: Path, handle: IO[bytes]) -> bool:
    """Whether an open file is still at its path: who held its lock may have removed it since."""
    try:
        return os.path.samestat(path.stat(), os.fstat(handle.fileno()))
    except OSError:
        return False


def _say_who(handle: IO[bytes]) -> None:
    # The first byte is what is locked: on Windows nobody else can read it.
    words = (
        f"\n{_program()}, process {os.getpid()} on {platform.node()}, since {time.strftime('%X')}"
    )
    handle.truncate(0)
    handle.write(words.encode("utf-8", "replace")[:_MOST_WORDS])
    handle.flush()


def _program() -> str:
    """The command, without its arguments, which may be long; or that it is Python's."""
    if Path(sys.argv[0]).stem != "birdmodes" or len(sys.argv) < 2:
        return "Python"
    return f"birdmodes {sys.argv[1]}"


def _busy(lock_file: Path, handle: IO[bytes] | None = None) -> BusyError:
    holder = "" if handle is None else _holder(handle)
    return BusyError(
        f"{lock_file.parent}: another birdmodes command is writing here{holder}; wait for it or "
        "use another --workspace"
    )


def _holder(handle: IO[bytes]) -> str:
    """Who holds the lock, in brackets; nothing if that cannot be read."""
    try:
        handle.seek(1)
        words = handle.read(_MOST_WORDS).decode("utf-8", "replace")
    except OSError:
        return ""
    plain = "".join(letter for letter in words if letter.isprintable())
    return f" ({plain})" if plain else ""


if sys.platform == "win32":
    import msvcrt

    def _lock(handle: IO[bytes]) -> None:
        handle.seek(0)
        msvcrt.locking(handle.fileno(), msvcrt.LK_NBLCK, 1)

    _look = _lock

else:
    import fcntl

    def _lock(handle: IO[bytes]) -> None:
        fcntl.flock(handle.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _look(handle: IO[bytes]) -> None:
        # Shared, so that two who look do not take each other for a writer.
        fcntl.flock(handle.fileno(), fcntl.LOCK_SH | fcntl.LOCK_NB)
