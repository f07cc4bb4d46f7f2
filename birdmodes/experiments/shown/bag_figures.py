"""Figures of the experiment on m3ic: accuracy over C and l, and over subsets of classes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib import rc_context
from matplotlib.figure import Figure

from birdmodes.experiments.figures import (
    COLOURS,
    MARKERS,
    STYLE,
    name_panel,
    panels,
    printable,
)
from birdmodes.experiments.known import marked
from birdmodes.experiments.work.choices import OVER_C, OVER_L, kept_runs

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


def draw_grids(runs: pd.DataFrame, choices: pd.DataFrame) -> Figure:
    """Draw accuracy over C and l, a panel for each problem.

    Parameters
    ----------
    runs, choices : pandas.DataFrame
        Of one method and one preparation of the features, with at least one point of the grid.
    """
    kept = kept_runs(runs[runs["C"].notna()])
    datasets = list(dict.fromkeys(kept["dataset"]))
    with rc_context({**STYLE, "axes.grid": False}):
        figure, grid = panels(len(datasets), 4, 2.9, 2.7, (0, 0))
        for axes, dataset in zip(grid, datasets, strict=True):
            chosen = choices[(choices["dataset"] == dataset) & choices["rule"].isin(_CHOSEN)]
            _draw_grid(figure, axes, kept[kept["dataset"] == dataset], chosen)
            name_panel(axes, marked(dataset))
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


def draw_margins(margins: pd.DataFrame) -> Figure:
    """Draw mean accuracy against C and against l, a line for each problem.

    Parameters
    ----------
    margins : pandas.DataFrame
        Rows of m3ic with means over one parameter of the grid.
    """
    lines = list(dict.fromkeys(zip(margins["dataset"], margins["preparation"], strict=True)))
    with rc_context(STYLE):
        figure, grid = panels(2, 2, 4.2, 3.4, (0, 1.2), share_y=True)
        for axes, rule, name in zip(grid, (OVER_L, OVER_C), ("C", "balance"), strict=True):
            of_rule = margins[margins["rule"] == rule]
            for number, (dataset, preparation) in enumerate(lines):
                chosen = of_rule["dataset"].eq(dataset) & of_rule["preparation"].eq(preparation)
                here = of_rule[chosen].sort_values(name)
                axes.plot(
                    np.arange(len(here)) if name == "balance" else np.log2(here[name].to_numpy()),
                    100 * here["accuracy"],
                    color=COLOURS[number % len(COLOURS)],
                    marker=MARKERS[number // len(COLOURS) % len(MARKERS)],
                    markersize=3,
                    linewidth=1,
                    label=printable(f"{marked(dataset)}, {preparation}").replace("$", r"\$"),
                )
        values = sorted(set(margins.loc[margins["rule"] == OVER_C, "balance"]))
        grid[0].set_xlabel("log2 of C")
        grid[0].set_ylabel("accuracy (%)")
        grid[1].set_xticks(range(len(values)), [f"{value:g}" for value in values])
        grid[1].set_xlabel("l")
        handles, labels = grid[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper center", ncols=4, frameon=False)
    return figure
