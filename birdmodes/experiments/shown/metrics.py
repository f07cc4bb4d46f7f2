"""What the experiment on learned metrics shows: what they gain, methods down, sets across."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from birdmodes.experiments.experiment import Brief, Measured, Shown
from birdmodes.experiments.judges import STANDARD_ERRORS
from birdmodes.experiments.report import Section
from birdmodes.experiments.tables import Cell, ReportTable, across, lay_out
from birdmodes.experiments.work.learners import EUCLIDEAN

METRICS = (EUCLIDEAN, "mimlca", "mimlca-no-limit", "miml", "mildml")
"""Names of learners, in the order of the tables."""

OWN = "own"
"""In place of a metric, for methods that are not told one."""

SHOWN = {"nmi": "NMI", "purity": "purity", "ari": "ARI"}
K_NAMES = {1: "K = C", 2: "K = 2C"}


def at_k(table: pd.DataFrame, times: int) -> pd.DataFrame:
    """Choose the rows with as many clusters as classes, or a multiple, labels being the classes.

    Parameters
    ----------
    table : pandas.DataFrame
        Runs or their summary.
    times : int
        The multiple.
    """
    classes = table[table["part"] == "classes"]
    fewest = classes.groupby("dataset")["k"].transform("min")
    return classes[classes["k"] == times * fewest]


def show(texts: Mapping[str, str], folder: Path, measured: Measured) -> Shown:
    """Put together what is shown; there are no figures."""
    summary = measured.summary
    learned = set(summary["metric"]) - {OWN, EUCLIDEAN}
    sections = [_metric_section(summary, name) for name in METRICS if name in learned]
    if (summary["metric"] == OWN).any():
        of_each = [reference_table(summary, times) for times in K_NAMES]
        sections.append(Section("Beside them", None, of_each, texts["own"]))
    if (summary["part"] == "sub-classes").any():
        title, found = "Classes merged: are modes hidden?", sub_class_tables(summary)
        sections.append(Section(title, None, found, texts["sub_classes"]))
    if learned:
        sections.append(Section("Time", None, [seconds_table(summary)]))
    return Shown([overview_table(summary, times) for times in K_NAMES if learned], sections)


def brief_table(summary: pd.DataFrame) -> Brief:
    """Print what the learned metrics gain with as many clusters as classes."""
    table = overview_table(summary, 1)
    rows = [(name, *(cell.text for cell in cells)) for name, cells in table.rows]
    return Brief(table.header, rows, 1, table.title)


def _metric_section(summary: pd.DataFrame, metric: str) -> Section:
    made = [gain_table(summary, metric, measure, times) for times in K_NAMES for measure in SHOWN]
    return Section(f"Euclidean → {metric}", None, made)


def overview_table(summary: pd.DataFrame, times: int) -> ReportTable:
    """Tell at one glance which metric helps which method: mean gain in NMI, and on how many sets.

    Parameters
    ----------
    summary : pandas.DataFrame
        See :func:`birdmodes.experiments.papers.learned_metrics.summary_table`.
    times : int
        K as a multiple of C.
    """
    here = at_k(summary, times)
    here = here[here["metric"] != OWN]
    title = f"{K_NAMES[times]}: mean gain in NMI, and sets on which NMI and purity rise"
    return lay_out(title, _learned(here), across(here, _helped, "method"), corner="metric")


def _helped(of_method: pd.DataFrame) -> dict[str, Cell]:
    """Mean gain by every learned metric."""
    cells = {}
    of_method = of_method[of_method["nmi_gain"].notna()]
    for metric, found in of_method.groupby("metric", sort=False):
        helped = [_rises(row, "nmi") and _rises(row, "purity") for row in _rows(found)]
        text = f"{found['nmi_gain'].mean():+.3f}, {sum(helped)} of {len(helped)}"
        cells[str(metric)] = Cell(text, all(helped))
    return cells


def gain_table(summary: pd.DataFrame, metric: str, measure: str, times: int) -> ReportTable:
    """Lay out a measure by the Euclidean metric, by a learned one, and the difference.

    Parameters
    ----------
    summary : pandas.DataFrame
        See :func:`birdmodes.experiments.papers.learned_metrics.summary_table`.
    metric : str
        The learned one.
    measure : str
        Its column, a key of :data:`SHOWN`.
    times : int
        K as a multiple of C.
    """
    here = at_k(summary, times)
    here = here[here["metric"] != OWN]
    names = [(method, method, metric) for method in dict.fromkeys(here["method"])]
    title = f"{SHOWN[measure]}, {K_NAMES[times]}: Euclidean → {metric}"
    return _gains(here, names, measure, title)


def reference_table(summary: pd.DataFrame, times: int) -> ReportTable:
    """Lay out NMI, purity and ARI of the methods that are not told a metric."""
    here = at_k(summary, times)
    here = here[here["metric"] == OWN]
    title = f"{K_NAMES[times]}: NMI / purity / ARI"
    return _plain(here, [(name, name, OWN) for name in dict.fromkeys(here["method"])], title)


def sub_class_tables(summary: pd.DataFrame) -> list[ReportTable]:
    """Lay out how well the classes that were merged are found again."""
    here = summary[summary["part"] == "sub-classes"]
    found = dict.fromkeys(zip(here["method"], here["metric"], strict=True))
    named = [
        (method if metric == OWN else f"{method}, {metric}", method, metric)
        for method, metric in found
    ]
    learned = [name for name in named if name[2] not in (EUCLIDEAN, OWN)]
    return [
        _gains(here, learned, "ari_within", "ARI within species: Euclidean → learned"),
        _plain(here, named, "NMI / purity / ARI within species", last="ari_within"),
    ]


def seconds_table(summary: pd.DataFrame) -> ReportTable:
    """Lay out the processor time of learning the metrics."""
    here = at_k(summary, 1)

    def cells(of_set: pd.DataFrame) -> dict[str, Cell]:
        means = of_set.groupby("metric")["learning_seconds"].mean()
        return {str(name): Cell(f"{at:.2f}") for name, at in means.items()}

    columns = across(here[here["metric"] != OWN], cells)
    return lay_out("Seconds of learning the metric", _learned(here), columns, corner="metric")


_Names = list[tuple[str, str, str]]
"""Rows: what is shown, method, metric."""


def _gains(here: pd.DataFrame, names: _Names, measure: str, title: str) -> ReportTable:
    """Lay out both figures and the gain; bold where it exceeds its error."""
    mean, gain = f"{measure}_mean", f"{measure}_gain"

    def cells(of_set: pd.DataFrame) -> dict[str, Cell]:
        by = _by_name(of_set)
        made = {}
        for shown, method, metric in names:
            row, before = by.get((method, metric)), by.get((method, EUCLIDEAN))
            if row is not None and before is not None and pd.notna(row[gain]):
                text = f"{before[mean]:.3f} → {row[mean]:.3f} ({row[gain]:+.3f})"
                made[shown] = Cell(text, _rises(row, measure))
        return made

    return lay_out(title, [name[0] for name in names], across(here, cells))


def _plain(here: pd.DataFrame, names: _Names, title: str, last: str = "ari") -> ReportTable:
    """Lay out NMI / purity / `last`; the best NMI is bold."""

    def cells(of_set: pd.DataFrame) -> dict[str, Cell]:
        by, best = _by_name(of_set), of_set["nmi_mean"].max()
        made = {}
        for shown, method, metric in names:
            if row := by.get((method, metric)):
                text = " / ".join(f"{row[f'{name}_mean']:.3f}" for name in ("nmi", "purity", last))
                made[shown] = Cell(text, row["nmi_mean"] == best)
        return made

    return lay_out(title, [name[0] for name in names], across(here, cells))


def _by_name(table: pd.DataFrame) -> dict[tuple[str, str], dict[str, Any]]:
    return {(row["method"], row["metric"]): row for row in _rows(table)}


def _rows(table: pd.DataFrame) -> list[dict[str, Any]]:
    rows: list[Any] = table.to_dict("records")
    return rows


def _rises(row: dict[str, Any], measure: str) -> bool:
    """Whether the gain exceeds its error; never with a single run."""
    return bool(row[f"{measure}_gain"] > STANDARD_ERRORS * row[f"{measure}_gain_se"])


def _learned(here: pd.DataFrame) -> list[str]:
    return [name for name in METRICS if name != EUCLIDEAN and name in set(here["metric"])]
