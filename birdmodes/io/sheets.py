"""Tables that are not text: spreadsheets, Parquet, JSON; their cells become text."""

from __future__ import annotations

import datetime
import io
import json
import math
import re
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from birdmodes.errors import BirdmodesError
from birdmodes.io.printing import shown

SHEET_MARKS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
"""First bytes of .xlsx and .ods, and of .xls."""

PARQUET_MARK = b"PAR1"

# A formula of which no value was kept: that of text may be empty.
_UNSAVED = re.compile(
    rb"<(?:\w+:)?c\b(?![^>]*\bt=\"str\")[^>]*?\br=\"([A-Z]+\d+)\"[^>]*>\s*"
    rb"<(?:\w+:)?f\b(?:[^>]*/>|[^>]*>[^<]*</(?:\w+:)?f>)\s*"
    rb"(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v>\s*</(?:\w+:)?v>)?\s*</(?:\w+:)?c>"
)

Rows = list[list[str]]


@dataclass(frozen=True)
class Sheet:
    """A sheet of a spreadsheet.

    Attributes
    ----------
    rows : list of list of str
        Its rows; cells are text.
    hidden : bool
        Whether spreadsheet programs do not show it.
    """

    rows: Rows
    hidden: bool = False


def read_sheets(path: Path, raw: bytes, error: type[BirdmodesError]) -> dict[str, Sheet]:
    """Read the sheets of a spreadsheet (.xlsx, .xls, .ods) that are not empty.

    Cells that are merged downwards all have what is written there. Hidden sheets come last.

    Parameters
    ----------
    path : pathlib.Path
        The file, for messages.
    raw : bytes
        Its content.
    error : type
        What to raise if it cannot be read.

    Returns
    -------
    dict of str to Sheet
        By their names.
    """
    try:
        import python_calamine
    except ImportError as reason:
        raise error(
            f"{shown(path)}: reading spreadsheets needs python-calamine; install "
            "birdmodes[excel], or save the sheet as CSV"
        ) from reason
    try:
        book = python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(raw))
        hidden = {sheet.name for sheet in book.sheets_metadata if "Hidden" in str(sheet.visible)}
        sheets = {
            name: Sheet(_sheet_rows(book.get_sheet_by_name(name)), name in hidden)
            for name in sorted(book.sheet_names, key=hidden.__contains__)
        }
    except (python_calamine.CalamineError, OSError, ValueError) as reason:
        raise error(
            f"{shown(path)}: not a spreadsheet that can be read ({reason}); save it as .xlsx or CSV"
        ) from reason
    return {name: sheet for name, sheet in sheets.items() if any(map(any, sheet.rows))}


def unsaved_formulas(raw: bytes) -> list[str]:
    """Find the cells of an .xlsx file with formulas whose values were not saved.

    Programs that do not calculate write them (openpyxl); they are read as empty.

    Parameters
    ----------
    raw : bytes
        Content of a spreadsheet that can be read; of other kinds there are none.

    Returns
    -------
    list of str
        As in ["B2", "B3"], of all sheets.
    """
    if not zipfile.is_zipfile(io.BytesIO(raw)):
        return []
    with zipfile.ZipFile(io.BytesIO(raw)) as book:
        parts = [name for name in book.namelist() if name.startswith("xl/worksheets/")]
        return [cell.decode() for name in parts for cell in _UNSAVED.findall(book.read(name))]


def _sheet_rows(sheet: Any) -> Rows:
    rows = _texts(sheet.to_python(skip_empty_area=False))
    # of .xls and .ods calamine does not know them
    for (top, left), (bottom, _) in sheet.merged_cell_ranges or ():
        for row in rows[top + 1 : bottom + 1]:
            row[left] = rows[top][left]
    return rows


def read_parquet(path: Path, raw: bytes, error: type[BirdmodesError]) -> Rows:
    """Read a Parquet file: the names of its columns, then its rows."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(pa.BufferReader(raw))
    except (pa.ArrowException, OSError) as reason:
        what = " ".join(str(reason).split())
        raise error(f"{shown(path)}: damaged ({what}); make it again") from reason
    columns = [column.to_pylist() for column in table.columns]
    return [list(table.column_names), *_texts(zip(*columns, strict=True))]


def read_records(path: Path, text: str, error: type[BirdmodesError]) -> Rows | None:
    """Read JSON lines, a JSON list of objects, or JSON by columns, as pandas writes them.

    Returns
    -------
    list of list of str or None
        The names of the columns, then the rows; None if it is other JSON.
    """
    records: list[Mapping[str, Any]] = []
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        for number, line in enumerate(text.splitlines(), start=1):
            try:
                content = json.loads(line) if line.strip() else {}
            except (ValueError, RecursionError) as reason:
                raise error(
                    f"{shown(path)}, line {number}: not JSON ({reason}); make it again"
                ) from reason
            if not isinstance(content, dict):
                return None
            records += [content] if content else []
    else:
        content = _by_columns(content)
        content = [content] if isinstance(content, dict) and "\n" not in text.strip() else content
        if not isinstance(content, list) or not all(isinstance(each, dict) for each in content):
            return None
        records = content
    names = list(dict.fromkeys(str(name) for record in records for name in record))
    return [names, *_texts([record.get(name) for name in names] for record in records)]


def _by_columns(content: Any) -> Any:
    """Objects of JSON that has whole columns; other content as it is."""
    if not isinstance(content, dict) or not content:
        return content
    if isinstance(content.get("columns"), list) and isinstance(content.get("data"), list):
        return [dict(zip(content["columns"], row, strict=False)) for row in content["data"]]
    columns = list(content.values())
    if all(isinstance(column, dict) for column in columns):
        rows = dict.fromkeys(row for column in columns for row in column)
        return [{name: column.get(row) for name, column in content.items()} for row in rows]
    if all(isinstance(column, list) for column in columns) and len(set(map(len, columns))) == 1:
        return [dict(zip(content, row, strict=True)) for row in zip(*columns, strict=True)]
    return content


def _texts(rows: Iterable[Sequence[Any]]) -> Rows:
    return [[cell_text(value) for value in row] for row in rows]


def cell_text(value: Any) -> str:
    """Write a value as it would stand in a CSV file."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, datetime.datetime | datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, list | tuple):
        return repr([cell_text(each) for each in value])
    return str(value)
