"""What a command says of how far it is, taken apart again."""

from __future__ import annotations

import re
from dataclasses import dataclass

_STEP = re.compile(
    r"(?P<what>[\w ]{1,60}): (?P<done>[\d,]{1,20}) of (?P<total>[\d,]{1,20})"
    r"(?:, about (?P<left>[\w ]{1,30}) left)?(?:  (?P<text>.*))?"
)
_COUNT = re.compile(r"(?P<what>looking for recordings): (?P<done>[\d,]{1,20})")


@dataclass(frozen=True)
class Progress:
    """How far a command is.

    Attributes
    ----------
    what : str
        What it does at the moment.
    done : int
        How much is done.
    total : int or None
        Of how many; None if that is not known.
    left : str
        Time left, in words; empty if it is not known.
    text : str
        Anything else.
    """

    what: str
    done: int
    total: int | None = None
    left: str = ""
    text: str = ""


def read_progress(line: str) -> Progress | None:
    """Take a line of progress apart.

    Parameters
    ----------
    line : str
        As commands print it where there is no terminal.

    Returns
    -------
    Progress or None
        None if the line says something else.
    """
    if match := _STEP.fullmatch(line):
        return Progress(
            match["what"],
            _number(match["done"]),
            _number(match["total"]),
            match["left"] or "",
            match["text"] or "",
        )
    if match := _COUNT.fullmatch(line):
        return Progress(match["what"], _number(match["done"]))
    return None


def _number(text: str) -> int:
    return int(text.replace(",", "") or 0)
