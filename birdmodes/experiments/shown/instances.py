"""What the experiments of Pei & Fern show: methods beside each other, and curves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from birdmodes.experiments.experiment import Brief, Measured, Shown
from birdmodes.experiments.figures import (
    ReportFigure,
    draw_deviations,
    legend_above,
    name_panel,
    panels,
    write_figure,
)
from birdmodes.experiments.report import Section
from birdmodes.experiments.results import in_order
from birdmodes.experiments.tables import MEASURE_NAMES, WORDS, ReportTable, lay_out, mean_cells
from birdmodes.experiments.work.instances import ENTRANTS

_PARTS: dict[str, dict[str, Any]] = WORDS["parts"]
PARTS = tuple(_PARTS)
"""What is varied, one at a time."""

_ALPHAS_SHOWN = (0.0, 0.1, 0.25, 0.5, 0.7, 0.85, 1.0)


def at_c_clusters(table: pd.DataFrame) -> pd.DataFrame:
    """Choose the rows with as many clusters as classes and all bags labelled, alpha as default.

    From the experiment on labelled bags where a set has that, else from the one on clusters.

    Parameters
    ----------
    table : pandas.DataFrame
        Runs or their summary.
    """
    parts = []
    for _, of_set in table.groupby("dataset", sort=False):
        labelled = of_set[(of_set["experiment"] == "labelled") & (of_set["labelled_share"] == 1)]
        clusters = of_set[of_set["experiment"] == "clusters"]
        clusters = clusters[clusters["k"] == clusters["k"].min()]
        parts.append(labelled)
        # A method added later may be in one experiment only.
        parts.append(clusters[~clusters["method"].isin(labelled["method"])])
    return pd.concat(parts) if parts else table.iloc[:0]


def show(texts: Mapping[str, str], folder: Path, measured: Measured) -> Shown:
    """Draw the figures and put together what is shown."""
    summary = measured.summary
    sections = [
        Section(_PARTS[part]["title"], figure, curve_tables(summary, part))
        for part, figure in write_figures(texts, folder, summary)
    ]
    return Shown(main_tables(summary), sections)


def brief_table(summary: pd.DataFrame) -> Brief:
    """Print NMI, purity and ARI with K = C and all bags labelled."""
    columns = {"data set": "{dataset}", "method": "{method}", "K": "{k}"}
    for name in ("nmi", "purity", "ari"):
        columns[MEASURE_NAMES[name]] = f"{{{name}_mean:.3f}} ± {{{name}_sd:.3f}}"
    return Brief.of(at_c_clusters(summary), columns, 2)


def main_tables(summary: pd.DataFrame) -> list[ReportTable]:
    """Compare all methods with K = C and all bags labelled, a table for each set."""
    tables = []
    for dataset, rows in at_c_clusters(summary).groupby("dataset", sort=False):
        title = f"{dataset}: K = C = {int(rows['k'].iloc[0])}, all bags labelled"
        columns = [(name, mean_cells(rows, measure)) for measure, name in MEASURE_NAMES.items()]
        tables.append(lay_out(title, _methods(rows), columns))
    return tables


def curve_tables(summary: pd.DataFrame, part: str) -> list[ReportTable]:
    """Give the figures behind the curves of a part, per set and measure."""
    place, measures = (_PARTS[part][each] for each in ("column", "measures"))
    tables = []
    for dataset, rows in summary[summary["experiment"] == part].groupby("dataset", sort=False):
        places = sorted(set(rows[place]))
        if part == "alpha":
            places = [alpha for alpha in places if alpha in _ALPHAS_SHOWN]
        shown = rows[rows[place].isin(places)]
        for measure in measures:
            columns = [
                (_PARTS[part]["written"].format(at), mean_cells(shown[shown[place] == at], measure))
                for at in places
            ]
            title = f"{dataset}: {MEASURE_NAMES[measure]}"
            tables.append(lay_out(title, _methods(shown), columns))
    return tables


def _methods(rows: pd.DataFrame) -> list[str]:
    return in_order(rows["method"], list(ENTRANTS))


_FEW = 8  # so many places are all named at the axis
_MANY = 30  # with more places than these a band stands for the error bars,
_DRAWN = 41  # and of very many only so many are drawn

_STYLES: dict[str, dict[str, Any]] = WORDS["instance_styles"]
_OTHERS = ("#117733", "#332288", "#999933", "#aa4499")


def write_figures(
    texts: Mapping[str, str], folder: Path, summary: pd.DataFrame
) -> Iterator[tuple[str, ReportFigure]]:
    """Draw every part that has results.

    Parameters
    ----------
    texts : mapping of str to str
        What to know to read each, by part.
    folder : pathlib.Path
        Where to.
    summary : pandas.DataFrame
        Means over runs.

    Yields
    ------
    part : str
    figure : ReportFigure
    """
    for part in PARTS:
        rows = summary[summary["experiment"] == part]
        if len(rows):
            n_places = rows[_PARTS[part]["column"]].nunique()
            spread = "band" if n_places > _MANY else "bars"
            drawn = f"; of {n_places} values {_DRAWN} are drawn" if n_places > _DRAWN else ""
            caption = f"{texts[part]} Mean over runs; {spread}: ± 1 standard deviation{drawn}."
            yield part, write_figure(folder, part, caption, draw, part, rows)


def draw(part: str, rows: pd.DataFrame) -> Figure:
    """Draw the panels of one part, a row of them for each set.

    Parameters
    ----------
    part : str
        Its name.
    rows : pandas.DataFrame
        Its rows of the summary.
    """
    place, place_name, measures = (_PARTS[part][each] for each in ("column", "axis", "measures"))
    methods = _methods(rows)
    styles = _styles(methods)
    shown = [(name, measure) for name in dict.fromkeys(rows["dataset"]) for measure in measures]
    figure, grid = panels(len(shown), 2, 3.6, 2.5, (0, 0.6))
    handles: dict[str, Any] = {}
    for axes, (dataset, measure) in zip(grid, shown, strict=True):
        of_set = rows[rows["dataset"] == dataset]
        for method in methods:
            here = of_set[of_set["method"] == method].sort_values(place)
            if len(here):
                line = _draw_line(axes, here, place, measure, styles[method])
                handles.setdefault(method, line)
        name_panel(axes, dataset)
        axes.set_xlabel(place_name)
        axes.set_ylabel(MEASURE_NAMES[measure])
        axes.locator_params(axis="y", nbins=5)
        if len(at := sorted(set(of_set[place]))) <= _FEW:
            axes.set_xticks([_shown(value, place) for value in at])
    lines = [handles[method] for method in methods]
    legend_above(figure, (lines, methods), min(4, len(methods)))
    return figure


def _draw_line(
    axes: Any, rows: pd.DataFrame, place: str, measure: str, style: dict[str, Any]
) -> Any:
    if len(rows) > _MANY:
        places = np.linspace(0, len(rows) - 1, min(len(rows), _DRAWN))
        rows = rows.iloc[places.round().astype(int)]
        style = {**style, "marker": ""}
    x = np.array([_shown(value, place) for value in rows[place]])
    mean = rows[f"{measure}_mean"].to_numpy(float)
    deviation = np.nan_to_num(rows[f"{measure}_sd"].to_numpy(float))
    if style["marker"]:
        draw_deviations(axes, x, mean, deviation, style["color"])
    else:
        edges = (mean - deviation, mean + deviation)
        axes.fill_between(x, *edges, color=style["color"], alpha=0.2, linewidth=0)
    return axes.plot(x, mean, **{"markersize": 4, "linewidth": 1.2, **style})[0]


def _shown(value: float, place: str) -> float:
    """Where a value stands on the axis: shares in percent."""
    return 100 * float(value) if place == "labelled_share" else float(value)


def _styles(methods: list[str]) -> dict[str, dict[str, Any]]:
    """Style of each method: its own, the same in every figure, or one of the spare ones."""
    spare = iter({"color": color, "marker": "x", "linestyle": ":"} for color in _OTHERS * 9)
    return {name: _STYLES[name] if name in _STYLES else next(spare) for name in methods}
