"""Label tracks of Audacity: begin, end and label, without a header.

Spectral selections add a line that begins with a backslash and holds two frequencies. BirdNET
adds the confidence as a fourth cell.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from birdmodes.errors import LabelError
from birdmodes.io.tables import Table
from birdmodes.labels.formats.birdnet import common_name
from birdmodes.labels.formats.cells import confidence, times
from birdmodes.labels.formats.columns import NOTHING_BIRDNET
from birdmodes.labels.model import LabelEntry

_COLUMNS = ("begin", "end", "label", "confidence")
_FREQUENCIES = "\\"
_FIRST_LINE = re.compile(r"[+-]?[\d.,]+(e[+-]?\d+)?\t[+-]?[\d.,]+(e[+-]?\d+)?(\t.*)?", re.I)


def is_audacity(first_line: str) -> bool:
    """Whether a file begins like a label track."""
    return _FIRST_LINE.fullmatch(first_line.strip("\r\n")) is not None


def read_audacity(path: Path, text: str) -> list[LabelEntry]:
    """Read a label track.

    Parameters
    ----------
    path : pathlib.Path
        The file, for messages.
    text : str
        Its content.

    Raises
    ------
    LabelError
        If a line cannot be understood.
    """
    entries: list[LabelEntry] = []
    for entry in _entries(Table(path, text, LabelError, _COLUMNS)):
        if isinstance(entry, LabelEntry):
            entries.append(entry)
        elif entries:
            entries[-1] = entries[-1]._replace(low_hz=entry[0], high_hz=entry[1])
    return entries


def _entries(track: Table) -> Iterator[LabelEntry | tuple[float, float]]:
    """Labels, and the bands of those before them."""
    for line, row in track.rows():
        cells = [cell.strip() for cell in row]
        if cells[0] == _FREQUENCIES:
            low_hz, high_hz = (track.number(line, i, cells[i]) for i in (1, 2))
            # a negative one stands for none
            if 0 <= low_hz < high_hz:
                yield low_hz, high_hz
            continue
        if not cells[1]:
            raise track.wrong(line, "not a label (begin, end and label with tabs between)")
        start_s, end_s = times(track, line, (0, 1), cells)
        label = cells[2]
        if not cells[3]:
            yield LabelEntry(line, "", label, start_s, end_s)
            continue
        conf = confidence(track, line, 3, cells[3])
        if label.casefold() in NOTHING_BIRDNET:
            yield LabelEntry(line, "", "")
        else:
            yield LabelEntry(line, "", common_name(label), start_s, end_s, conf)
