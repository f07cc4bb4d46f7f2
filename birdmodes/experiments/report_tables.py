"""The tables of the report: means and standard deviations, methods down, settings across."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd

from birdmodes.experiments.entrants import in_order
from birdmodes.experiments.results import at_c_clusters

_MEASURES = {
    "nmi": "NMI",
    "nmi_geometric": "NMI (geometric)",
    "purity": "purity",
    "accuracy": "accuracy",
    "ari": "ARI",
    "ami": "AMI",
    "f_measure": "F-measure",
    "average_entropy": "average entropy",
}
_LOW_IS_GOOD = ("average_entropy",)
_ALPHAS_SHOWN = (0.0, 0.1, 0.25, 0.5, 0.7, 0.85, 1.0)
_PLACES: dict[str, tuple[str, Callable[[float], str]]] = {
    "alpha": ("alpha", lambda alpha: f"alpha {alpha:g}"),
    "labelled": ("labelled_share", lambda share: f"{share:.0%} labelled"),
    "clusters": ("k", lambda k: f"K = {k}"),
}
"""Column that an experiment varies, and how its values are written."""


@dataclass(frozen=True)
class Cell:
    """Text of a cell, and whether it is the best of its column."""

    text: str
    best: bool = False


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


def main_tables(summary: pd.DataFrame) -> list[ReportTable]:
    """Compare all methods with K = C and all bags labelled, a table for each set."""
    tables = []
    for dataset, rows in at_c_clusters(summary).groupby("dataset", sort=False):
        title = f"{dataset}: K = C = {int(rows['k'].iloc[0])}, all bags labelled"
        columns = [(name, _by_method(rows, measure)) for measure, name in _MEASURES.items()]
        low_is_good = [measure in _LOW_IS_GOOD for measure in _MEASURES]
        tables.append(_table(title, columns, low_is_good))
    return tables


def curve_tables(summary: pd.DataFrame, experiment: str) -> list[ReportTable]:
    """Give the figures behind the curves of an experiment, per set and measure."""
    place, name = _PLACES[experiment]
    tables = []
    of_experiment = summary[summary["experiment"] == experiment]
    for dataset, rows in of_experiment.groupby("dataset", sort=False):
        places = sorted(set(rows[place]))
        if experiment == "alpha":
            places = [alpha for alpha in places if alpha in _ALPHAS_SHOWN]
        for measure in ("purity",) if experiment == "alpha" else ("nmi", "purity"):
            columns = [(name(at), _by_method(rows[rows[place] == at], measure)) for at in places]
            title = f"{dataset}: {_MEASURES[measure]}"
            tables.append(_table(title, columns, [False] * len(columns)))
    return tables


_Figures = tuple[float, float]
_Column = dict[str, _Figures]


def _by_method(rows: pd.DataFrame, measure: str) -> _Column:
    """Mean and standard deviation of every method."""
    figures = zip(rows[f"{measure}_mean"], rows[f"{measure}_sd"], strict=True)
    return dict(zip(rows["method"], figures, strict=True))


def _table(title: str, columns: list[tuple[str, _Column]], low_is_good: list[bool]) -> ReportTable:
    """Lay out columns; the best mean of each is marked when there is another to compare it to."""
    methods = in_order({method for _, column in columns for method in column})
    rows: list[tuple[str, list[Cell]]] = [(method, []) for method in methods]
    for (_, column), low in zip(columns, low_is_good, strict=True):
        means = [mean for mean, _ in column.values()]
        best = (min(means) if low else max(means)) if len(means) > 1 else None
        for method, cells in rows:
            figures = column.get(method)
            cells.append(
                Cell(_text(figures), figures[0] == best) if figures is not None else Cell("–")
            )
    return ReportTable(title, ["method", *[name for name, _ in columns]], rows)


def _text(figures: _Figures) -> str:
    mean, deviation = figures
    return f"{mean:.3f}" if pd.isna(deviation) else f"{mean:.3f} ± {deviation:.3f}"
