"""What format a label file has, by its content."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from birdmodes.errors import LabelError
from birdmodes.io import sheets
from birdmodes.io.encodings import is_wide
from birdmodes.io.formula_guard import unguarded
from birdmodes.io.paths import AnyPath
from birdmodes.io.printing import shown
from birdmodes.io.sheets import Sheet
from birdmodes.io.tables import Header, RowsTable, Table
from birdmodes.io.text import decoded_somehow, shorten
from birdmodes.labels.errors import NotLabelsError
from birdmodes.labels.formats import (
    aoef,
    birdnet,
    crowsetta,
    kaleidoscope,
    other,
    own,
    raven,
    textgrid,
)
from birdmodes.labels.formats.audacity import is_audacity, read_audacity
from birdmodes.labels.formats.classes import class_columns
from birdmodes.labels.formats.no_table import SAVE, refuse_broken_json, refuse_other_files
from birdmodes.labels.model import LabelEntry, LabelTable
from birdmodes.labels.reading import Reading

# The first format whose columns are all there counts: special ones stand before general ones.
_FORMATS = (*birdnet.FORMATS, *kaleidoscope.FORMATS, *crowsetta.FORMATS, *other.FORMATS)

# First columns of files that lie beside labels.
_SETTINGS = {"file splitting duration": "BirdNET's settings", "hidden units": "BirdNET's settings"}

# Columns of our own tables of modes and of detections, which count recordings and name none.
_COUNTS = ("syllables", "recordings")

_HEAD_BYTES = 1 << 16
_MOST_TITLE_LINES = 20


def read_label_file(
    path: AnyPath,
    how: Reading | None = None,
    *,
    label_column: str | None = None,
    folder: str = "",
) -> LabelTable:
    """Read a label file of any format.

    Parameters
    ----------
    path : str or path-like
        The file. Its name plays no part in what format it is.
    how : Reading, optional
        How to read it.
    label_column : str, optional
        Column that names the species, in formats with a header; instead of `how`.
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
    how = how or Reading(label_column)
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD_BYTES)
            refuse_other_files(path, head)
            if not _may_be_labels(head):
                raise NotLabelsError(path, "not a text file", "; give a file of labels")
            raw = head + file.read()
    except OSError as reason:
        raise LabelError(f"{shown(path)}: cannot be read ({reason.strerror or reason})") from reason
    found = _content(path, raw, how)
    return LabelTable(path, found.name, _named(found.entries), found.own, folder, found.notes)


def _named(entries: list[LabelEntry]) -> list[LabelEntry]:
    """Take off the apostrophe that 'birdmodes export' puts before what would be a formula."""
    return [
        entry._replace(species=unguarded(entry.species)) if entry.species[:1] == "'" else entry
        for entry in entries
    ]


def _may_be_labels(head: bytes) -> bool:
    if head.startswith((*sheets.SHEET_MARKS, sheets.PARQUET_MARK)):
        return True
    wide = head[:2] in (b"\xff\xfe", b"\xfe\xff") or bool(is_wide(head))
    return wide or b"\0" not in head


@dataclass
class _Found:
    """What a file holds: name of its format, labels, whether it is a table that people make."""

    name: str
    entries: list[LabelEntry]
    own: bool = False
    notes: list[str] = field(default_factory=list)


def _content(path: Path, raw: bytes, how: Reading) -> _Found:
    if raw.startswith(sheets.SHEET_MARKS):
        found = _all_sheets(path, sheets.read_sheets(path, raw, LabelError), how)
        return _with_note_on_formulas(path, raw, found)
    if raw.startswith(sheets.PARQUET_MARK):
        rows = sheets.read_parquet(path, raw, LabelError)
        return _of_table(RowsTable(path, rows, LabelError), how)
    text = decoded_somehow(path, raw, LabelError, how.encoding)
    found = _of_text(path, text.text, how)
    if not text.certain:
        example = next((e.species for e in found.entries if not e.species.isascii()), "")
        seen = f", as in {shorten(example)!r}" if example else ""
        found.notes.append(
            f"{shown(path)}: not in UTF-8; taken for {text.encoding}{seen}, which is a guess: if "
            "names look wrong, give the right one with --encoding"
        )
    return found


def _with_note_on_formulas(path: Path, raw: bytes, found: _Found) -> _Found:
    cells = sheets.unsaved_formulas(raw)
    if cells:
        found.notes.append(
            f"{shown(path)}: {len(cells):,} cells, as {cells[0]}, hold formulas without their "
            "values and are read as empty: open it in Excel or LibreOffice, save it, and try again"
        )
    return found


