"""What the experiment on learned metrics shows: what they gain, methods down, sets across."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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
    sections = []
    for name in [metric for metric in METRICS if metric in learned]:
        made = [gain_table(summary, name, measure, times) for times in K_NAMES for measure in SHOWN]
        sections.append(Section(f"Euclidean → {name}", None, made))
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
        helped = _rises(found, "nmi") & _rises(found, "purity")
        text = f"{found['nmi_gain'].mean():+.3f}, {helped.sum()} of {len(helped)}"
        cells[str(metric)] = Cell(text, bool(helped.all()))
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
    here = here[here["metric"].isin([EUCLIDEAN, metric])]
    here = here.assign(row=here["method"].where(here["metric"] == metric))
    title = f"{SHOWN[measure]}, {K_NAMES[times]}: Euclidean → {metric}"
    return _gains(here, here["method"], measure, title)


def reference_table(summary: pd.DataFrame, times: int) -> ReportTable:
    """Lay out NMI, purity and ARI of the methods that are not told a metric."""
    here = at_k(summary, times)
    here = here[here["metric"] == OWN]
    title = f"{K_NAMES[times]}: NMI / purity / ARI"
    return _plain(here.assign(row=here["method"]), title)


def sub_class_tables(summary: pd.DataFrame) -> list[ReportTable]:
    """Lay out how well the classes that were merged are found again."""
    here = summary[summary["part"] == "sub-classes"]
    by = here["metric"].map(lambda name: "" if name == OWN else f", {name}")
    here = here.assign(row=here["method"] + by)
    learned = here.loc[~here["metric"].isin((EUCLIDEAN, OWN)), "row"]
    return [
        _gains(here, learned, "ari_within", "ARI within species: Euclidean → learned"),
        _plain(here, "NMI / purity / ARI within species", last="ari_within"),
    ]


def seconds_table(summary: pd.DataFrame) -> ReportTable:
    """Lay out the processor time of learning the metrics."""
    here = at_k(summary, 1)

    def cells(of_set: pd.DataFrame) -> dict[str, Cell]:
        means = of_set.groupby("metric")["learning_seconds"].mean()
        return {str(name): Cell(f"{at:.2f}") for name, at in means.items()}

    columns = across(here[here["metric"] != OWN], cells)
    return lay_out("Seconds of learning the metric", _learned(here), columns, corner="metric")


def _gains(here: pd.DataFrame, rows: Iterable[str], measure: str, title: str) -> ReportTable:
    """Lay out both figures and the gain of some rows; bold where it exceeds its error."""
    mean, gain = f"{measure}_mean", f"{measure}_gain"

    def cells(of_set: pd.DataFrame) -> dict[str, Cell]:
        euclidean = of_set[of_set["metric"] == EUCLIDEAN].set_index("method")[mean]
        of_set = of_set.assign(
            before=of_set["method"].map(euclidean), rises=_rises(of_set, measure)
        )
        return {
            row["row"]: Cell(
                f"{row['before']:.3f} → {row[mean]:.3f} ({row[gain]:+.3f})", row["rises"]
            )
            for row in of_set.dropna(subset=["before", gain]).to_dict("records")
        }

    return lay_out(title, dict.fromkeys(rows), across(here, cells))


def _plain(here: pd.DataFrame, title: str, last: str = "ari") -> ReportTable:
    """Lay out NMI / purity / `last`; the best NMI is bold."""

    def cells(of_set: pd.DataFrame) -> dict[str, Cell]:
        best = of_set["nmi_mean"].max()
        text = f"{{nmi_mean:.3f}} / {{purity_mean:.3f}} / {{{last}_mean:.3f}}"
        rows: list[Any] = of_set.to_dict("records")
        return {row["row"]: Cell(text.format(**row), row["nmi_mean"] == best) for row in rows}

    return lay_out(title, dict.fromkeys(here["row"]), across(here, cells))


def _rises(rows: pd.DataFrame, measure: str) -> pd.Series[bool]:
    """Where the gain exceeds its error; never with a single run."""
    return rows[f"{measure}_gain"] > STANDARD_ERRORS * rows[f"{measure}_gain_se"]


def _learned(here: pd.DataFrame) -> list[str]:
    return [name for name in METRICS if name != EUCLIDEAN and name in set(here["metric"])]
