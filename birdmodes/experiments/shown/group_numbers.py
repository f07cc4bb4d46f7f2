"""What the experiment on mi-em shows: figures of every method against the number of groups."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from birdmodes.experiments.experiment import Measured, Shown
from birdmodes.experiments.figures import (
    COLOURS,
    MARKERS,
    legend_above,
    name_panel,
    panels,
    write_figure,
)
from birdmodes.experiments.report import Section
from birdmodes.experiments.results import in_order
from birdmodes.experiments.tables import (
    LOW_IS_GOOD,
    WORDS,
    Column,
    ReportTable,
    decimals,
    lay_out,
    marked_cells,
)
from birdmodes.experiments.work.bags import ENTRANTS
from birdmodes.experiments.work.choices import entries

_DRAWN: dict[str, str] = WORDS["drawn_over_k"]
_MEASURES = {**_DRAWN, "accuracy": "accuracy"}


def show(texts: Mapping[str, str], folder: Path, measured: Measured) -> Shown:
    """Put together what is shown: a section for each preparation of the features."""
    choices = measured.summary
    means = choices[choices["rule"].isin(["mean", "only"])]
    sections = []
    for preparation, here in means.groupby("preparation", sort=False):
        caption = texts["figure"].format(preparation=preparation)
        drawn = write_figure(folder, f"mi-em-{preparation}", caption, draw_over_k, here)
        shown = choices[choices["preparation"] == preparation]
        made = [
            over_k_table(of_set, measure, f"{dataset}: {name}")
            for dataset, of_set in shown.groupby("dataset", sort=False)
            for measure, name in _MEASURES.items()
        ]
        sections.append(Section(f"Features {preparation}", drawn, made))
    return Shown([], sections)


def over_k_table(choices: pd.DataFrame, measure: str, title: str) -> ReportTable:
    """Lay out one figure of every method on one problem, numbers of groups across.

    Parameters
    ----------
    choices : pandas.DataFrame
        Of one problem and one preparation of the features.
    measure : str
        Column.
    title : str
        What the table shows.
    """
    columns: list[Column] = []
    for k, here in choices.groupby("k"):
        figures = dict(zip(here["method"] + ", " + here["rule"], here[measure], strict=True))
        cells = marked_cells(figures, decimals, low_is_good=measure in LOW_IS_GOOD)
        columns.append((f"K = {k}", cells))
    return lay_out(title, [f"{method}, {rule}" for method, rule in entries(choices)], columns)


def draw_over_k(choices: pd.DataFrame) -> Figure:
    """Draw figures of every method against the number of groups, a row of panels a problem.

    Parameters
    ----------
    choices : pandas.DataFrame
        Of one rule per method, and one preparation of the features.
    """
    methods = in_order(choices["method"], list(ENTRANTS))
    datasets = list(dict.fromkeys(choices["dataset"]))
    shown = [(dataset, measure) for dataset in datasets for measure in _DRAWN]
    figure, grid = panels(len(shown), len(_DRAWN), 2.9, 2.4, (0, 0.5))
    for axes, (dataset, measure) in zip(grid, shown, strict=True):
        here = choices[choices["dataset"] == dataset]
        for number, method in enumerate(methods):
            of_method = here[here["method"] == method].sort_values("k")
            axes.plot(
                of_method["k"],
                of_method[measure],
                color=COLOURS[number % len(COLOURS)],
                marker=MARKERS[number % len(MARKERS)],
                markersize=4,
                linewidth=1.2,
                label=method,
            )
        name_panel(axes, dataset)
        axes.set_xlabel("number of groups")
        axes.set_ylabel(_DRAWN[measure])
        axes.set_xticks(sorted(set(here["k"])))
    legend_above(figure, grid[0].get_legend_handles_labels(), 4)
    return figure
