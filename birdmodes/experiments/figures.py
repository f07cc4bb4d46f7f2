"""One figure per experiment, a row of panels for each set."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import rc_context
from matplotlib.figure import Figure

from birdmodes.experiments.entrants import in_order
from birdmodes.experiments.protocol import EXPERIMENTS, Experiment
from birdmodes.io.files import write_text

_PANEL_WIDTH, _PANEL_HEIGHT = 3.6, 2.5
_MEASURES = {"nmi": "NMI", "purity": "purity"}
_AXES: dict[Experiment, tuple[str, str, tuple[str, ...]]] = {
    "alpha": ("alpha", "alpha, the weight of the bag constraints", ("purity",)),
    "labelled": ("labelled_share", "labelled bags (%)", ("nmi", "purity")),
    "clusters": ("k", "number of clusters K", ("nmi", "purity")),
}
_FEW = 8  # so many places are all named at the axis
_MANY = 30  # with more places than these a band stands for the error bars

# Colours of Okabe & Ito, which people with any colour vision tell apart; shapes do so in print.
_STYLES: dict[str, dict[str, Any]] = {
    "sp": {"color": "#777777", "marker": "o"},
    "splearn": {"color": "#e69f00", "marker": "^"},
    "splearn-symmetric": {"color": "#d55e00", "marker": "v", "linestyle": "--"},
    "spreg": {"color": "#56b4e9", "marker": "s"},
    "csp-no-pairs": {"color": "#009e73", "marker": "d", "linestyle": "--"},
    "csp": {"color": "#0072b2", "marker": "D"},
    "ldc": {"color": "#000000", "marker": "*", "markersize": 8},
    "mimlca": {"color": "#cc79a7", "marker": "P"},
    "mimlca-no-limit": {"color": "#882255", "marker": "X", "linestyle": "--"},
}
_OTHERS = ("#117733", "#332288", "#999933", "#aa4499")

STYLE: Any = {
    "svg.fonttype": "none",  # text stays text: smaller, and it can be searched
    "svg.hashsalt": "birdmodes",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9,
    "axes.grid": True,
    "grid.alpha": 0.3,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "path.simplify": True,
}


@dataclass(frozen=True)
class BenchmarkFigure:
    """A figure that was written.

    Attributes
    ----------
    file : str
        Its name in the folder.
    experiment : str
        What it shows.
    caption : str
        What to know to read it; also its text for those who cannot see it.
    """

    file: str
    experiment: str
    caption: str


_CAPTIONS: dict[Experiment, str] = {
    "alpha": "Purity against alpha, K = C, all bags labelled.",
    "labelled": "NMI and purity against the share of labelled bags, K = C; every run has its own "
    "random subset of labelled bags, the same for every method.",
    "clusters": "NMI and purity against the number of clusters, all bags labelled.",
}


def write_figures(folder: Path, summary: pd.DataFrame) -> list[BenchmarkFigure]:
    """Draw every experiment that has results.

    Parameters
    ----------
    folder : pathlib.Path
        Where to.
    summary : pandas.DataFrame
        As :func:`birdmodes.experiments.results.summary_table` gives it.
    """
    figures = []
    for experiment in EXPERIMENTS:
        rows = summary[summary["experiment"] == experiment]
        if len(rows):
            file = f"{experiment}.svg"
            with rc_context(STYLE):
                figure = draw(experiment, rows)
                write_text(folder / file, svg_text(figure))
            spread = "band" if _crowded(experiment, rows) else "bars"
            caption = f"{_CAPTIONS[experiment]} Mean over runs; {spread}: ± 1 standard deviation."
            figures.append(BenchmarkFigure(file, experiment, caption))
    return figures


def draw(experiment: Experiment, rows: pd.DataFrame) -> Figure:
    """Draw the panels of one experiment.

    Parameters
    ----------
    experiment : str
        Its name.
    rows : pandas.DataFrame
        Its part of the summary.
    """
    place, place_name, measures = _AXES[experiment]
    datasets = list(dict.fromkeys(rows["dataset"]))
    methods = in_order(set(rows["method"]))
    styles = _styles(methods)
    panels = [(dataset, measure) for dataset in datasets for measure in measures]
    n_columns = min(2, len(panels))
    n_rows = -(-len(panels) // n_columns)
    size = (_PANEL_WIDTH * n_columns, _PANEL_HEIGHT * n_rows + 0.6)
    figure = Figure(figsize=size, layout="constrained")
    grid = figure.subplots(n_rows, n_columns, squeeze=False)
    handles: dict[str, Any] = {}
    for axes, (dataset, measure) in zip(grid.flat, panels, strict=False):
        for method in methods:
            here = rows[(rows["dataset"] == dataset) & (rows["method"] == method)]
            if len(here):
                line = _draw_line(axes, here.sort_values(place), place, measure, styles[method])
                handles.setdefault(method, line)
        # A name may hold what would be taken for a formula.
        axes.set_title(printable(dataset), parse_math=False)
        axes.set_xlabel(place_name)
        axes.set_ylabel(_MEASURES[measure])
        axes.locator_params(axis="y", nbins=5)
        if len(at := sorted(set(rows.loc[rows["dataset"] == dataset, place]))) <= _FEW:
            axes.set_xticks([_shown(value, place) for value in at])
    for axes in grid.flat[len(panels) :]:
        axes.set_visible(False)
    figure.legend(
        [handles[method] for method in methods],
        methods,
        loc="outside upper center",
        ncols=min(4, len(methods)),
        frameon=False,
    )
    return figure


def svg_text(figure: Figure) -> str:
    """Write a figure as SVG, the same bytes each time, with no more digits than can be seen."""
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    return re.sub(r"<[^>]*>", _rounded, buffer.getvalue())


def _rounded(tag: re.Match[str]) -> str:
    """Cut the numbers of a tag to hundredths of a pixel; text between tags stays as it is."""
    return re.sub(r"(\d\.\d\d)\d+", r"\1", tag.group())


def printable(name: str) -> str:
    """Replace what cannot be printed, which XML does not allow either."""
    return "".join(char if char.isprintable() else "\ufffd" for char in name)


def _draw_line(
    axes: Any, rows: pd.DataFrame, place: str, measure: str, style: dict[str, Any]
) -> Any:
    x = np.array([_shown(value, place) for value in rows[place]])
    mean = rows[f"{measure}_mean"].to_numpy(float)
    deviation = np.nan_to_num(rows[f"{measure}_sd"].to_numpy(float))
    style = {"markersize": 4, "linewidth": 1.2, **style}
    if len(x) > _MANY:
        style = {**style, "marker": ""}
        edges = (mean - deviation, mean + deviation)
        axes.fill_between(x, *edges, color=style["color"], alpha=0.2, linewidth=0)
        return axes.plot(x, mean, **style)[0]
    return axes.errorbar(x, mean, yerr=deviation, elinewidth=0.8, **style)


def _shown(value: float, place: str) -> float:
    """Where a value stands on the axis: shares in percent."""
    return 100 * float(value) if place == "labelled_share" else float(value)


def _crowded(experiment: Experiment, rows: pd.DataFrame) -> bool:
    return rows[_AXES[experiment][0]].nunique() > _MANY


def _styles(methods: list[str]) -> dict[str, dict[str, Any]]:
    """Style of each method: its own, the same in every figure, or one of the spare ones."""
    spare = iter({"color": color, "marker": "x", "linestyle": ":"} for color in _OTHERS * 9)
    return {name: _STYLES[name] if name in _STYLES else next(spare) for name in methods}
