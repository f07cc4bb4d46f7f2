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

_MOST_ROWS = 1_048_576
_NO_MOMENT = b">1980-01-01T00:00:00Z<"


def write_excel(path: Path, table: Table) -> None:
    """Write a table of `syllable_table` as a spreadsheet (.xlsx).

    Raises
    ------
    BirdmodesError
        If openpyxl is not installed, or there are more rows than a sheet can hold.
    """
    try:
        import openpyxl  # type: ignore[import-untyped]
    except ImportError as reason:
        raise BirdmodesError(
            "--format excel needs openpyxl: install birdmodes[excel], or use --format csv --bom"
        ) from reason
    n = len(table["syllable"])
    if n >= _MOST_ROWS:
        raise BirdmodesError(
            f"{n} syllables are more than a sheet of Excel can hold ({_MOST_ROWS}); "
            "use --format parquet or csv, or choose --species"
        )
    safe = safe_table(table, one_line)
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("syllables")
    sheet.freeze_panes = "A2"
    sheet.append(list(table))
    for row in zip(*map(_python_cells, safe.values()), strict=True):
        sheet.append(row)
    with tempfile.TemporaryFile() as saved:
        book.save(saved)
        _copy_without_moments(saved, path)


def _python_cells(column: Any) -> list[Any]:
    """Cells as Python has them, None where one is missing."""
    if isinstance(column, pa.Array):
        return [None if cell != cell else cell for cell in column.to_pylist()]
    found: list[Any] = column.astype(object).where(column.notna(), None).tolist()
    return found


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
