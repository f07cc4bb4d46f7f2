"""Writing files and folders so that a reader never sees half of one."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from birdmodes.errors import BirdmodesError

TEMPORARY_PREFIX = ".unfinished-"

_SET_ASIDE = ".superseded-"
_COMPLETE = ".complete-"


@contextlib.contextmanager
def atomic_path(target: Path, *, sweep: bool = True) -> Iterator[Path]:
    """Give a temporary path beside `target`; rename it to `target` when the block succeeds.

    Parameters
    ----------
    target : pathlib.Path
        The file to make. Its folder must exist.
    sweep : bool
        First remove what programs that were killed have left of it, see `sweep_abandoned`; not
        for the many files of a large folder, as that is gone through.

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
    temporary = temporary_path(target)
    if sweep:
        sweep_abandoned(target.parent, target.name)
    try:
        yield temporary
        _reach_disk(temporary)
        temporary.replace(target)
    except BaseException as error:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        # pyarrow's errors name no file, and the temporary one would mean nothing to the user.
        if isinstance(error, OSError) and error.errno and error.filename in (None, str(temporary)):
            raise OSError(error.errno, os.strerror(error.errno), str(target)) from error
        raise


def _reach_disk(path: Path) -> None:
    """Wait until what was written to a file is on the disk."""
    # without what Python's own files are for: there may be very many
    descriptor = os.open(path, os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def temporary_path(target: Path) -> Path:
    """Where this process writes what is to take the place of `target`."""
    return target.with_name(f"{TEMPORARY_PREFIX}{os.getpid()}-{target.name}")


def sweep_abandoned(folder: Path, name: str | None = None) -> None:
    """Remove what programs that were killed have left half-written in a folder.

    What belongs to a process that runs on this machine stays; so does, on Windows, where that
    cannot be told without harm, everything.

    Parameters
    ----------
    folder : pathlib.Path
        Where; need not exist.
    name : str, optional
        Of the file or folder that they wrote, with `atomic_path` or `put_in_place`; by default
        any.
    """
    wanted = ".*" if name is None else rf"(?:{re.escape(_SET_ASIDE)})?{re.escape(name)}"
    written = re.compile(rf"{re.escape(TEMPORARY_PREFIX)}(\d+)-{wanted}", re.DOTALL)
    with contextlib.suppress(OSError):
        for entry in os.listdir(folder):  # noqa: PTH208  faster
            found = written.fullmatch(entry)
            if found and not _runs(int(found[1])):
                _remove(folder / entry)


def _runs(process: int) -> bool:
    """Whether a process is there, or may be."""
    if process == os.getpid() or sys.platform == "win32":
        return True
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:  # it is somebody else's
        return True
    return True


def check_replaceable(target: Path, kind: str, is_one: Callable[[Path], bool]) -> None:
    """Refuse to write over a file that is something else than what is to be written.

    Parameters
    ----------
    target : pathlib.Path
        The file to write; need not exist.
    kind : str
        What it may be, for the message.
    is_one : callable
        Whether a file is that.

    Raises
    ------
    BirdmodesError
        If it is there, not empty and not that.
    """
    if target.is_file() and target.stat().st_size and not is_one(target):
        raise BirdmodesError(
            f"{target}: is there already, and is not {kind}; name another file, or remove it"
        )


def write_text(target: Path, text: str) -> None:
    """Write `text` (UTF-8, line ends as given) to `target` atomically."""
    with atomic_path(target) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="")


def remove_unfinished(folder: Path, pattern: str = "*", spared: str = "") -> None:
    """Remove what a killed run left half-written in `folder`.

    Parameters
    ----------
    folder : pathlib.Path
        Where; need not exist.
    pattern, spared : str
        What the names match that are removed, and of these the ones that are not: somebody else
        may be writing them.
    """
    for leftover in folder.glob(f"{TEMPORARY_PREFIX}{pattern}"):
        if spared and leftover.match(f"{TEMPORARY_PREFIX}{spared}"):
            continue
        _remove(leftover)


def put_in_place(unfinished: Path, target: Path) -> None:
    """Rename a folder to `target`, which it replaces; if that fails, the old one stays.

    Parameters
    ----------
    unfinished : pathlib.Path
        The whole new folder, beside `target`.
    target : pathlib.Path
        A folder, or nothing yet. A program that is killed here may leave it set aside, see
        `where_is` and `settle`.

    Raises
    ------
    OSError
        If one of them cannot be renamed.
    """
    put_back(target)
    sweep_abandoned(target.parent, target.name)
    superseded = _beside(target, _SET_ASIDE)
    _remove(superseded)
    if target.exists():
        target.rename(superseded)
    try:
        unfinished.rename(target)
    except BaseException:
        put_back(target)
        raise
    _remove(superseded)


