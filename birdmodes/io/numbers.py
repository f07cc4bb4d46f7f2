"""Numbers as people and programs write them."""

from __future__ import annotations

import math
import re
from pathlib import Path

from birdmodes.errors import BirdmodesError
from birdmodes.io.printing import shown
from birdmodes.io.text import shorten

_COMMA = re.compile(r"[+-]?\d*,\d+(e[+-]?\d{1,3})?", re.ASCII | re.IGNORECASE)


class Numbers:
    """The numbers of one file: with decimal points, or all of them with decimal commas.

    Parameters
    ----------
    path : pathlib.Path
        The file, for messages.
    error : type
        What to raise.
    """

    def __init__(self, path: Path, error: type[BirdmodesError]) -> None:
        self._path = path
        self._error = error
        self._seen = {".": 0, ",": 0}  # the line in which each was seen first

    def read(self, line: int, column: str, cell: str, advice: str = "") -> float:
        """Read a number.

        Parameters
        ----------
        line : int
            Its line in the file, and
        column : str
            the name of its column, for messages.
        cell : str
            What is written there.
        advice : str
            What to do if it is no number, to follow the message.

        Raises
        ------
        BirdmodesError
            If it is not a finite number, or the file has decimal points as well as commas.
        """
        sign = ","
        if "," not in cell:
            sign = "." if "." in cell else ""
            value = _plain(cell)
        elif _COMMA.fullmatch(cell):
            value = float(cell.replace(",", "."))
        else:
            value = math.inf
        where = f"{shown(self._path)}, line {line}"
        if not math.isfinite(value):
            what = f"is {shorten(cell)!r}, which is not a number" if cell else "is empty"
            raise self._error(f"{where}: {shorten(column)!r} {what}{advice}")
        if sign:
            self._seen[sign] = self._seen[sign] or line
            if all(self._seen.values()):
                raise self._error(
                    f"{where}: {shorten(column)!r} is {cell!r}; numbers of this file have decimal "
                    f"points (line {self._seen['.']}) as well as commas (line {self._seen[',']}); "
                    "write all with a decimal point"
                )
        return value


def _plain(cell: str) -> float:
    """A number with a decimal point or without; infinite if it is none."""
    try:
        value = float(cell)
    except ValueError:
        return math.inf
    # Python also reads 1_000, and the digits of other scripts
    return value if cell.isascii() and "_" not in cell else math.inf
