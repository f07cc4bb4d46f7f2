"""Raven selection tables, of Raven itself and of BirdNET.

A selection may stand in a table twice, as waveform and as spectrogram. In tables of several
recordings the begin time counts on from one recording to the next, so that only the file offset
tells where in its recording a selection is.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from birdmodes.io.printing import shown
from birdmodes.io.tables import Header, Table
from birdmodes.labels.formats.cells import chosen_column, confidence, no_label_column, times
from birdmodes.labels.formats.columns import NOTHING_BIRDNET
from birdmodes.labels.formats.judged import Judgement
from birdmodes.labels.model import LabelEntry
from birdmodes.labels.reading import Reading

TIMES = ("Begin Time (s)", "End Time (s)")
BANDS = ("Low Freq (Hz)", "High Freq (Hz)")
BEGIN, END = (name.casefold() for name in TIMES)
_BAND = tuple(name.casefold() for name in BANDS)
_OFFSETS = ("file offset (s)", "file offset")
_RECORDINGS = ("begin path", "begin file", "begin.file")
_CONFIDENCE = "confidence"
_CHANNEL = "channel"
_SCIENTIFIC = ("scientific name", "species code")

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


def read_raven(table: Table, how: Reading) -> list[LabelEntry]:
    """Read a selection table.

    Parameters
    ----------
    table : Table
        The file.
    how : Reading
        How to read it. By default the species stand in the one column whose name says so.

    Raises
    ------
    BirdmodesError
        The table's error, if a row cannot be understood, columns are missing, which column names
        the species is not clear, or the times of several recordings cannot be told apart.
    """
    check_columns(table, TIMES)
    column = how.label_column
    place = species_column(table) if column is None else chosen_column(table, column)
    return _each_once(list(_Reader(table, place).read()))


def read_selections(table: Table) -> list[LabelEntry]:
    """Read a selection table without heeding what was heard; the rest as `read_raven`."""
    check_columns(table, TIMES)
    return _each_once(list(_Reader(table, None).read()))


def _each_once(entries: list[LabelEntry]) -> list[LabelEntry]:
    """Leave out selections that stand in the table again for another view."""
    named = {_place(entry) for entry in entries if entry.species}
    first: dict[tuple[object, ...], LabelEntry] = {}
    for entry in entries:
        place = _place(entry)
        if entry.species or place not in named:
            first.setdefault((*place, entry.species), entry)
    return list(first.values())


def _place(entry: LabelEntry) -> tuple[object, ...]:
    return entry.recording, entry.start_s, entry.end_s, entry.low_hz, entry.high_hz


def check_columns(table: Table, columns: Sequence[str]) -> None:
    """Raise the table's error unless it has the columns, called as Raven calls them."""
    for name in columns:
        key = name.casefold()
        if table.header.has(key):
            continue
        bare, _, unit = key.partition(" (")
        what = "seconds" if unit == "s)" else "hertz"
        found = next((n for n in table.header.names if n.casefold().startswith(bare)), "")
        hint = f"; its column {found!r} does not say that it is in {what}" if found else ""
        raise table.error(
            f"{shown(table.path)}: no column {name!r}{hint} (found: {table.header.listed()}); "
            f"rename the column if it holds {what}, or show the right one in Raven and save the "
            "table again"
        )


def species_column(table: Table) -> int:
    """Place of the one column whose name says that it names the species.

    Raises
    ------
    BirdmodesError
        If there is none or more than one.
    """
    places = [table.header.first(group) for group in _NAMES]
    found = [place for place in places if place is not None]
    if len(found) != 1:
        raise no_label_column(table, found)
    return found[0]


class _Reader:
    """The columns of one table; those of the species may not matter."""

    def __init__(self, table: Table, species: int | None) -> None:
        self._table = table
        self._species = species
        header = table.header
        self._span = header.index(BEGIN), header.index(END)
        self._band = tuple(header.first((key,)) for key in _BAND)
        self._offset = header.first(_OFFSETS)
        self._recordings = [header.index(key) for key in _RECORDINGS if header.has(key)]
        self._confidence = header.first((_CONFIDENCE,))
        self._scientific = header.first(_SCIENTIFIC)
        # BirdNET listens to all channels together, in windows with no frequencies of their own
        windows = is_birdnet(header)
        self._channel = None if windows else header.first((_CHANNEL,))
        if windows:
            self._band = (None, None)
        self._judgement = Judgement(table)

    def read(self) -> Iterator[LabelEntry]:
        spans = _Spans(self._table)
        for line, cells in self._table.rows():
            if len(cells) > len(self._table.header.names):
                raise self._table.wrong(line, "more cells than columns")
            recording = next((cells[i] for i in self._recordings if cells[i]), "")
            species = "" if self._species is None else cells[self._species]
            if species.casefold() in NOTHING_BIRDNET:
                yield LabelEntry(line, recording, "")
                continue
            if self._species is not None and self._judgement.denies(line, cells):
                yield LabelEntry(line, recording, "", negative=True)
                continue
            start_s, end_s = self._times(line, cells)
            if self._offset is None:
                spans.add(recording, start_s)
            conf = None
            if self._confidence is not None and self._species is not None:
                conf = confidence(self._table, line, self._confidence, cells[self._confidence])
            low_hz, high_hz, channel = (
                None if i is None or not cells[i] else self._table.number(line, i, cells[i])
                for i in (*self._band, self._channel)
            )
            yield LabelEntry(
                line, recording, species, start_s, end_s, conf, low_hz, high_hz,
                None if channel is None else int(channel),
                self._scientific_name(cells),
            )  # fmt: skip
        spans.check()
        self._judgement.note()

    def _scientific_name(self, cells: list[str]) -> str:
        """Scientific name or code, where another column gives the name that is used."""
        if self._scientific in (None, self._species):
            return ""
        return cells[self._scientific or 0]

    def _times(self, line: int, cells: list[str]) -> tuple[float, float]:
        begin, end = times(self._table, line, self._span, cells)
        if self._offset is None or not cells[self._offset]:
            return begin, end
        offset = self._table.number(line, self._offset, cells[self._offset])
        # so that the same label of a table for one recording is the same to the last digit
        return offset, round(offset + (end - begin), 6)


class _Spans:
    """Where the selections of each recording begin, in a table without file offsets.

    If the times count on from recording to recording, no two recordings share a stretch of time;
    if two do, the times are those in the recording.
    """

    def __init__(self, table: Table) -> None:
        self._table = table
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
            raise self._table.error(
                f"{shown(self._table.path)}: selections of {len(spans)} recordings and no column "
                "'File Offset (s)', without which their times in the recordings cannot be known; "
                "show that column in Raven and save the table again"
            )
