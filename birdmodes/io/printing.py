"""Names of files and of species as they can be printed."""

from __future__ import annotations

import os
from pathlib import Path


def printable_text(name: str) -> str:
    r"""Write bytes of a file name that are not UTF-8 as ``\xNN``."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def shown(path: Path | str) -> str:
    r"""Give a path as it can be printed: on one line, without control characters.

    Parameters
    ----------
    path : pathlib.Path or str
        Any name that a file can have.

    Returns
    -------
    str
        With ``\n`` and ``\xNN`` in the place of what would not print.
    """
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode()
        for letter in printable_text(str(path))
    )
