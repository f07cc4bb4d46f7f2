"""Answers that are kept beside the state of the files that they were taken from.

``info`` says in a second what takes a minute to read. An answer counts only while every file that
it came from has the time of change and the size that it had then, and only if it is itself what was
written; otherwise it is found anew. The files with the answers may be deleted at any time.
"""

from __future__ import annotations

import contextlib
import json
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from birdmodes.io.files import write_text

_FOLDER = "gathered"


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
