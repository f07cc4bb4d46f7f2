"""What the experiment on m3ic shows: methods down, problems across; accuracy over C and l."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import rc_context
from matplotlib.figure import Figure

from birdmodes.experiments.experiment import Measured, Shown
from birdmodes.experiments.figures import (
    COLOURS,
    MARKERS,
    legend_above,
    name_panel,
    panels,
    printable,
    write_figure,
)
from birdmodes.experiments.known import marked, paper_of_zhang
from birdmodes.experiments.report import Section
from birdmodes.experiments.shown.beside_paper import WRITTEN, zhang_table
from birdmodes.experiments.tables import (
    NOTHING,
    WORDS,
    Cell,
    Column,
    ReportTable,
    lay_out,
    percent,
)
from birdmodes.experiments.work.bags import BESIDE_M3IC, PREPARATIONS
from birdmodes.experiments.work.choices import OVER_C, OVER_L, PEEKING, RULES, entries, kept_runs

_IN_PAPER = "m3ic in the paper"
_ONE_GROUP = "all bags in one group"
"""A row that tells what accuracy is worth where classes differ in size."""

RULES_AND_FEATURES = (
    "Rules: "
    + "; ".join(f"{rule}: {text}" for rule, text in RULES.items())
    + ". Features: "
    + "; ".join(f"{name}: {text}" for name, text in PREPARATIONS.items())
    + "."
)


def show(texts: Mapping[str, str], folder: Path, measured: Measured) -> Shown:
    """Draw the figures and put together what is shown."""
    runs, choices = measured.runs, measured.summary
    main = next(name for name in PREPARATIONS if name in set(choices["preparation"]))
    sections = [
        _measure_section(choices, "accuracy", texts["beside"]),
        _measure_section(choices, "nmi_geometric", texts["beside"]),
        _time_section(choices, runs, texts["times"]),
        *_grid_sections(folder, runs, choices, texts),
    ]
    return Shown([overview_table(choices, main)], sections)


def _measure_section(choices: pd.DataFrame, measure: str, text: str) -> Section:
    """Every method on every problem: with choices that look at labels, then without."""
    accuracy = measure == "accuracy"
    made = []
    for peeking in (True, False):
        for preparation, here in choices.groupby("preparation", sort=False):
            how = "the papers' rules, which look at the labels" if peeking else "without labels"
            made.append(
                methods_table(
                    here,
                    measure,
                    f"{'Accuracy (%)' if accuracy else 'NMI'}, {how}; features {preparation}",
                    peeking=peeking,
                    paper=paper_of_zhang(measure) if peeking else None,
                )
            )
    made.insert(0, zhang_table(choices, measure))
    title = "Accuracy (the paper's Table 4)" if accuracy else "NMI (the paper's Table 5)"
    return Section(title, None, made, text)


def _time_section(choices: pd.DataFrame, runs: pd.DataFrame, text: str) -> Section:
    """Processor time: of one run, and of all that the paper's protocol asks for."""
    made = [zhang_table(choices, "seconds")]
    for preparation, here in runs.groupby("preparation", sort=False):
        here = here[here["dataset"].isin(choices["dataset"])]
        by_method = here.groupby(["dataset", "method"], sort=False)["seconds"]
        for title, table in (
            ("Seconds of one run, mean", by_method.mean()),
            ("Seconds of all runs on all points of the grid", by_method.sum()),
        ):
            named, title = table.reset_index().assign(rule=""), f"{title}; features {preparation}"
            made.append(methods_table(named, "seconds", title, peeking=None))
    return Section("Processor time (the paper's Table 6)", None, made, text)


def _grid_sections(
    folder: Path, runs: pd.DataFrame, choices: pd.DataFrame, texts: Mapping[str, str]
) -> list[Section]:
    """A figure of accuracy over C and l for each preparation of the features."""
    sections = []
    searched = runs[(runs["method"] == "m3ic") & runs["C"].notna()]
    searched = searched[searched["dataset"].isin(choices["dataset"])]
    for preparation, here in searched.groupby("preparation", sort=False):
        chosen = choices[(choices["method"] == "m3ic") & (choices["preparation"] == preparation)]
        caption = texts["grid_figure"].format(preparation=preparation)
        name = f"m3ic-grid-{preparation}"
        drawn = write_figure(folder, name, caption, draw_grids, here, chosen)
        sections.append(Section(f"The grid of m3ic, features {preparation}", drawn, []))
    margins = choices[choices["rule"].isin([OVER_L, OVER_C]) & (choices["method"] == "m3ic")]
    if len(margins):
        caption = texts["sensitivity_figure"]
        drawn = write_figure(folder, "m3ic-sensitivity", caption, draw_margins, margins)
        sections.append(Section("Sensitivity to C and l (the paper's Fig. 4 to 6)", drawn, []))
    return sections