def put_back(target: Path) -> None:
    """Undo a replacement by `put_in_place` that was killed half-way; nobody may be at it.

    Parameters
    ----------
    target : pathlib.Path
        The folder that was to be replaced.
    """
    superseded = _beside(target, _SET_ASIDE)
    if superseded.exists() and not target.exists():
        superseded.rename(target)


def where_is(target: Path) -> Path:
    """Where the content of a folder is: set aside, if what is to replace it is not there yet.

    Parameters
    ----------
    target : pathlib.Path
        A folder that `put_in_place` writes; need not exist.
    """
    superseded = _beside(target, _SET_ASIDE)
    return superseded if superseded.exists() and not target.exists() else target


def set_aside(target: Path) -> Path:
    """Where a folder is set aside while it is replaced."""
    return _beside(target, _SET_ASIDE)


def listed_in(folder: Path) -> list[str]:
    """Names in a folder, sorted, also of what is set aside; hidden ones and others' do not count.

    Parameters
    ----------
    folder : pathlib.Path
        Need not exist.
    """
    try:
        names = os.listdir(folder)  # noqa: PTH208  at once: one after the other may miss what moves
    except OSError:
        return []
    shown = {name.removeprefix(_SET_ASIDE) for name in names}
    return sorted(name for name in shown if not name.startswith("."))


@contextlib.contextmanager
def replaced_together(folder: Path, name: str) -> Iterator[Path]:
    """Give an empty folder, whose files take their places in `folder` when the block succeeds.

    Either all of them do or none: what a program that is killed meanwhile has not moved yet is
    moved by `settle`.

    Parameters
    ----------
    folder : pathlib.Path
        Where the files go; must exist.
    name : str
        Of the hidden folder.

    Yields
    ------
    pathlib.Path
        Where to write. If the block raises, it is removed.
    """
    unfinished = folder / f"{TEMPORARY_PREFIX}{name}"
    _remove(unfinished)
    unfinished.mkdir()
    try:
        yield unfinished
        complete = folder / f"{_COMPLETE}{name}"
        _move_files(complete)
        unfinished.rename(complete)
    except BaseException:
        _remove(unfinished)
        raise
    _move_files(complete)


def is_unsettled(folder: Path) -> bool:
    """Whether a program was killed while it replaced something in `folder`, or is at it."""
    try:
        names = os.listdir(folder)  # noqa: PTH208  a glob fails where another moves the folder
    except OSError:
        return False
    return any(name.startswith((_SET_ASIDE, _COMPLETE)) for name in names)


def settle(folder: Path) -> None:
    """Put in order what programs that were killed have left in `folder`.

    What was set aside, and has nothing in its place, is put back; files that were to be replaced
    together are. Nobody may be writing there.

    Raises
    ------
    OSError
        If something cannot be moved or removed, as in a folder that is read-only.
    """
    for superseded in folder.glob(f"{_SET_ASIDE}*"):
        put_back(folder / superseded.name.removeprefix(_SET_ASIDE))
        _remove(superseded)
    for complete in folder.glob(f"{_COMPLETE}*"):
        _move_files(complete)


def _beside(target: Path, prefix: str) -> Path:
    return target.with_name(f"{prefix}{target.name}")


def _move_files(complete: Path) -> None:
    """Move what `replaced_together` has completed; nothing if it is not there."""
    for path in sorted(complete.glob("*")):
        path.replace(complete.parent / path.name)
    if complete.exists():
        complete.rmdir()


def _remove(path: Path) -> None:
    """Remove what has no use any more; first it gets a name that says so.

    Otherwise a program that is killed meanwhile would leave half of it under its old name.
    """
    if not os.path.lexists(path):
        return
    rubbish = path
    if not path.name.startswith(TEMPORARY_PREFIX):
        rubbish = temporary_path(path)
        path.rename(rubbish)
    if rubbish.is_dir() and not rubbish.is_symlink():
        shutil.rmtree(rubbish, ignore_errors=True)
    else:
        rubbish.unlink(missing_ok=True)


@functools.lru_cache(maxsize=1024)
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
