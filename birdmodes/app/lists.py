"""Species lists: label files that lie with the recordings, and a table to fill in."""

from __future__ import annotations

import csv
import hashlib
import io
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from birdmodes.audio.find import RecordingFile
from birdmodes.errors import BirdmodesError, LabelError
from birdmodes.io.files import write_text
from birdmodes.labels.files import labels_beside
from birdmodes.labels.fit import LABELS_FILE
from birdmodes.labels.formats.own import COLUMNS
from birdmodes.labels.reading import Reading
from birdmodes.labels.spelling import is_nothing, spelled

OTHER_FILE = "species-lists.csv"
"""The table's file where `LABELS_FILE` is something else."""

NO_SPECIES = "none"
"""What stands in the table for a recording without any species; an empty cell is: not known."""

MOST_LISTED = 100


class ListsChangedError(BirdmodesError):
    """The table has been saved by somebody else since it was read."""


@dataclass(frozen=True)
class SpeciesTable:
    """A table of recordings and their species.

    Attributes
    ----------
    path : pathlib.Path
        Its file, which need not exist.
    revision : str
        Stands for the content of the file; empty if there is none.
    species : dict of str to str
        By the recording's name, as written; `NO_SPECIES` for none.
    """

    path: Path
    revision: str
    species: dict[str, str]


def find_label_tables(recordings: Iterable[RecordingFile]) -> list[dict[str, Any]]:
    """Find the label files that lie with recordings.

    Parameters
    ----------
    recordings : iterable of RecordingFile
        The recordings.

    Returns
    -------
    list of dict
        ``path``, ``format`` and number of ``rows`` of each, sorted by path.
    """
    return [
        {"path": str(table.path), "format": table.format, "rows": len(table.entries)}
        for table in labels_beside(recordings, Reading(), most=MOST_LISTED)
    ]


def table_path(folder: Path, workspace: Path) -> Path:
    """Where the table of a folder of recordings is kept.

    Parameters
    ----------
    folder : pathlib.Path
        Of the recordings.
    workspace : pathlib.Path
        Its workspace; the table lies beside it if nobody may write into `folder`.
    """
    place = folder if os.access(folder, os.W_OK) else workspace.parent
    path = place / LABELS_FILE
    try:
        read_species_table(path)
    except LabelError:
        return place / OTHER_FILE
    return path


def read_species_table(path: Path) -> SpeciesTable:
    """Read a table that `write_species_table`, or somebody by hand, has made.

    Parameters
    ----------
    path : pathlib.Path
        Its file; an empty table if there is none.

    Raises
    ------
    LabelError
        If it has other columns than a recording and its species: these would be lost.
    """
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return SpeciesTable(path, "", {})
    try:
        rows = list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""), strict=True))
    except (UnicodeDecodeError, csv.Error) as error:
        raise LabelError(f"{path}: is no table of recordings and species ({error})") from error
    rows = [row for row in rows if row]
    if rows and tuple(cell.strip().lower() for cell in rows[0]) != COLUMNS:
        raise LabelError(f"{path}: has other columns than {' and '.join(COLUMNS)}")
    species: dict[str, str] = {}
    for row in rows[1:]:
        if len(row) != len(COLUMNS) or row[0] in species:
            raise LabelError(f"{path}: has rows that do not fit; look at it in a spreadsheet")
        species[row[0]] = row[1].strip() or NO_SPECIES
    return SpeciesTable(path, _digest(content), species)


def write_species_table(path: Path, revision: str, rows: Sequence[tuple[str, str]]) -> SpeciesTable:
    """Keep the table, whole or not at all.

    Parameters
    ----------
    path : pathlib.Path
        Its file.
    revision : str
        Of the table that was changed.
    rows : sequence of tuple of str
        Recording and species, separated by semicolons; see `NO_SPECIES`. Recordings with nothing
        are left out.

    Raises
    ------
    ListsChangedError
        If the file is not at `revision` any more; it stays as it is.
    LabelError
        If a recording is there twice, or a cell has a line break.
    OSError
        If it cannot be written, as on a full disk.
    """
    if read_species_table(path).revision != revision:
        raise ListsChangedError(
            f"{path}: was saved in another window since; load the page again, and enter what is "
            "missing"
        )
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_MINIMAL)
    writer.writerow(COLUMNS)
    seen: set[str] = set()
    for recording, cell in rows:
        species = cell.strip()
        if not species:
            continue
        if recording in seen or not recording:
            raise LabelError(f"{recording or 'a row without recording'}: is there twice")
        if any(letter in recording + species for letter in "\0\r\n"):
            raise LabelError(f"{recording!r}: a cell has a line break")
        seen.add(recording)
        writer.writerow([recording, "" if is_nothing(spelled(species)) else species])
    write_text(path, text.getvalue())
    return read_species_table(path)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
