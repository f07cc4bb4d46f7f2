"""Cells of label files: times, confidences, the column that names the species."""

from __future__ import annotations

from collections.abc import Sequence

from birdmodes.errors import BirdmodesError
from birdmodes.io.printing import shown
from birdmodes.io.tables import Table, column_key
from birdmodes.io.text import shorten


def times(
    table: Table, line: int, columns: tuple[int, int], cells: Sequence[str]
) -> tuple[float, float]:
    """Read the begin and the end of a label (s).

    Parameters
    ----------
    table : Table
        The file.
    line : int
        The row's line in it.
    columns : tuple of int
        Places of the two columns.
    cells : sequence of str
        The row.

    Raises
    ------
    BirdmodesError
        If they are not numbers, or the end comes first.
    """
    start_s, end_s = (table.number(line, column, cells[column]) for column in columns)
    check_order(table, line, start_s, end_s)
    return start_s, end_s


def check_order(table: Table, line: int, start_s: float, end_s: float) -> None:
    """Raise the table's error if a label ends before it begins."""
    if end_s < start_s:
        raise table.wrong(line, f"the label ends ({end_s:g} s) before it begins ({start_s:g} s)")


def confidence(table: Table, line: int, column: int, cell: str) -> float | None:
    """Read a confidence, 0 to 1; None if there is none.

    Raises
    ------
    BirdmodesError
        If it is not such a number.
    """
    if not cell:
        return None
    value = table.number(line, column, cell)
    if not 0.0 <= value <= 1.0:
        name = table.header.names[column]
        raise table.wrong(line, f"{name!r} is {shorten(cell)}, not a number from 0 to 1")
    return value


def chosen_column(table: Table, column: str) -> int:
    """Place of the column that the user named.

    Raises
    ------
    BirdmodesError
        If there is none.
    """
    key = column_key(column)
    if not key or not table.header.has(key):
        raise table.error(
            f"{shown(table.path)}: no column {column!r} (--label-column) (found: "
            f"{table.header.listed()})"
        )
    return table.header.index(key)


def no_label_column(table: Table, candidates: Sequence[int] = ()) -> BirdmodesError:
    """Error for a table in which it is not clear which column names the species."""
    if candidates:
        several = ", ".join(table.header.names[place] for place in candidates)
        why = f"several columns may name the species ({several})"
    else:
        why = f"which column names the species is not clear (found: {table.header.listed()})"
    return table.error(f"{shown(table.path)}: {why}; say which with --label-column")
