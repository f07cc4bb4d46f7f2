"""What the experiment on annotating bags shows: how well methods do it, and in what time."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from birdmodes.experiments.experiment import Measured, Shown
from birdmodes.experiments.figures import (
    COLOURS,
    MARKERS,
    draw_deviations,
    legend_above,
    name_panel,
    panels,
    printable,
    write_figure,
)
from birdmodes.experiments.known import times_of_law
from birdmodes.experiments.report import Section
from birdmodes.experiments.shown.beside_paper import plain_table
from birdmodes.experiments.tables import (
    WORDS,
    Cell,
    ReportTable,
    across,
    by_method,
    lay_out,
    mean_cells,
)
from birdmodes.experiments.tables import seconds as two_digits
from birdmodes.experiments.work.annotation import ENTRANTS

_NOTHING = 5e-4  # seconds: where there is nothing to do


def seconds(value: float) -> str:
    """Write a time with two digits that count, or 0 where there was nothing to do."""
    return "0" if value < _NOTHING else two_digits(value)


MEASURES: dict[str, str] = WORDS["ranking_measures"]
"""The measures of the paper, and what they are called."""

TIMES: dict[str, str] = WORDS["ranking_times"]
_ALL = {**MEASURES, **TIMES}
_UNTRAINED = ("frequency", "euclidean")


def show(texts: Mapping[str, str], folder: Path, measured: Measured) -> Shown:
    """Draw the figures and put together what is shown."""
    summary = measured.summary
    caption = texts["precision_figure"]
    precision = write_figure(folder, "average-precision", caption, draw_precision, summary)
    times = None
    if not summary["method"].isin(_UNTRAINED).all():
        times = write_figure(folder, "training-time", texts["times_figure"], draw_times, summary)
    first, *others = (sets_table(summary, measure) for measure in MEASURES)
    annotating = sets_table(summary, "annotate_seconds")
    long = [training_table(summary), times_table(summary), annotating]
    every = [set_table(summary, name) for name in dict.fromkeys(summary["dataset"])]
    paper = plain_table(
        "law-table-4", "The paper's Table 4: Corel5K, citation-knn by the minimal distance"
    )
    sections = [
        Section("How well methods annotate", precision, others),
        Section("How long it takes", times, long, texts["times"]),
        Section("Every set (the paper's Table 4)", None, [paper, *every], texts["beside"]),
    ]
    return Shown([first], sections, not_run(summary))


def not_run(summary: pd.DataFrame) -> list[str]:
    """Tell which methods were left out on which sets."""
    missing = []
    for name in ENTRANTS:
        there = set(summary.loc[summary["method"] == name, "dataset"])
        where = [str(each) for each in dict.fromkeys(summary["dataset"]) if each not in there]
        if there and where:
            missing.append(f"not run: {name} on {', '.join(where)}")
    return missing


def row_names(summary: pd.DataFrame) -> list[str]:
    """Names of all methods, in the order of the tables."""
    pairs = by_method(summary[["method", "distance"]].drop_duplicates(), ENTRANTS)
    return [_row_name(*pair) for pair in pairs.itertuples(index=False)]


def _row_name(method: str, distance: str) -> str:
    metric = ENTRANTS[method].family == "metric"
    return f"citation-knn, {method}, {distance}" if metric else method


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
    columns = [(title, _cells(here, measure)) for measure, title in _ALL.items()]
    folds = here["folds"].max()
    extent = f"mean ± standard deviation over {folds} folds" if folds > 1 else "the published split"
    bags = here["test_bags_mean"].mean()
    return lay_out(f"{dataset}: {extent}, {bags:.4g} test bags", row_names(here), columns)


def sets_table(summary: pd.DataFrame, measure: str) -> ReportTable:
    """Lay out the means of one measure, sets across."""
    columns = across(summary, lambda here: _cells(here, measure, deviations=False))
    return lay_out(_ALL[measure].capitalize(), row_names(summary), columns)


def _cells(summary: pd.DataFrame, measure: str, *, deviations: bool = True) -> dict[str, Cell]:
    """Cells of all methods; of times none is marked, as the fastest does nothing."""
    names = summary["method"].combine(summary["distance"], _row_name)
    if measure in TIMES:
        return mean_cells(summary, measure, seconds, names=names, spread=False, fewest=None)
    return mean_cells(summary, measure, names=names, spread=deviations)


def training_table(summary: pd.DataFrame) -> ReportTable:
    """Lay out training times, which do not depend on the distance of bags, sets across."""

    def cells(here: pd.DataFrame) -> dict[str, Cell]:
        return {name: Cell(seconds(at)) for name, at in _training(here).items()}

    return lay_out("Training (s)", _methods(summary), across(summary, cells))


def times_table(summary: pd.DataFrame) -> ReportTable:
    """Lay out training times as multiples of that of mimlca, and the paper's beside them."""

    def cells(here: pd.DataFrame) -> dict[str, Cell]:
        means = _training(here)
        base = means.get("mimlca")
        return {name: Cell(_times(each / base)) for name, each in means.items()} if base else {}

    trained = summary[~summary["method"].isin(_UNTRAINED)]
    columns = [column for column in across(trained, cells) if column[1]]
    found = {name for _, column in columns for name in column}
    paper = {name: Cell(_times(multiple)) for name, multiple in times_of_law("law-table-4").items()}
    title = "Training time as a multiple of that of mimlca"
    rows = [name for name in ENTRANTS if name in found]
    return lay_out(title, rows, [*columns, ("paper, Corel5K", paper)])


