"""The tables of the report: methods down, problems across."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pandas as pd

from birdmodes.experiments.bagwise.entrants import ENTRANTS, in_order
from birdmodes.experiments.bagwise.names import SUBSETS_OF
from birdmodes.experiments.bagwise.paper import PAPER_ACCURACY, marked
from birdmodes.experiments.bagwise.results import PEEKING, RULES
from birdmodes.experiments.report_tables import Cell, ReportTable

UNKNOWN = "–"
BESIDE = "beside the paper"
ONE_GROUP = "all bags in one group"
"""A row that tells what accuracy is worth where classes differ in size."""


def percent(share: float) -> str:
    """Write a share as the papers do, in percent with one decimal."""
    return f"{100 * share:.1f}"


def decimals(value: float) -> str:
    """Write a figure with three decimals."""
    return f"{value:.3f}"


def seconds(value: float) -> str:
    """Write a time with two digits that count."""
    return f"{value:.2g}" if value < 10 else f"{value:.0f}"


def methods_table(
    choices: pd.DataFrame,
    measure: str,
    title: str,
    *,
    peeking: bool | None,
    text: Callable[[float], str] = decimals,
    low_is_good: bool = False,
    paper: dict[str, float] | None = None,
) -> ReportTable:
    """Lay out one figure of every method on every problem.

    Parameters
    ----------
    choices : pandas.DataFrame
        Of one preparation of the features and one number of groups for each problem.
    measure : str
        Its column.
    title : str
        What the table shows.
    peeking : bool or None
        Only rules that look at the labels, only those that do not, or all. Methods of the paper
        that are averaged there are in every table.
    text : callable
        Writes a figure.
    low_is_good : bool
        Whether the least figure of a column is marked, not the largest.
    paper : dict, optional
        Figures of m3ic in its paper, by problem.
    """
    datasets = list(dict.fromkeys(choices["dataset"]))
    rows: list[tuple[str, list[Cell]]] = []
    if paper and set(paper) & set(datasets):
        known = [Cell(text(paper[name]) if name in paper else UNKNOWN) for name in datasets]
        rows.append(("m3ic in the paper", known))
    if measure == "accuracy":
        largest = choices.groupby("dataset", sort=False)["largest_class"].first()
        rows.append((ONE_GROUP, [Cell(text(largest[name])) for name in datasets]))
    entries = _entries(choices, peeking)
    figures = {
        entry: dict(zip(here["dataset"], here[measure], strict=True))
        for entry, here in choices.groupby(["method", "rule"], sort=False)
    }
    for method, rule in entries:
        cells = []
        for dataset in datasets:
            column = [
                figures[entry][dataset]
                for entry in entries
                if dataset in figures[entry] and entry[1] != "luckiest"
            ]
            value = figures[method, rule].get(dataset)
            best = (min if low_is_good else max)(column, default=None)
            cells.append(
                Cell(UNKNOWN)
                if value is None
                else Cell(text(value), len(column) > 1 and value == best)
            )
        rows.append((_row_name(method, rule), cells))
    return ReportTable(title, ["method", *map(marked, datasets)], rows)


def _entries(choices: pd.DataFrame, peeking: bool | None) -> list[tuple[str, str]]:
    """Pairs of method and rule that a table has rows for, in their order."""
    rules = ["", *RULES]
    found = set(zip(choices["method"], choices["rule"], strict=True))
    wanted = [
        (method, rule)
        for method in in_order({method for method, _ in found})
        for rule in rules
        if (method, rule) in found
    ]
    if peeking is None:
        return wanted
    averaged = ("kmeans-vote", "mean")
    return [
        (method, rule)
        for method, rule in wanted
        if (rule in PEEKING) == peeking or (method, rule) == averaged
    ]


def _row_name(method: str, rule: str) -> str:
    beside = "" if "m3ic" in ENTRANTS[method].in_paper else f" ({BESIDE})"
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
    rows: list[tuple[str, list[Cell]]] = []
    for dataset, here in choices.groupby("dataset", sort=False):
        m3ic = here[here["method"] == "m3ic"]
        prepared = m3ic[m3ic["preparation"] == main]
        best = m3ic[m3ic["rule"] == "best"]
        cells = [
            Cell(percent(here["largest_class"].iloc[0])),
            Cell(percent(PAPER_ACCURACY[str(dataset)]) if dataset in PAPER_ACCURACY else UNKNOWN),
        ]
        if len(best):
            at = best.iloc[int(best["accuracy"].argmax())]
            cells.append(Cell(percent(at["accuracy"])))
            cells.append(Cell(f"{at['preparation']}, C = {at['C']:g}, l = {at['balance']:g}"))
        else:
            cells += [Cell(UNKNOWN), Cell(UNKNOWN)]
        for rule in ("stable", "defaults"):
            figures = prepared.loc[prepared["rule"] == rule, "accuracy"]
            cells.append(Cell(percent(figures.iloc[0]) if len(figures) else UNKNOWN))
        cells.append(_best_other(here, ("best", "mean")))
        cells.append(_best_other(here[here["preparation"] == main], ("least", "mean")))
        rows.append((marked(str(dataset)), cells))
    header = [
        "data set",
        ONE_GROUP,
        "m3ic, paper",
        "m3ic, best",
        "at",
        f"m3ic, stable ({main})",
        f"m3ic, defaults ({main})",
        "best of bamic and kmeans-vote, best or mean",
        f"best of bamic and kmeans-vote, least or mean ({main})",
    ]
    return ReportTable("Accuracy (%) of m3ic", header, rows)


def _best_other(choices: pd.DataFrame, rules: Sequence[str]) -> Cell:
    """Highest accuracy of BAMIC by the first rule and of k-means by the second."""
    bamic = choices["method"].str.startswith("bamic") & (choices["rule"] == rules[0])
    vote = (choices["method"] == "kmeans-vote") & (choices["rule"] == rules[1])
    accuracies = choices.loc[bamic | vote, "accuracy"]
    return Cell(percent(accuracies.max()) if len(accuracies) else UNKNOWN)


def subsets_table(choices: pd.DataFrame) -> ReportTable:
    """List the accuracies on every subset of classes: of m3ic by each rule, and of k-means."""
    columns = [
        (method, rule, preparation)
        for preparation in dict.fromkeys(choices["preparation"])
        for method, rule in _entries(choices, None)
        if method in ("m3ic", "kmeans-vote") and rule != "least"
    ]
    figures = choices.set_index(["dataset", "method", "rule", "preparation"])["accuracy"]
    rows = []
    for dataset in dict.fromkeys(choices["dataset"]):
        values = [figures.get((dataset, *column)) for column in columns]
        cells = [Cell(UNKNOWN if value is None else percent(value)) for value in values]
        rows.append((str(dataset).partition(":")[2], cells))
    header = ["classes", *[f"{method}, {rule} ({features})" for method, rule, features in columns]]
    return ReportTable("Accuracy (%) on every subset of classes", header, rows)


def reached_table(choices: pd.DataFrame) -> ReportTable:
    """Count the subsets on which m3ic is as accurate as the paper says of each of its four."""
    best = choices[(choices["method"] == "m3ic") & (choices["rule"] == "best")]
    best = best.loc[best.groupby("dataset", sort=False)["accuracy"].idxmax()]
    sizes = sorted(set(best["k"]))
    rows = []
    for name, paper in PAPER_ACCURACY.items():
        if name.startswith(SUBSETS_OF):
            cells = []
            for size in sizes:
                reached = best.loc[best["k"] == size, "accuracy"].round(3) >= paper
                cells.append(Cell(f"{reached.sum()} of {len(reached)}"))
            rows.append((f"{name} in the paper, {percent(paper)}", cells))
    header = ["figure", *[f"{size} classes" for size in sizes]]
    title = "Subsets on which m3ic (best, any features) is as accurate as the paper's figure"
    return ReportTable(title, header, rows)


def over_k_table(
    choices: pd.DataFrame, measure: str, title: str, *, low_is_good: bool = False
) -> ReportTable:
    """Lay out one figure of every method on one problem, numbers of groups across.

    Parameters
    ----------
    choices : pandas.DataFrame
        Of one problem and one preparation of the features.
    measure : str
        Column.
    title : str
        What the table shows.
    low_is_good : bool
        Whether the least figure is marked.
    """
    counts = sorted(set(choices["k"]))
    figures = choices.set_index(["method", "rule", "k"])[measure]
    rows = []
    for method, rule in _entries(choices, None):
        cells = []
        for k in counts:
            value = figures.get((method, rule, k))
            best = (min if low_is_good else max)(choices.loc[choices["k"] == k, measure])
            cells.append(
                Cell(UNKNOWN) if value is None else Cell(decimals(value), bool(value == best))
            )
        rows.append((f"{method}, {rule}", cells))
    return ReportTable(title, ["method", *[f"K = {k}" for k in counts]], rows)
