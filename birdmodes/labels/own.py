"""Label tables of our own: CSV with the columns recording and species."""

from __future__ import annotations

from pathlib import Path

from birdmodes.errors import LabelError
from birdmodes.io.paths import AnyPath
from birdmodes.io.tables import read_text, rows_of
from birdmodes.labels.cells import times
from birdmodes.labels.model import LabelEntry, LabelRow, split_species

NAME = "birdmodes CSV"
COLUMNS = ("recording", "species")
TIME_COLUMNS = ("start_s", "end_s")


def read_labels(path: AnyPath) -> list[LabelRow]:
    """Read a label table: CSV with the columns ``recording`` and ``species``.

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
    path = Path(path)
    return parse_labels(path, read_text(path, LabelError))


def parse_labels(path: Path, text: str) -> list[LabelRow]:
    """Read the content of a label table, as `read_labels`."""
    rows = []
    for line, values in rows_of(text, path, COLUMNS, LabelError, optional=TIME_COLUMNS):
        if not values["recording"]:
            raise LabelError(f"{path}, line {line}: no recording in this row")
        cells = values["start_s"], values["end_s"]
        start_s, end_s = times(path, line, TIME_COLUMNS, cells) if any(cells) else (None, None)
        species = split_species(values["species"])
        rows.append(LabelRow(line, values["recording"], species, start_s, end_s))
    return rows


def own_entries(path: Path, text: str) -> list[LabelEntry]:
    """Read the content of a label table, one entry for each species of a row."""
    return [
        # a row with times and no species was looked at as well: it names nothing
        LabelEntry(row.line, row.recording, species, row.start_s, row.end_s)
        if species
        else LabelEntry(row.line, row.recording, "")
        for row in parse_labels(path, text)
        for species in row.species or ("",)
    ]
