"""The gallery's folder appears whole or not at all, and takes over what is right already.

A new gallery grows in a hidden folder beside the old one. Pictures, sounds and thumbs have names
that end in a digest of what they are made from, so a file of that name is right wherever it lies:
in the old gallery, from which it is linked, or in the hidden folder of a build that was killed,
which the next one continues.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from birdmodes.errors import BirdmodesError, WorkspaceError
from birdmodes.io.files import TEMPORARY_PREFIX, put_back, put_in_place
from birdmodes.io.locks import single_writer

MARKER = "birdmodes-gallery.json"
FORMAT = 2


@dataclass(frozen=True)
class Counts:
    """How many files of a gallery are new, how many are those of the old one, and their size."""

    new: int
    unchanged: int
    size_bytes: int


class GalleryFolder:
    """A gallery that is being made.

    Parameters
    ----------
    folder : pathlib.Path
        The hidden folder in which it grows; addresses are from here.
    old : pathlib.Path
        The gallery that it replaces, which need not exist.

    Attributes
    ----------
    when_placed : callable
        Called when it has taken its place, and nobody else can put another one there yet.
    """

    def __init__(self, folder: Path, old: Path) -> None:
        self.folder = folder
        self._old = old
        self.when_placed: Callable[[], None] = lambda: None

    def has(self, address: str) -> bool:
        """Whether a file whose name tells what it is made from is there, or in the old gallery.

        In the latter case it is taken over. An empty file is none: a computer that lost its power
        may have left it.
        """
        target, old = self.folder / address, self._old / address
        if _filled(target):
            return True
        if not _filled(old):
            return False
        _take_over(old, target)
        return True

    def seed_pages(self) -> None:
        """Take over pages, styles, scripts and data, whose names tell nothing, to be compared."""
        patterns = ("*.html", "species/*.html", "groups/*.html", "assets/*/*", "data/*", MARKER)
        for pattern in patterns:
            for old in self._old.glob(pattern):
                target = self.folder / old.relative_to(self._old)
                if old.is_file() and not target.exists():
                    target.parent.mkdir(parents=True, exist_ok=True)
                    # Not linked: who finds them out of date may write into them.
                    shutil.copy2(old, target)

    def complete(self, addresses: Collection[str]) -> Counts:
        """Mark the folder as a gallery, and remove all files but these, as of earlier settings."""
        _mark(self.folder)
        wanted = {self.folder / address for address in (*addresses, MARKER)}
        files = []
        for path in sorted(self.folder.rglob("*"), reverse=True):  # what is in a folder before it
            if path in wanted:
                files.append(path)
            elif not path.is_dir():
                path.unlink()
            elif not any(path.iterdir()):
                path.rmdir()
        same = sum(_same(path, self._old / path.relative_to(self.folder)) for path in files)
        return Counts(len(files) - same, same, sum(_size(path) for path in files))

    def size_bytes(self, addresses: Collection[str]) -> int:
        """How large some files are together; those that are not there count nothing."""
        return sum(_size(self.folder / address) for address in addresses)


@contextlib.contextmanager
def new_gallery_folder(output: Path) -> Iterator[GalleryFolder]:
    """Give a folder beside `output` that takes its place when the block succeeds.

    Parameters
    ----------
    output : pathlib.Path
        Where the gallery goes: a folder that does not exist, is empty, or holds a gallery, which
        is replaced.

    Yields
    ------
    GalleryFolder
        Where to write; it may hold files of a build that was killed. If the block raises, it is
        kept for the next build, and `output` stays as it was.

    Raises
    ------
    BirdmodesError
        If `output` holds something else, cannot be written, or another process is writing it.
    """
    _check_replaceable(output)
    unfinished = output.with_name(f"{TEMPORARY_PREFIX}{output.name}")
    lock = _lock_of(output)
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        with single_writer(lock), _removed_at_the_end(lock):
            put_back(output)
            unfinished.mkdir(exist_ok=True)
            for leftover in unfinished.rglob(f"{TEMPORARY_PREFIX}*"):
                leftover.unlink()
            gallery = GalleryFolder(unfinished, output)
            yield gallery
            _mark(unfinished)
            put_in_place(unfinished, output)
            gallery.when_placed()
    except WorkspaceError as error:
        raise BirdmodesError(str(error).replace("--workspace", "--output")) from error
    except OSError as error:
        raise BirdmodesError(_cannot_write(output, error)) from error


def remove_abandoned_lock(output: Path) -> None:
    """Remove the lock of a gallery that is whole, if a program that was killed has left it."""
    lock = _lock_of(output)
    if lock.exists():
        # Of somebody who is at it, or in a folder that is read-only: it stays.
        with (
            contextlib.suppress(WorkspaceError, OSError),
            single_writer(lock),
            _removed_at_the_end(lock),
        ):
            pass


def _lock_of(output: Path) -> Path:
    return output.with_name(f"{TEMPORARY_PREFIX}{output.name}.lock")


@contextlib.contextmanager
def _removed_at_the_end(lock: Path) -> Iterator[None]:
    try:
        yield
    finally:
        # Windows does not remove what is open; then it stays, and does no harm.
        with contextlib.suppress(OSError):
            lock.unlink()


def write_file(path: Path, content: bytes) -> None:
    """Write a file so that it is there whole or not at all; a file that is right stays.

    Unlike `birdmodes.io.files.atomic_path` it does not wait for the disk: a gallery has thousands
    of files, and can be made again.
    """
    with contextlib.suppress(OSError):
        if path.stat().st_size == len(content) and path.read_bytes() == content:
            return
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f"{TEMPORARY_PREFIX}{os.getpid()}-{path.name}")
    temporary.write_bytes(content)
    temporary.replace(path)


def _mark(folder: Path) -> None:
    write_file(folder / MARKER, (json.dumps({"format": FORMAT}) + "\n").encode("ascii"))


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _filled(path: Path) -> bool:
    return _size(path) > 0


def _take_over(old: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    target.unlink(missing_ok=True)
    try:
        os.link(old, target)
    except OSError:  # no links on this file system
        shutil.copy2(old, target)


def _same(path: Path, old: Path) -> bool:
    try:
        one, other = path.stat(), old.stat()
    except OSError:
        return False
    return (one.st_size, one.st_mtime_ns) == (other.st_size, other.st_mtime_ns)


def _check_replaceable(output: Path) -> None:
    if not output.exists():
        return
    if not output.is_dir():
        raise BirdmodesError(f"{output}: is a file; name a folder with --output")
    if any(output.iterdir()) and not (output / MARKER).is_file():
        raise BirdmodesError(
            f"{output}: not empty and not a gallery; name another folder with --output"
        )


def _cannot_write(output: Path, error: OSError) -> str:
    return (
        f"{output}: the gallery cannot be written ({error.strerror or error}); free the folder or "
        "name another with --output"
    )


def gallery_data(gallery: Path) -> dict[str, Any]:
    """Read what a gallery says of itself in ``data/gallery.js``; nothing if there is none."""
    try:
        script = (gallery / "data" / "gallery.js").read_text(encoding="ascii")
        data = json.loads(script[script.index(" = ") + 3 :].rstrip().removesuffix(";"))
    except (OSError, ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}
