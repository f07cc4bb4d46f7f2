"""Names in tables must not be taken for formulas.

A spreadsheet takes a cell that begins with ``=``, ``+``, ``-`` or ``@`` for a formula and runs
it, wherever the cell came from. Such a name gets an apostrophe before it, and such a path ``./``,
which names the same file. `unguarded` takes the apostrophe off again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

# The wide forms are taken for the plain ones by some spreadsheets; spaces before are passed over.
_FORMULA = re.compile(r"[\s']*[=+\-@＝＋－＠]")
_MANY = 500


def guarded(name: str) -> str:
    """Put an apostrophe before a text that a spreadsheet would run as a formula.

    Parameters
    ----------
    name : str
        Any text.

    Returns
    -------
    str
        The text itself, unless it begins with ``=``, ``+``, ``-`` or ``@`` after any spaces and
        apostrophes.
    """
    return f"'{name}" if _FORMULA.match(name) else name


def unguarded(name: str) -> str:
    """Give back what `guarded` was given."""
    return name[1:] if name.startswith("'") and _FORMULA.match(name) else name


def guarded_path(path: str) -> str:
    """Put ``./`` before a relative path that a spreadsheet would run as a formula."""
    return f"./{path}" if _FORMULA.match(path) else path


def unguarded_path(path: str) -> str:
    """Give back what `guarded_path` was given, unless that began with ``./`` already."""
    return path[2:] if path.startswith("./") and _FORMULA.match(path[2:]) else path


def guarded_table(table: pd.DataFrame, paths: Collection[str]) -> pd.DataFrame:
    """Guard every column of text.

    Parameters
    ----------
    table : pandas.DataFrame
        Any.
    paths : collection of str
        Those of its columns, if they are there, that hold relative paths; see `guarded_path`.
    """
    return _changed(
        table, {str(name): guarded_path if name in paths else guarded for name in table}, _strange
    )


def unguarded_table(table: pd.DataFrame, paths: Collection[str]) -> pd.DataFrame:
    """Give back what `guarded_table` was given."""
    return _changed(
        table,
        {str(name): unguarded_path if name in paths else unguarded for name in table},
        _marked,
    )


def unguarded_part(table: pa.Table, paths: Collection[str]) -> pa.Table:
    """Give back what `guarded_table` was given, of a table of Arrow."""
    import pyarrow as pa
    import pyarrow.compute as pc

    from birdmodes.io import cells

    for place, name in enumerate(table.column_names):
        column = table[name]
        if not pa.types.is_string(column.type):
            continue
        if not any(cells.begin_with(chunk, "'.") for chunk in column.chunks):
            continue
        column = column.combine_chunks()
        marked = pc.or_(*(pc.starts_with(column, mark) for mark in ("'", "./")))
        way = unguarded_path if name in paths else unguarded
        changed = cells.from_texts(map(way, column.filter(marked).to_pylist()))
        table = table.set_column(place, name, pc.replace_with_mask(column, marked, changed))
    return table


def _changed(
    table: pd.DataFrame,
    ways: Mapping[str, Callable[[str], str]],
    suspects: Callable[[pd.Series], pd.Series],
) -> pd.DataFrame:
    changed = {}
    for name, way in ways.items():
        column = table[name]
        if column.dtype.kind not in "biuf":
            # Of a million texts it is told in a tenth of the time that it takes to look at each.
            many = len(column) > _MANY and column.dtype == "str"
            some = column[suspects(column).astype(bool)] if many else column
            # Each different one is worked on once; nearly always none is changed.
            texts = [text for text in some.unique() if isinstance(text, str)]
            new = {text: way(text) for text in texts if way(text) != text}
            if new:
                changed[name] = column.map(lambda text, new=new: new.get(text, text))
    return table.assign(**changed)


def _strange(column: pd.Series) -> pd.Series:
    return ~column.str.match("[A-Za-z0-9]")


def _marked(column: pd.Series) -> pd.Series:
    return column.str.startswith(("'", "./"))
