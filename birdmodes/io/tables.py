"""The one reader of delimited text: what separates its cells, its columns, its rows."""

from __future__ import annotations

import csv
import io
import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from birdmodes.errors import BirdmodesError
from birdmodes.io.numbers import Numbers
from birdmodes.io.printing import shown
from birdmodes.io.text import read_text, shorten

# Excel's own first line of a CSV file.
_SEPARATOR_TOLD = re.compile(r"\ufeff?\"?sep=([,;|\t])\"?", re.IGNORECASE)

# Rows that tell whether the line of names is one short.
_LOOKED_AT = 5
_ROW_NUMBER = re.compile(r'"\d+"')


@dataclass(frozen=True)
class Header:
    """The first line of a table.

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

    def first(self, columns: Sequence[str]) -> int | None:
        """Place of the first of these columns that is there, given by their keys."""
        return next((self.index(key) for key in columns if key and key in self.keys), None)

    def listed(self) -> str:
        """Names of the columns, for an error message."""
        return shorten(", ".join(name for name in self.names if name) or "nothing", 200)


def column_key(name: str) -> str:
    """What a column is looked for by: ``;Common  name`` and ``Common Name*`` are one."""
    return " ".join(name.strip(" \t\"';*\ufeff").split()).casefold()


class Table:
    """A table of a file, in commas, semicolons, tabs or bars as its first line has them.

    Parameters
    ----------
    path : pathlib.Path
        The file, for messages.
    text : str
        Its content.
    error : type
        What to raise, with the file, the line and what to do.
    columns : sequence of str, optional
        Names of the columns of a table in tabs that has no line of names.
    title_lines : int
        Lines above that of the names, such as a title.

    Attributes
    ----------
    header : Header
        Its first line with any text.
    notes : list of str
        What the user should know of how it was read, for readers to add to.
    """

    def __init__(
        self,
        path: Path,
        text: str,
        error: type[BirdmodesError],
        columns: Sequence[str] | None = None,
        title_lines: int = 0,
    ) -> None:
        self.path = path
        self.error = error
        self.notes: list[str] = []
        self._text = text
        if columns is None:
            self.header = _read_header(text, title_lines)
            self._name_row_numbers()
        else:
            self.header = _header(0, "\t", columns)
        self._numbers = Numbers(path, error)

    def wrong(self, line: int, what: str) -> BirdmodesError:
        """Error about a line."""
        return self.error(f"{shown(self.path)}, line {line}: {what}")

    def number(self, line: int, column: int, cell: str, advice: str = "") -> float:
        """Read a number of the column at a place; see `Numbers.read`."""
        return self._numbers.read(line, self.header.names[column], cell, advice)

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """Rows below the header that have any text.

        Yields
        ------
        line : int
            The row's line in the file, from 1.
        cells : list of str
            Its cells without spaces around them, as many as there are columns. If there is text
            in more of them, all as they are.

        Raises
        ------
        BirdmodesError
            If the quotes of a CSV file cannot be understood.
        """
        n_columns = len(self.header.names)
        for line, row in self._all_rows():
            if line <= self.header.line:
                continue
            cells = [cell.strip() for cell in row]
            while len(cells) > n_columns and not cells[-1]:
                cells.pop()
            if len(cells) > n_columns:
                yield line, row[: len(cells)]
            elif any(cells):
                yield line, cells + [""] * (n_columns - len(cells))

    def records(
        self, columns: Sequence[str], optional: Sequence[str] = ()
    ) -> Iterator[tuple[int, dict[str, str]]]:
        """Cells of some columns of every row that has text in them.

        Parameters
        ----------
        columns : sequence of str
            Keys of columns that must be there.
        optional : sequence of str
            Keys of columns that may be there.

        Yields
        ------
        line : int
            The row's line in the file, from 1.
        values : dict
            Cells of `columns` and `optional`, without spaces around them; empty if there are none.

        Raises
        ------
        BirdmodesError
            If a column is missing, or a row has more cells than there are columns.
        """
        self.require(columns)
        places = {
            name: self.header.index(name) if self.header.has(name) else None
            for name in (*columns, *optional)
        }
        for line, cells in self.rows():
            if len(cells) > len(self.header.names):
                raise self.too_many_cells(line)
            values = {name: "" if place is None else cells[place] for name, place in places.items()}
            if any(values[name] for name in columns):
                yield line, values

    def too_many_cells(self, line: int) -> BirdmodesError:
        """Error about a row with more cells than there are columns."""
        sign = self.header.delimiter
        quotes = "put names that contain a comma in quotes, and " if sign == "," else ""
        if sign == ";":
            quotes = "put several names in a cell in quotes, "
        return self.wrong(
            line, f"more cells than columns; {quotes}separate several names in a cell by ';'"
        )

    def require(self, columns: Sequence[str]) -> None:
        """Raise the table's error unless all these columns are there."""
        missing = [name for name in columns if name not in self.header.keys]
        if missing:
            raise self.error(
                f"{shown(self.path)}: no column {' and no column '.join(missing)} (found: "
                f"{self.header.listed()}); the first line must be '{','.join(columns)}', "
                "separated by commas, semicolons or tabs"
            )

    def _name_row_numbers(self) -> None:
        """Give the first column an empty name where R left it out: rows begin with "1", "2" ..."""
        below = itertools.islice(io.StringIO(self._text, newline=None), self.header.line, None)
        rows = list(itertools.islice(filter(str.strip, below), _LOOKED_AT))
        one_more = len(self.header.names) + 1
        if rows and all(
            _ROW_NUMBER.match(row) and len(_split(row, self.header.delimiter)) == one_more
            for row in rows
        ):
            names = ("", *self.header.names)
            self.header = _header(self.header.line, self.header.delimiter, names)

    def _all_rows(self) -> Iterator[tuple[int, list[str]]]:
        delimiter = self.header.delimiter
        if delimiter == "\t":
            for line, content in enumerate(io.StringIO(self._text, newline=None), start=1):
                yield line, _split(content, delimiter)
            return
        # Strict: a quote that is never closed would swallow the rest of the table.
        lines = io.StringIO(self._text, newline="")
        reader = csv.reader(lines, delimiter=delimiter, strict=True)
        last = 0
        try:
            for row in reader:
                last = reader.line_num
                yield last, row
        except csv.Error as reason:
            raise self.wrong(
                last + 1,
                f"not a CSV table ({reason}); look for a quote that does not belong there, or "
                "save it as CSV",
            ) from reason


