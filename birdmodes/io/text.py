"""Text files in the encodings that people have them in."""

from __future__ import annotations

from pathlib import Path

from birdmodes.errors import BirdmodesError
from birdmodes.io.encodings import Decoded, decode
from birdmodes.io.printing import shown

_MOST_LETTERS = 60


def read_text(path: Path, error: type[BirdmodesError]) -> str:
    """Read a text file in whatever encoding, see `birdmodes.io.encodings`.

    Parameters
    ----------
    path : pathlib.Path
        The file.
    error : type
        What to raise if it cannot be read, is not text, or its encoding can only be guessed and
        is not the commonest one, Windows-1252.
    """
    try:
        raw = path.read_bytes()
    except OSError as reason:
        raise error(f"{shown(path)}: cannot be read ({reason.strerror or reason})") from reason
    return decoded(path, raw, error)


def decoded(path: Path, raw: bytes, error: type[BirdmodesError]) -> str:
    """Give the text that a file's bytes stand for, as `read_text`."""
    found = decoded_somehow(path, raw, error)
    if not found.certain and found.encoding != "Windows-1252":
        raise error(
            f"{shown(path)}: not in UTF-8, and it is not certain in which encoding "
            f"({found.encoding}?); save it in UTF-8"
        )
    return found.text


def decoded_somehow(
    path: Path, raw: bytes, error: type[BirdmodesError], encoding: str | None = None
) -> Decoded:
    """Give the text of a file even where its encoding is a guess.

    Parameters
    ----------
    path : pathlib.Path
        The file, for messages.
    raw : bytes
        Its content.
    error : type
        What to raise if it is not text, or not in the encoding that was named.
    encoding : str, optional
        Its encoding, if the user knows it.
    """
    try:
        found = decode(raw, encoding)
    except LookupError as reason:
        raise error(f"there is no encoding {encoding!r}; try utf-8 or cp1252") from reason
    except UnicodeDecodeError as reason:
        raise error(f"{shown(path)}: not in the encoding {encoding}") from reason
    if "\0" in found.text:
        raise error(f"{shown(path)}: not a text file; save it as CSV or text in UTF-8")
    return found


def shorten(text: str, most: int = _MOST_LETTERS) -> str:
    """Text for an error message: one line, not too long."""
    line = shown(text)
    return line if len(line) <= most else line[: most - 3] + "..."
