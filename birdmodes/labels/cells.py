"""Label files as lines of cells: what separates them, what the columns are called, numbers."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from birdmodes.errors import LabelError
from birdmodes.io.printing import shown

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?", re.ASCII | re.IGNORECASE)
_MOST_LETTERS = 60


@dataclass(frozen=True)
class Header:
    """The first line of a label file.

    Attributes
    ----------
    line : int
        Its line in the file, from 1.
    delimiter : str
        What separates its cells.
    names : tuple of str
        Its cells as written, without spaces around them.
    keys : tuple of str
        The same in small letters, without the marks that some programs add: what a column is
        looked for by.
    """

    line: int
    delimiter: str
    names: tuple[str, ...]
    keys: tuple[str, ...]

    def has(self, *columns: str) -> bool:
        """Whether there are columns of all these keys."""
        return all(column in self.keys for column in columns)

    def index(self, column: str) -> int:
        """Place of a column, given by its key."""
        return self.keys.index(column)

    def listed(self) -> str:
        """Names of the columns, for an error message."""
        return shorten(", ".join(name for name in self.names if name) or "nothing", 200)


def column_key(name: str) -> str:
    """What a column is looked for by: ``;Common  name`` and ``Common Name*`` are one."""
    return " ".join(name.strip(" \t\"';*\ufeff").split()).casefold()


def read_header(text: str) -> Header:
    """Take the first line with any text apart: at tabs, else semicolons or commas."""
    for number, line in enumerate(io.StringIO(text), start=1):
        if line.strip():
            delimiter = _delimiter(line)
            names = tuple(cell.strip() for cell in _split(line, delimiter))
            return Header(number, delimiter, names, tuple(column_key(name) for name in names))
    return Header(1, ",", (), ())


def _delimiter(line: str) -> str:
    if "\t" in line:
        return "\t"
    return ";" if line.count(";") > line.count(",") else ","


def _split(line: str, delimiter: str) -> list[str]:
    if delimiter == "\t":
        return [_unquoted(cell) for cell in line.rstrip("\r\n").split("\t")]
    try:
        return next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error:
        return line.split(delimiter)


def _unquoted(cell: str) -> str:
    """Take off the quotes that a spreadsheet puts around a cell with a comma in it."""
    cell = cell.strip()
    if len(cell) > 1 and cell[0] == cell[-1] == '"':
        return cell[1:-1].replace('""', '"').strip()
    return cell


def read_cells(path: Path, text: str, header: Header) -> Iterator[tuple[int, list[str]]]:
    """Rows below the header that have any text.

    Parameters
    ----------
    path : pathlib.Path
        The file, for messages.
    text : str
        Its content.
    header : Header
        What `read_header` gave for it.

    Yields
    ------
    line : int
        The row's line in the file, from 1.
    cells : list of str
        Its cells without spaces around them, as many as there are columns. If there is text in
        more of them, all as they are.

    Raises
    ------
    LabelError
        If the quotes of a CSV file cannot be understood.
    """
    n_columns = len(header.names)
    for line, row in _rows(path, text, header.delimiter):
        if line <= header.line:
            continue
        cells = [cell.strip() for cell in row]
        while len(cells) > n_columns and not cells[-1]:
            cells.pop()
        if len(cells) > n_columns:
            yield line, row[: len(cells)]
        elif any(cells):
            yield line, cells + [""] * (n_columns - len(cells))


def _rows(path: Path, text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    if delimiter == "\t":
        for line, content in enumerate(io.StringIO(text, newline=None), start=1):
            yield line, _split(content, delimiter)
        return
    # Strict: a quote that is never closed would swallow the rest of the table.
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        for row in reader:
            yield reader.line_num, row
    except csv.Error as reason:
        raise LabelError(
            f"{shown(path)}, line {reader.line_num + 1}: not a CSV table ({reason}); "
            "look for a quote that does not belong there, or save it as CSV"
        ) from reason


def number(path: Path, line: int, column: str, cell: str) -> float:
    """Read a number.

    Raises
    ------
    LabelError
        If it is not one, such as one with a decimal comma.
    """
    value = float(cell) if _NUMBER.fullmatch(cell) else math.inf
    if not math.isfinite(value):
        what = f"is {shorten(cell)!r}, which is not a number" if cell else "is empty"
        hint = "; write it with a decimal point" if "," in cell else ""
        raise LabelError(f"{shown(path)}, line {line}: {shorten(column)!r} {what}{hint}")
    return value


def times(
    path: Path, line: int, columns: tuple[str, str], cells: tuple[str, str]
) -> tuple[float, float]:
    """Read the begin and the end of a label (s).

    Raises
    ------
    LabelError
        If they are not numbers, or the end comes first.
    """
    start_s = number(path, line, columns[0], cells[0])
    end_s = number(path, line, columns[1], cells[1])
    check_order(path, line, start_s, end_s)
    return start_s, end_s


def check_order(path: Path, line: int, start_s: float, end_s: float) -> None:
    """Raise LabelError if a label ends before it begins."""
    if end_s < start_s:
        raise LabelError(
            f"{shown(path)}, line {line}: the label ends ({end_s:g} s) before it begins "
            f"({start_s:g} s)"
        )


def confidence(path: Path, line: int, column: str, cell: str) -> float | None:
    """Read a confidence, 0 to 1; None if there is none.

    Raises
    ------
    LabelError
        If it is not such a number.
    """
    if not cell:
        return None
    value = number(path, line, column, cell)
    if not 0.0 <= value <= 1.0:
        raise LabelError(
            f"{shown(path)}, line {line}: {column!r} is {shorten(cell)}, not a number from 0 to 1"
        )
    return value


def chosen_column(path: Path, header: Header, column: str) -> str:
    """Key of the column that the user named.

    Raises
    ------
    LabelError
        If there is none.
    """
    key = column_key(column)
    if not key or key not in header.keys:
        raise LabelError(
            f"{shown(path)}: no column {column!r} (--label-column) (found: {header.listed()})"
        )
    return key


def no_label_column(path: Path, header: Header, candidates: Sequence[str] = ()) -> LabelError:
    """Error for a table in which it is not clear which column names the species."""
    if candidates:
        several = ", ".join(header.names[header.index(key)] for key in candidates)
        why = f"several columns may name the species ({several})"
    else:
        why = f"which column names the species is not clear (found: {header.listed()})"
    return LabelError(f"{shown(path)}: {why}; say which with --label-column")


def shorten(text: str, most: int = _MOST_LETTERS) -> str:
    """Text for an error message: one line, not too long."""
    line = shown(text)
    return line if len(line) <= most else line[: most - 3] + "..."
