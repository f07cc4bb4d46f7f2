"""The table of all folds, and that of their means."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from birdmodes.experiments.results import file_part
from birdmodes.experiments.store import FinishedTask
from birdmodes.io.files import write_text

_DIGITS = 5


@dataclass(frozen=True, eq=False)
class HeldOutTables:
    """What an experiment has measured.

    Attributes
    ----------
    runs : pandas.DataFrame
        A row for each fold: ``dataset``, ``method``, the setting columns of the experiment,
        ``fold``, and its measures.
    summary : pandas.DataFrame
        A row for all folds of one setting: ``dataset``, ``method``, the setting columns, ``folds``
        (how many), and of every measure ``<measure>_mean`` and ``<measure>_sd`` (sample standard
        deviation over the folds; empty for a single one).
    """

    runs: pd.DataFrame
    summary: pd.DataFrame


def runs_table(
    tasks: Iterable[FinishedTask],
    datasets: Sequence[str],
    entrants: Sequence[str],
    setting_columns: Sequence[str],
    measures: Sequence[str],
) -> pd.DataFrame:
    """Put the rows of all tasks in one table.

    Parameters
    ----------
    tasks : iterable of FinishedTask
        In any order.
    datasets : sequence of str
        Names of problems in the order of the report; others follow by name.
    entrants : sequence of str
        All methods of the experiment, in the order of the report.
    setting_columns, measures : sequence of str
        Columns of the experiment.

    Returns
    -------
    pandas.DataFrame
        In an order that does not depend on when each row was computed.
    """
    columns = ["dataset", "method", *setting_columns, "fold", *measures]
    rows = pd.DataFrame([row for task in tasks for row in task.rows], columns=columns)
    order = {
        "dataset": [*datasets, *sorted(set(rows["dataset"]) - set(datasets))],
        "method": list(entrants),
    }
    # The rows of one fold stay in the order that their task gave them.
    return rows.sort_values(
        ["dataset", "method", "fold"],
        key=lambda column: column.map(order[column.name].index) if column.name in order else column,
        kind="stable",
        ignore_index=True,
    )


def whole_only(runs: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Leave out methods that do not have all folds of a set yet: their means are of other bags.

    Parameters
    ----------
    runs : pandas.DataFrame
        Of :func:`runs_table`.

    Returns
    -------
    runs : pandas.DataFrame
        Without them.
    notes : list of str
        What was left out, a line each.
    """
    by_method = ["dataset", "method"]
    done = runs.groupby(by_method)["fold"].transform("nunique")
    folds = runs.groupby("dataset")["fold"].transform("nunique")
    parts = runs.assign(done=done, folds=folds)[done < folds].drop_duplicates(by_method)
    notes = [
        f"not shown: {row['method']} on {row['dataset']}, of which {row['done']} of "
        f"{row['folds']} folds are finished"
        for row in parts.to_dict("records")
    ]
    return runs[done == folds].reset_index(drop=True), notes


def summary_table(
    runs: pd.DataFrame, setting_columns: Sequence[str], measures: Sequence[str]
) -> pd.DataFrame:
    """Average over folds; see :class:`HeldOutTables`."""
    grouped = runs.groupby(["dataset", "method", *setting_columns], sort=False, dropna=False)
    columns: dict[str, Any] = {"folds": grouped.size()}
    for measure in measures:
        columns[f"{measure}_mean"] = grouped[measure].mean()
        columns[f"{measure}_sd"] = grouped[measure].std(ddof=1)
    return pd.DataFrame(columns).reset_index()


def write_tables(folder: Path, tables: HeldOutTables) -> list[Path]:
    """Write one file of folds per problem, all with the same columns, and the summary.

    Returns
    -------
    list of pathlib.Path
        What was written.
    """
    written = []
    for dataset, rows in tables.runs.groupby("dataset", sort=False):
        path = folder / f"runs-{file_part(str(dataset))}.csv"
        write_text(path, rows.to_csv(index=False, lineterminator="\n"))
        written.append(path)
    path = folder / "summary.csv"
    summary = tables.summary.round(_DIGITS)
    write_text(path, summary.to_csv(index=False, lineterminator="\n"))
    return [*written, path]
