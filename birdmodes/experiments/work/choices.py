"""The one result that each rule chooses from the runs of a method that groups bags.

Clustering has no labels to choose C and l by. The papers choose them, and the best of several
runs, by accuracy all the same; here such a choice is called *peeking*, and beside it stand rules
that look at no label.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from birdmodes.experiments.results import in_order
from birdmodes.experiments.work.bags import ENTRANTS, WITH_GRID
from birdmodes.experiments.work.grouping import BAG_MEASURES

SETTING_COLUMNS = ["dataset", "preparation", "method", "k", "C", "balance"]
FIGURES = ("groups", "objective", "agreement", *BAG_MEASURES, "largest_class", "seconds")
CHOICE_COLUMNS = [
    *SETTING_COLUMNS[:4],
    "rule",
    "C",
    "balance",
    *BAG_MEASURES,
    "largest_class",
    "seconds",
]

PEEKING = ("luckiest", "best")
"""Rules that look at the labels."""

RULES: dict[str, str] = {
    "luckiest": "the most accurate of all starts on all points of the grid: looks at the labels "
    "more than the papers do, and bounds what any choice could give",
    "best": "the most accurate point of the grid, or run: looks at the labels, as the papers do",
    "defaults": "the method's defaults of C and l",
    "stable": "the point of the grid whose random starts agree most, by the mean adjusted Rand "
    "index between them",
    "least": "the run in which what the method minimises is least",
    "mean": "mean of all runs",
    "only": "the one run that there is",
}


def kept_runs(runs: pd.DataFrame) -> pd.DataFrame:
    """Of every setting take the run whose objective is least, as a fit with many starts does.

    Runs that leave no group empty come first.
    """
    ordered = runs.assign(empty=runs["groups"] < runs["k"]).sort_values(
        ["empty", "objective"], kind="stable"
    )
    kept = ordered.groupby(SETTING_COLUMNS, sort=False, dropna=False).head(1)
    return kept.drop(columns="empty").sort_index()


def choices_table(runs: pd.DataFrame) -> pd.DataFrame:
    """Apply every rule to every method on every problem.

    Returns
    -------
    pandas.DataFrame
        Columns :data:`CHOICE_COLUMNS`, figures of the chosen run or means of runs; ``seconds`` is
        the mean time of the runs with the chosen setting.
    """
    chosen: list[dict[str, Any]] = []
    for names, of_method in runs.groupby(SETTING_COLUMNS[:4], sort=False):
        for rule, figures in _choices(of_method):
            chosen.append(
                {**dict(zip(SETTING_COLUMNS[:4], names, strict=True)), "rule": rule, **figures}
            )
    return pd.DataFrame(chosen, columns=CHOICE_COLUMNS)


def _choices(runs: pd.DataFrame) -> Iterable[tuple[str, dict[str, Any]]]:
    """Rules that fit a method, and what they choose from its runs on one problem."""
    method = str(runs["method"].iloc[0])
    if method in WITH_GRID:
        kept = kept_runs(runs)
        searched = kept[kept["C"].notna()]
        if len(searched):
            yield "luckiest", _at(runs, _first_largest(runs[runs["C"].notna()], "accuracy"))
            yield "best", _at(runs, _first_largest(searched, "accuracy"))
        for defaults in kept.index[kept["C"].isna()]:
            yield "defaults", _at(runs, kept.loc[defaults])
        if len(searched):
            yield "stable", _at(runs, _first_largest(_with_agreement(runs, searched), "agreement"))
    elif ENTRANTS[method] == "starts":
        yield "defaults", _at(runs, kept_runs(runs).iloc[0])
    elif runs["run"].nunique() == 1:
        yield "only", _at(runs, runs.iloc[0])
    else:
        if ENTRANTS[method] == "medoid_runs":
            yield "best", _at(runs, _first_largest(runs, "accuracy"))
        yield "least", _at(runs, kept_runs(runs).iloc[0])
        means = runs[[*BAG_MEASURES, "largest_class", "seconds"]].mean()
        yield "mean", {"C": None, "balance": None, **means}


def _first_largest(rows: pd.DataFrame, column: str) -> pd.Series[Any]:
    """Row with the largest value; of equal ones that with C nearest to 1, then the least l."""
    distance = np.abs(np.log2(rows["C"].astype(float)))
    ordered = rows.assign(distance=distance).sort_values(
        [column, "distance", "balance"], ascending=[False, True, True], kind="stable"
    )
    return ordered.iloc[0]


def _with_agreement(runs: pd.DataFrame, kept: pd.DataFrame) -> pd.DataFrame:
    """Give every kept run the mean agreement between all runs of its setting."""
    by_point = runs.groupby(["C", "balance"])["agreement"].mean()
    points = pd.MultiIndex.from_frame(kept[["C", "balance"]])
    return kept.assign(agreement=by_point.reindex(points).to_numpy())


def _at(runs: pd.DataFrame, row: pd.Series[Any]) -> dict[str, Any]:
    """Figures of a run, and the mean time of those with its setting."""
    if pd.isna(row["C"]):
        same = runs[runs["C"].isna()]
    else:
        same = runs[(runs["C"] == row["C"]) & (runs["balance"] == row["balance"])]
    figures = {name: row[name] for name in ("C", "balance", *BAG_MEASURES, "largest_class")}
    return {**figures, "seconds": same["seconds"].mean()}


def entries(choices: pd.DataFrame) -> list[tuple[str, str]]:
    """Pairs of method and rule that were run, in the order of the tables."""
    found = set(zip(choices["method"], choices["rule"], strict=True))
    methods = in_order({method for method, _ in found}, list(ENTRANTS))
    return [(name, rule) for name in methods for rule in ("", *RULES) if (name, rule) in found]
