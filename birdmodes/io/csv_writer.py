"""Writing tables as CSV that every reader takes apart again, whatever is in the names."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

ROWS = 50_000
"""Written at a time."""


def to_csv(
    path: Path,
    table: pd.DataFrame | Mapping[str, Any],
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
    table : pandas.DataFrame or mapping of str to pyarrow.Array
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
    columns = {name: as_cells(column) for name, column in table.items()}
    # One empty cell alone in its line is written in quotes, which is left to pandas, too.
    plain = float_format is None and len(columns) > 1 and None not in columns.values()
    # Opened here, so that what goes wrong with the disk is an `OSError` with the file's name.
    with path.open("a" if append else "w", encoding=encoding, newline="") as file:
        if plain:
            file.write("")  # the byte order mark
            file.flush()
            for block in csv_blocks(columns, quoted=quoted, missing=missing, header=not append):
                file.buffer.write(block)
        else:
            _frame(table).to_csv(
                file,
                index=False,
                lineterminator="\n",
                quoting=_rule(quoted or has_return(column for _, column in table.items())),
                float_format=float_format,
                na_rep=missing,
                header=not append,
            )


def csv_blocks(
    table: Mapping[Any, pa.Array], *, quoted: bool = False, missing: str = "", header: bool = True
) -> Iterator[Any]:
    """Write a table as `to_csv` does, some rows at a time.

    Parameters
    ----------
    table : mapping of str to pyarrow.Array
        Columns, see `csv_lines`.
    quoted, missing
        As for `to_csv`.
    header : bool
        Whether the names of the columns come first.

    Yields
    ------
    bytes or memoryview
        UTF-8.
    """
    from birdmodes.io import cells

    columns = list(table.values())
    quoted = quoted or has_return(columns)
    if header:
        yield csv_header(table, quoted=quoted).encode()
    for first in range(0, len(columns[0]), ROWS):
        some = [column[first : first + ROWS] for column in columns]
        yield cells.view(csv_lines(some, missing=missing, quoted=quoted))


def _rule(quoted: bool) -> Literal[0, 2]:
    return csv.QUOTE_NONNUMERIC if quoted else csv.QUOTE_MINIMAL


def has_return(columns: Iterable[Any]) -> bool:
    """Whether a text has a carriage return.

    The csv module does not quote one that is alone, which readers take for a line's end.
    """
    return any(map(_has_return, columns))


def _has_return(column: Any) -> bool:
    if _is_arrow(column):
        from birdmodes.io import cells

        texts = cells.distinct(column)
        return cells.is_text(texts) and cells.has_byte(texts, "\r")
    if column.dtype.kind in "biuf":
        return False
    if column.dtype == "str":
        return bool(column.str.contains("\r", regex=False).any())
    return any("\r" in str(cell) for cell in column.unique())


def _is_arrow(column: Any) -> bool:
    return not hasattr(column, "dtype")


def as_cells(column: Any) -> pa.Array | None:
    """A column of numbers or texts as Arrow has them; None for any other.

    Parameters
    ----------
    column : pandas.Series or pyarrow.Array
        Also of Arrow may be what is neither float64, int64 nor str.
    """
    import pyarrow as pa

    from birdmodes.io import cells

    if _is_arrow(column):
        plain = cells.distinct(column).type in (pa.string(), pa.float64(), pa.int64())
        return column if plain else None
    if column.dtype.kind in "iu" or column.dtype == "float64":
        return pa.array(column)
    try:
        return cells.texts(column)
    except (TypeError, ValueError):
        return None


def _frame(table: pd.DataFrame | Mapping[str, Any]) -> pd.DataFrame:
    import pandas as pd

    from birdmodes.io import cells

    if isinstance(table, pd.DataFrame):
        return table
    return pd.DataFrame(
        {
            name: cells.decoded(column).to_pandas() if _is_arrow(column) else column
            for name, column in table.items()
        }
    )


def csv_header(names: Iterable[str], *, quoted: bool = False) -> str:
    """Give the first line of a CSV."""
    line = io.StringIO()
    csv.writer(line, lineterminator="\n", quoting=_rule(quoted)).writerow(names)
    return line.getvalue()


def csv_lines(
    columns: Sequence[pa.Array], *, missing: str = "", quoted: bool = False
) -> pa.StringArray:
    """Write rows of a table as CSV.

    Parameters
    ----------
    columns : sequence of pyarrow.Array
        More than one: of str, float64 and integers, or a `pyarrow.DictionaryArray` of these.
    missing : str
        What stands for a missing number or text.
    quoted : bool
        Put all texts in quotes, also what stands for a missing number.

    Returns
    -------
    pyarrow.StringArray
        A line for each row.
    """
    import pyarrow as pa

    from birdmodes.io import cells

    absent = cells.quoted(cells.from_texts([missing]), all_of_them=quoted)[0]

    def written(column: pa.Array) -> pa.Array:
        if isinstance(column, pa.DictionaryArray):
            if column.indices.null_count:
                return written(column.dictionary_decode())
            return cells.coded(column.indices, cells.decoded(written(column.dictionary)))
        if cells.is_text(column):
            texts = cells.quoted(column, all_of_them=quoted)
        elif pa.types.is_floating(column.type):
            texts = cells.shortest(cells.numbers_of(column))
        else:
            texts = column.cast(pa.string())
        if isinstance(texts, pa.DictionaryArray):
            return cells.coded(texts.indices, texts.dictionary.fill_null(absent))
        return texts.fill_null(absent) if texts.null_count else texts

    return cells.lines([written(column) for column in columns], ",")