def _all_sheets(path: Path, found: dict[str, Sheet], how: Reading) -> _Found:
    """Read the sheets that hold labels; hidden ones only where no other does.

    Sheets that do not name their recordings, and are named after them, are for these.
    """
    refused: LabelError = NotLabelsError(path, "an empty spreadsheet", "; give one with labels")
    read: dict[str, _Found] = {}
    for name, sheet in found.items():
        if sheet.hidden and read:
            continue
        # only for messages
        place = path if len(found) == 1 else Path(f"{path}, sheet {name!r}")
        try:
            read[name] = _below_title(partial(RowsTable, place, sheet.rows, LabelError), how)
        except NotLabelsError as reason:
            refused = reason
    if not read:
        raise refused
    labels = _joined(read)
    others = ", ".join(repr(name) for name in found if name not in read)
    if len(found) > 1:
        what = "read is the sheet" if len(read) == 1 else "read are the sheets"
        not_read = f", not {others}" if others else ""
        names = ", ".join(map(repr, read))
        labels.notes.append(f"{shown(path)}: {what} {names}{not_read}")
    return labels


def _joined(read: dict[str, _Found]) -> _Found:
    """What several sheets hold, as that of one."""
    first = next(iter(read.values()))
    if len(read) == 1:
        return first
    entries = [
        entry if entry.recording else entry._replace(recording=name)
        for name, found in read.items()
        for entry in found.entries
    ]
    names = " and ".join(dict.fromkeys(found.name for found in read.values()))
    notes = list(dict.fromkeys(note for found in read.values() for note in found.notes))
    own = all(found.own for found in read.values())
    return _Found(names, entries, own, notes)


def _of_text(path: Path, text: str, how: Reading) -> _Found:
    if textgrid.is_textgrid(text):
        return _Found(textgrid.NAME, textgrid.read_textgrid(path, text, how))
    if text.lstrip("\ufeff \t\r\n")[:1] in ("{", "["):
        found = _of_json(path, text, how)
        if found is not None:
            return found
    first_line = next((line for line in io.StringIO(text, newline=None) if line.strip()), "")
    if is_audacity(first_line):
        return _Found("Audacity labels", read_audacity(path, text))
    if not first_line and path.suffix.lower() == ".txt":
        # what Audacity, and BirdNET in its manner, write when there is nothing to label
        return _Found("Audacity labels", [])
    return _below_title(partial(Table, path, text, LabelError), how)


def _below_title(table: Callable[..., Table], how: Reading) -> _Found:
    """Read a table that may have a title or remarks above the names of its columns."""
    first = table()
    try:
        return _of_table(first, how)
    except NotLabelsError:
        header = first.header
        while 0 < header.line < _MOST_TITLE_LINES:
            below = table(title_lines=header.line)
            if below.header.line <= header.line:
                break
            header = below.header
            with contextlib.suppress(NotLabelsError):
                return _of_table(below, how)
        raise


def _of_json(path: Path, text: str, how: Reading) -> _Found | None:
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        content = None
    if aoef.is_aoef(content):
        return _Found(aoef.NAME, aoef.read_aoef(path, content, how))
    try:
        rows = sheets.read_records(path, text, LabelError)
    except LabelError as reason:
        refuse_broken_json(path, text, reason)
        return None
    if rows is not None:
        return _of_table(RowsTable(path, rows, LabelError), how)
    if content is not None:
        raise NotLabelsError(path, "JSON, but neither a table nor AOEF", SAVE)
    return None


def _of_table(table: Table, how: Reading) -> _Found:
    header = table.header
    if header.has(*own.COLUMNS):
        return _Found(own.NAME, own.read_own(table, how), own=True, notes=table.notes)
    if raven.is_raven(header) and not own.names_what_raven_does_not(header):
        name = "BirdNET Raven table" if raven.is_birdnet(header) else "Raven selection table"
        return _Found(name, raven.read_raven(table, how), notes=table.notes)
    for form in _FORMATS:
        # a table that names its recordings says more than a format of one recording
        if form.fits(header) and (form.recording or not own.is_like_own(header)):
            return _Found(form.name, form.read(table, how), notes=table.notes)
    if header.has(*birdnet.BIRDDB_COLUMNS):
        return _Found("BirdNET-Pi database", birdnet.read_birddb(table, how), notes=table.notes)
    if header.has(*_COUNTS) and "recording" not in header.keys:
        raise NotLabelsError(table.path, "a table of results, no labels", "; leave it out")
    if own.is_like_own(header):
        return _Found(own.OTHER_NAME, own.read_own(table, how), own=True, notes=table.notes)
    classes = class_columns(table) if how.label_column is None else None
    if classes is not None:
        return _Found(classes.name, classes.read(how), own=classes.times is None, notes=table.notes)
    if how.label_column is not None and own.names_recordings(header):
        return _Found(own.OTHER_NAME, own.read_own(table, how), own=True, notes=table.notes)
    raise _unknown(table.path, header)


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
        ", and not a file of BirdNET, Raven, Audacity, Kaleidoscope, Praat or crowsetta; the first "
        "line of a table of your own must be 'recording,species'",
    )
