"""Tables of runs, and of their means and standard deviations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from birdmodes.experiments.entrants import in_order
from birdmodes.experiments.protocol import EXPERIMENTS
from birdmodes.experiments.store import FinishedTask
from birdmodes.experiments.work import MEASURES
from birdmodes.io.files import safe_name, write_text

SETTING_COLUMNS = ["dataset", "experiment", "method", "options", "alpha", "labelled_share", "k"]
RUN_COLUMNS = [*SETTING_COLUMNS, "run", *MEASURES, "seconds"]


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
        "experiment": list(EXPERIMENTS),
        "method": in_order(set(rows["method"])),
    }
    by = ["dataset", "experiment", "method", "alpha", "labelled_share", "k", "run"]
    return rows.sort_values(
        by,
        key=lambda column: column.map(order[column.name].index) if column.name in order else column,
        ignore_index=True,
    )


def summary_table(runs: pd.DataFrame) -> pd.DataFrame:
    """Average over runs.

    Returns
    -------
    pandas.DataFrame
        :data:`SETTING_COLUMNS`, ``runs`` (how many), and ``<measure>_mean`` and ``<measure>_sd``
        of every measure (sample standard deviation; empty for a single run), ``seconds_mean``.
    """
    grouped = runs.groupby(SETTING_COLUMNS, sort=False, dropna=False)
    columns: dict[str, Any] = {"runs": grouped.size()}
    for measure in MEASURES:
        columns[f"{measure}_mean"] = grouped[measure].mean()
        columns[f"{measure}_sd"] = grouped[measure].std(ddof=1)
    columns["seconds_mean"] = grouped["seconds"].mean()
    return pd.DataFrame(columns).reset_index()


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


def write_tables(folder: Path, runs: pd.DataFrame, summary: pd.DataFrame) -> list[Path]:
    """Write one file of runs per experiment and set, all with the same columns, and the summary.

    Returns
    -------
    list of pathlib.Path
        What was written.
    """
    written = []
    for (experiment, dataset), rows in runs.groupby(["experiment", "dataset"], sort=False):
        path = folder / f"runs-{experiment}-{file_part(str(dataset))}.csv"
        write_text(path, rows.to_csv(index=False, lineterminator="\n"))
        written.append(path)
    path = folder / "summary.csv"
    write_text(path, summary.round(5).to_csv(index=False, lineterminator="\n"))
    return [*written, path]


def file_part(name: str) -> str:
    """Keep a plain name as it is; make any other safe for file names."""
    return name if re.fullmatch(r"[a-z0-9][a-z0-9-]{0,40}", name) else safe_name(name)
