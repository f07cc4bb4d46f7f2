"""Figures of the experiment: how well methods annotate, and how long they take to learn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import rc_context
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from birdmodes.experiments.annotation.entrants import ENTRANTS, Family
from birdmodes.experiments.bagwise.figures import write_figure
from birdmodes.experiments.figures import STYLE, BenchmarkFigure, printable

_COLUMNS = 3
_PANEL_WIDTH, _NAMES_WIDTH, _ROW_HEIGHT = 2.5, 1.2, 0.21
# Colours of Okabe & Ito, which people with any colour vision tell apart.
_COLOURS: dict[Family, str] = {
    "trivial": "#777777",
    "metric": "#0072b2",
    "distances to classes": "#009e73",
    "classifier": "#d55e00",
}
_FAMILY_NAMES: dict[Family, str] = {
    "trivial": "the same ranking for all",
    "metric": "metric, in citation-knn",
    "distances to classes": "distances to classes",
    "classifier": "classifier",
}
_SET_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#777777")
_SET_MARKERS = ("o", "s", "^", "D", "v", "d", "x")
_MARKERS = {"": "o", "min": "o", "max": "s"}
_UNTRAINED = ("frequency", "euclidean")


def write_figures(folder: Path, summary: pd.DataFrame) -> list[BenchmarkFigure]:
    """Draw average precisions, and times where something was trained.

    Parameters
    ----------
    folder : pathlib.Path
        Where to.
    summary : pandas.DataFrame
        As :class:`birdmodes.experiments.held_out.results.HeldOutTables` has it.
    """
    drawn = [
        write_figure(
            folder,
            "average-precision",
            draw_precision(summary),
            "Average precision on every set; bars: ± 1 standard deviation over folds. Filled: "
            "minimal Hausdorff distance of bags, or none; hollow: maximal.",
        )
    ]
    if not summary["method"].isin(_UNTRAINED).all():
        drawn.append(
            write_figure(
                folder,
                "training-time",
                draw_times(summary),
                "Processor time of training on one thread, mean over folds, on a logarithmic axis.",
            )
        )
    return drawn


def draw_precision(summary: pd.DataFrame) -> Figure:
    """Draw a panel for each set, methods down."""
    datasets = list(dict.fromkeys(summary["dataset"]))
    methods = [name for name in ENTRANTS if name in set(summary["method"])]
    n_columns = min(_COLUMNS, len(datasets))
    n_rows = -(-len(datasets) // n_columns)
    size = (
        _PANEL_WIDTH * n_columns + _NAMES_WIDTH,
        (_ROW_HEIGHT * len(methods) + 0.75) * n_rows + 0.5,
    )
    with rc_context(STYLE):
        figure = Figure(figsize=size, layout="constrained")
        panels = figure.subplots(n_rows, n_columns, squeeze=False, sharey=True)
        for axes, dataset in zip(panels.flat, datasets, strict=False):
            _draw_set(axes, summary[summary["dataset"] == dataset], methods)
            axes.set_title(printable(dataset), parse_math=False)
            axes.set_xlabel("average precision")
        for axes in panels.flat[len(datasets) :]:
            axes.set_visible(False)
        _name_rows(panels.flat[0], methods)
        families = dict.fromkeys(ENTRANTS[name].family for name in methods)
        handles = [
            Line2D([], [], marker="o", linestyle="", color=_COLOURS[family]) for family in families
        ]
        figure.legend(
            handles,
            [_FAMILY_NAMES[family] for family in families],
            loc="outside upper center",
            ncols=2 if n_columns == 1 else 4,
            frameon=False,
        )
    return figure


def _draw_set(axes: Any, rows: pd.DataFrame, methods: list[str]) -> None:
    for row in rows.itertuples():
        at: Any = row
        colour = _COLOURS[ENTRANTS[at.method].family]
        hollow = at.distance == "max"
        shift = {"min": -0.16, "max": 0.16}.get(at.distance, 0.0)
        axes.errorbar(
            at.average_precision_mean,
            methods.index(at.method) + shift,
            xerr=np.nan_to_num(at.average_precision_sd),
            marker=_MARKERS[at.distance],
            markersize=5,
            markerfacecolor="white" if hollow else colour,
            color=colour,
            elinewidth=0.8,
        )


def draw_times(summary: pd.DataFrame) -> Figure:
    """Draw the time of training, methods down, a mark for each set."""
    trained = summary[~summary["method"].isin(_UNTRAINED)]
    methods = [name for name in ENTRANTS if name in set(trained["method"])]
    with rc_context(STYLE):
        figure = Figure(figsize=(7.0, _ROW_HEIGHT * len(methods) + 1.2), layout="constrained")
        axes = figure.subplots()
        for number, (dataset, here) in enumerate(trained.groupby("dataset", sort=False)):
            means = here.groupby("method", sort=False)["train_seconds_mean"].mean()
            axes.plot(
                means.to_numpy(),
                [methods.index(str(name)) for name in means.index],
                linestyle="",
                marker=_SET_MARKERS[number % len(_SET_MARKERS)],
                markersize=5,
                color=_SET_COLOURS[number % len(_SET_COLOURS)],
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
