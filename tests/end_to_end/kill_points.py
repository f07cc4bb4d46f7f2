"""What a command leaves if it is killed, at each of the points at which it changes a file.

A hook hears of every change that Python makes to a file, just before it is made: opening for
writing, renaming, removing, linking, making folders. What lies on the disk then is what a program
that dies there leaves, and is kept. A file that has been opened and not written to is kept too.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

CHANGES = ("os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.link", "os.truncate", "open")
HIDDEN = (".unfinished-", ".superseded-", ".complete-")

DEAD = 2**22 + 1
"""Number of a process that no system has."""

# When something was made, and how long it took: all that may differ between two runs. On pages,
# the space is one at which no line ends.
_MOMENTS = re.compile(
    rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00)"
    rb"|\d{4}-\d\d-\d\d(?: |\xc2\xa0)\d\d:\d\d(?::\d\d)?"
)

State = dict[str, str]
"""Digest of each file's content, by its path."""


@dataclass(frozen=True)
class Point:
    """Where a command is killed.

    Attributes
    ----------
    number : int
        From 0.
    change : str
        What it was about to do, or what it had just done.
    kept : pathlib.Path
        What lay on the disk.
    """

    number: int
    change: str
    kept: Path


class _Hook:
    """Calls a function before every change below a folder; heard only while one is set."""

    def __init__(self) -> None:
        self._root = ""
        self._at: Callable[[str, Path, int], None] | None = None
        self._installed = False

    @contextlib.contextmanager
    def calling(self, at: Callable[[str, Path, int], None], root: Path) -> Iterator[None]:
        if not self._installed:  # it cannot be taken out any more
            sys.addaudithook(self._hear)
            self._installed = True
        self._root, self._at = f"{root}{os.sep}", at
        try:
            yield
        finally:
            self._at = None

    def _hear(self, event: str, arguments: tuple[object, ...]) -> None:
        if self._at is None or event not in CHANGES:
            return
        path, flags = arguments[0], 0
        if event == "open":
            flags = arguments[2] if isinstance(arguments[2], int) else 0
            if not flags & (os.O_WRONLY | os.O_RDWR):
                return
        if not isinstance(path, str | bytes | os.PathLike):
            return
        name = os.path.abspath(os.fsdecode(path))  # noqa: PTH100  must not follow links
        # 'rmtree' removes names in a folder that it has open, which are no paths
        if not name.startswith(self._root) and event not in ("os.remove", "os.rmdir"):
            return
        at, self._at = self._at, None
        try:
            at(event, Path(name), flags)
        finally:
            self._at = at


_HOOK = _Hook()


def kill_points(run: Callable[[], object], root: Path, kept: Path) -> list[Point]:
    """Run a command to its end, and keep what it would have left if it had been killed.

    Parameters
    ----------
    run : callable
        The command, in this process. What it writes under the number of its process gets that of
        one that has ended.
    root : pathlib.Path
        What it changes.
    kept : pathlib.Path
        Folder in which the states go; must exist.
    """
    points: list[Point] = []
    before: Path | None = None

    def keep(change: str, emptied: Path | None = None) -> None:
        nonlocal before
        state = kept / f"{len(points):04}"
        _copy(root, state, before)
        if emptied is not None:
            file = state / emptied.relative_to(root)
            file.unlink(missing_ok=True)
            file.touch()
        else:
            before = state
        points.append(Point(len(points), change, state))

    def at(event: str, path: Path, flags: int) -> None:
        name = os.path.relpath(path, root)
        keep(f"before {event} {name}")
        if event == "open" and flags & os.O_TRUNC:
            keep(f"after {event} {name}", emptied=path)

    real = os.getpid
    os.getpid = lambda: DEAD
    try:
        with _HOOK.calling(at, root):
            run()
    finally:
        os.getpid = real
    return points


def die_at(number: int, run: Callable[[], object], root: Path) -> None:
    """Run a command in this process, and end the process at one of its points, as if killed."""
    count = 0

    def at(event: str, path: Path, flags: int) -> None:
        nonlocal count
        if count == number:
            os._exit(9)
        count += 2 if event == "open" and flags & os.O_TRUNC else 1

    with _HOOK.calling(at, root):
        run()


def put(state: Path, root: Path) -> None:
    """Make a folder what it was at a point."""
    shutil.rmtree(root, ignore_errors=True)
    shutil.copytree(state, root, symlinks=True)


def state_of(root: Path) -> State:
    """What all files hold, but for moments; what readers make anew (``gathered``) does not count.

    Files that are set aside, or wait to be put in their places, count as being there. Which run
    of ``repair`` has put a damaged file away does not count.
    """
    found = {}
    for path in sorted(root.rglob("*")):
        parts = path.relative_to(root).parts
        if not path.is_file() or "gathered" in parts or path.name in ("lock", "order.txt"):
            continue
        if any(part.startswith(".unfinished-") for part in parts):
            continue
        name = _visible(root, parts)
        if name is not None:
            name = re.sub(r"/damaged/\d+/", "/damaged/", name)
            found[name] = hashlib.sha256(_MOMENTS.sub(b"", path.read_bytes())).hexdigest()
    return found


def _visible(root: Path, parts: tuple[str, ...]) -> str | None:
    """Name under which a file counts; None if another has taken its place."""
    for place, part in enumerate(parts):
        if part.startswith(".superseded-"):
            shown = (*parts[:place], part.removeprefix(".superseded-"))
            there = root.joinpath(*shown).exists()
            return None if there else "/".join((*shown, *parts[place + 1 :]))
        if part.startswith(".complete-"):
            return "/".join((*parts[:place], *parts[place + 1 :]))
        complete = root.joinpath(*parts[:place]).glob(f".complete-*/{parts[-1]}")
        if place == len(parts) - 1 and next(complete, None):
            return None
    return "/".join(parts)


def litter(root: Path) -> list[str]:
    """Hidden files and folders that are nobody's."""
    return [
        str(path.relative_to(root)) for path in root.rglob(".*") if path.name.startswith(HIDDEN)
    ]


def _copy(folder: Path, target: Path, before: Path | None) -> None:
    """Copy a folder; files that are as in an earlier copy are linked to those in it."""
    target.mkdir()
    for entry in os.scandir(folder):
        old = None if before is None else before / entry.name
        if entry.is_dir(follow_symlinks=False):
            _copy(Path(entry.path), target / entry.name, old if old and old.is_dir() else None)
            continue
        with contextlib.suppress(OSError):
            then, now = None if old is None else old.stat(), entry.stat()
            if old and then and (then.st_size, then.st_mtime_ns) == (now.st_size, now.st_mtime_ns):
                os.link(old, target / entry.name)
                continue
        shutil.copy2(entry.path, target / entry.name)
