"""The figure of the experiment: accuracy against alpha."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib import rc_context
from matplotlib.figure import Figure

from birdmodes.experiments.bagwise.figures import write_figure
from birdmodes.experiments.figures import STYLE, BenchmarkFigure, printable
from birdmodes.experiments.instance_accuracy.results import alpha_rows, with_rule_16

_PANEL_WIDTH, _PANEL_HEIGHT = 3.9, 2.9
# Colours of Okabe & Ito, which people with any colour vision tell apart; shapes do so in print.
_FAMILIES: dict[str, dict[str, Any]] = {
    "mlca": {"color": "#000000", "marker": "*"},
    "mimlca": {"color": "#0072b2", "marker": "D"},
    "mimlca-rbf": {"color": "#e69f00", "marker": "^"},
    "mimlca-rbf-ridge": {"color": "#d55e00", "marker": "v"},
    "mimlca-chi2": {"color": "#56b4e9", "marker": "s"},
    "mimlca-chi2-ridge": {"color": "#009e73", "marker": "o"},
}
_NEAREST_AT = -0.2  # where the results of rule 15, which has no alpha, stand


def write_alpha_figure(folder: Path, summary: pd.DataFrame) -> BenchmarkFigure | None:
    """Draw accuracy against alpha, if there is a method with that rule.

    Parameters
    ----------
    folder : pathlib.Path
        Where to.
    summary : pandas.DataFrame
        Means over folds.
    """
    if not with_rule_16(list(summary["method"])):
        return None
    caption = (
        "Accuracy over categories (%) by rule 16 against its alpha, mean over folds; label sets of "
        "held-out bags are not told. Single marks on the left, at (15): rule 15. Dashed lines, "
        "hollow marks: no limit on the instances of a label in a bag."
    )
    return write_figure(folder, "instance-accuracy-alpha", draw_alphas(summary), caption)


def draw_alphas(summary: pd.DataFrame) -> Figure:
    """Draw a panel for each set."""
    methods = with_rule_16(list(summary["method"]))
    datasets = list(dict.fromkeys(summary["dataset"]))
    n_columns = min(2, len(datasets))
    n_rows = -(-len(datasets) // n_columns)
    with rc_context(STYLE):
        size = (_PANEL_WIDTH * n_columns, _PANEL_HEIGHT * n_rows + 0.8)
        figure = Figure(figsize=size, layout="constrained")
        panels = figure.subplots(n_rows, n_columns, squeeze=False)
        handles: dict[str, Any] = {}
        for axes, dataset in zip(panels.flat, datasets, strict=False):
            here = summary[summary["dataset"] == dataset]
            for method in methods:
                line = _draw_method(axes, here[here["method"] == method], method)
                handles.setdefault(method, line)
            axes.set_title(printable(dataset), parse_math=False)
            axes.set_xticks([_NEAREST_AT, 0, 0.25, 0.5, 1, 1.2], ["(15)", 0, 0.25, 0.5, 1, 1.2])
            axes.set_xlabel("alpha of (16)")
            axes.set_ylabel("accuracy (%)")
        for axes in panels.flat[len(datasets) :]:
            axes.set_visible(False)
        figure.legend(
            list(handles.values()),
            list(handles),
            loc="outside upper center",
            ncols=1 + n_columns,
            frameon=False,
        )
    return figure


def _draw_method(axes: Any, rows: pd.DataFrame, method: str) -> Any:
    no_limit = method.endswith("-no-limit")
    style = {
        **_FAMILIES[method.removesuffix("-no-limit")],
        "markersize": 4.5,
        "linewidth": 1.2,
        "markerfacecolor": "white" if no_limit else None,
    }
    own = rows[(rows["means"] == "own") & (rows["candidates"] == "all")]
    nearest = own.loc[own["rule"] == "15", "accuracy_mean"]
    axes.plot([_NEAREST_AT] * len(nearest), 100 * nearest, linestyle="", **style)
    over = alpha_rows(rows, method).sort_values("alpha")
    dashes = "--" if no_limit else "-"
    return axes.plot(over["alpha"], 100 * over["accuracy_mean"], linestyle=dashes, **style)[0]
