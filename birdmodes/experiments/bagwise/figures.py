"""Figures of the experiments on bags: accuracy over the grid, over subsets of classes, over K."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import rc_context
from matplotlib.figure import Figure

from birdmodes.experiments.bagwise.entrants import in_order
from birdmodes.experiments.bagwise.names import SUBSETS_OF
from birdmodes.experiments.bagwise.paper import PAPER_ACCURACY, marked
from birdmodes.experiments.bagwise.results import kept_runs
from birdmodes.experiments.figures import STYLE, BenchmarkFigure, printable, svg_text
from birdmodes.io.files import write_text

_PANEL_WIDTH, _PANEL_HEIGHT = 2.9, 2.7
_COLUMNS = 4
# Colours of Okabe & Ito, which people with any colour vision tell apart.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#777777")
_MARKERS = ("D", "o", "s", "^", "v", "d", "x")
_CHOSEN: dict[str, list[dict[str, Any]]] = {
    "best": [
        {"marker": "*", "markersize": 10, "color": "white", "markeredgecolor": "black"},
    ],
    # White on black, to be seen on any colour.
    "stable": [
        {"marker": "o", "markersize": 7, "fillstyle": "none", "color": "black", "mew": 3.2},
        {"marker": "o", "markersize": 7, "fillstyle": "none", "color": "white", "mew": 1.4},
    ],
}
"""How the chosen points of the grid are marked."""


def write_figure(folder: Path, name: str, figure: Figure, caption: str) -> BenchmarkFigure:
    """Write a figure as SVG."""
    file = f"{name}.svg"
    with rc_context(STYLE):
        write_text(folder / file, svg_text(figure))
    return BenchmarkFigure(file, name, caption)


def draw_grids(runs: pd.DataFrame, choices: pd.DataFrame) -> Figure:
    """Draw accuracy over C and l, a panel for each problem.

    Parameters
    ----------
    runs, choices : pandas.DataFrame
        Of one method and one preparation of the features, with at least one point of the grid.
    """
    kept = kept_runs(runs[runs["C"].notna()])
    datasets = list(dict.fromkeys(kept["dataset"]))
    n_columns = min(_COLUMNS, len(datasets))
    n_rows = -(-len(datasets) // n_columns)
    with rc_context({**STYLE, "axes.grid": False}):
        size = (_PANEL_WIDTH * n_columns, _PANEL_HEIGHT * n_rows)
        figure = Figure(figsize=size, layout="constrained")
        panels = figure.subplots(n_rows, n_columns, squeeze=False)
        for axes, dataset in zip(panels.flat, datasets, strict=False):
            chosen = choices[(choices["dataset"] == dataset) & choices["rule"].isin(_CHOSEN)]
            _draw_grid(figure, axes, kept[kept["dataset"] == dataset], chosen)
            axes.set_title(printable(marked(dataset)), parse_math=False)
        for axes in panels.flat[len(datasets) :]:
            axes.set_visible(False)
    return figure


def _draw_grid(figure: Figure, axes: Any, kept: pd.DataFrame, chosen: pd.DataFrame) -> None:
    table = kept.pivot(index="balance", columns="C", values="accuracy")
    costs, balances = table.columns.astype(float).tolist(), table.index.tolist()
    image = axes.imshow(
        100 * table.to_numpy(), origin="lower", aspect="auto", cmap="viridis", interpolation="none"
    )
    axes.set_xticks(range(len(costs)), [f"{np.log2(cost):g}" for cost in costs])
    axes.set_xlabel("log2 of C")
    # A single l stands for all, where it has no effect.
    axes.set_yticks(range(len(balances)), [f"{balance:g}" for balance in balances])
    axes.yaxis.set_visible(len(balances) > 1)
    axes.set_ylabel("l")
    bar = figure.colorbar(image, ax=axes)
    bar.outline.set_visible(False)
    for row in chosen.itertuples():
        at: Any = row
        place = (costs.index(at.C), balances.index(at.balance))
        for style in _CHOSEN[at.rule]:
            axes.plot(*place, **style)


def draw_subsets(choices: pd.DataFrame) -> Figure:
    """Draw the accuracy of m3ic on all subsets of classes, with the paper's figures as lines.

    Parameters
    ----------
    choices : pandas.DataFrame
        Of the problems that are subsets of the natural scenes; every preparation of the features.
    """
    rules = ("best", "stable", "defaults")
    preparations = list(dict.fromkeys(choices["preparation"]))
    sizes = sorted(set(choices["k"]))
    with rc_context(STYLE):
        figure = Figure(figsize=(2.6 * len(sizes) + 0.8, 3.6), layout="constrained")
        panels = figure.subplots(1, len(sizes), squeeze=False, sharey=True)
        for axes, size in zip(panels.flat, sizes, strict=True):
            here = choices[(choices["k"] == size) & (choices["method"] == "m3ic")]
            for number, preparation in enumerate(preparations):
                for column, rule in enumerate(rules):
                    of_rule = here[(here["rule"] == rule) & (here["preparation"] == preparation)]
                    x = column + 0.2 * (number - (len(preparations) - 1) / 2)
                    axes.plot(
                        np.full(len(of_rule), x),
                        100 * of_rule["accuracy"],
                        linestyle="",
                        marker=_MARKERS[number],
                        markersize=4,
                        color=_COLOURS[number],
                        alpha=0.8,
                        label=preparation if column == 0 else None,
                    )
            for name, accuracy in PAPER_ACCURACY.items():
                if name.startswith(SUBSETS_OF):
                    axes.axhline(100 * accuracy, color="#777777", linewidth=0.8, linestyle="--")
            axes.set_xticks(range(len(rules)), rules)
            axes.set_xlim(-0.5, len(rules) - 0.5)
            axes.set_title(f"{size} classes")
        panels.flat[0].set_ylabel("accuracy (%)")
        handles, labels = panels.flat[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper center", ncols=3, frameon=False)
    return figure


def draw_over_k(choices: pd.DataFrame, measures: Sequence[tuple[str, str]]) -> Figure:
    """Draw figures of every method against the number of groups, a row of panels a problem.

    Parameters
    ----------
    choices : pandas.DataFrame
        Of one rule per method, and one preparation of the features.
    measures : sequence of (str, str)
        Columns, and what they are called.
    """
    datasets = list(dict.fromkeys(choices["dataset"]))
    methods = in_order(choices["method"])
    with rc_context(STYLE):
        size = (_PANEL_WIDTH * len(measures), 2.4 * len(datasets) + 0.5)
        figure = Figure(figsize=size, layout="constrained")
        panels = figure.subplots(len(datasets), len(measures), squeeze=False)
        for row, dataset in zip(panels, datasets, strict=True):
            here = choices[choices["dataset"] == dataset]
            for axes, (measure, name) in zip(row, measures, strict=True):
                for number, method in enumerate(methods):
                    of_method = here[here["method"] == method].sort_values("k")
                    axes.plot(
                        of_method["k"],
                        of_method[measure],
                        color=_COLOURS[number % len(_COLOURS)],
                        marker=_MARKERS[number % len(_MARKERS)],
                        markersize=4,
                        linewidth=1.2,
                        label=method,
                    )
                axes.set_title(printable(dataset), parse_math=False)
                axes.set_xlabel("number of groups")
                axes.set_ylabel(name)
                axes.set_xticks(sorted(set(here["k"])))
        handles, labels = panels.flat[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper center", ncols=4, frameon=False)
    return figure
