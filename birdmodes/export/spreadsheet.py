"""Spreadsheets (.xlsx): a row per syllable, with all that is known of it."""

from __future__ import annotations

import re
import shutil
import tempfile
import zipfile
from pathlib import Path
from typing import IO, Any

import pyarrow as pa

from birdmodes.errors import BirdmodesError
from birdmodes.export.tables import Table, safe_table
from birdmodes.export.text import one_line
from birdmodes.io import cells

_MOST_ROWS = 1_048_576
_NO_MOMENT = b">1980-01-01T00:00:00Z<"


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
        # Rows go to a file at once: they need not be in memory.
        self._book = openpyxl.Workbook(write_only=True)
        self._sheet = self._book.create_sheet("syllables")
        self._sheet.freeze_panes = "A2"
        self._path = path
        self._n = 0

    def add(self, table: Table) -> None:
        """Add the rows of a table of `birdmodes.export.tables.syllable_table`."""
        if not self._n:
            self._sheet.append(list(table))
        columns = [_values(column) for column in safe_table(table, one_line).values()]
        self._n += len(columns[0])
        if self._n < _MOST_ROWS:
            for row in zip(*columns, strict=True):
                self._sheet.append(row)

    def finish(self) -> None:
        """Write the file.

        Raises
        ------
        BirdmodesError
            If there are more rows than a sheet can hold.
        """
        if self._n >= _MOST_ROWS:
            self._sheet.close()
            raise BirdmodesError(
                f"{self._n} syllables are more than a sheet of Excel can hold ({_MOST_ROWS}); "
                "use --format parquet or csv, or choose --species"
            )
        with tempfile.TemporaryFile() as saved:
            self._book.save(saved)
            _copy_without_moments(saved, self._path)


def _values(column: Any) -> list[Any]:
    """Cells of a column; None where there is nothing."""
    if not isinstance(column, pa.Array):  # features
        column = cells.from_numpy(column.to_numpy(float))
    values: list[Any] = cells.decoded(column).to_pylist()
    return [None if value != value else value for value in values]


def _copy_without_moments(saved: IO[bytes], path: Path) -> None:
    """Copy a spreadsheet so that the same table gives the same bytes, whenever it is written."""
    with zipfile.ZipFile(saved) as old, zipfile.ZipFile(path, "w") as new:
        for part in old.infolist():
            entry = zipfile.ZipInfo(part.filename)
            entry.compress_type, entry.file_size = zipfile.ZIP_DEFLATED, part.file_size
            if part.filename == "docProps/core.xml":
                new.writestr(entry, re.sub(rb">\d{4}-[^<]+Z<", _NO_MOMENT, old.read(part)))
                continue
            with old.open(part) as content, new.open(entry, "w") as copy:
                shutil.copyfileobj(content, copy)
