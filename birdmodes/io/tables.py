"""Read the CSV tables that people make: labels, truth."""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path

from birdmodes.errors import BirdmodesError


def read_rows(
    path: Path, columns: Sequence[str], error: type[BirdmodesError]
) -> Iterator[tuple[int, dict[str, str]]]:
    """Read a comma-separated table with a header.

    Encodings as in `read_text`. Letter case and spaces around the names of columns do not matter;
    other columns are passed over, and so are rows without any text in `columns`, which
    spreadsheets leave at the end.

    Parameters
    ----------
    path : pathlib.Path
        The file.
    columns : sequence of str
        Names that the header must have.
    error : type
        What to raise, with the file, the line and what to do.

    Yields
    ------
    line : int
        The row's line in the file, from 1.
    values : dict
        Cells of `columns`, without spaces around them.
    """
    yield from rows_of(read_text(path, error), path, columns, error)


def rows_of(
    text: str,
    path: Path,
    columns: Sequence[str],
    error: type[BirdmodesError],
    optional: Sequence[str] = (),
) -> Iterator[tuple[int, dict[str, str]]]:
    """Read the content of a table, as `read_rows`.

    Parameters
    ----------
    text : str
        The content.
    path : pathlib.Path
        The file, for messages.
    columns : sequence of str
        Names that the header must have.
    error : type
        What to raise, with the file, the line and what to do.
    optional : sequence of str
        Names that it may have.

    Yields
    ------
    line : int
        The row's line in the file, from 1.
    values : dict
        Cells of `columns` and `optional`, without spaces around them; empty if there are none.
    """
    # Strict: a quote that is never closed would swallow the rest of the table.
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    try:
        found = [name.strip().lower() for name in reader.fieldnames or []]
        missing = [name for name in columns if name not in found]
        if missing:
            raise error(
                f"{path}: no column {' and no column '.join(missing)} (found: "
                f"{', '.join(found) or 'nothing'}); the first line must be '{','.join(columns)}', "
                "separated by commas"
            )
        reader.fieldnames = found
        for row in reader:
            if None in row:
                raise error(
                    f"{path}, line {reader.line_num}: more cells than columns; put names that "
                    "contain a comma in quotes, and separate several names in a cell by ';'"
                )
            values = {name: (row.get(name) or "").strip() for name in (*columns, *optional)}
            if any(values[name] for name in columns):
                yield reader.line_num, values
    except csv.Error as reason:
        raise error(
            f"{path}, line {reader.line_num + 1}: not a CSV table ({reason}); look for a quote "
            "that does not belong there, or save it as CSV"
        ) from reason


def read_header(path: Path, error: type[BirdmodesError]) -> list[str]:
    """Names of a table's columns as `read_rows` knows them: small letters, no spaces around.

    Parameters
    ----------
    path : pathlib.Path
        The file.
    error : type
        What to raise if it cannot be read.
    """
    try:
        header = next(csv.reader(io.StringIO(read_text(path, error), newline="")), [])
    except csv.Error as reason:
        raise error(f"{path}, line 1: not a CSV table ({reason}); save it as CSV") from reason
    return [name.strip().lower() for name in header]


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
        return decoded(path, path.read_bytes(), error)
    except OSError as reason:
        raise error(f"{path}: cannot be read ({reason.strerror or reason})") from reason


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
        raise error(f"{path}: not a text file; save it as CSV or text in UTF-8")
    return text
