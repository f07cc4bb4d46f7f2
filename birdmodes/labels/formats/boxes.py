"""Boxes that were drawn around sounds: Raven selection tables, or tables of our own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from birdmodes.errors import BirdmodesError
from birdmodes.io.printing import shown
from birdmodes.io.tables import Table, read_table
from birdmodes.labels.formats import raven

_COLUMNS = ("recording", "start_s", "end_s", "low_hz", "high_hz")


@dataclass(frozen=True)
class Box:
    """A rectangle of time and frequency that holds sound, in seconds and hertz."""

    start_s: float
    end_s: float
    low_hz: float
    high_hz: float


def read_boxes(path: Path, error: type[BirdmodesError]) -> dict[str, list[Box]]:
    """Read the boxes of one table.

    Parameters
    ----------
    path : pathlib.Path
        A selection table of Raven (with times and frequencies; the recording by Begin Path or
        Begin File, else by the table's name up to its first ``.Table.`` or its ending), or a table
        with the columns ``recording, start_s, end_s, low_hz, high_hz``. Which one it is its
        columns tell.
    error : type
        What to raise.

    Returns
    -------
    dict of str to list of Box
        By the recording's name as written there. A table of Raven without rows gives its
        recording no boxes: nothing to hear.

    Raises
    ------
    BirdmodesError
        If the table cannot be read, lacks a column, or a row has numbers that cannot be right.
    """
    table = read_table(path, error)
    boxes: dict[str, list[Box]] = {}
    if table.header.has(*_COLUMNS):
        rows = _own_rows(table)
    elif raven.is_raven(table.header):
        rows = _raven_rows(table)
    else:
        raise error(
            f"{shown(path)}: neither a picture, nor a selection table of Raven, nor a table with "
            f"the columns {', '.join(_COLUMNS)} (found: {table.header.listed()})"
        )
    for recording, box in rows:
        boxes.setdefault(recording, []).append(box)
    if not boxes and raven.is_raven(table.header):
        boxes[_recording_of_table(path)] = []
    return boxes


def _recording_of_table(path: Path) -> str:
    name = path.name.partition(".Table.")[0]
    return name if name != path.name else path.stem.removesuffix(".selections")


def _own_rows(table: Table) -> Iterator[tuple[str, Box]]:
    places = [table.header.index(name) for name in _COLUMNS[1:]]
    for line, cells in table.records(_COLUMNS):
        if not cells["recording"]:
            raise table.wrong(line, "no recording in this row")
        values = [
            table.number(line, place, cells[name])
            for place, name in zip(places, _COLUMNS[1:], strict=True)
        ]
        yield cells["recording"], _checked(table, line, Box(*values))


def _raven_rows(table: Table) -> Iterator[tuple[str, Box]]:
    raven.check_columns(table, raven.BANDS)
    for entry in raven.read_selections(table):
        span = entry.start_s, entry.end_s, entry.low_hz, entry.high_hz
        values = [value for value in span if value is not None]
        if len(values) < len(span):
            raise table.wrong(entry.line, "no frequencies in this row; a box needs them")
        file = PurePosixPath(entry.recording.replace("\\", "/")).name
        box = _checked(table, entry.line, Box(*values))
        yield file or _recording_of_table(table.path), box


def _checked(table: Table, line: int, box: Box) -> Box:
    if not (box.start_s <= box.end_s and box.low_hz < box.high_hz):
        raise table.wrong(
            line,
            f"a box from {box.start_s:g} to {box.end_s:g} s and {box.low_hz:g} to "
            f"{box.high_hz:g} Hz cannot be; its end must not be before its start",
        )
    if box.end_s < 0 or box.high_hz <= 0:
        raise table.wrong(line, "a box before the recording's start or below 0 Hz cannot be")
    return box
