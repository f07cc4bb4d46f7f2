"""Paths as people give them: text as well as `pathlib.Path`, one where several may be."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import TypeAlias

AnyPath: TypeAlias = str | os.PathLike[str]
"""What a function that people call takes for a path."""


def as_paths(paths: AnyPath | Iterable[AnyPath]) -> list[Path]:
    """Give a list of paths, also for a single one: text is a path, not a list of letters.

    Parameters
    ----------
    paths : str, path-like, or iterable of them
        What was given.
    """
    if isinstance(paths, str | os.PathLike):
        return [Path(paths)]
    return [Path(path) for path in paths]


def folder_of(path: str) -> str:
    """The folder of a path with forward slashes, as `pathlib` has it; "." where there is none.

    Many paths are in few folders: of each folder, `pathlib` is asked once.
    """
    name = path.rpartition("/")[2]
    if name in ("", "."):  # which pathlib passes over
        return str(PurePosixPath(path).parent)
    return _tidy(path[: len(path) - len(name)])


@functools.lru_cache(maxsize=1024)
def _tidy(folder: str) -> str:
    return str(PurePosixPath(folder))
