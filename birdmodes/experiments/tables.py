"""The tables of a report: text in cells, and which is the best of its column."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

UNKNOWN = "–"
"""What stands where nothing was measured."""

WORDS: dict[str, Any] = tomllib.loads(
    Path(__file__).with_name("words.toml").read_text(encoding="utf-8")
)
"""Words and looks of tables and figures."""

MEASURE_NAMES: dict[str, str] = WORDS["measures"]
LOW_IS_GOOD = ("average_entropy", "one_error", "coverage")


@dataclass(frozen=True)
class Cell:
    """Text of a cell, and whether it is the best of its column."""

    text: str
    best: bool = False


NOTHING = Cell(UNKNOWN)


@dataclass(frozen=True)
class ReportTable:
    """A table with its title.

    Attributes
    ----------
    title : str
        What it shows.
    header : list of str
        First the name of the rows.
    rows : list of (str, list of Cell)
        Name and cells of each row.
    """

    title: str
    header: list[str]
    rows: list[tuple[str, list[Cell]]]


Column = tuple[str, Mapping[str, Cell]]
"""Name of a column, and its cells by the names of rows."""


def lay_out(
    title: str, rows: Iterable[str], columns: Sequence[Column], corner: str = "method"
) -> ReportTable:
    """Put columns side by side; a row that a column does not have is :data:`UNKNOWN` there."""
    return ReportTable(
        title,
        [corner, *[name for name, _ in columns]],
        [(row, [cells.get(row, NOTHING) for _, cells in columns]) for row in rows],
    )


def rows_with(table: pd.DataFrame, values: Mapping[str, Sequence[Any]]) -> pd.DataFrame:
    """Keep the rows that have one of some values in each of some columns."""
    if not values:
        return table
    kept = [table[column].isin(list(wanted)) for column, wanted in values.items()]
    return table[np.logical_and.reduce(kept)]


def across(
    table: pd.DataFrame,
    cells_of: Callable[[pd.DataFrame], Mapping[str, Cell]],
    column: str = "dataset",
) -> list[Column]:
    """Make a column for each value of a column of `table`, in the order they come in."""
    return [(str(name), cells_of(here)) for name, here in table.groupby(column, sort=False)]


def marked_cells(
    means: Mapping[str, float],
    text: Callable[[float], str],
    deviations: Mapping[str, float] | None = None,
    *,
    low_is_good: bool = False,
    fewest: int | None = 2,
) -> dict[str, Cell]:
    """Make the cells of a column, the best marked.

    Parameters
    ----------
    means : mapping
        Figures by the names of rows.
    text : callable
        Writes a figure.
    deviations : mapping, optional
        Standard deviations; none is written where it is not a number.
    low_is_good : bool
        Whether the least figure is the best.
    fewest : int or None
        Fewest rows of which one is marked: by default when there is another to compare it to. None
        marks nothing.
    """
    marks = fewest is not None and len(means) >= fewest
    best = (min if low_is_good else max)(means.values()) if marks and means else None
    cells = {}
    for row, mean in means.items():
        deviation = None if deviations is None else deviations[row]
        spread = f" ± {text(deviation)}" if deviation is not None and pd.notna(deviation) else ""
        cells[row] = Cell(f"{text(mean)}{spread}", bool(mean == best))
    return cells


def mean_cells(
    rows: pd.DataFrame,
    measure: str,
    text: Callable[[float], str] | None = None,
    *,
    names: str | pd.Series[str] = "method",
    spread: bool = True,
    fewest: int | None = 2,
) -> dict[str, Cell]:
    """Make the cells of a column from means over repetitions, the best marked.

    Parameters
    ----------
    rows : pandas.DataFrame
        Of :func:`~birdmodes.experiments.results.means_table`.
    measure : str
        Its column, without ``_mean``.
    text : callable, optional
        Writes a figure; with three decimals unless given.
    names : str or pandas.Series
        Column that names the rows, or these names.
    spread : bool
        Whether standard deviations are written.
    fewest : int or None
        As for :func:`marked_cells`.
    """
    figures = rows.set_index(names)
    means, deviations = (dict(figures[f"{measure}_{end}"]) for end in ("mean", "sd"))
    return marked_cells(
        means,
        text or decimals,
        deviations if spread else None,
        low_is_good=measure in LOW_IS_GOOD,
        fewest=fewest,
    )


def by_method(rows: pd.DataFrame, order: Iterable[str]) -> pd.DataFrame:
    """Sort rows by method: the first data set need not have all of them."""
    place = list(order).index
    return rows.sort_values("method", key=lambda names: names.map(place), kind="stable")


def percent(share: float) -> str:
    """Write a share as papers do, in percent with one decimal."""
    return f"{100 * share:.1f}"


def decimals(value: float) -> str:
    """Write a figure with three decimals."""
    return f"{value:.3f}"


def seconds(value: float) -> str:
    """Write a time with two digits that count."""
    return f"{value:.2g}" if value < 10 else f"{value:.0f}"
