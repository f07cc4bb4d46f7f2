"""Raven selection tables, of Raven itself and of BirdNET.

A selection may stand in a table twice, as waveform and as spectrogram. In tables of several
recordings the begin time counts on from one recording to the next, so that only the file offset
tells where in its recording a selection is.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

from birdmodes.errors import LabelError
from birdmodes.io.printing import shown
from birdmodes.labels.cells import (
    Header,
    chosen_column,
    confidence,
    no_label_column,
    number,
    read_cells,
    times,
)
from birdmodes.labels.columns import NOTHING_BIRDNET
from birdmodes.labels.model import LabelEntry

BEGIN = "begin time (s)"
END = "end time (s)"
_OFFSETS = ("file offset (s)", "file offset")
_RECORDINGS = ("begin path", "begin file", "begin.file")
_CONFIDENCE = "confidence"

# Columns that may name the species, a group for each way of writing the same: the first of a
# group counts.
_NAMES = (
    ("common name", "scientific name", "species code"),
    ("species", "species name"),
    ("annotation", "annotations"),
    ("label", "labels"),
    ("class",),
    ("tag", "tags"),
)


def is_raven(header: Header) -> bool:
    """Whether a header is that of a selection table, be it with the wrong columns of time."""
    if header.has("selection") and any(key.startswith("begin time") for key in header.keys):
        return True
    return header.has(BEGIN, END)


def is_birdnet(header: Header) -> bool:
    """Whether it is a selection table with BirdNET's columns."""
    return header.has(_CONFIDENCE, "common name")


def read_raven(
    path: Path, text: str, header: Header, label_column: str | None = None
) -> list[LabelEntry]:
    """Read a selection table.

    Parameters
    ----------
    path : pathlib.Path
        The file, for messages.
    text : str
        Its content.
    header : Header
        Its first line.
    label_column : str, optional
        Column that names the species. By default the one column whose name says so.

    Raises
    ------
    LabelError
        If a row cannot be understood, columns are missing, which column names the species is not
        clear, or the times of several recordings cannot be told apart.
    """
    _check_time_columns(path, header)
    return _each_once(list(_Reader(path, header, label_column).read(text)))


def _each_once(entries: list[LabelEntry]) -> list[LabelEntry]:
    """Leave out selections that stand in the table again for another view."""
    named = {(e.recording, e.start_s, e.end_s) for e in entries if e.species}
    first: dict[tuple[object, ...], LabelEntry] = {}
    for entry in entries:
        place = (entry.recording, entry.start_s, entry.end_s)
        if entry.species or place not in named:
            first.setdefault((*place, entry.species), entry)
    return list(first.values())


def _check_time_columns(path: Path, header: Header) -> None:
    for column, name in ((BEGIN, "Begin Time (s)"), (END, "End Time (s)")):
        if column in header.keys:
            continue
        bare = column.removesuffix(" (s)")
        found = next((n for n in header.names if n.casefold().startswith(bare)), "")
        hint = f"; its column {found!r} does not say that it is in seconds" if found else ""
        raise LabelError(
            f"{shown(path)}: no column {name!r}{hint} (found: {header.listed()}); rename the "
            "column if it holds seconds, or show the right one in Raven and save the table again"
        )


def species_column(path: Path, header: Header) -> str:
    """Key of the one column whose name says that it names the species.

    Raises
    ------
    LabelError
        If there is none or more than one.
    """
    groups = [[key for key in group if key in header.keys] for group in _NAMES]
    found = [group[0] for group in groups if group]
    if len(found) != 1:
        raise no_label_column(path, header, found)
    return found[0]


class _Reader:
    """The columns of one table."""

    def __init__(self, path: Path, header: Header, label_column: str | None) -> None:
        self._path = path
        self._header = header
        key = (
            species_column(path, header)
            if label_column is None
            else chosen_column(path, header, label_column)
        )
        self._species = header.index(key)
        self._begin, self._end = header.index(BEGIN), header.index(END)
        self._offset = self._first(_OFFSETS)
        self._recordings = [header.index(key) for key in _RECORDINGS if key in header.keys]
        self._confidence = self._first((_CONFIDENCE,))

    def _first(self, keys: tuple[str, ...]) -> int | None:
        return next((self._header.index(key) for key in keys if key in self._header.keys), None)

    def read(self, text: str) -> Iterator[LabelEntry]:
        spans = _Spans(self._path)
        for line, cells in read_cells(self._path, text, self._header):
            if len(cells) > len(self._header.names):
                raise LabelError(f"{shown(self._path)}, line {line}: more cells than columns")
            recording = next((cells[i] for i in self._recordings if cells[i]), "")
            species = cells[self._species]
            if species.casefold() in NOTHING_BIRDNET:
                yield LabelEntry(line, recording, "")
                continue
            start_s, end_s = self._times(line, cells)
            if self._offset is None:
                spans.add(recording, start_s)
            conf = None
            if self._confidence is not None:
                conf = confidence(self._path, line, "Confidence", cells[self._confidence])
            yield LabelEntry(line, recording, species, start_s, end_s, conf)
        spans.check()

    def _times(self, line: int, cells: list[str]) -> tuple[float, float]:
        names = self._header.names[self._begin], self._header.names[self._end]
        begin, end = times(self._path, line, names, (cells[self._begin], cells[self._end]))
        if self._offset is None or not cells[self._offset]:
            return begin, end
        name = self._header.names[self._offset]
        offset = number(self._path, line, name, cells[self._offset])
        # so that the same label of a table for one recording is the same to the last digit
        return offset, round(offset + (end - begin), 6)


class _Spans:
    """Where the selections of each recording begin, in a table without file offsets.

    If the times count on from recording to recording, no two recordings share a stretch of time;
    if two do, the times are those in the recording.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._spans: dict[str, tuple[float, float]] = {}

    def add(self, recording: str, start_s: float) -> None:
        """Take in a selection."""
        first, last = self._spans.get(recording, (start_s, start_s))
        self._spans[recording] = (min(first, start_s), max(last, start_s))

    def check(self) -> None:
        """Raise LabelError if there are several recordings and their times may count on."""
        spans = sorted(self._spans.values())
        overlap = any(a[1] > b[0] for a, b in itertools.pairwise(spans))
        if len(spans) > 1 and not overlap:
            raise LabelError(
                f"{shown(self._path)}: selections of {len(spans)} recordings and no column 'File "
                "Offset (s)', without which their times in the recordings cannot be known; show "
                "that column in Raven and save the table again"
            )
