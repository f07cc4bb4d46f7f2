"""The tables of the report: methods down, sets across."""

from __future__ import annotations

from typing import Any

import pandas as pd

from birdmodes.experiments.claims import STANDARD_ERRORS
from birdmodes.experiments.metric.protocol import EUCLIDEAN, METRICS, OWN
from birdmodes.experiments.metric.results import at_k
from birdmodes.experiments.report_tables import Cell, ReportTable

SHOWN = {"nmi": "NMI", "purity": "purity", "ari": "ARI"}
K_NAMES = {1: "K = C", 2: "K = 2C"}
NOTHING = Cell("–")


def overview_table(summary: pd.DataFrame, times: int) -> ReportTable:
    """Tell at one glance which metric helps which method: mean gain in NMI, and on how many sets.

    Parameters
    ----------
    summary : pandas.DataFrame
        See :func:`birdmodes.experiments.metric.results.summary_table`.
    times : int
        K as a multiple of C.
    """
    here = _by_metric(at_k(summary, times))
    methods = list(dict.fromkeys(here["method"]))
    rows = []
    for metric in _learned(here):
        cells = []
        for method in methods:
            found = here[(here["metric"] == metric) & (here["method"] == method)]
            found = found[found["nmi_gain"].notna()]
            n_helped = sum(_helped(row) for row in _records(found).values())
            text = f"{found['nmi_gain'].mean():+.3f}, {n_helped} of {len(found)}"
            cells.append(Cell(text, n_helped == len(found)) if len(found) else NOTHING)
        rows.append((metric, cells))
    title = f"{K_NAMES[times]}: mean gain in NMI, and sets on which NMI and purity rise"
    return ReportTable(title, ["metric", *methods], rows)


def gain_table(summary: pd.DataFrame, metric: str, measure: str, times: int) -> ReportTable:
    """Lay out a measure by the Euclidean metric, by a learned one, and the difference.

    Parameters
    ----------
    summary : pandas.DataFrame
        See :func:`birdmodes.experiments.metric.results.summary_table`.
    metric : str
        The learned one.
    measure : str
        Its column, a key of :data:`SHOWN`.
    times : int
        K as a multiple of C.
    """
    here = _by_metric(at_k(summary, times))
    methods = list(dict.fromkeys(here["method"]))
    names = [(method, method, metric) for method in methods]
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
    here = at_k(_by_metric(summary), 1)
    datasets = list(dict.fromkeys(here["dataset"]))
    means = here.groupby(["metric", "dataset"])["learning_seconds"].mean()
    rows = [
        (
            metric,
            [
                Cell(f"{means[metric, name]:.2f}") if (metric, name) in means.index else NOTHING
                for name in datasets
            ],
        )
        for metric in _learned(here)
    ]
    return ReportTable("Seconds of learning the metric", ["metric", *datasets], rows)


def _gains(
    here: pd.DataFrame, names: list[tuple[str, str, str]], measure: str, title: str
) -> ReportTable:
    """Rows of `names` (shown, method, metric); bold where the gain exceeds its error."""
    datasets = list(dict.fromkeys(here["dataset"]))
    by = _records(here)
    rows = []
    for shown, method, metric in names:
        cells = []
        for dataset in datasets:
            row = by.get((dataset, method, metric))
            before = by.get((dataset, method, EUCLIDEAN))
            if row is None or before is None or pd.isna(row[f"{measure}_gain"]):
                cells.append(NOTHING)
                continue
            text = (
                f"{before[f'{measure}_mean']:.3f} → {row[f'{measure}_mean']:.3f} "
                f"({row[f'{measure}_gain']:+.3f})"
            )
            cells.append(Cell(text, _rises(row, measure)))
        rows.append((shown, cells))
    return ReportTable(title, ["method", *datasets], rows)


def _plain(
    here: pd.DataFrame, names: list[tuple[str, str, str]], title: str, last: str = "ari"
) -> ReportTable:
    """Rows of `names` (shown, method, metric), each cell NMI / purity / `last`; best NMI bold."""
    datasets = list(dict.fromkeys(here["dataset"]))
    by = _records(here)
    best = here.groupby("dataset")["nmi_mean"].max()
    rows = []
    for shown, method, metric in names:
        cells = []
        for dataset in datasets:
            row = by.get((dataset, method, metric))
            if row is None:
                cells.append(NOTHING)
                continue
            text = " / ".join(f"{row[f'{name}_mean']:.3f}" for name in ("nmi", "purity", last))
            cells.append(Cell(text, row["nmi_mean"] == best[dataset]))
        rows.append((shown, cells))
    return ReportTable(title, ["method", *datasets], rows)


def _records(here: pd.DataFrame) -> dict[tuple[str, str, str], dict[str, Any]]:
    rows: list[Any] = here.to_dict("records")
    return {(row["dataset"], row["method"], row["metric"]): row for row in rows}


def _rises(row: dict[str, Any], measure: str) -> bool:
    """Whether the gain exceeds its error; never with a single run."""
    return bool(row[f"{measure}_gain"] > STANDARD_ERRORS * row[f"{measure}_gain_se"])


def _helped(row: dict[str, Any]) -> bool:
    return _rises(row, "nmi") and _rises(row, "purity")


def _by_metric(summary: pd.DataFrame) -> pd.DataFrame:
    return summary[summary["metric"] != OWN]


def _learned(here: pd.DataFrame) -> list[str]:
    return [name for name in METRICS if name != EUCLIDEAN and name in set(here["metric"])]
