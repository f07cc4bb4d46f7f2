"""Tables of runs, and of what the metrics gain."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from birdmodes.experiments.entrants import in_order
from birdmodes.experiments.metric.protocol import EUCLIDEAN, METRICS, OWN
from birdmodes.experiments.results import file_part
from birdmodes.experiments.store import FinishedTask
from birdmodes.experiments.work import MEASURES
from birdmodes.io.files import write_text

FIGURES = (*MEASURES, "ari_within")
SETTING_COLUMNS = ["dataset", "part", "method", "metric", "options", "k"]
RUN_COLUMNS = [*SETTING_COLUMNS, "run", *FIGURES, "learning_seconds", "seconds"]
_PAIRED_BY = ["dataset", "part", "method", "k", "run"]


def runs_table(tasks: Iterable[FinishedTask], datasets: Sequence[str]) -> pd.DataFrame:
    """Put the rows of all tasks in one table.

    Parameters
    ----------
    tasks : iterable of FinishedTask
        In any order.
    datasets : sequence of str
        Names of data sets in the order of the report; others follow by name.

    Returns
    -------
    pandas.DataFrame
        Columns :data:`RUN_COLUMNS`; one row per run, in an order that does not depend on when
        each was computed.
    """
    rows = pd.DataFrame([row for task in tasks for row in task.rows], columns=RUN_COLUMNS)
    order = {
        "dataset": [*datasets, *sorted(set(rows["dataset"]) - set(datasets))],
        "method": in_order(set(rows["method"])),
        "metric": [*METRICS, OWN],
    }
    rows = rows.astype(dict.fromkeys([*FIGURES, "learning_seconds"], float))
    return rows.sort_values(
        ["dataset", "part", "method", "metric", "k", "run"],
        key=lambda column: column.map(order[column.name].index) if column.name in order else column,
        ignore_index=True,
    )


def summary_table(runs: pd.DataFrame) -> pd.DataFrame:
    """Average over runs, and compare each learned metric with the Euclidean one.

    Returns
    -------
    pandas.DataFrame
        :data:`SETTING_COLUMNS`, ``runs`` (how many), and of every measure ``<measure>_mean``,
        ``<measure>_sd`` (sample standard deviation), ``<measure>_gain`` (mean over runs of the
        difference from the run of the same number with the Euclidean metric) and
        ``<measure>_gain_se`` (its standard error); ``learning_seconds`` and ``seconds``, means.
    """
    before = runs.loc[runs["metric"] == EUCLIDEAN, [*_PAIRED_BY, *FIGURES]]
    paired = runs.merge(before, on=_PAIRED_BY, how="left", suffixes=("", "_before"))
    for figure in FIGURES:
        gain = paired[figure] - paired[f"{figure}_before"]
        paired[f"{figure}_gain"] = gain.where(paired["metric"] != EUCLIDEAN)
    grouped = paired.groupby(SETTING_COLUMNS, sort=False, dropna=False)
    columns: dict[str, Any] = {"runs": grouped.size()}
    for figure in FIGURES:
        columns[f"{figure}_mean"] = grouped[figure].mean()
        columns[f"{figure}_sd"] = grouped[figure].std(ddof=1)
        columns[f"{figure}_gain"] = grouped[f"{figure}_gain"].mean()
        columns[f"{figure}_gain_se"] = grouped[f"{figure}_gain"].sem(ddof=1)
    columns |= {name: grouped[name].mean() for name in ("learning_seconds", "seconds")}
    return pd.DataFrame(columns).reset_index()


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


def write_tables(folder: Path, runs: pd.DataFrame, summary: pd.DataFrame) -> list[Path]:
    """Write one file of runs per set, and the summary.

    Returns
    -------
    list of pathlib.Path
        What was written.
    """
    written = []
    for dataset, rows in runs.groupby("dataset", sort=False):
        path = folder / f"runs-{file_part(str(dataset))}.csv"
        write_text(path, rows.to_csv(index=False, lineterminator="\n"))
        written.append(path)
    path = folder / "summary.csv"
    write_text(path, summary.round(5).to_csv(index=False, lineterminator="\n"))
    return [*written, path]
