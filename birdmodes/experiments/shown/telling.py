"""What the experiment on instances shows: methods beside each other, and accuracy against alpha."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from birdmodes.experiments.experiment import Measured, Shown
from birdmodes.experiments.figures import legend_above, name_panel, panels, write_figure
from birdmodes.experiments.known import times_of_law
from birdmodes.experiments.report import Section
from birdmodes.experiments.shown.beside_paper import alphas_of_law, plain_table
from birdmodes.experiments.tables import (
    UNKNOWN,
    WORDS,
    Cell,
    ReportTable,
    across,
    by_method,
    lay_out,
    mean_cells,
    percent,
    rows_with,
    seconds,
)
from birdmodes.experiments.work.learners import EUCLIDEAN
from birdmodes.experiments.work.telling import (
    CHOSEN,
    ENTRANTS,
    MAJORITY,
    PLAIN_RULES,
    alpha_rows,
    form_of,
    with_rule_16,
)
from birdmodes.experiments.work.ways import ALPHAS

DEFAULT_ALPHAS: dict[str, float] = {"linear": 0.5, "kernel": 0.25}
"""Defaults of the package, of the two forms."""

LETTERS = {"instances": "(a)", "bags": "(b)", "both": "(b + a)"}
"""Settings of the paper, by what is told."""


def show(texts: Mapping[str, str], folder: Path, measured: Measured) -> Shown:
    """Draw the figure and put together what is shown."""
    summary = measured.summary
    table = partial(methods_table, summary)
    both = {"accuracy": "Accuracy (%)", "precision": "Precision (%)"}
    every = {"accuracy_all": "Accuracy (%)", "share_right": "Share right (%)"}
    told = [table(name, title, candidates="bag") for name, title in both.items()]
    metric = table("accuracy", "Accuracy (%), true class means", told=("instances", "both"))
    title = "Seconds of learning metric and class means"
    times = table("train_seconds", title, text=seconds, spread=False, mark=False)
    paper = [
        plain_table("law-table-1", "The paper's Table 1, on faces: nearest centroid (%)"),
        plain_table("law-table-2", "The paper's Table 2, on faces: nearest training instance (%)"),
        alphas_of_law(),
    ]
    sections = [
        Section("The paper's own tables", None, paper, texts["paper"]),
        Section("How it is done", None, [], texts["protocol"]),
        Section("Told the label sets of held-out bags", None, told),
        Section("What the metric alone is worth", None, [metric], texts["true_means"]),
    ]
    by_alpha = [alphas_table(summary, name) for name in dict.fromkeys(summary["dataset"])]
    by_alpha = [table for table in by_alpha if table.rows]
    if by_alpha:
        name, title = "instance-accuracy-alpha", "Rules 15 and 16, alpha (the paper's Table 3)"
        drawn = write_figure(folder, name, texts["alphas_figure"], draw_alphas, summary)
        sections.append(Section(title, drawn, by_alpha, texts["alphas"]))
    if summary["examples_mean"].notna().any():
        sections.append(Section("What mimlca learns from", None, [examples_table(summary)]))
    sections.append(Section("Training time", None, [times_table(summary), times], texts["times"]))
    of_all = [table(name, title, spread=False) for name, title in every.items()]
    sections.append(Section("All categories", None, of_all, texts["all"]))
    return Shown([table(name, title) for name, title in both.items()], sections)


def row_name(told: str, method: str, means: str) -> str:
    """Name a row by setting, method and where the class means come from."""
    whose = "" if means == "own" or told != "bags" else f", {means}"
    return f"{LETTERS[told]} {method}{whose}"


def methods_table(
    summary: pd.DataFrame,
    measure: str,
    title: str,
    *,
    candidates: str = "all",
    told: tuple[str, ...] = ("instances", "bags"),
    text: Callable[[float], str] = percent,
    spread: bool = True,
    mark: bool = True,
) -> ReportTable:
    """Lay out one figure of every method on every set, by the nearest mean.

    Parameters
    ----------
    summary : pandas.DataFrame
        Means over folds.
    measure : str
        Its column, without ``_mean``.
    title : str
        What the table shows.
    candidates : {"all", "bag"}
        Classes that an instance may be given.
    told : tuple of str
        What is known of training bags, in the order of the rows.
    text : callable
        Writes a figure.
    spread : bool
        Whether standard deviations are shown.
    mark : bool
        Whether the largest of each column and setting is marked.
    """
    shown = rows_with(summary, {"rule": PLAIN_RULES, "candidates": [candidates], "told": told})
    names = list(map(row_name, shown["told"], shown["method"], shown["means"]))
    shown = shown.assign(row=names)

    def cells(here: pd.DataFrame) -> dict[str, Cell]:
        made: dict[str, Cell] = {}
        fewest = 1 if mark else None
        for _, rows in here[here[f"{measure}_mean"].notna()].groupby("told", sort=False):
            made |= mean_cells(rows, measure, text, names="row", spread=spread, fewest=fewest)
        return made

    ordered = by_method(shown, ENTRANTS)
    rows = [name for setting in told for name in ordered.loc[ordered["told"] == setting, "row"]]
    return lay_out(title, dict.fromkeys(rows), across(shown, cells))


def alphas_table(summary: pd.DataFrame, dataset: str) -> ReportTable:
    """Lay out the accuracies of both rules on one set, alphas across, as the paper's Table 3.

    Parameters
    ----------
    summary : pandas.DataFrame
        Means over folds.
    dataset : str
        Which set.
    """
    here = summary[(summary["dataset"] == dataset) & (summary["candidates"] == "all")]
    rows = []
    for method in with_rule_16(here["method"]):
        own = here[(here["method"] == method) & (here["means"] == "own")]
        fixed = alpha_rows(here, method).set_index("alpha")["accuracy_mean"]
        nearest = own.loc[own["rule"] == "15", "accuracy_mean"].iloc[0]
        chosen = own[own["rule"] == CHOSEN].iloc[0]
        cells = [Cell(_percent(nearest))]
        default = DEFAULT_ALPHAS[form_of(method)]
        for alpha in ALPHAS:
            mark = " (default)" if alpha == default else ""
            cells.append(Cell(f"{_percent(fixed[alpha])}{mark}", bool(fixed[alpha] == fixed.max())))
        cells.append(Cell(f"{_percent(chosen['accuracy_mean'])} ({chosen['alpha_used_mean']:.2f})"))
        rows.append((method, cells))
    header = ["method", "(15)", *[f"(16), {alpha:g}" for alpha in ALPHAS], "chosen by label sets"]
    return ReportTable(f"{dataset}: accuracy (%)", header, rows)


def _percent(value: float) -> str:
    return UNKNOWN if pd.isna(value) else percent(value)


def times_table(summary: pd.DataFrame) -> ReportTable:
    """Compare training times with that of mimlca as published, beside the paper's."""
    trained = summary[~summary["method"].isin([MAJORITY, EUCLIDEAN])]

    def cells(here: pd.DataFrame) -> dict[str, Cell]:
        times = here.groupby("method", sort=False)["metric_seconds_mean"].first()
        base = times.get("mimlca")
        return {
            str(name): Cell(f"{seconds(at)}" + (f" ({at / base:.3g}x)" if base else ""))
            for name, at in times.items()
        }

    paper = {name: Cell(f"({times:.3g}x)") for name, times in times_of_law("law-table-1").items()}
    title = "Seconds of learning the metric (as a multiple of mimlca)"
    rows = dict.fromkeys(by_method(trained, ENTRANTS)["method"])
    return lay_out(title, rows, [*across(trained, cells), ("paper, faces", paper)])


