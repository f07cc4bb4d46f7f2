"""Tables of runs, and of their means and standard deviations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from birdmodes.experiments.experiment import Experiment, Measured
from birdmodes.experiments.store import FinishedTask
from birdmodes.io.files import safe_name, write_text


def in_order(names: Iterable[str], known: Sequence[str]) -> list[str]:
    """Sort names: those that are known as they come there, then the others by name."""
    found = set(names)
    return [*[name for name in known if name in found], *sorted(found - set(known))]


def runs_table(
    experiment: Experiment, tasks: Iterable[FinishedTask], datasets: Sequence[str]
) -> pd.DataFrame:
    """Put the rows of all tasks in one table.

    Parameters
    ----------
    experiment : Experiment
        Whose.
    tasks : iterable of FinishedTask
        In any order.
    datasets : sequence of str
        Names of data sets in the order of the report; others follow by name.

    Returns
    -------
    pandas.DataFrame
        Columns :attr:`~birdmodes.experiments.experiment.Experiment.columns`; one row per run, in
        an order that does not depend on when each was computed.
    """
    # What all rows of a task share is named by its setting.
    named = [
        {"method": task.setting["entrant"], **task.setting, **row}
        for task in tasks
        for row in task.rows
    ]
    rows = pd.DataFrame(named, columns=experiment.columns)
    # What no method has was not measured: a column of numbers all the same.
    empty = [name for name in experiment.figures if rows[name].dtype == object]
    rows = rows.astype(dict.fromkeys(empty, float))
    known = {"dataset": datasets, "method": list(experiment.entrants), **experiment.orders}
    order = {name: in_order(rows[name], values) for name, values in known.items()}
    by = [*experiment.setting_columns, experiment.repetition]
    if experiment.repetition == "fold":
        # Ways of telling come as their task gives them.
        by = ["dataset", "method", *experiment.orders, "fold"]
    return rows.sort_values(
        by,
        key=lambda column: column.map(order[column.name].index) if column.name in order else column,
        kind="stable",
        ignore_index=True,
    )


def whole_only(runs: pd.DataFrame, kinds: Sequence[str] = ()) -> tuple[pd.DataFrame, list[str]]:
    """Leave out methods that do not have all folds of a set yet: their means are of other bags.

    Parameters
    ----------
    runs : pandas.DataFrame
        Of :func:`runs_table`, with a column ``fold``.
    kinds : sequence of str
        Columns of what a method is run on, all folds of each.

    Returns
    -------
    runs : pandas.DataFrame
        Without them.
    notes : list of str
        What was left out, a line each.
    """
    by_method = ["dataset", "method"]
    of_kind = runs.groupby([*by_method, *kinds])["fold"].transform("nunique")
    done = runs.assign(done=of_kind).groupby(by_method)["done"].transform("min")
    folds = runs.groupby("dataset")["fold"].transform("nunique")
    parts = runs.assign(done=done, folds=folds)[done < folds].drop_duplicates(by_method)
    notes = [
        f"not shown: {row['method']} on {row['dataset']}, of which {row['done']} of "
        f"{row['folds']} folds are finished"
        for row in parts.to_dict("records")
    ]
    return runs[done == folds].reset_index(drop=True), notes


def means_table(
    runs: pd.DataFrame,
    by: Sequence[str],
    measures: Sequence[str],
    count: str = "runs",
    without: Sequence[str] = (),
) -> pd.DataFrame:
    """Average over repetitions.

    Parameters
    ----------
    runs : pandas.DataFrame
        Of :func:`runs_table`.
    by : sequence of str
        Columns that name a setting.
    measures : sequence of str
        Columns of figures.
    count : str
        Column that takes the number of repetitions.
    without : sequence of str
        Columns to leave out.

    Returns
    -------
    pandas.DataFrame
        `by`, `count`, and ``<measure>_mean`` and ``<measure>_sd`` of every measure (sample
        standard deviation; empty for a single repetition).
    """
    grouped = runs.groupby(list(by), sort=False, dropna=False)
    columns: dict[str, Any] = {count: grouped.size()}
    for measure in measures:
        columns[f"{measure}_mean"] = grouped[measure].mean()
        columns[f"{measure}_sd"] = grouped[measure].std(ddof=1)
    return pd.DataFrame(columns).drop(columns=list(without)).reset_index()


def write_tables(experiment: Experiment, folder: Path, measured: Measured) -> list[Path]:
    """Write the runs, a file for each data set, all with the same columns, and the summary.

    Returns
    -------
    list of pathlib.Path
        What was written.
    """
    runs = measured.runs
    families = runs["dataset"].map(lambda name: experiment.family(str(name)))
    written = []
    by = [families if name == "dataset" else runs[name] for name in experiment.files]
    for names, rows in runs.groupby(by, sort=False):
        path = folder / f"runs-{'-'.join(file_part(str(name)) for name in names)}.csv"
        write_text(path, rows.to_csv(index=False, lineterminator="\n"))
        written.append(path)
    path = folder / "summary.csv"
    write_text(path, measured.summary.round(5).to_csv(index=False, lineterminator="\n"))
    return [*written, path]


def file_part(name: str) -> str:
    """Keep a plain name as it is; make any other safe for file names."""
    return name if re.fullmatch(r"[a-z0-9][a-z0-9-]{0,40}", name) else safe_name(name)
