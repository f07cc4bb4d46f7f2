"""Label tables of our own: the columns recording and species."""

from __future__ import annotations

from pathlib import Path

from birdmodes.errors import LabelError
from birdmodes.io.paths import AnyPath
from birdmodes.io.tables import Table, read_table
from birdmodes.labels.formats.cells import check_order
from birdmodes.labels.model import LabelEntry, LabelRow, split_species

NAME = "birdmodes CSV"
COLUMNS = ("recording", "species")
TIME_COLUMNS = ("start_s", "end_s")


def read_labels(path: AnyPath) -> list[LabelRow]:
    """Read a label table: the columns ``recording`` and ``species``.

    Several species stand in one cell, separated by ``;``, or in several rows. The columns
    ``start_s`` and ``end_s`` may say when they were heard; other columns are ignored. UTF-8 (with
    or without byte-order mark), UTF-16 with such a mark, else Windows-1252.

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
    return label_rows(read_table(Path(path), LabelError))


def label_rows(table: Table) -> list[LabelRow]:
    """Read the rows of a label table, as `read_labels`."""
    rows = []
    for line, values in table.records(COLUMNS, optional=TIME_COLUMNS):
        if not values["recording"]:
            raise table.wrong(line, "no recording in this row")
        start_s = end_s = None
        if values["start_s"] or values["end_s"]:
            start_s, end_s = _times(table, line, values)
        species = split_species(values["species"])
        rows.append(LabelRow(line, values["recording"], species, start_s, end_s))
    return rows


def _times(table: Table, line: int, values: dict[str, str]) -> tuple[float, float]:
    for name in TIME_COLUMNS:
        if not values[name]:
            raise table.wrong(line, f"{name!r} is empty")
    start_s, end_s = (
        table.number(line, table.header.index(name), values[name]) for name in TIME_COLUMNS
    )
    check_order(table, line, start_s, end_s)
    return start_s, end_s


def own_entries(table: Table) -> list[LabelEntry]:
    """Read the rows of a label table, one entry for each species of a row."""
    return [
        # a row with times and no species was looked at as well: it names nothing
        LabelEntry(row.line, row.recording, species, row.start_s, row.end_s)
        if species
        else LabelEntry(row.line, row.recording, "")
        for row in label_rows(table)
        for species in row.species or ("",)
    ]