def examples_table(summary: pd.DataFrame) -> ReportTable:
    """Tell how many instances mimlca takes for examples, and how many of them rightly."""
    own = {"rule": ["15"], "means": ["own"], "candidates": ["all"]}
    shown = rows_with(summary[summary["examples_mean"].notna()], own)
    shown = shown.set_index(shown["dataset"] + ", " + shown["method"])
    columns = [
        (title, {str(name): Cell(percent(share)) for name, share in shown[column].items()})
        for title, column in (
            ("examples, of all training instances", "examples_mean"),
            ("right, of the examples", "examples_right_mean"),
        )
    ]
    title = "Examples of classes that mimlca finds in training bags (%)"
    return lay_out(title, list(shown.index), columns, corner="set, method")


_FAMILIES: dict[str, dict[str, Any]] = WORDS["learner_styles"]
_NEAREST_AT = -0.2  # where the results of rule 15, which has no alpha, stand


def draw_alphas(summary: pd.DataFrame) -> Figure:
    """Draw a panel for each set."""
    # Baselines of the list are in the tables.
    drawn = list(_FAMILIES) + [f"{name}-no-limit" for name in _FAMILIES]
    methods = [name for name in with_rule_16(summary["method"]) if name in drawn]
    datasets = list(dict.fromkeys(summary["dataset"]))
    figure, grid = panels(len(datasets), 2, 3.9, 2.9, (0, 0.8))
    handles: dict[str, Any] = {}
    for axes, dataset in zip(grid, datasets, strict=True):
        here = summary[summary["dataset"] == dataset]
        for method in methods:
            line = _draw_method(axes, here[here["method"] == method], method)
            handles.setdefault(method, line)
        name_panel(axes, dataset)
        axes.set_xticks([_NEAREST_AT, 0, 0.25, 0.5, 1, 1.2], ["(15)", 0, 0.25, 0.5, 1, 1.2])
        axes.set_xlabel("alpha of (16)")
        axes.set_ylabel("accuracy (%)")
    lines = (list(handles.values()), list(handles))
    legend_above(figure, lines, 1 + min(2, len(datasets)))
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
