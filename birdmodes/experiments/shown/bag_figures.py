"""Figures of the experiment on m3ic: accuracy over C and l, and over subsets of classes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib import rc_context
from matplotlib.figure import Figure

from birdmodes.experiments.figures import COLOURS, MARKERS, STYLE, name_panel, panels
from birdmodes.experiments.known import PAPER_ACCURACY, marked
from birdmodes.experiments.work.bags import SUBSETS_OF
from birdmodes.experiments.work.choices import kept_runs

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
        figure, grid = panels(len(sizes), len(sizes), 2.6, 3.6, (0.8, 0), share_y=True)
        for axes, size in zip(grid, sizes, strict=True):
            here = choices[(choices["k"] == size) & (choices["method"] == "m3ic")]
            for number, preparation in enumerate(preparations):
                for column, rule in enumerate(rules):
                    of_rule = here[(here["rule"] == rule) & (here["preparation"] == preparation)]
                    x = column + 0.2 * (number - (len(preparations) - 1) / 2)
                    axes.plot(
                        np.full(len(of_rule), x),
                        100 * of_rule["accuracy"],
                        linestyle="",
                        marker=MARKERS[number],
                        markersize=4,
                        color=COLOURS[number],
                        alpha=0.8,
                        label=preparation if column == 0 else None,
                    )
            for name, accuracy in PAPER_ACCURACY.items():
                if name.startswith(SUBSETS_OF):
                    axes.axhline(100 * accuracy, color="#777777", linewidth=0.8, linestyle="--")
            axes.set_xticks(range(len(rules)), rules)
            axes.set_xlim(-0.5, len(rules) - 0.5)
            axes.set_title(f"{size} classes")
        grid[0].set_ylabel("accuracy (%)")
        handles, labels = grid[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper center", ncols=3, frameon=False)
    return figure
