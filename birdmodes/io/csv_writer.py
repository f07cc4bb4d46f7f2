"""Writing tables as CSV that every reader takes apart again, whatever is in the names."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

ROWS = 50_000
"""Written at a time."""


def to_csv(
    path: Path,
    table: pd.DataFrame,
    *,
    quoted: bool = False,
    float_format: str | None = None,
    encoding: str = "utf-8",
    missing: str = "",
    append: bool = False,
) -> None:
    r"""Write a table as CSV: commas, lines that end in ``\n``, quotes where needed.

    Parameters
    ----------
    path : pathlib.Path
        Where.
    table : pandas.DataFrame
        What, without its index.
    quoted : bool
        Put all texts in quotes, also what stands for a missing number.
    float_format : str, optional
        Of numbers with decimals.
    encoding : {"utf-8", "utf-8-sig"}
        Whether a byte order mark is to come first.
    missing : str
        What stands for a missing number or text.
    append : bool
        Add the rows to those of a file that is there, without a header.
    """
    columns = [_plain(column) for _, column in table.items()]
    # The csv module does not quote a lone carriage return, which readers take for a line's end.
    names = [column for _, column in table.items() if column.dtype.kind not in "biuf"]
    quoted = quoted or any(map(_has_return, names))
    # Opened here, so that what goes wrong with the disk is an `OSError` with the file's name.
    with path.open("a" if append else "w", encoding=encoding, newline="") as file:
        # One empty cell alone in its line is written in quotes, which is left to pandas, too.
        if float_format is None and len(columns) > 1 and all(c is not None for c in columns):
            if not append:
                rule = _rule(quoted)
                file.write(table.iloc[:0].to_csv(index=False, lineterminator="\n", quoting=rule))
                file.flush()
            for part in _parts(columns, missing, quoted=quoted):
                file.buffer.write(part)
        else:
            table.to_csv(
                file,
                index=False,
                lineterminator="\n",
                quoting=_rule(quoted),
                float_format=float_format,
                na_rep=missing,
                header=not append,
            )


def _rule(quoted: bool) -> Literal[0, 2]:
    return csv.QUOTE_NONNUMERIC if quoted else csv.QUOTE_MINIMAL


def _has_return(column: pd.Series) -> bool:
    if column.dtype == "str":
        return bool(column.str.contains("\r", regex=False).any())
    return any("\r" in str(cell) for cell in column.unique())


def _plain(column: pd.Series) -> Any:
    """A column of numbers as an array, or of texts as one of Arrow; None for any other."""
    from birdmodes.io import cells

    if column.dtype.kind in "iu" or column.dtype == "float64":
        return column.to_numpy()
    try:
        return cells.texts(column)
    except (TypeError, ValueError):
        return None


def _parts(columns: list[Any], missing: str, *, quoted: bool) -> Iterator[bytes]:
    """The lines of a table, some at a time."""
    import pyarrow as pa

    from birdmodes.io import cells

    absent = cells.quoted(pa.array([missing]), all_of_them=quoted)[0]

    def written(column: Any) -> pa.StringArray:
        if isinstance(column, pa.Array):
            texts = cells.decoded(cells.quoted(column, all_of_them=quoted))
        elif column.dtype.kind == "f":
            texts = cells.shortest(column)
        else:
            texts = pa.array(column).cast(pa.string())
        return texts.fill_null(absent) if texts.null_count else texts

    for first in range(0, len(columns[0]), ROWS):
        texts = [written(column[first : first + ROWS]) for column in columns]
        yield cells.content(cells.lines(texts, ","))[0]
