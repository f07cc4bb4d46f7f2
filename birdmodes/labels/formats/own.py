"""Tables that people make: a recording and its species in each row."""

from __future__ import annotations

import re
from pathlib import Path

from birdmodes.errors import LabelError
from birdmodes.io.paths import AnyPath
from birdmodes.io.printing import shown
from birdmodes.io.tables import Header, Table, read_table
from birdmodes.labels.formats.cells import (
    check_order,
    chosen_column,
    confidence,
    no_label_column,
)
from birdmodes.labels.formats.judged import Judgement
from birdmodes.labels.formats.pairs import band_columns, time_columns
from birdmodes.labels.formats.peoples_columns import (
    channel_column,
    confidence_column,
    recording_column,
    scientific_columns,
    scientific_name,
    species_columns,
)
from birdmodes.labels.model import LabelEntry, LabelRow
from birdmodes.labels.reading import Reading
from birdmodes.labels.spelling import names_in_cell

NAME = "birdmodes CSV"
COLUMNS = ("recording", "species")
TIME_COLUMNS = ("start_s", "end_s")

OTHER_NAME = "table of recordings and species"


def read_labels(path: AnyPath) -> list[LabelRow]:
    """Read a label table: the columns ``recording`` and ``species``.

    Several species stand in one cell, separated by ``;``, or in several rows. The columns
    ``start_s`` and ``end_s`` may say when they were heard, ``present``, ``absent``, ``count`` and
    ``validated`` whether; other columns are ignored.

    Parameters
    ----------
    path : str or path-like
        The file.

    Raises
    ------
    LabelError
        If the file cannot be read, a column is missing, a row names no recording, or its times
        are not two numbers.
    """
    table = read_table(Path(path), LabelError)
    table.require(COLUMNS)
    rows: dict[int, LabelRow] = {}
    for entry in read_own(table, Reading()):
        row = rows.setdefault(
            entry.line, LabelRow(entry.line, entry.recording, (), entry.start_s, entry.end_s)
        )
        if entry.species:
            species = (*row.species, entry.species)
            rows[entry.line] = LabelRow(
                row.line, row.recording, species, entry.start_s, entry.end_s
            )
    return list(rows.values())


def is_like_own(header: Header) -> bool:
    """Whether a header has a column of recordings and one of species, whatever their names."""
    return recording_column(header) is not None and bool(species_columns(header))


def names_what_raven_does_not(header: Header) -> bool:
    """Whether the selections of a table are told from other recordings by a column of people's."""
    return is_like_own(header) and not header.has("begin file") and not header.has("begin path")


def names_recordings(header: Header) -> bool:
    """Whether a header has a column of recordings, whatever its name."""
    return recording_column(header) is not None


def read_own(table: Table, how: Reading) -> list[LabelEntry]:
    """Read a table of recordings and species.

    Parameters
    ----------
    table : Table
        The file.
    how : Reading
        How to read it. A label column is taken instead of that of the species.

    Returns
    -------
    list of LabelEntry
        One entry for each species of a row.

    Raises
    ------
    BirdmodesError
        The table's error, if a row cannot be understood.
    """
    header = table.header
    recording, species = recording_column(header), species_columns(header)
    if how.label_column is not None:
        species = [chosen_column(table, how.label_column)]
    if recording is None or not species:
        table.require(COLUMNS)
        raise no_label_column(table)
    scientific = scientific_columns(header)
    if scientific == species:
        scientific = []
    judgement = Judgement(table, counts=True)
    times, band = time_columns(table), band_columns(table)
    sureness, channels = _sureness(table), _Channels(table)
    entries: list[LabelEntry] = []
    for line, cells in table.rows():
        if len(cells) > len(header.names):
            raise table.too_many_cells(line)
        if not cells[recording]:
            if any(cells[place] for place in species):
                raise table.wrong(line, "no recording in this row; write it in every row")
            continue
        if judgement.denies(line, cells):
            entries.append(LabelEntry(line, cells[recording], "", negative=True))
            continue
        if len(scientific) > 1 and scientific[-1] == species[0]:  # a genus and an epithet
            cells[species[0]] = scientific_name([cells[place] for place in scientific])
        names = dict.fromkeys(name for place in species for name in names_in_cell(cells[place]))
        if not names:
            # a row with times and no species was looked at as well: it names nothing
            entries.append(LabelEntry(line, cells[recording], ""))
            continue
        start_s, end_s = times.read(line, cells)
        if start_s is not None and end_s is not None:
            check_order(table, line, start_s, end_s)
        low_hz, high_hz = band.read(line, cells)
        first = names_in_cell(cells[species[0]])
        code = scientific_name([cells[place] for place in scientific]) if scientific else ""
        conf = None if sureness is None else confidence(table, line, sureness, cells[sureness])
        entries += [
            LabelEntry(
                line, cells[recording], name, start_s, end_s, conf, low_hz, high_hz,
                channels.of(cells), code if first == (name,) else "",
            )
            for name in names
        ]  # fmt: skip
    judgement.note()
    return entries


def _sureness(table: Table) -> int | None:
    """Place of the column of confidences; none where it does not hold numbers from 0 to 1."""
    place = confidence_column(table.header)
    if place is None:
        return None
    for _, cells in table.rows():
        cell = cells[place].replace(",", ".")
        if cell and not re.fullmatch(r"0?\.\d+|[01](\.0*)?|\d(\.\d+)?[eE]-\d+", cell, re.ASCII):
            table.notes.append(
                f"{shown(table.path)}: {table.header.names[place]!r} holds no numbers from 0 to 1 "
                "and is not used as a confidence"
            )
            return None
    return place


_SIDES = {"left": 1, "l": 1, "links": 1, "gauche": 1, "right": 2, "r": 2, "rechts": 2, "droite": 2}


class _Channels:
    """The column of channels, counted from 1, or from 0 if there is a 0, or left and right."""

    def __init__(self, table: Table) -> None:
        self._place = channel_column(table.header)
        if self._place is None:
            return
        values = {cells[self._place].casefold() for _, cells in table.rows()} - {""}
        self._first = 0 if "0" in values else 1
        if not all(value in _SIDES or value.isdecimal() for value in values):
            table.notes.append(
                f"{shown(table.path)}: {table.header.names[self._place]!r} holds no numbers and is "
                "not used; write channels as 1, 2 ..."
            )
            self._place = None

    def of(self, cells: list[str]) -> int | None:
        """Channel of a row, from 1, if it says."""
        text = "" if self._place is None else cells[self._place].casefold()
        if not text:
            return None
        return _SIDES[text] if text in _SIDES else int(text) + 1 - self._first
