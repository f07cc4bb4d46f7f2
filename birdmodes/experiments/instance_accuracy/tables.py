"""The tables of the report: methods down, sets or alphas across."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from birdmodes.experiments.bagwise.tables import UNKNOWN, percent, seconds
from birdmodes.experiments.instance_accuracy.entrants import ENTRANTS, MAJORITY
from birdmodes.experiments.instance_accuracy.paper import PAPER_TIMES
from birdmodes.experiments.instance_accuracy.results import (
    DEFAULT_ALPHAS,
    alpha_rows,
    form_of,
    plain_rules,
    with_rule_16,
)
from birdmodes.experiments.instance_accuracy.ways import ALPHAS, TOLD
from birdmodes.experiments.instance_accuracy.work import CHOSEN
from birdmodes.experiments.report_tables import Cell, ReportTable

_LETTERS = {"instances": "(a)", "bags": "(b)", "both": "(b + a)"}


def row_name(told: str, method: str, means: str) -> str:
    """Name a row by setting, method and where the class means come from."""
    whose = "" if means == "own" or told != "bags" else f", {means}"
    return f"{_LETTERS[told]} {method}{whose}"


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
    shown = plain_rules(summary, candidates, told)
    datasets = list(dict.fromkeys(shown["dataset"]))
    rows: list[tuple[str, list[Cell]]] = []
    for setting in told:
        of_setting = _in_order(shown[shown["told"] == setting])
        best = of_setting.groupby("dataset")[f"{measure}_mean"].max()
        for names, of_row in of_setting.groupby(["method", "means"], sort=False):
            figures = of_row.set_index("dataset")
            cells = [
                _cell(figures.loc[name], measure, text, spread, best[name] if mark else None)
                if name in figures.index
                else Cell(UNKNOWN)
                for name in datasets
            ]
            rows.append((row_name(setting, *map(str, names)), cells))
    return ReportTable(title, ["method", *datasets], rows)


def _in_order(rows: pd.DataFrame) -> pd.DataFrame:
    """Sort by method: the first set need not have all of them."""
    order = list(ENTRANTS)
    return rows.sort_values("method", key=lambda names: names.map(order.index), kind="stable")


def _cell(
    row: pd.Series[float],
    measure: str,
    text: Callable[[float], str],
    spread: bool,
    best: float | None,
) -> Cell:
    mean, deviation = row[f"{measure}_mean"], row[f"{measure}_sd"]
    if pd.isna(mean):
        return Cell(UNKNOWN)
    written = text(mean)
    if spread and pd.notna(deviation):
        written += f" ± {text(deviation)}"
    return Cell(written, bool(mean == best))


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
    for method in with_rule_16(list(here["method"])):
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
    trained = summary[~summary["method"].isin([MAJORITY, "euclidean"])]
    datasets = list(dict.fromkeys(trained["dataset"]))
    times = trained.groupby(["method", "dataset"])["metric_seconds_mean"].first()
    rows = []
    for method in dict.fromkeys(_in_order(trained)["method"]):
        cells = []
        for name in datasets:
            taken, base = times.get((method, name)), times.get(("mimlca", name))
            ratio = f" ({taken / base:.3g}x)" if taken is not None and base else ""
            cells.append(Cell(UNKNOWN if taken is None else f"{seconds(taken)}{ratio}"))
        paper = PAPER_TIMES.get(method)
        cells.append(Cell(UNKNOWN if paper is None else f"({paper:g}x)"))
        rows.append((method, cells))
    title = "Seconds of learning the metric (as a multiple of mimlca)"
    return ReportTable(title, ["method", *datasets, "paper, faces"], rows)


def examples_table(summary: pd.DataFrame) -> ReportTable:
    """Tell how many instances mimlca takes for examples, and how many of them rightly."""
    linear = summary["examples_mean"].notna() & summary["rule"].eq("15")
    shown = summary[linear & summary["means"].eq("own") & summary["candidates"].eq("all")]
    rows = []
    for names, of_row in shown.groupby(["dataset", "method"], sort=False):
        row = of_row.iloc[0]
        cells = [Cell(percent(row["examples_mean"])), Cell(percent(row["examples_right_mean"]))]
        rows.append((", ".join(map(str, names)), cells))
    header = ["set, method", "examples, of all training instances", "right, of the examples"]
    return ReportTable("Examples of classes that mimlca finds in training bags (%)", header, rows)


def settings_text() -> str:
    """Say what the letters before the methods mean."""
    return "; ".join(f"{_LETTERS[name]}: {text}" for name, text in TOLD.items()) + "."
