"""Paths as people give them: text as well as `pathlib.Path`, one where several may be."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
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
