"""Geometry and words of the figure of activity over the day."""

from __future__ import annotations

import math
from dataclasses import dataclass

from birdmodes.gallery.figures.activity import Activity
from birdmodes.gallery.figures.axes import Mark
from birdmodes.pictures import text
from birdmodes.pictures.scale import round_below
from birdmodes.workspace.times_of_day import HOURS

WIDTH = 320
WIDE = 2 * WIDTH
LEFT, TOP, RIGHT = 54, 8, 14
PLOT_HEIGHT = 72
EFFORT_TOP, EFFORT_HEIGHT = TOP + PLOT_HEIGHT + 3, 10
"""The bars of recorded time hang below the axis."""
HEIGHT = EFFORT_TOP + EFFORT_HEIGHT + 20
GAP = 0.16
"""Share of an hour's width that is left free between bars."""
MARKED_HOURS = (0, 6, 12, 18, 24)


@dataclass(frozen=True)
class HourBar:
    """One hour of the figure.

    Attributes
    ----------
    x, width : float
        Of its bars.
    left : float
        Where the hour begins; it is `ActivityFigure.hour_width` wide.
    y, height : float
        Of the bar of syllables.
    effort : float
        Height of the bar of recorded time.
    recorded : bool
        False if nothing was recorded in this hour.
    title : str
        The hour's figures in words.
    """

    x: float
    width: float
    left: float
    y: float
    height: float
    effort: float
    recorded: bool
    title: str


@dataclass(frozen=True)
class ActivityFigure:
    """Activity as the template shows it.

    Attributes
    ----------
    width, height, left, top, plot_width, plot_height : int
        Of the figure, and where its bars are.
    effort_top : int
        Where the bars of recorded time begin.
    hour_width, hour_height : float
        Of an hour, with its bar of recorded time.
    bars : list of HourBar
        From midnight on.
    hour_marks, rate_marks : list of Mark
        The ticks: hours, and syllables in an hour of recording.
    label : str
        What a screen reader says.
    summary : str
        How many syllables have a known time.
    """

    width: int
    height: int
    left: int
    top: int
    plot_width: int
    plot_height: int
    effort_top: int
    hour_width: float
    hour_height: int
    bars: list[HourBar]
    hour_marks: list[Mark]
    rate_marks: list[Mark]
    label: str
    summary: str


def activity_figure(
    name: str, activity: Activity, *, wide: bool = False, noun: str = "syllable"
) -> ActivityFigure | None:
    """Lay out the figure of a group's activity.

    Parameters
    ----------
    name : str
        Of the mode or species.
    activity : Activity
        What to show.
    wide : bool
        Twice as wide, for a whole page.
    noun : str
        What is counted.

    Returns
    -------
    ActivityFigure or None
        None if no syllable's time is known.
    """
    highest = max((float(rate) for rate in activity.rate if rate > 0), default=0.0)
    if not highest:
        return None
    plot_width = (WIDE if wide else WIDTH) - LEFT - RIGHT
    hour_width = plot_width / HOURS
    marks = [0.0, round_below(highest)]
    summary = f"Time known for {activity.known:,} of {text.count(activity.total, noun)}"
    return ActivityFigure(
        width=WIDE if wide else WIDTH,
        height=HEIGHT,
        left=LEFT,
        top=TOP,
        plot_width=plot_width,
        plot_height=PLOT_HEIGHT,
        effort_top=EFFORT_TOP,
        hour_width=round(hour_width, 3),
        hour_height=EFFORT_TOP + EFFORT_HEIGHT - TOP,
        bars=[_bar(activity, hour, highest, hour_width, noun) for hour in range(HOURS)],
        hour_marks=[
            Mark(round(LEFT + hour * hour_width, 1), f"{hour:02d}") for hour in MARKED_HOURS
        ],
        rate_marks=[
            Mark(round(TOP + PLOT_HEIGHT * (1 - mark / highest), 1), text.short_rate(mark))
            for mark in marks
        ],
        label=_label(name, activity, summary, noun),
        summary=summary,
    )


def _bar(activity: Activity, hour: int, highest: float, hour_width: float, noun: str) -> HourBar:
    recorded_h = float(activity.recorded_h[hour])
    rate = float(activity.rate[hour])
    height = 0.0 if math.isnan(rate) else PLOT_HEIGHT * rate / highest
    left = LEFT + hour * hour_width
    return HourBar(
        x=round(left + GAP / 2 * hour_width, 2),
        width=round((1 - GAP) * hour_width, 2),
        left=round(left, 2),
        y=round(TOP + PLOT_HEIGHT - height, 2),
        height=round(height, 2),
        effort=round(EFFORT_HEIGHT * recorded_h / float(activity.recorded_h.max()), 2),
        recorded=recorded_h > 0,
        title=_hour_title(hour, int(activity.syllables[hour]), recorded_h, rate, noun),
    )


def _hour_title(hour: int, counted: int, recorded_h: float, rate: float, noun: str) -> str:
    clock = f"{hour:02d}:00–{hour + 1:02d}:00"
    if recorded_h <= 0:
        return f"{clock}: nothing recorded"
    found = text.count(counted, noun) if counted else f"no {noun}s"
    per_hour = f", {text.rate(rate)} per hour" if counted else ""
    return f"{clock}: {found} in {text.recorded_time(recorded_h)} of recordings{per_hour}"


def _label(name: str, activity: Activity, summary: str, noun: str) -> str:
    """The figure in words: its three highest hours and what is missing."""
    highest = sorted(
        (hour for hour in range(HOURS) if activity.syllables[hour]),
        key=lambda hour: -activity.rate[hour],
    )
    peaks = ", ".join(
        f"{hour:02d}:00–{hour + 1:02d}:00 ({text.rate(float(activity.rate[hour]))})"
        for hour in highest[:3]
    )
    n_recorded = int((activity.recorded_h > 0).sum())
    return (
        f"Activity of {name} over the day, in {noun}s per hour of recording. Highest: {peaks}. "
        f"{n_recorded} of {HOURS} clock hours recorded. {summary}."
    )
