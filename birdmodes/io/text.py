"""Text files in the encodings that people have them in."""

from __future__ import annotations

import codecs
from pathlib import Path

from birdmodes.errors import BirdmodesError
from birdmodes.io.printing import shown

_MOST_LETTERS = 60


def read_text(path: Path, error: type[BirdmodesError]) -> str:
    """Read a text file: UTF-8 with or without its mark, UTF-16 with its mark, else Windows-1252.

    Parameters
    ----------
    path : pathlib.Path
        The file.
    error : type
        What to raise if it cannot be read or is not text.
    """
    try:
        raw = path.read_bytes()
    except OSError as reason:
        raise error(f"{shown(path)}: cannot be read ({reason.strerror or reason})") from reason
    return decoded(path, raw, error)


def decoded(path: Path, raw: bytes, error: type[BirdmodesError]) -> str:
    """Give the text that a file's bytes stand for, as `read_text`."""
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        text = raw.decode("utf-16", errors="replace")
    else:
        try:
            text = raw.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = raw.decode("cp1252", errors="replace")
    if "\0" in text:
        raise error(f"{shown(path)}: not a text file; save it as CSV or text in UTF-8")
    return text


def shorten(text: str, most: int = _MOST_LETTERS) -> str:
    """Text for an error message: one line, not too long."""
    line = shown(text)
    return line if len(line) <= most else line[: most - 3] + "..."
