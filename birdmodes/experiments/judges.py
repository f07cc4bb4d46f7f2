"""A handful of judges: from the rows of one data set to figures, and whether they hold.

Whether one mean exceeds another is judged by repetitions that are paired by their number (and so
have the same labelled bags, or left-out bags): the mean difference against twice its standard
error.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd

from birdmodes.experiments.claims import Judge

STANDARD_ERRORS = 2.0
"""A difference counts when it exceeds so many standard errors."""

TOLERANCE = 0.01
"""A method is as good as another when it falls short by no more than this or so many errors."""

EXCEEDS = f"mean paired difference above {STANDARD_ERRORS:g} standard errors"
OVER_FOLDS = f"mean difference over the folds above {STANDARD_ERRORS:g} standard errors"
NOT_BELOW = (
    f"falls short by no more than {TOLERANCE:g} or {STANDARD_ERRORS:g} standard errors of the "
    "mean paired difference"
)
NMI_AND_PURITY = {"nmi": "NMI", "purity": "purity"}

MOST = 0.501
"""Share of the sets for claims that are about most of them."""

Found = list[tuple[str, bool]]

Side = str | Mapping[str, Sequence[str]]
"""Rows to compare: a value of the column ``called``, or values of several columns.

Where several values of ``called`` are left, that one counts whose mean is largest.
"""

At = Callable[[pd.DataFrame], list[tuple[str, pd.DataFrame]]]
"""Where to compare: parts of the rows, with what evidence says before the figures.

Each part has a column ``called``, the name of a method in the evidence; ``method`` unless given.
"""


def everywhere(runs: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """Compare all rows at once."""
    return [("", runs)]


def of_side(rows: pd.DataFrame, side: Side, measure: str) -> tuple[str, pd.DataFrame] | None:
    """Give the rows of a side, and what it is called; None if nothing was measured."""
    if "called" not in rows:
        rows = rows.assign(called=rows["method"])
    wanted = {"called": (side,)} if isinstance(side, str) else side
    rows = rows[rows[measure].notna()]
    for column, values in wanted.items():
        rows = rows[rows[column].isin(values)]
    if rows.empty:
        return None
    means = rows.groupby("called", sort=False)[measure].mean()
    best = str(means.index[int(means.to_numpy().argmax())])
    return best, rows[rows["called"] == best]


def exceeds(
    first: Side,
    second: Side,
    at: At = everywhere,
    measures: Mapping[str, str] = NMI_AND_PURITY,
    *,
    or_equal: bool = False,
    paired_by: str = "run",
) -> Judge:
    """Judge that one side exceeds another, repetition by repetition.

    Parameters
    ----------
    first, second : Side
        The sides.
    at : callable
        Where they are compared.
    measures : mapping of str to str
        Columns to compare by, and what they are called: all have to agree.
    or_equal : bool
        Whether it is enough that the first does not fall short.
    paired_by : str
        Column that numbers repetitions. With less than two of them nothing is said.
    """

    def judge(runs: pd.DataFrame) -> Found:
        found: Found = []
        for before, rows in at(runs):
            evidence = [
                _compared(rows, first, second, measure, called, or_equal, paired_by)
                for measure, called in measures.items()
            ]
            found += [(f"{before}{each[0]}", each[1]) for each in evidence if each is not None]
        return found

    return judge


def _compared(
    rows: pd.DataFrame,
    first: Side,
    second: Side,
    measure: str,
    called: str,
    or_equal: bool,
    paired_by: str,
) -> tuple[str, bool] | None:
    one, other = (of_side(rows, side, measure) for side in (first, second))
    if one is None or other is None:
        return None
    columns = [each[1].set_index(paired_by)[measure] for each in (one, other)]
    pairs = pd.concat(columns, axis=1, join="inner").to_numpy()
    if len(pairs) < 2:
        return None
    differences = pairs[:, 0] - pairs[:, 1]
    mean = float(differences.mean())
    error = float(differences.std(ddof=1) / np.sqrt(len(differences)))
    margin = STANDARD_ERRORS * error
    figures = (
        f"{called} {one[0]} {pairs[:, 0].mean():.3f}, {other[0]} {pairs[:, 1].mean():.3f}, "
        f"difference {mean:+.3f} (s.e. {error:.3f})"
    )
    as_good = mean >= -max(margin, TOLERANCE)
    return figures, as_good if or_equal else mean > margin


def all_of(*judges: Judge) -> Judge:
    """Judge that what several judges look at holds."""
    return lambda runs: [evidence for judge in judges for evidence in judge(runs)]


def near(
    first: Side, second: Side, within: float, at: At, measure: str = "accuracy", name: str = ""
) -> Judge:
    """Judge that the mean of one side is not lower than another's by more than `within`.

    Parameters
    ----------
    first, second : Side
        The sides.
    within : float
        What may be missing.
    at : callable
        Where they are compared.
    measure : str
        What is compared.
    name : str
        What the evidence calls the second side.
    """

    def judge(runs: pd.DataFrame) -> Found:
        found: Found = []
        for before, rows in at(runs):
            one, other = (of_side(rows, side, measure) for side in (first, second))
            if one is not None and other is not None:
                means = [float(each[1][measure].mean()) for each in (one, other)]
                difference = means[0] - means[1]
                figures = (
                    f"{before}{measure} {one[0]} {means[0]:.3f}, {name or other[0]} "
                    f"{means[1]:.3f}, difference {difference:+.3f}"
                )
                found.append((figures, difference >= -within))
        return found

    return judge


def flat(column: str, lowest: float, highest: float, measure: str, most: float, at: At) -> Judge:
    """Judge that the mean of a measure moves by no more than `most` over a range of a parameter.

    Parameters
    ----------
    column : str
        The parameter.
    lowest, highest : float
        Its range.
    measure : str
        What may not move.
    most : float
        What counts as not moving.
    at : callable
        Of which rows.
    """

    def judge(runs: pd.DataFrame) -> Found:
        found: Found = []
        for before, rows in at(runs):
            inside = rows[rows[column].between(lowest, highest)]
            means = inside.groupby(column)[measure].mean()
            if len(means) > 1:
                without = rows.loc[rows[column] == 0, measure]
                beside = f", {without.mean():.3f} at {column} 0" if len(without) else ""
                figures = (
                    f"{before}mean {measure} {means.min():.3f} to {means.max():.3f} over "
                    f"{len(means)} values of {column}{beside}"
                )
                found.append((figures, float(means.max() - means.min()) <= most))
        return found

    return judge


def takes_times(
    method: str,
    other: str,
    least: float,
    column: str,
    text: str = "{:.3g} s, {:.3g} s, {:.3g} times",
) -> Judge:
    """Judge that a method takes at least so many times as long as another, by mean times.

    Parameters
    ----------
    method, other : str
        The methods.
    least : float
        How many times.
    column : str
        The time, which all rows of one fold and method share.
    text : str
        Writes both times, and how many times as long.
    """

    def judge(runs: pd.DataFrame) -> Found:
        means = runs.groupby(["method", "fold"])[column].first().groupby("method").mean()
        if not {method, other} <= set(means.index) or not means[other]:
            return []
        times = float(means[method] / means[other])
        return [(text.format(means[method], means[other], times), times >= least)]

    return judge