def methods_table(
    choices: pd.DataFrame,
    measure: str,
    title: str,
    *,
    peeking: bool | None,
    paper: dict[str, float] | None = None,
) -> ReportTable:
    """Lay out one figure of every method on every problem.

    Parameters
    ----------
    choices : pandas.DataFrame
        Of one preparation of the features and one number of groups for each problem.
    measure : {"accuracy", "nmi_geometric", "seconds"}
        Its column.
    title : str
        What the table shows.
    peeking : bool or None
        Only rules that look at the labels, only those that do not, or all. Methods of the paper
        that are averaged there are in every table.
    paper : dict, optional
        Figures of m3ic in its paper, by problem.
    """
    text = WRITTEN[measure]
    names = {entry: _row_name(*entry) for entry in _entries(choices, peeking)}
    rows = list(names.values())
    if measure == "accuracy":
        rows.insert(0, _ONE_GROUP)
    if paper and set(paper) & set(choices["dataset"]):
        rows.insert(0, _IN_PAPER)
    columns: list[Column] = []
    for dataset, here in choices.groupby("dataset", sort=False):
        pairs = zip(here["method"], here["rule"], strict=True)
        figures = dict(zip(pairs, here[measure], strict=True))
        compared = {entry: figures[entry] for entry in names if entry in figures}
        fair = [value for entry, value in compared.items() if entry[1] != "luckiest"]
        best = (min if measure == "seconds" else max)(fair, default=None)
        cells = {
            names[entry]: Cell(text(value), len(fair) > 1 and value == best)
            for entry, value in compared.items()
        }
        if measure == "accuracy":
            cells[_ONE_GROUP] = Cell(text(here["largest_class"].iloc[0]))
        if paper and dataset in paper:
            cells[_IN_PAPER] = Cell(text(paper[str(dataset)]))
        columns.append((marked(str(dataset)), cells))
    return lay_out(title, rows, columns)


def _entries(choices: pd.DataFrame, peeking: bool | None) -> list[tuple[str, str]]:
    """Pairs of method and rule that a table has rows for, in their order."""
    averaged = ("kmeans-vote", "mean")
    return [
        (method, rule)
        for method, rule in entries(choices)
        if peeking is None or (rule in PEEKING) == peeking or (method, rule) == averaged
    ]


def _row_name(method: str, rule: str) -> str:
    beside = " (beside the paper)" if method in BESIDE_M3IC else ""
    return f"{method}, {rule}{beside}" if rule else f"{method}{beside}"


def overview_table(choices: pd.DataFrame, main: str) -> ReportTable:
    """Put m3ic beside its paper and beside the best of the other methods.

    Parameters
    ----------
    choices : pandas.DataFrame
        All of them.
    main : str
        Preparation for which the choices without labels are shown.
    """
    rows = []
    for dataset, here in choices.groupby("dataset", sort=False):
        m3ic = here[here["method"] == "m3ic"]
        prepared = m3ic[m3ic["preparation"] == main]
        best = m3ic[m3ic["rule"] == "best"]
        paper = paper_of_zhang("accuracy").get(str(dataset))
        cells = [
            Cell(percent(here["largest_class"].iloc[0])),
            NOTHING if paper is None else Cell(percent(paper)),
        ]
        if len(best):
            at = best.iloc[int(best["accuracy"].argmax())]
            cells.append(Cell(percent(at["accuracy"])))
            cells.append(Cell(f"{at['preparation']}, C = {at['C']:g}, l = {at['balance']:g}"))
            cells.append(Cell(f"{best['runs'].sum():.0f}"))
            points = m3ic.loc[m3ic["rule"] == "points", "accuracy"]
            cells.append(Cell(f"{percent(points.min())} to {percent(points.max())}"))
        else:
            cells += [NOTHING] * 4
        for rule in ("stable", "defaults"):
            figures = prepared.loc[prepared["rule"] == rule, "accuracy"]
            cells.append(Cell(percent(figures.iloc[0])) if len(figures) else NOTHING)
        cells.append(_best_other(here, ("best", "mean")))
        cells.append(_best_other(here[here["preparation"] == main], ("least", "mean")))
        rows.append((marked(str(dataset)), cells))
    columns = [column.format(main=main) for column in WORDS["overview"]["columns"]]
    header = ["data set", _ONE_GROUP, *columns]
    return ReportTable("Accuracy (%) of m3ic", header, rows)


def _best_other(choices: pd.DataFrame, rules: Sequence[str]) -> Cell:
    """Highest accuracy of BAMIC by the first rule and of k-means by the second."""
    bamic = choices["method"].str.startswith("bamic") & (choices["rule"] == rules[0])
    vote = (choices["method"] == "kmeans-vote") & (choices["rule"] == rules[1])
    accuracies = choices.loc[bamic | vote, "accuracy"]
    return Cell(percent(accuracies.max())) if len(accuracies) else NOTHING


_CHOSEN: dict[str, list[dict[str, Any]]] = WORDS["chosen_points"]
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
    with rc_context({"axes.grid": False}):
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
    legend_above(figure, grid[0].get_legend_handles_labels(), 4)
    return figure
