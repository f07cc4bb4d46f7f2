"""Spreadsheets (.xlsx): a row per syllable, with all that is known of it.

openpyxl writes the workbook around the rows; these are written here, a column at a time, as it
writes them a cell at a time in twenty times the time.
"""

from __future__ import annotations

import re
import shutil
import tempfile
import zipfile
from pathlib import Path
from typing import IO, Any
from xml.sax.saxutils import escape

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from birdmodes.errors import BirdmodesError
from birdmodes.export.tables import Table, safe_table
from birdmodes.export.text import one_line
from birdmodes.io import cells

_MOST_ROWS = 1_048_576
_LONGEST = 32_767
_NO_MOMENT = b">1980-01-01T00:00:00Z<"
_SHEET = "xl/worksheets/sheet1.xml"
_END = b"</sheetData>"
_BLOCK = 50_000

_TEXT, _TEXT_END = '" t="inlineStr"><is><t>', "</t></is></c>"
_TEXT_AS_IT_IS = '" t="inlineStr"><is><t xml:space="preserve">'
_STRANGE = r"^$|^[^!-~]|[^!-~]$|[&<>]|^#"
"""What may need more than to be put between the two."""

_ERRORS = ("#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#N/A")


class Spreadsheet:
    """A spreadsheet that tables are added to.

    Parameters
    ----------
    path : pathlib.Path
        The file.

    Raises
    ------
    BirdmodesError
        If openpyxl is not installed.
    """

    def __init__(self, path: Path) -> None:
        try:
            import openpyxl  # type: ignore[import-untyped]
        except ImportError as reason:
            raise BirdmodesError(
                "--format excel needs openpyxl: install birdmodes[excel], or use --format csv --bom"
            ) from reason
        self._book = openpyxl.Workbook(write_only=True)
        self._path = path
        self._columns: list[str] = []
        self._n = 0
        self._rows: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  closed by `finish`

    def add(self, blocks: list[bytes], columns: list[str], n: int) -> None:
        """Add `n` rows of `row_blocks`."""
        self._columns = columns
        self._n += n
        if self._n < _MOST_ROWS:
            self._rows.writelines(blocks)

    def finish(self) -> None:
        """Write the file.

        Raises
        ------
        BirdmodesError
            If there are more rows than a sheet can hold.
        """
        with self._rows:
            if self._n >= _MOST_ROWS:
                raise BirdmodesError(
                    f"{self._n} syllables are more than a sheet of Excel can hold ({_MOST_ROWS}); "
                    "use --format parquet or csv, or choose --species"
                )
            sheet = self._book.create_sheet("syllables")
            sheet.freeze_panes = "A2"
            sheet.append(self._columns)
            with tempfile.TemporaryFile() as saved:
                self._book.save(saved)
                self._copy(saved)

    def _copy(self, saved: IO[bytes]) -> None:
        """Copy a workbook, with the rows, and the same bytes whenever it is written."""
        with zipfile.ZipFile(saved) as old, zipfile.ZipFile(self._path, "w") as new:
            for part in old.infolist():
                content = old.read(part)
                entry = zipfile.ZipInfo(part.filename)
                entry.compress_type = zipfile.ZIP_DEFLATED
                if part.filename == "docProps/core.xml":
                    content = re.sub(rb">\d{4}-[^<]+Z<", _NO_MOMENT, content)
                if part.filename != _SHEET:
                    new.writestr(entry, content)
                    continue
                before, after = content.split(_END)
                entry.file_size = len(content) + self._rows.tell()
                self._rows.seek(0)
                with new.open(entry, "w") as copy:
                    copy.write(before)
                    shutil.copyfileobj(self._rows, copy)
                    copy.write(_END + after)


def row_blocks(table: Table, first: int) -> list[bytes]:
    """Write rows of a table of `birdmodes.export.tables.syllable_table`.

    Parameters
    ----------
    table : mapping of str to pyarrow.Array
        The table.
    first : int
        Rows that come before, that with the names of the columns not counted.
    """
    columns = [_xml(column) for column in safe_table(table, one_line).values()]
    n = len(table["syllable"])
    return [
        bytes(cells.view(_rows(columns, start, min(start + _BLOCK, n), first)))
        for start in range(0, n, _BLOCK)
    ]


def _rows(columns: list[pa.Array], first: int, stop: int, before: int) -> pa.StringArray:
    """Write some rows; a cell is what follows its place in the XML, and null is none."""
    # The row with the names of the columns is the first.
    number = cells.from_numpy(np.arange(before + first, before + stop) + 2).cast(pa.string())
    nothing = _scalar("")
    written = []
    for place, column in enumerate(columns):
        begin = _scalar(f'<c r="{_letters(place)}')
        found = cells.decoded(column[first:stop])
        written.append(pc.binary_join_element_wise(begin, number, found, nothing))
    begin, middle, end = map(_scalar, ('<row r="', '">', "</row>"))
    return pc.binary_join_element_wise(
        begin, number, middle, *written, end, nothing, null_handling="replace"
    )


def _scalar(text: str) -> pa.StringScalar:
    return cells.from_texts([text])[0]


def _letters(place: int) -> str:
    """Name a column: A to Z, AA, AB, ..."""
    before, last = divmod(place, 26)
    return (_letters(before - 1) if before else "") + chr(ord("A") + last)


def _xml(column: Any) -> pa.Array:
    """What stands in each cell behind its place."""
    if not isinstance(column, pa.Array):  # features
        column = cells.from_numpy(column.to_numpy(np.float64))
    if isinstance(column, pa.DictionaryArray):
        return cells.coded(column.indices, _xml(column.dictionary))
    if not cells.is_text(column):
        numbers = cells.numbers_of(column).tolist()
        return cells.from_texts(_number_xml(number) for number in numbers)
    plain = pc.binary_join_element_wise(_scalar(_TEXT), column, _scalar(_TEXT_END), _scalar(""))
    strange = pc.or_(
        pc.match_substring_regex(column, _STRANGE),
        pc.greater(pc.binary_length(column), cells.from_numpy(np.array([_LONGEST], np.int32))[0]),
    )
    if not pc.any(strange).as_py():
        return plain
    changed = cells.from_texts(map(_text_xml, column.filter(strange).to_pylist()))
    return pc.replace_with_mask(plain, strange, changed)


def _number_xml(number: float) -> str | None:
    return None if number != number else f'" t="n"><v>{number:.16g}</v></c>'


def _text_xml(text: str) -> str:
    if not text:
        return '" t="inlineStr" />'
    text = text[:_LONGEST]
    if text in _ERRORS:
        return f'" t="e"><v>{text}</v></c>'
    begin = _TEXT if text == text.strip() or not text.strip() else _TEXT_AS_IT_IS
    return f"{begin}{escape(text)}{_TEXT_END}"
