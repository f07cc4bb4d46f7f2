"""Label files that are tables with a header and a time in every row: one reader for them all."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass

from birdmodes.io.tables import Header, Table
from birdmodes.labels.formats.cells import (
    check_order,
    chosen_column,
    confidence,
    no_label_column,
    times,
)
from birdmodes.labels.formats.judged import Judgement
from birdmodes.labels.model import LabelEntry
from birdmodes.labels.reading import Reading

NOTHING_BIRDNET = frozenset({"nocall"})


@dataclass(frozen=True)
class ColumnFormat:
    """A format that is known by its columns. All columns are given by their keys.

    Attributes
    ----------
    name : str
        What it is called.
    columns : tuple of str
        Columns that together tell it from other formats.
    start : str
        Column of the begin (s).
    end, duration : str
        Column of the end (s), or of the length (s): one of them.
    species : tuple of str
        Columns that may name the species: in each row the first that is filled counts. Empty:
        the user must say which it is.
    recording : tuple of str
        Columns that make up the path of the recording; empty if only the file's name tells.
    confidence : str
        Column of a detection's confidence, if there may be one.
    nothing : frozenset of str
        What stands in place of a species where there is none, in small letters.
    scientific : tuple of str
        Columns of the scientific name or the code, the first that is there counts.
    band : tuple of str
        Columns of the lowest and the highest frequency, if there may be such, and
    band_hz : float
        their unit in hertz.
    channel : str
        Column of the channel, if there may be one, and
    first_channel : int
        what it calls the first.
    """

    name: str
    columns: tuple[str, ...]
    start: str
    end: str = ""
    duration: str = ""
    species: tuple[str, ...] = ()
    recording: tuple[str, ...] = ()
    confidence: str = ""
    nothing: frozenset[str] = frozenset()
    scientific: tuple[str, ...] = ()
    band: tuple[str, str] | None = None
    band_hz: float = 1.0
    channel: str = ""
    first_channel: int = 1

    def fits(self, header: Header) -> bool:
        """Whether the header is one of this format."""
        return header.has(*self.columns)

    def read(self, table: Table, how: Reading) -> list[LabelEntry]:
        """Read the rows.

        Parameters
        ----------
        table : Table
            The file.
        how : Reading
            How to read it.

        Raises
        ------
        LabelError
            If a row cannot be understood, or which column names the species is not clear.
        """
        return list(_Reader(self, table, how.label_column).read())


class _Reader:
    """A format brought to the columns of one file."""

    def __init__(self, form: ColumnFormat, table: Table, label_column: str | None) -> None:
        self._form = form
        self._table = table
        self._paths: dict[str, str] = {}
        header = table.header
        if label_column is None:
            self._species = [header.index(column) for column in form.species if header.has(column)]
        else:
            self._species = [chosen_column(table, label_column)]
        if not self._species:
            raise no_label_column(table)
        self._recording = [header.index(c) for c in form.recording if header.has(c)]
        self._times = header.index(form.start), header.index(form.end or form.duration)
        self._confidence = header.first((form.confidence,))
        self._channel = header.first((form.channel,))
        self._band = [header.first((column,)) for column in form.band or ()]
        self._scientific = header.first(form.scientific) if label_column is None else None
        self._judgement = Judgement(table)

    def read(self) -> Iterator[LabelEntry]:
        for line, cells in self._table.rows():
            recording, row = self._mended(line, cells)
            species = sys.intern(next((row[i] for i in self._species if row[i]), ""))
            if species.casefold() in self._form.nothing:
                yield LabelEntry(line, recording, "")
                continue
            if self._judgement.denies(line, row):
                yield LabelEntry(line, recording, "", negative=True)
                continue
            start_s, end_s = self._span(line, row)
            conf = None
            if self._confidence is not None:
                conf = confidence(self._table, line, self._confidence, row[self._confidence])
            low_hz, high_hz = self._frequencies(line, row)
            scientific = "" if self._scientific is None else sys.intern(row[self._scientific])
            yield LabelEntry(
                line, recording, species, start_s, end_s, conf, low_hz, high_hz,
                self._channel_of(line, row), scientific,
            )  # fmt: skip
        self._judgement.note()

    def _frequencies(self, line: int, row: list[str]) -> tuple[float | None, float | None]:
        places = [
            place for place in self._band if place is not None and row[place] not in ("", "NA")
        ]
        if len(places) < 2:
            return None, None
        low, high = (self._table.number(line, place, row[place]) for place in places)
        return self._form.band_hz * low, self._form.band_hz * high

    def _channel_of(self, line: int, row: list[str]) -> int | None:
        if self._channel is None or not row[self._channel]:
            return None
        number = self._table.number(line, self._channel, row[self._channel])
        return int(number) + 1 - self._form.first_channel

    def _mended(self, line: int, cells: list[str]) -> tuple[str, list[str]]:
        """Path of the recording, and the row with the commas of that path put back.

        Programs that write paths without quotes shift the columns behind a comma in one.
        """
        surplus = len(cells) - len(self._table.header.names)
        if not surplus:
            return self._joined([cells[i] for i in self._recording]), cells
        if not self._recording:
            raise self._table.too_many_cells(line)
        first, last = min(self._recording), max(self._recording)
        parts = cells[first : last + 1 + surplus]
        # of several columns, the comma is taken to be in a folder's name, not in the file's
        recording = [",".join(parts)] if first == last else [",".join(parts[:-1]), parts[-1]]
        row = cells[: last + 1] + cells[last + 1 + surplus :]
        return self._joined(recording), [cell.strip() for cell in row]

    def _span(self, line: int, row: list[str]) -> tuple[float, float]:
        if self._form.end:
            return times(self._table, line, self._times, row)
        start_s, duration_s = (self._table.number(line, i, row[i]) for i in self._times)
        end_s = start_s + duration_s
        check_order(self._table, line, start_s, end_s)
        return start_s, end_s

    def _joined(self, parts: list[str]) -> str:
        """Path from its parts, each with either kind of slashes and maybe some at its end.

        Rows of one recording share the text, which saves much memory in tables of millions.
        """
        key = "\n".join(parts)
        path = self._paths.get(key)
        if path is None:
            plain = [part.strip().replace("\\", "/") for part in parts]
            path = "/".join(part.rstrip("/") for part in plain if part)
            self._paths[key] = path
        return path
