"""The tables of the report: methods down."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pandas as pd

from birdmodes.experiments.annotation.entrants import ENTRANTS
from birdmodes.experiments.annotation.paper import PAPER_TIMES_OF_MIMLCA
from birdmodes.experiments.bagwise.tables import UNKNOWN, decimals
from birdmodes.experiments.bagwise.tables import seconds as two_digits
from birdmodes.experiments.report_tables import Cell, ReportTable

_PAPER_COLUMN = "paper, Corel5K"


_NOTHING = 5e-4  # seconds: where there is nothing to do


def seconds(value: float) -> str:
    """Write a time with two digits that count, or 0 where there was nothing to do."""
    return "0" if value < _NOTHING else two_digits(value)


@dataclass(frozen=True)
class Figure:
    """A measure and how it is written.

    Attributes
    ----------
    measure : str
        Its column, without ``_mean``.
    title : str
        What it is called.
    low_is_good : bool
        Whether the least is the best.
    text : callable
        Writes a figure.
    """

    measure: str
    title: str
    low_is_good: bool
    text: Callable[[float], str] = decimals


FIGURES: tuple[Figure, ...] = (
    Figure("average_precision", "average precision", False),
    Figure("one_error", "one-error", True),
    Figure("coverage", "coverage", True),
)
"""The measures of the paper."""

TRAINING = Figure("train_seconds", "training (s)", True, seconds)
ANNOTATING = Figure("annotate_seconds", "annotation (s)", True, seconds)


def row_name(method: str, distance: str) -> str:
    """Name a method as the tables do."""
    if ENTRANTS[method].family == "metric":
        return f"citation-knn, {method}, {distance}"
    return method


def row_names(summary: pd.DataFrame) -> list[str]:
    """Names of all methods, in the order of the tables."""
    order = list(ENTRANTS)
    pairs = summary[["method", "distance"]].drop_duplicates()
    ordered = pairs.sort_values("method", key=lambda names: names.map(order.index), kind="stable")
    return [row_name(*pair) for pair in ordered.itertuples(index=False)]


def set_table(summary: pd.DataFrame, dataset: str) -> ReportTable:
    """Lay out all measures on one set, as the paper's Table 4 does.

    Parameters
    ----------
    summary : pandas.DataFrame
        Of all sets.
    dataset : str
        Which.
    """
    here = summary[summary["dataset"] == dataset]
    columns = [(figure.title, _cells(here, figure)) for figure in (*FIGURES, TRAINING, ANNOTATING)]
    folds = here["folds"].max()
    extent = f"mean ± standard deviation over {folds} folds" if folds > 1 else "the published split"
    bags = here["test_bags_mean"].mean()
    return _table(f"{dataset}: {extent}, {bags:.4g} test bags", row_names(here), columns)


def sets_table(summary: pd.DataFrame, figure: Figure) -> ReportTable:
    """Lay out the means of one measure, sets across."""
    columns = [
        (str(dataset), _cells(here, figure, deviations=False))
        for dataset, here in summary.groupby("dataset", sort=False)
    ]
    return _table(figure.title.capitalize(), row_names(summary), columns)


def training_table(summary: pd.DataFrame) -> ReportTable:
    """Lay out training times, which do not depend on the distance of bags, sets across."""
    columns = []
    for dataset, here in summary.groupby("dataset", sort=False):
        means = here.groupby("method", sort=False)["train_seconds_mean"].mean()
        columns.append((str(dataset), {str(name): Cell(seconds(at)) for name, at in means.items()}))
    rows = [name for name in ENTRANTS if name in set(summary["method"])]
    return _table("Training (s)", rows, columns)


def times_table(summary: pd.DataFrame) -> ReportTable:
    """Lay out training times as multiples of that of mimlca, and the paper's beside them."""
    columns = []
    for dataset, here in summary.groupby("dataset", sort=False):
        of_mimlca = here.loc[here["method"] == "mimlca", "train_seconds_mean"]
        trained = here[~here["method"].isin(["frequency", "euclidean"])]
        if len(of_mimlca) and of_mimlca.iloc[0] > 0:
            means = trained.groupby("method", sort=False)["train_seconds_mean"].mean()
            times = means / of_mimlca.iloc[0]
            cells = {str(name): Cell(_times(each)) for name, each in times.items()}
            columns.append((str(dataset), cells))
    paper = {name: Cell(f"{times:g}") for name, times in PAPER_TIMES_OF_MIMLCA.items()}
    found = {str(name) for _, cells in columns for name in cells}
    rows = [name for name in ENTRANTS if name in found]
    title = "Training time as a multiple of that of mimlca"
    return _table(title, rows, [*columns, (_PAPER_COLUMN, paper)])


def _times(multiple: float) -> str:
    return f"{multiple:.3g}" if multiple < 1000 else f"{multiple:.0f}"


def _cells(summary: pd.DataFrame, figure: Figure, *, deviations: bool = True) -> dict[str, Cell]:
    """Cells of one column, by row; the best is marked when there is another to compare it to."""
    means = summary[f"{figure.measure}_mean"]
    spread = summary[f"{figure.measure}_sd"]
    # The fastest is the one that does nothing.
    timed = figure in (TRAINING, ANNOTATING)
    best = None if timed or len(means) < 2 else means.min() if figure.low_is_good else means.max()
    cells = {}
    for method, distance, mean, deviation in zip(
        summary["method"], summary["distance"], means, spread, strict=True
    ):
        text = figure.text(mean)
        if deviations and not timed and pd.notna(deviation):
            text += f" ± {figure.text(deviation)}"
        cells[row_name(method, distance)] = Cell(text, bool(mean == best))
    return cells


def _table(
    title: str, rows: Sequence[str], columns: Sequence[tuple[str, dict[str, Cell]]]
) -> ReportTable:
    return ReportTable(
        title,
        ["method", *[name for name, _ in columns]],
        [(row, [cells.get(row, Cell(UNKNOWN)) for _, cells in columns]) for row in rows],
    )
