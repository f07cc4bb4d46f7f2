"""Answers that are kept beside the state of the files that they were taken from.

``info`` says in a second what takes a minute to read. An answer counts only while every file that
it came from has the time of change and the size that it had then, and only if it is itself what was
written; otherwise it is found anew. The files with the answers may be deleted at any time.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from birdmodes.io.files import TEMPORARY_PREFIX, write_text

_FOLDER = "gathered"


@dataclass(frozen=True)
class FolderState:
    """The files of a folder, those of folders in it aside.

    Attributes
    ----------
    digest : str
        Differs when a file's name, time of change or size does.
    size_bytes : int
        Of all of them.
    files : dict of str to (int, int)
        Time of change (ns) and size of each; not of what is being written.
    """

    digest: str
    size_bytes: int
    files: dict[str, tuple[int, int]]


def folder_state(folder: Path) -> FolderState:
    """Look at every file of a folder; one that is not there counts as empty."""
    files: dict[str, tuple[int, int]] = {}
    size = 0
    with contextlib.suppress(FileNotFoundError), os.scandir(folder) as entries:
        for entry in entries:
            try:
                status = entry.stat(follow_symlinks=False)
            except FileNotFoundError:
                # Another command may be at work, and remove what it does not need any more.
                continue
            if stat.S_ISDIR(status.st_mode):
                continue
            size += status.st_size
            files[entry.name] = (status.st_mtime_ns, status.st_size)
    for name in [name for name in files if name.startswith(TEMPORARY_PREFIX)]:
        del files[name]
    told = sorted([f"{name}/{changed}/{size}" for name, (changed, size) in files.items()])
    whole = "\0".join(told).encode("utf-8", "surrogateescape")
    return FolderState(hashlib.sha256(whole).hexdigest(), size, files)


def kept(workspace: Path, name: str, of: Sequence[str]) -> dict[str, Any] | None:
    """Give a kept answer.

    Parameters
    ----------
    workspace : pathlib.Path
        Folder of the workspace.
    name : str
        Of the answer.
    of : sequence of str
        Digests of what it was taken from, as they are now.

    Returns
    -------
    dict or None
        None if there is none of this state.
    """
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError, RecursionError):
        content = json.loads(_path(workspace, name).read_text(encoding="utf-8"))
        answer: dict[str, Any] = content["answer"]
        if content["of"] == list(of) and content["checksum"] == _checksum(answer):
            return answer
    return None


def keep(workspace: Path, name: str, of: Sequence[str], answer: dict[str, Any]) -> None:
    """Keep an answer for `kept`, if the workspace can be written to."""
    path = _path(workspace, name)
    with contextlib.suppress(OSError):
        path.parent.mkdir(exist_ok=True)
        content = {"of": list(of), "answer": answer, "checksum": _checksum(answer)}
        write_text(path, json.dumps(content) + "\n")


def _checksum(answer: dict[str, Any]) -> int:
    """A number that changes with every bit of an answer."""
    return zlib.crc32(json.dumps(answer).encode())


def _path(workspace: Path, name: str) -> Path:
    return workspace / _FOLDER / f"summary-{name}.json"
