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
from birdmodes.experiments.work.tables import texts

SETTING_COLUMNS = ["dataset", "preparation", "method", "k", "C", "balance"]
FIGURES = ("groups", "objective", "agreement", *BAG_MEASURES, "largest_class", "seconds")
_CHOSEN = (*BAG_MEASURES, "largest_class")
CHOICE_COLUMNS = [*SETTING_COLUMNS[:4], "rule", "C", "balance", *_CHOSEN, "seconds", "runs"]

PEEKING = ("luckiest", "best")
"""Rules that look at the labels."""

RULES = texts("rules")
"""What each rule chooses, in the order of the tables."""

WHOLE = ("points", "mean", "only")
"""Rules whose time is that of all runs of a method."""

OVER_L, OVER_C = "mean over l", "mean over C"
"""Further rows of the table, one for each C and for each l: what the grid is sensitive to."""


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
        the mean time of the runs with the chosen setting, ``runs`` how many the rule looks at.
    """
    chosen = [
        {**dict(zip(SETTING_COLUMNS[:4], names, strict=True)), "rule": rule, **figures}
        for names, of_method in runs.groupby(SETTING_COLUMNS[:4], sort=False)
        for rule, figures in _choices(of_method)
    ]
    return pd.DataFrame(chosen, columns=CHOICE_COLUMNS)


def _choices(runs: pd.DataFrame) -> Iterable[tuple[str, dict[str, Any]]]:
    """Rules that fit a method, and what they choose from its runs on one problem."""
    method = str(runs["method"].iloc[0])
    if method in WITH_GRID:
        kept = kept_runs(runs)
        searched = kept[kept["C"].notna()]
        every = runs[runs["C"].notna()]
        if len(searched):
            yield "luckiest", _at(runs, _first_largest(every, "accuracy"), every)
            yield "best", _at(runs, _first_largest(searched, "accuracy"), every)
            yield "starts", {**_means(every, every)}
            yield "points", {**_means(searched, every)}
            yield from _margins(searched, every)
        for defaults in kept.index[kept["C"].isna()]:
            yield "defaults", _at(runs, kept.loc[defaults], runs[runs["C"].isna()])
        if len(searched):
            by_point = runs.groupby(["C", "balance"])["agreement"].mean()
            points = pd.MultiIndex.from_frame(searched[["C", "balance"]])
            agreeing = searched.assign(agreement=by_point.reindex(points).to_numpy())
            yield "stable", _at(runs, _first_largest(agreeing, "agreement"), every)
    elif ENTRANTS[method] == "starts":
        yield "defaults", _at(runs, kept_runs(runs).iloc[0], runs)
    elif runs["run"].nunique() == 1:
        yield "only", _at(runs, runs.iloc[0], runs)
    else:
        if ENTRANTS[method] == "medoid_runs":
            yield "best", _at(runs, _first_largest(runs, "accuracy"), runs)
        yield "least", _at(runs, kept_runs(runs).iloc[0], runs)
        yield "mean", {**_means(runs, runs)}


def _margins(kept: pd.DataFrame, every: pd.DataFrame) -> Iterable[tuple[str, dict[str, Any]]]:
    """Means over one parameter of the grid for each value of the other, where it has several."""
    for rule, name, other in ((OVER_L, "C", "balance"), (OVER_C, "balance", "C")):
        if kept[name].nunique() > 1:
            for value, here in kept.groupby(name):
                same = every[every[name] == value]
                yield rule, {name: value, other: None, **_means(here, same)}


def _means(rows: pd.DataFrame, looked_at: pd.DataFrame) -> dict[str, Any]:
    """Means of rows, and how many runs they come from."""
    means = rows[list(_CHOSEN)].mean()
    return {**means, "seconds": looked_at["seconds"].mean(), "runs": len(looked_at)}


def _first_largest(rows: pd.DataFrame, column: str) -> pd.Series[Any]:
    """Row with the largest value; of equal ones that with C nearest to 1, then the least l."""
    distance = np.abs(np.log2(rows["C"].astype(float)))
    ordered = rows.assign(distance=distance).sort_values(
        [column, "distance", "balance"], ascending=[False, True, True], kind="stable"
    )
    return ordered.iloc[0]


def _at(runs: pd.DataFrame, row: pd.Series[Any], looked_at: pd.DataFrame) -> dict[str, Any]:
    """Figures of a run, the mean time of those with its setting, and how many it was chosen of."""
    if pd.isna(row["C"]):
        same = runs[runs["C"].isna()]
    else:
        same = runs[(runs["C"] == row["C"]) & (runs["balance"] == row["balance"])]
    figures = {name: row[name] for name in ("C", "balance", *_CHOSEN)}
    return {**figures, "seconds": same["seconds"].mean(), "runs": len(looked_at)}


def entries(choices: pd.DataFrame) -> list[tuple[str, str]]:
    """Pairs of method and rule that were run, in the order of the tables."""
    found = set(zip(choices["method"], choices["rule"], strict=True))
    methods = in_order({method for method, _ in found}, list(ENTRANTS))
    return [(name, rule) for name in methods for rule in ("", *RULES) if (name, rule) in found]
