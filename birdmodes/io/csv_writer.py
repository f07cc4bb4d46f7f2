"""Writing tables as CSV that every reader takes apart again, whatever is in the names."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import pandas as pd


def to_csv(
    path: Path,
    table: pd.DataFrame,
    *,
    quoted: bool = False,
    float_format: str | None = None,
    encoding: str = "utf-8",
) -> None:
    r"""Write a table as CSV: commas, lines that end in ``\n``, quotes where needed.

    Parameters
    ----------
    path : pathlib.Path
        Where.
    table : pandas.DataFrame
        What, without its index.
    quoted : bool
        Put all texts in quotes.
    float_format : str, optional
        Of numbers with decimals.
    encoding : {"utf-8", "utf-8-sig"}
        Whether a byte order mark is to come first.
    """
    # The csv module does not quote a lone carriage return, which readers take for a line's end.
    names = [table[column] for column in table if table[column].dtype.kind not in "biuf"]
    hostile = quoted or any("\r" in str(cell) for column in names for cell in column.unique())
    quoting: Literal[0, 2] = csv.QUOTE_NONNUMERIC if hostile else csv.QUOTE_MINIMAL
    # Opened here, so that what goes wrong with the disk is an `OSError` with the file's name.
    with path.open("w", encoding=encoding, newline="") as file:
        table.to_csv(
            file, index=False, lineterminator="\n", quoting=quoting, float_format=float_format
        )
