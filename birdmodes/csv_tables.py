"""Read the CSV tables that people make: labels, truth."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path

from birdmodes.errors import BirdmodesError


def read_rows(
    path: Path, columns: Sequence[str], error: type[BirdmodesError]
) -> Iterator[tuple[int, dict[str, str]]]:
    """Read a comma-separated table with a header.

    UTF-8 with or without its mark, else Windows-1252. Letter case and spaces around the names of
    columns do not matter; other columns are passed over, and so are rows without any text in
    `columns`, which spreadsheets leave at the end.

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
    reader = csv.DictReader(io.StringIO(_read_text(path, error), newline=""))
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
            values = {name: (row[name] or "").strip() for name in columns}
            if any(values.values()):
                yield reader.line_num, values
    except csv.Error as reason:
        raise error(
            f"{path}, line {reader.line_num + 1}: not a CSV table ({reason}); save it as CSV"
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
        header = next(csv.reader(io.StringIO(_read_text(path, error), newline="")), [])
    except csv.Error as reason:
        raise error(f"{path}, line 1: not a CSV table ({reason}); save it as CSV") from reason
    return [name.strip().lower() for name in header]


def _read_text(path: Path, error: type[BirdmodesError]) -> str:
    try:
        raw = path.read_bytes()
    except OSError as reason:
        raise error(f"{path}: cannot be read ({reason.strerror or reason})") from reason
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return raw.decode("cp1252", errors="replace")
