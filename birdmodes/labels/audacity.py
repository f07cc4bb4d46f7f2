"""Label tracks of Audacity: begin, end and label, without a header.

Spectral selections add a line that begins with a backslash and holds two frequencies. BirdNET
adds the confidence as a fourth cell.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from pathlib import Path

from birdmodes.errors import LabelError
from birdmodes.io.printing import shown
from birdmodes.labels.birdnet import common_name
from birdmodes.labels.cells import confidence, times
from birdmodes.labels.columns import NOTHING_BIRDNET
from birdmodes.labels.model import LabelEntry

_COLUMNS = ("begin", "end")
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
    return list(_entries(path, text))


def _entries(path: Path, text: str) -> Iterator[LabelEntry]:
    for line, content in enumerate(io.StringIO(text, newline=None), start=1):
        cells = [cell.strip() for cell in content.split("\t")]
        if cells[0] == _FREQUENCIES or not any(cells):
            continue
        if len(cells) < 2:
            raise LabelError(
                f"{shown(path)}, line {line}: not a label (begin, end and label with tabs between)"
            )
        start_s, end_s = times(path, line, _COLUMNS, (cells[0], cells[1]))
        label = cells[2] if len(cells) > 2 else ""
        if len(cells) > 3 and cells[3]:
            conf = confidence(path, line, "confidence", cells[3])
            if label.casefold() in NOTHING_BIRDNET:
                yield LabelEntry(line, "", "")
            else:
                yield LabelEntry(line, "", common_name(label), start_s, end_s, conf)
        else:
            yield LabelEntry(line, "", label, start_s, end_s)
