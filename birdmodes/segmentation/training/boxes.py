"""Read boxes that were drawn around sounds: Raven selection tables, or a CSV table."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from birdmodes.errors import ModelError
from birdmodes.io.paths import AnyPath
from birdmodes.io.tables import read_header, read_rows
from birdmodes.segmentation.training.paint import Box

_COLUMNS = ("recording", "start_s", "end_s", "low_hz", "high_hz")
_RAVEN = ("begin time (s)", "end time (s)", "low freq (hz)", "high freq (hz)")
_RAVEN_FILE = ("begin path", "begin file")
_RAVEN_OFFSET = "file offset (s)"


def read_boxes(path: AnyPath) -> dict[str, list[Box]]:
    """Read the boxes of one table.

    Parameters
    ----------
    path : str or path-like
        A selection table of Raven (separated by tabs; the columns Begin Time, End Time, Low Freq
        and High Freq; the recording by Begin Path or Begin File, else by the table's name up to
        its first ``.Table.`` or its ending), or a CSV with the columns ``recording, start_s,
        end_s, low_hz, high_hz``. Which one it is its first line tells.

    Returns
    -------
    dict of str to list of Box
        By the recording's name as written there. A table of Raven without rows gives its
        recording no boxes: nothing to hear.

    Raises
    ------
    ModelError
        If the table cannot be read, lacks a column, or a row has numbers that cannot be right.
    """
    path = Path(path)
    try:
        first = path.read_bytes()[:4096].decode("utf-8-sig", "replace").partition("\n")[0]
    except OSError as error:
        raise ModelError(f"{path}: cannot be read ({error.strerror or error})") from error
    boxes: dict[str, list[Box]] = {}
    if "\t" in first:
        boxes[_recording_of_table(path)] = []
        rows = _raven_rows(path)
    else:
        rows = _csv_rows(path)
    named = set()
    for recording, box in rows:
        named.add(recording)
        boxes.setdefault(recording, []).append(box)
    return {name: found for name, found in boxes.items() if not named or name in named}


def _recording_of_table(path: Path) -> str:
    name = path.name.partition(".Table.")[0]
    return name if name != path.name else path.stem.removesuffix(".selections")


def _csv_rows(path: Path) -> Iterator[tuple[str, Box]]:
    missing = [name for name in _COLUMNS if name not in read_header(path, ModelError)]
    if missing:
        raise ModelError(
            f"{path}: neither a picture, nor a selection table of Raven, nor a CSV with the "
            f"columns {', '.join(_COLUMNS)}"
        )
    for line, cells in read_rows(path, _COLUMNS, ModelError):
        where = f"{path}, line {line}"
        if not cells["recording"]:
            raise ModelError(f"{where}: no recording in this row")
        yield cells["recording"], _box([cells[name] for name in _COLUMNS[1:]], where)


def _raven_rows(path: Path) -> Iterator[tuple[str, Box]]:
    text = path.read_bytes().decode("utf-8-sig", "replace")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter="\t", quoting=csv.QUOTE_NONE)
    header = [name.strip().lower() for name in next(reader)]
    missing = [name for name in _RAVEN if name not in header]
    if missing:
        raise ModelError(
            f"{path}: no column {' and no column '.join(missing)}; boxes need times and "
            "frequencies, as Raven writes them by default"
        )
    for cells in reader:
        row = dict(zip(header, (cell.strip() for cell in cells), strict=False))
        if not any(row.values()):
            continue
        where = f"{path}, line {reader.line_num}"
        box = _box([row.get(name, "") for name in _RAVEN], where)
        if row.get(_RAVEN_OFFSET):
            # Tables over several files count times through all of them.
            start = _number(row[_RAVEN_OFFSET], where)
            box = Box(start, start + box.end_s - box.start_s, box.low_hz, box.high_hz)
        files = [row[name] for name in _RAVEN_FILE if row.get(name)]
        named = PurePosixPath(files[0].replace("\\", "/")).name if files else ""
        yield named or _recording_of_table(path), box


def _box(texts: list[str], where: str) -> Box:
    start, end, low, high = (_number(text, where) for text in texts)
    if not (start <= end and low < high and end >= 0 and high > 0):
        raise ModelError(
            f"{where}: a box from {start:g} to {end:g} s and {low:g} to {high:g} Hz cannot be; "
            "its end must not be before its start"
        )
    return Box(start, end, low, high)


def _number(text: str, where: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ModelError(f"{where}: {text!r} is not a number of seconds or hertz")
    return value