def _training(here: pd.DataFrame) -> dict[str, float]:
    means = here.groupby("method", sort=False)["train_seconds_mean"].mean()
    return {str(name): float(mean) for name, mean in means.items()}


def _times(multiple: float) -> str:
    return f"{multiple:.3g}" if multiple < 1000 else f"{multiple:.0f}"


def _methods(summary: pd.DataFrame) -> list[str]:
    return [name for name in ENTRANTS if name in set(summary["method"])]


_ROW_HEIGHT = 0.21
_FAMILIES: dict[str, tuple[str, str]] = WORDS["families"]
"""Colour, and what it means."""


def draw_precision(summary: pd.DataFrame) -> Figure:
    """Draw a panel for each set, methods down."""
    datasets = list(dict.fromkeys(summary["dataset"]))
    methods = _methods(summary)
    height = _ROW_HEIGHT * len(methods) + 0.75
    families = dict.fromkeys(ENTRANTS[name].family for name in methods)
    figure, grid = panels(len(datasets), 3, 2.5, height, (1.2, 0.5), share_y=True)
    for axes, dataset in zip(grid, datasets, strict=True):
        for family in families:
            of_family = summary["method"].map(lambda name, f=family: ENTRANTS[name].family == f)
            _draw_family(axes, summary[of_family & (summary["dataset"] == dataset)], methods)
        name_panel(axes, dataset)
        axes.set_xlabel("average precision")
    _name_rows(grid[0], methods)
    colours = [_FAMILIES[family][0] for family in families]
    marks = [Line2D([], [], marker="o", linestyle="", color=colour) for colour in colours]
    names = [_FAMILIES[family][1] for family in families]
    legend_above(figure, (marks, names), 2 if len(datasets) == 1 else 4)
    return figure


def _draw_family(axes: Any, rows: pd.DataFrame, methods: list[str]) -> None:
    for distance, here in rows.groupby("distance", sort=False):
        colour = _FAMILIES[ENTRANTS[here["method"].iloc[0]].family][0]
        shift = {"min": -0.16, "max": 0.16}.get(str(distance), 0.0)
        mean = here["average_precision_mean"].to_numpy(float)
        place = np.array([methods.index(name) + shift for name in here["method"]])
        draw_deviations(axes, mean, place, here["average_precision_sd"], colour, horizontal=True)
        axes.plot(
            mean,
            place,
            linestyle="",
            marker="s" if distance == "max" else "o",
            markersize=5,
            markerfacecolor="white" if distance == "max" else colour,
            color=colour,
        )


def draw_times(summary: pd.DataFrame) -> Figure:
    """Draw the time of training, methods down, a mark for each set."""
    trained = summary[~summary["method"].isin(_UNTRAINED)]
    methods = _methods(trained)
    figure, (axes,) = panels(1, 1, 7.0, _ROW_HEIGHT * len(methods) + 1.2, (0, 0))
    for number, (dataset, here) in enumerate(trained.groupby("dataset", sort=False)):
        means = _training(here)
        axes.plot(
            list(means.values()),
            [methods.index(name) for name in means],
            linestyle="",
            marker=MARKERS[number % len(MARKERS)],
            markersize=5,
            color=COLOURS[number % len(COLOURS)],
            label=printable(str(dataset)),
        )
    axes.set_xscale("log")
    axes.set_xlabel("training (s)")
    _name_rows(axes, methods)
    for text in figure.legend(loc="outside right upper", frameon=False).get_texts():
        text.set_parse_math(False)
    return figure


def _name_rows(axes: Any, methods: list[str]) -> None:
    axes.set_yticks(range(len(methods)), methods)
    axes.set_ylim(len(methods) - 0.5, -0.5)
