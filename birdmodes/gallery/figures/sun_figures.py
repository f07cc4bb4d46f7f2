"""The figures of activity by the sun."""

from __future__ import annotations

import pandas as pd

from birdmodes.gallery.figures.activity_figures import ActivityFigure
from birdmodes.gallery.figures.date_figures import Calendar, bars_figure
from birdmodes.gallery.figures.sun import FIRST_H, LAST_H, SunHours
from birdmodes.pictures import text

MARKED_H = 3
"""Every third hour is marked."""


def sun_figures(
    name: str, syllables: pd.DataFrame, sun: SunHours | None
) -> list[tuple[str, ActivityFigure]]:
    """Lay out how often a species is heard in each hour from sunrise and from sunset.

    Parameters
    ----------
    name : str
        Of the species.
    syllables : pandas.DataFrame
        Columns recording and start_s.
    sun : SunHours or None
        Of the workspace's recordings.

    Returns
    -------
    list of (str, ActivityFigure)
        "sunrise" and "sunset", as far as anything is known.
    """
    if sun is None:
        return []
    counts = sun.count(syllables)
    known = sum(int(found.sum()) for found in counts.values())
    summary = f"Known for {known:,} of {text.count(len(syllables), 'syllable')}"
    figures = []
    for event, found in counts.items():
        hours = Calendar("hour", _names(event), sun.recorded_h[event])
        marks = [
            (float(hour - FIRST_H), event if not hour else f"{hour:+d} h".replace("-", "\u2212"))
            for hour in range(FIRST_H, LAST_H + 1, MARKED_H)
        ]
        label = f"{name} from {event}"
        figure = bars_figure(label, hours, found, "syllable", summary, marks)
        if figure is not None:
            figures.append((event, figure))
    return figures


def _names(event: str) -> list[str]:
    return [
        f"{hour} to {hour + 1} h after {event}"
        if hour >= 0
        else f"{-hour} to {-hour - 1} h before {event}"
        for hour in range(FIRST_H, LAST_H)
    ]
