"""Kinds of judges: from the rows of one data set to figures, and whether they hold.

Whether one mean exceeds another is judged by repetitions that are paired by their number (and so
have the same labelled bags, or left-out bags): the mean difference against twice its standard
error.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import inf
from typing import Any

import numpy as np
import pandas as pd

from birdmodes.experiments.claims import Judge
from birdmodes.experiments.experiment import Measured
from birdmodes.experiments.tables import rows_with

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

Part = tuple[str, pd.DataFrame]
At = Callable[[pd.DataFrame], list[Part]]
"""Where to compare: parts of the rows, with what evidence says before the figures.

Each part has a column ``called``, the name of a method in the evidence; ``method`` unless given.
"""

Value = Callable[[pd.DataFrame], tuple[float, str] | None]
"""From rows to a figure and what it is called; None where it was not measured."""


def where(
    keep: Mapping[str, Sequence[Any]] | None = None,
    each: str = "",
    says: str = "{value}",
    *,
    most: str = "",
    above_least: str = "",
    called: str = "",
) -> At:
    """Compare in parts of the rows.

    Parameters
    ----------
    keep : mapping, optional
        Columns, and the values that rows have to have there.
    each : str
        Column with a part for each of its values; one part unless given.
    says : str
        What evidence says of such a part, with its value in braces; may be empty.
    most, above_least : str
        Column that has to have its largest value, or not its least.
    called : str
        Column that names the sides, if not ``called``.
    """

    def at(runs: pd.DataFrame) -> list[Part]:
        rows = rows_with(runs, keep or {})
        if called:
            rows = rows.assign(called=rows[called].astype(object).fillna(""))
        if most:
            rows = rows[rows[most] == rows[most].max()]
        if above_least:
            rows = rows[rows[above_least] > rows[above_least].min()]
        if not each:
            return [("", rows)]
        before = f"{says}: " if says else ""
        found = rows.groupby(each, sort=False)
        return [(before.format(value=value), here) for value, here in found]

    return at


def with_names(column: str, unnamed: Sequence[str], text: str, measured: Measured) -> pd.DataFrame:
    """Give runs a column ``called``, the method with what a column says in addition.

    Parameters
    ----------
    column : str
        The column.
    unnamed : sequence of str
        Its values that add nothing.
    text : str
        What any other adds, with the value in braces.
    measured : Measured
        The tables.
    """
    runs = measured.runs
    more = runs[column].map(lambda each: "" if each in unnamed else text.format(each))
    return runs.assign(called=runs["method"] + more)


everywhere = where()
"""Compare all rows at once."""


def of_side(
    rows: pd.DataFrame, side: Side, measure: str, *, low: bool = False
) -> tuple[str, pd.DataFrame] | None:
    """Give the rows of a side, and what it is called; None if nothing was measured."""
    if "called" not in rows:
        rows = rows.assign(called=rows["method"])
    wanted = {"called": (side,)} if isinstance(side, str) else side
    rows = rows_with(rows[rows[measure].notna()], wanted)
    if rows.empty:
        return None
    if len(names := list(dict.fromkeys(rows["called"]))) == 1:
        return names[0], rows
    means = rows.groupby("called", sort=False)[measure].mean().to_numpy()
    best = names[int(means.argmin() if low else means.argmax())]
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
            for measure, called in measures.items():
                sides = [of_side(rows, side, measure) for side in (first, second)]
                named = [side for side in sides if side is not None]
                columns = [each.set_index(paired_by)[measure] for _, each in named]
                if len(named) == 2 and len(pairs := pd.concat(columns, axis=1, join="inner")) > 1:
                    figures, holds = _paired(pairs.to_numpy(), [name for name, _ in named])
                    found.append((f"{before}{called} {figures}", holds[or_equal]))
        return found

    return judge


def _paired(pairs: np.ndarray, names: Sequence[str]) -> tuple[str, tuple[bool, bool]]:
    """Write both means and their difference; whether the first exceeds, and whether it is as good.

    Parameters
    ----------
    pairs : ndarray, shape (n_repetitions, 2)
        Figures of both sides.
    names : sequence of str
        What they are called.
    """
    differences = pairs[:, 0] - pairs[:, 1]
    mean = float(differences.mean())
    error = float(differences.std(ddof=1) / np.sqrt(len(differences)))
    margin = STANDARD_ERRORS * error
    figures = (
        f"{names[0]} {pairs[:, 0].mean():.3f}, {names[1]} {pairs[:, 1].mean():.3f}, "
        f"difference {mean:+.3f} (s.e. {error:.3f})"
    )
    return figures, (mean > margin, mean >= -max(margin, TOLERANCE))


def compared(
    first: Value, second: Value, text: str, holds: Callable[[float, float], bool]
) -> Judge:
    """Judge by one figure beside another.

    Parameters
    ----------
    first, second : callable
        The figures.
    text : str
        Evidence, with both figures (first, second), their names (one, other), their difference and
        how many times the second the first is (times) in braces.
    holds : callable
        Whether they speak for the claim.
    """

    def judge(rows: pd.DataFrame) -> Found:
        one, other = first(rows), second(rows)
        if one is None or other is None:
            return []
        figures: dict[str, Any] = {"first": one[0], "one": one[1], "second": other[0]}
        figures |= {"other": other[1], "difference": one[0] - other[0]}
        figures["times"] = one[0] / other[0] if other[0] else inf
        return [(text.format(**figures), holds(one[0], other[0]))]

    return judge


def at_each(at: At, *judges: Judge) -> Judge:
    """Judge that what several judges look at holds, in each of some parts of the rows."""
    return lambda runs: [
        (f"{before}{figures}", holds)
        for before, rows in at(runs)
        for judge in judges
        for figures, holds in judge(rows)
    ]


def mean_of(side: Side, measure: str, *, low: bool = False) -> Value:
    """Mean of the rows of a side, by the largest, or least, of what it holds."""

    def value(rows: pd.DataFrame) -> tuple[float, str] | None:
        found = of_side(rows, side, measure, low=low)
        return None if found is None else (float(found[1][measure].mean()), found[0])

    return value


def above(
    first: Side,
    second: Side,
    at: At = everywhere,
    measures: Mapping[str, str] = NMI_AND_PURITY,
    text: str = "{measure} {one} {first:.3f}, {other} {second:.3f}",
    *,
    within: float | None = None,
    either_way: bool = False,
    low: bool = False,
) -> Judge:
    """Judge that the mean of one side is above another's, or not far below it.

    Parameters
    ----------
    first, second, at, measures
        As for :func:`exceeds`.
    text : str
        As for :func:`compared`; what the measure is called stands for ``{measure}``.
    within : float, optional
        It is enough that the first is not lower by more than this.
    either_way : bool
        Whether it may not be higher by more than that either.
    low : bool
        Whether less is better: then the first has to be below the second, both by the least.
    """

    def holds(one: float, other: float) -> bool:
        if within is None:
            return one < other if low else one > other
        return -within <= one - other <= (within if either_way else inf)

    judges = [
        compared(
            mean_of(first, measure, low=low),
            mean_of(second, measure, low=low),
            text.replace("{measure}", called),
            holds,
        )
        for measure, called in measures.items()
    ]
    return at_each(at, *judges)


def takes_times(
    method: str,
    other: str,
    column: str,
    at: At = everywhere,
    text: str = "{first:.3g} s, {second:.3g} s, {times:.3g} times",
    *,
    least: float = -inf,
    most: float = inf,
    per: Sequence[str] = ("fold",),
) -> Judge:
    """Judge how many times as long as another a method takes, by mean times.

    Parameters
    ----------
    method, other : str
        The methods.
    column : str
        The time.
    at : callable
        Where they are compared.
    text : str
        As for :func:`compared`.
    least, most : float
        How many times at least, and at most.
    per : sequence of str
        Columns that name what shares a time, so that it counts once.
    """

    def time_of(name: str) -> Value:
        def value(rows: pd.DataFrame) -> tuple[float, str] | None:
            times = rows[rows["method"] == name].groupby(list(per))[column].first()
            return (float(times.mean()), name) if times.any() else None

        return value

    def holds(one: float, two: float) -> bool:
        return least * two <= one <= most * two

    return at_each(at, compared(time_of(method), time_of(other), text, holds))


def flat(
    column: str,
    most: float,
    at: At = everywhere,
    measure: str = "accuracy",
    text: str = "mean {measure} {low:.3f} to {high:.3f} over {count} values of {column}{beside}",
    *,
    lowest: float = -inf,
    highest: float = inf,
) -> Judge:
    """Judge that the mean of a measure moves by no more than `most` over a range of a parameter.

    Parameters
    ----------
    column : str
        The parameter.
    most : float
        What counts as not moving.
    at : callable
        Of which rows.
    measure : str
        What may not move.
    text : str
        Evidence, with least and largest mean (low, high) in braces, the number of values (count),
        and the mean where the parameter is 0, if it was (beside).
    lowest, highest : float
        Range of the parameter.
    """

    def judge(runs: pd.DataFrame) -> Found:
        found: Found = []
        for before, rows in at(runs):
            inside = rows[rows[column].between(lowest, highest)]
            means = inside.groupby(column)[measure].mean()
            if len(means) > 1:
                without = rows.loc[rows[column] == 0, measure]
                beside = f", {without.mean():.3f} at {column} 0" if len(without) else ""
                low, high, count = float(means.min()), float(means.max()), len(means)
                names = {"measure": measure, "column": column, "beside": beside}
                figures = text.format(low=low, high=high, count=count, **names)
                found.append((f"{before}{figures}", high - low <= most))
        return found

    return judge


def not_judged(runs: pd.DataFrame) -> Found:
    """Judge nothing: there are no data for it."""
    return []


KINDS = (exceeds, above, takes_times, flat, not_judged)
"""What claims may name."""
