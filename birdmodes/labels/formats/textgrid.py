"""TextGrids of Praat: tiers of intervals and of points; long, short, and by time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from birdmodes.errors import LabelError
from birdmodes.io.printing import shown
from birdmodes.labels.model import LabelEntry
from birdmodes.labels.reading import Reading

NAME = "Praat TextGrid"

_FIRST_LINE = "ooTextFile"
_BY_TIME = '"Praat chronological TextGrid text file"'
# Both forms hold the same values in the same order; the long one has words around them, and
# counts its items in brackets.
_VALUE = re.compile(r'"((?:[^"]|"")*)"|(?<![\w.\[])([+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w\]])')
_VALUE_OR_REMARK = re.compile(_VALUE.pattern + r"|![^\n]*")


def is_textgrid(text: str) -> bool:
    """Whether a text begins like a file of Praat that is a TextGrid."""
    head = text[:200].lstrip("\ufeff \t\r\n")
    return head.startswith(_BY_TIME) or (_FIRST_LINE in head and "TextGrid" in head)


def read_textgrid(path: Path, text: str, how: Reading) -> list[LabelEntry]:
    """Read the intervals and points that have a text.

    Parameters
    ----------
    path : pathlib.Path
        The file, for messages.
    text : str
        Its content.
    how : Reading
        How to read it: a label column names the one tier that counts.

    Returns
    -------
    list of LabelEntry
        The line of each is where its text stands.

    Raises
    ------
    LabelError
        If the file is cut off, or there is no such tier.
    """
    tiers: list[str] = []
    entries = []
    for tier, entry in _labels(path, text):
        if tier not in tiers:
            tiers.append(tier)
        if entry is not None and how.label_column in (None, tier):
            entries.append(entry)
    if how.label_column is not None and how.label_column not in tiers:
        listed = ", ".join(map(repr, tiers)) or "none"
        raise LabelError(
            f"{shown(path)}: no tier {how.label_column!r} (--label-column) (found: {listed})"
        )
    return entries


def _labels(path: Path, text: str) -> Iterator[tuple[str, LabelEntry | None]]:
    """Name of every tier, then its labels."""
    if text.lstrip("\ufeff \t\r\n").startswith(_BY_TIME):
        yield from _by_time(_Values(path, text, _VALUE_OR_REMARK))
        return
    values = _Values(path, text)
    if "Collection" in (values.text(), values.text()):
        raise values.wrong("a collection of several objects")
    values.number(), values.number()  # begin and end of the recording
    if "<absent>" in text:
        return
    for _ in range(values.count()):
        kind, name = values.text(), values.text()
        values.number(), values.number()  # begin and end of the tier
        yield name, None
        for _ in range(values.count()):
            entry = values.label(kind)
            if entry is not None:
                yield name, entry


def _by_time(values: _Values) -> Iterator[tuple[str, LabelEntry | None]]:
    """Labels of all tiers as they begin, each behind the number of its tier."""
    values.text()
    values.number(), values.number()
    tiers = []
    for _ in range(values.count()):
        tiers.append((values.text(), values.text()))
        values.number(), values.number()
        yield tiers[-1][1], None
    while not values.at_end():
        tier = values.count()
        if not 1 <= tier <= len(tiers):
            raise values.wrong(f"there is no tier {tier}")
        kind, name = tiers[tier - 1]
        entry = values.label(kind)
        if entry is not None:
            yield name, entry


class _Values:
    """The texts and numbers of a file, one after the other."""

    def __init__(self, path: Path, text: str, value: re.Pattern[str] = _VALUE) -> None:
        self._path = path
        self._text = text
        matches = value.finditer(text)
        self._matches = (found for found in matches if found[1] is not None or found[2] is not None)
        self._ahead: re.Match[str] | None = None
        self._place = 0
        self.line = 1

    def at_end(self) -> bool:
        """Whether there is nothing more."""
        self._ahead = self._ahead or next(self._matches, None)
        return self._ahead is None

    def label(self, kind: str) -> LabelEntry | None:
        """Give the next interval or point; None if it has no text."""
        start_s = self.number()
        end_s = self.number() if kind == "IntervalTier" else start_s
        label = self.text().strip()
        if end_s < start_s:
            raise self.wrong("a label ends before it begins")
        return LabelEntry(self.line, "", label, start_s, end_s) if label else None

    def text(self) -> str:
        """Give the next value, a text."""
        found = self._next()
        if found[1] is None:
            raise self.wrong(f"a text was expected, not {found[2]}")
        return found[1].replace('""', '"')

    def number(self) -> float:
        """Give the next value, a number."""
        found = self._next()
        if found[2] is None:
            raise self.wrong(f"a number was expected, not {found[1]!r}")
        return float(found[2])

    def count(self) -> int:
        """Give the next value, how many there are of something."""
        return int(self.number())

    def wrong(self, what: str) -> LabelError:
        """Error about the place that was read last."""
        return LabelError(f"{shown(self._path)}, line {self.line}: {what}; save it again in Praat")

    def _next(self) -> re.Match[str]:
        found = self._ahead or next(self._matches, None)
        self._ahead = None
        if found is None:
            raise self.wrong("the file is cut off here")
        self.line += self._text.count("\n", self._place, found.start())
        self._place = found.start()
        return found