class RowsTable(Table):
    """A table whose cells are apart already, as those of a spreadsheet.

    Parameters
    ----------
    path : pathlib.Path
        The file, for messages.
    rows : sequence of sequence of str
        Its rows, the one of the names among them: the first with at least two cells filled, or
        else the first with one.
    error : type
        What to raise.
    title_lines : int
        Rows above that of the names, such as a title.
    """

    def __init__(
        self,
        path: Path,
        rows: Sequence[Sequence[str]],
        error: type[BirdmodesError],
        title_lines: int = 0,
    ) -> None:
        place = title_lines + _header_row(rows[title_lines:])
        super().__init__(path, "", error, _trimmed(rows[place]) if place < len(rows) else ())
        line = place + 1 if place < len(rows) else 0
        self.header = Header(line, "\t", self.header.names, self.header.keys)
        self._rows = rows

    def _all_rows(self) -> Iterator[tuple[int, list[str]]]:
        for line, row in enumerate(self._rows, start=1):
            yield line, list(row)


def _header_row(rows: Sequence[Sequence[str]]) -> int:
    filled = [sum(bool(cell.strip()) for cell in row) for row in rows]
    for least in (2, 1):
        for place, count in enumerate(filled):
            if count >= least:
                return place
    return 0


def _trimmed(cells: Sequence[str]) -> Sequence[str]:
    last = max((place for place, cell in enumerate(cells) if cell.strip()), default=-1)
    return cells[: last + 1]


def _read_header(text: str, title_lines: int) -> Header:
    """Take the first line with any text apart: at tabs, else what is there most often."""
    delimiter = ""
    for number, line in enumerate(io.StringIO(text, newline=None), start=1):
        told = _SEPARATOR_TOLD.fullmatch(line.rstrip("\n"))
        if told:
            delimiter = told[1]
        elif line.strip() and number > title_lines:
            delimiter = delimiter or _delimiter(line)
            return _header(number, delimiter, _split(line, delimiter))
    return _header(1, ",", ())


def _header(line: int, delimiter: str, cells: Sequence[str]) -> Header:
    names = tuple(cell.strip() for cell in cells)
    return Header(line, delimiter, names, tuple(column_key(name) for name in names))


def _delimiter(line: str) -> str:
    if "\t" in line:
        return "\t"
    return max(",;|", key=line.count)


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


def read_table(path: Path, error: type[BirdmodesError]) -> Table:
    """Read a file with a table; encodings as in `birdmodes.io.text.read_text`.

    Parameters
    ----------
    path : pathlib.Path
        The file.
    error : type
        What to raise, with the file, the line and what to do.
    """
    return Table(path, read_text(path, error), error)


def read_rows(
    path: Path, columns: Sequence[str], error: type[BirdmodesError]
) -> Iterator[tuple[int, dict[str, str]]]:
    """Read some columns of a file with a table; see `read_table` and `Table.records`.

    Letter case and spaces around the names of columns do not matter; other columns are passed
    over, and so are rows without any text in `columns`, which spreadsheets leave at the end.
    """
    yield from read_table(path, error).records(columns)
