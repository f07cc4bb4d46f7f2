"""What format a label file has, by its content."""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import partial
from pathlib import Path

from birdmodes.errors import LabelError
from birdmodes.io.formula_guard import unguarded
from birdmodes.io.paths import AnyPath
from birdmodes.io.printing import shown
from birdmodes.io.tables import Header, Table
from birdmodes.io.text import decoded
from birdmodes.labels.errors import NotLabelsError
from birdmodes.labels.formats import birdnet, crowsetta, kaleidoscope, other, own, raven
from birdmodes.labels.formats.audacity import is_audacity, read_audacity
from birdmodes.labels.model import LabelEntry, LabelTable

# The first format whose columns are all there counts: special ones stand before general ones.
_FORMATS = (*birdnet.FORMATS, *kaleidoscope.FORMATS, *crowsetta.FORMATS, *other.FORMATS)

# First columns of files that lie beside labels.
_SETTINGS = {"file splitting duration": "BirdNET's settings", "hidden units": "BirdNET's settings"}

_HEAD_BYTES = 1 << 16


def read_label_file(
    path: AnyPath, *, label_column: str | None = None, folder: str = ""
) -> LabelTable:
    """Read a label file of any format.

    Parameters
    ----------
    path : str or path-like
        The file. Its name plays no part in what format it is.
    label_column : str, optional
        Column that names the species, in formats with a header.
    folder : str
        Where it lies in the folder that was searched.

    Raises
    ------
    NotLabelsError
        If it is of no known format.
    LabelError
        If it cannot be read or understood.
    """
    path = Path(path)
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD_BYTES)
            if not _may_be_labels(head):
                raise NotLabelsError(path, "not a text file", "; give a file of labels")
            raw = head + file.read()
    except OSError as reason:
        raise LabelError(f"{shown(path)}: cannot be read ({reason.strerror or reason})") from reason
    text = decoded(path, raw, LabelError)
    name, read = _reader(path, text)
    return LabelTable(path, name, _named(read(label_column)), name == own.NAME, folder)


def _named(entries: list[LabelEntry]) -> list[LabelEntry]:
    """Take off the apostrophe that 'birdmodes export' puts before what would be a formula."""
    return [
        entry._replace(species=unguarded(entry.species)) if entry.species[:1] == "'" else entry
        for entry in entries
    ]


def _may_be_labels(head: bytes) -> bool:
    return head[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" not in head


def _reader(path: Path, text: str) -> tuple[str, Callable[[str | None], list[LabelEntry]]]:
    """Name of the format, and what reads the file given a label column."""
    table = Table(path, text, LabelError)
    header = table.header
    if header.has(*own.COLUMNS):
        return own.NAME, lambda _: own.own_entries(table)
    if raven.is_raven(header):
        name = "BirdNET Raven table" if raven.is_birdnet(header) else "Raven selection table"
        return name, partial(raven.read_raven, table)
    for form in _FORMATS:
        if form.fits(header):
            return form.name, partial(form.read, table)
    first_line = next((line for line in io.StringIO(text, newline=None) if line.strip()), "")
    if is_audacity(first_line):
        return "Audacity labels", lambda _: read_audacity(path, text)
    if not first_line and path.suffix.lower() == ".txt":
        # what Audacity, and BirdNET in its manner, write when there is nothing to label
        return "Audacity labels", lambda _: []
    raise _unknown(path, header)


def _unknown(path: Path, header: Header) -> LabelError:
    if header.has(*crowsetta.SAMPLES_ONLY):
        return LabelError(
            f"{shown(path)}: times only in samples; divide them by the sample rate and write them "
            "as the columns onset_s and offset_s"
        )
    what = _SETTINGS.get(header.keys[0] if header.keys else "", "")
    if what:
        return NotLabelsError(path, f"holds {what}, no labels", "; leave it out")
    missing = [name for name in own.COLUMNS if name not in header.keys]
    return NotLabelsError(
        path,
        f"no column {' and no column '.join(missing)} (found: {header.listed()})",
        ", and not a file of BirdNET, Raven, Audacity, Kaleidoscope or crowsetta; the first line "
        "of a table of your own must be 'recording,species', separated by commas",
    )
