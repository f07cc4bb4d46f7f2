"""Whether any file of a folder has changed, found without opening one."""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from birdmodes.io.files import TEMPORARY_PREFIX

State = tuple[int, int]
"""Time of change (ns) and size of a file."""


@dataclass(frozen=True)
class FolderState:
    """The files of a folder, those of folders in it aside.

    Attributes
    ----------
    digest : str
        Differs when a file's name, time of change or size does.
    size_bytes : int
        Of all of them.
    told : bytes
        What the digest is of.
    """

    digest: str
    size_bytes: int
    told: bytes = field(repr=False)

    @property
    def files(self) -> dict[str, State]:
        """Time of change (ns) and size of each file; not of what is being written."""
        told = self.told.decode("utf-8", "surrogateescape")
        each = (file.split("/") for file in told.split("\0") if file)
        return {name: (int(changed), int(size)) for name, changed, size in each}


def folder_state(folder: Path) -> FolderState:
    """Look at every file of a folder; one that is not there counts as empty."""
    told: list[str] = []
    size = 0
    with contextlib.suppress(FileNotFoundError), entries_of(folder) as entries:
        for entry in entries:
            try:
                status = entry.stat(follow_symlinks=False)
            except FileNotFoundError:
                # Another command may be at work, and remove what it does not need any more.
                continue
            if stat.S_ISDIR(status.st_mode):
                continue
            size += status.st_size
            if not entry.name.startswith(TEMPORARY_PREFIX):
                # A text for each, at once: a hundred thousand pairs of numbers take 30 MB.
                told.append(f"{entry.name}/{status.st_mtime_ns}/{status.st_size}")
    whole = _joined(told)
    return FolderState(_digest(whole), size, whole)


def states_digest(files: Mapping[str, State]) -> str:
    """Give the digest of the state of a folder that holds some files, and no others."""
    return _digest(_joined([f"{name}/{changed}/{size}" for name, (changed, size) in files.items()]))


def _joined(told: list[str]) -> bytes:
    return "\0".join(sorted(told)).encode("utf-8", "surrogateescape")


def _digest(told: bytes) -> str:
    return hashlib.sha256(told).hexdigest()


@contextlib.contextmanager
def entries_of(folder: Path | str) -> Iterator[Iterator[os.DirEntry[str]]]:
    """Open a folder to look at what is in it, as `os.scandir` does.

    Where the system can, files are looked up from the open folder, and not each time from the
    root: that takes a fourth less.
    """
    if os.scandir not in os.supports_fd:
        with os.scandir(folder) as entries:
            yield entries
        return
    place = os.open(folder, os.O_RDONLY)
    try:
        with os.scandir(place) as entries:
            yield entries
    finally:
        os.close(place)
