"""The figure of activity over the days, months or years of the recordings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from birdmodes.gallery.figures.activity_figures import (
    EFFORT_HEIGHT,
    EFFORT_TOP,
    GAP,
    HEIGHT,
    LEFT,
    PLOT_HEIGHT,
    RIGHT,
    TOP,
    WIDE,
    ActivityFigure,
    HourBar,
)
from birdmodes.gallery.figures.axes import Mark
from birdmodes.pictures import text
from birdmodes.pictures.scale import round_below

MOST_BARS = 62
"""With more days than this, bars are of months, and with more months, of years."""

MARKS = 4
"""Periods whose name stands below the axis, at most."""

PERIODS = {"day": "D", "month": "M", "year": "Y"}

MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Calendar:
    """The time in which a workspace's recordings were made.

    Attributes
    ----------
    unit : {"day", "month", "year"}
        What it is divided into.
    names : list of str
        Of all its parts, as in "2024-05-12" or "2024-05", without a gap.
    recorded_h : ndarray of float, shape (n_parts,)
        How long the recordings that begin in each part are (h).
    """

    unit: str
    names: list[str]
    recorded_h: Floats

    @classmethod
    def of(cls, recordings: pd.DataFrame) -> Calendar | None:
        """Divide the time of some recordings; None if less than two parts are known.

        Parameters
        ----------
        recordings : pandas.DataFrame
            Columns recorded_at and duration_s.
        """
        days = recordings["recorded_at"]
        known = days.notna().to_numpy()
        if not known.any():
            return None
        days = days[known]
        for unit, code in PERIODS.items():
            parts = pd.period_range(days.min(), days.max(), freq=code)
            if len(parts) <= MOST_BARS or unit == "year":
                break
        if len(parts) < 2:
            return None
        number = parts.get_indexer(days.dt.to_period(code))
        hours = recordings["duration_s"].to_numpy(dtype=float)[known] / 3600
        recorded_h = np.bincount(number, hours, len(parts)).astype(np.float64)
        return cls(unit, [str(part) for part in parts], recorded_h)

    def count(self, times: pd.Series) -> Ints:
        """Count times, as of `birdmodes.workspace.times_of_day.syllable_times`, in each part."""
        length = len(self.names[0])
        counts = times.str[:length].value_counts()
        return np.asarray(counts.reindex(self.names, fill_value=0), dtype=np.int64)


def date_figure(
    name: str, times: pd.Series, calendar: Calendar | None, noun: str
) -> ActivityFigure | None:
    """Lay out how often a group occurs in each part of a calendar.

    Parameters
    ----------
    name : str
        Of the group.
    times : pandas.Series of str
        When each of its recordings or clips begins, as of
        `birdmodes.workspace.times_of_day.syllable_times`.
    calendar : Calendar or None
        Of all recordings.
    noun : str
        What is counted.

    Returns
    -------
    ActivityFigure or None
        None if nothing is known, or all is of one day.
    """
    if calendar is None:
        return None
    counts = calendar.count(times)
    summary = f"Date known for {counts.sum():,} of {text.count(len(times), noun)}"
    return bars_figure(name, calendar, counts, noun, summary)


def season_figure(
    name: str, times: pd.Series, recordings: pd.DataFrame, noun: str
) -> ActivityFigure | None:
    """Lay out how often something occurs in each month, all years together.

    Parameters
    ----------
    name : str
        Of what occurs.
    times : pandas.Series of str
        When, as of `birdmodes.workspace.times_of_day.syllable_times`.
    recordings : pandas.DataFrame
        All recordings: columns recorded_at and duration_s.
    noun : str
        What is counted.

    Returns
    -------
    ActivityFigure or None
        None if nothing is known, or all was recorded in one month of the year.
    """
    month = recordings["recorded_at"].dt.month
    hours = recordings["duration_s"].groupby(month).sum() / 3600
    if len(hours) < 2:
        return None
    numbers = range(1, len(MONTHS) + 1)
    recorded_h = hours.reindex(numbers, fill_value=0.0).to_numpy(dtype=np.float64)
    found = pd.to_numeric(times.str[5:7], errors="coerce").value_counts()
    counts = np.asarray(found.reindex(numbers, fill_value=0), dtype=np.int64)
    summary = f"Date known for {counts.sum():,} of {text.count(len(times), noun)}"
    marks = [(number + 0.5, month[:1]) for number, month in enumerate(MONTHS)]
    calendar = Calendar("month", list(MONTHS), recorded_h)
    return bars_figure(name, calendar, counts, noun, summary, marks)


def bars_figure(
    name: str,
    calendar: Calendar,
    counts: Ints,
    noun: str,
    summary: str,
    marks: list[tuple[float, str]] | None = None,
) -> ActivityFigure | None:
    """Lay out how often something occurs in each part of some time.

    Parameters
    ----------
    name : str
        Of what occurs.
    calendar : Calendar
        The parts of time.
    counts : ndarray of int64, shape (n_parts,)
        How often it occurs in each.
    noun : str
        What is counted.
    summary : str
        How much of it has a known time.
    marks : list of (float, str), optional
        Places below the axis, in parts from its beginning, and what stands there; by default names
        of some parts.

    Returns
    -------
    ActivityFigure or None
        None if it never occurs while something was recorded.
    """
    rates = np.zeros(len(counts))
    np.divide(counts, calendar.recorded_h, out=rates, where=calendar.recorded_h > 0)
    highest = float(rates.max(initial=0.0))
    if not highest:
        return None
    width = (WIDE - LEFT - RIGHT) / len(counts)
    return ActivityFigure(
        width=WIDE,
        height=HEIGHT,
        left=LEFT,
        top=TOP,
        plot_width=WIDE - LEFT - RIGHT,
        plot_height=PLOT_HEIGHT,
        effort_top=EFFORT_TOP,
        hour_width=round(width, 3),
        hour_height=EFFORT_TOP + EFFORT_HEIGHT - TOP,
        bars=[_bar(calendar, part, counts, rates, width, noun) for part in range(len(counts))],
        hour_marks=_marks(calendar, width)
        if marks is None
        else [Mark(round(LEFT + at * width, 1), words) for at, words in marks],
        rate_marks=[
            Mark(round(TOP + PLOT_HEIGHT * (1 - mark / highest), 1), text.short_rate(mark))
            for mark in (0.0, round_below(highest))
        ],
        label=_label(name, calendar, counts, rates, noun, summary),
        summary=summary,
    )


def _bar(
    calendar: Calendar, part: int, counts: Ints, rates: Floats, width: float, noun: str
) -> HourBar:
    recorded_h, left = float(calendar.recorded_h[part]), LEFT + part * width
    height = PLOT_HEIGHT * float(rates[part] / rates.max())
    return HourBar(
        x=round(left + GAP / 2 * width, 2),
        width=round((1 - GAP) * width, 2),
        left=round(left, 2),
        y=round(TOP + PLOT_HEIGHT - height, 2),
        height=round(height, 2),
        effort=round(EFFORT_HEIGHT * recorded_h / float(calendar.recorded_h.max()), 2),
        recorded=recorded_h > 0,
        title=_title(calendar, part, counts, rates, noun),
    )


def _title(calendar: Calendar, part: int, counts: Ints, rates: Floats, noun: str) -> str:
    recorded_h, name = float(calendar.recorded_h[part]), calendar.names[part]
    if recorded_h <= 0:
        return f"{name}: nothing recorded"
    found = text.count(int(counts[part]), noun) if counts[part] else f"no {noun}s"
    per_hour = f", {text.rate(float(rates[part]))} per hour" if counts[part] else ""
    return f"{name}: {found} in {text.recorded_time(recorded_h)} of recordings{per_hour}"


def _marks(calendar: Calendar, width: float) -> list[Mark]:
    """Names of a few parts, evenly spaced, the first and the last among them."""
    count = len(calendar.names)
    chosen = np.unique(np.linspace(0, count - 1, min(MARKS, count)).round().astype(int))
    return [
        Mark(round(LEFT + (part + 0.5) * width, 1), calendar.names[part])
        for part in chosen.tolist()
    ]


def _label(
    name: str, calendar: Calendar, counts: Ints, rates: Floats, noun: str, summary: str
) -> str:
    """The figure in words: its three highest parts and what is missing."""
    order = np.argsort(-rates, kind="stable")[:3].tolist()
    peaks = ", ".join(
        f"{calendar.names[part]} ({text.rate(float(rates[part]))})"
        for part in order
        if counts[part]
    )
    n_recorded = int((calendar.recorded_h > 0).sum())
    parts = text.count(len(calendar.names), calendar.unit)
    return (
        f"{name} by {calendar.unit}, in {noun}s per hour of recording. Highest: {peaks}. "
        f"{n_recorded} of {parts} recorded. {summary}."
    )
