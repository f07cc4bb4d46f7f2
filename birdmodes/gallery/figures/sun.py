"""When sounds are heard by the sun: hours from the nearest sunrise or sunset."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import pandas as pd

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

FIRST_H, LAST_H = -6, 6
"""Hours before and after sunrise and sunset that are told; more is seldom nearest to either."""

_STEP_S = 300.0  # recordings are divided into pieces of at most this length


@dataclass(frozen=True, eq=False)
class SunHours:
    """The time in which recordings were made, by the sun.

    Attributes
    ----------
    recorded_h : dict of str to ndarray of float, shape (n_hours,)
        How long was recorded in each hour from "sunrise" and from "sunset" (h), from `FIRST_H` on.
    places : pandas.DataFrame
        Of each recording whose time in UTC and place are known, its index: latitude, longitude
        (degrees) and start (UTC).
    """

    recorded_h: dict[str, Floats]
    places: pd.DataFrame

    @classmethod
    def of(cls, recordings: pd.DataFrame) -> SunHours | None:
        """Find when the sun rose and set where recordings were made.

        Parameters
        ----------
        recordings : pandas.DataFrame
            Columns recording, recorded_at, utc_offset, latitude, longitude and duration_s.

        Returns
        -------
        SunHours or None
            None if no recording's time in UTC and place are known, or astral is not installed.
        """
        offset = pd.to_timedelta(recordings["utc_offset"].map(_offset))
        table = recordings.assign(start=recordings["recorded_at"] - offset)
        table = table[table[["start", "latitude", "longitude"]].notna().all(axis=1)]
        if table.empty or not has_astral():
            return None
        table = table.set_index("recording")[["latitude", "longitude", "start", "duration_s"]]
        effort = {event: np.zeros(LAST_H - FIRST_H) for event in ("sunrise", "sunset")}
        for latitude, longitude, start, duration_s in _rows(table):
            pieces = max(1, round(duration_s / _STEP_S))
            for piece in range(pieces):
                middle = start + timedelta(seconds=(piece + 0.5) * duration_s / pieces)
                nearest = _nearest(latitude, longitude, middle)
                if nearest is not None:
                    effort[nearest[0]][nearest[1] - FIRST_H] += duration_s / pieces / 3600
        return cls(effort, table)

    def count(self, syllables: pd.DataFrame) -> dict[str, Ints]:
        """Count syllables in each hour from "sunrise" and from "sunset".

        Parameters
        ----------
        syllables : pandas.DataFrame
            Columns recording and start_s.
        """
        counts = {event: np.zeros(LAST_H - FIRST_H, dtype=np.int64) for event in self.recorded_h}
        known = syllables[syllables["recording"].isin(self.places.index)]
        place = self.places.loc[known["recording"]]
        after_s = known["start_s"].to_numpy(dtype=float).tolist()
        for (latitude, longitude, start, _), seconds in zip(_rows(place), after_s, strict=True):
            nearest = _nearest(latitude, longitude, start + timedelta(seconds=seconds))
            if nearest is not None:
                counts[nearest[0]][nearest[1] - FIRST_H] += 1
        return counts


def has_astral() -> bool:
    """Whether what is needed to tell sunrise from a date and a place is installed."""
    try:
        import astral  # noqa: F401
    except ImportError:
        return False
    return True


def _rows(places: pd.DataFrame) -> Iterator[tuple[float, float, datetime, float]]:
    """Latitude, longitude, start and duration of each recording."""
    return zip(
        places["latitude"].astype(float).tolist(),
        places["longitude"].astype(float).tolist(),
        places["start"].dt.to_pydatetime(),
        places["duration_s"].astype(float).tolist(),
        strict=True,
    )


def _offset(text: object) -> timedelta | None:
    """Read an offset such as ``+01:00``; None where it is not known."""
    if not isinstance(text, str) or len(text) != 6:
        return None
    sign = -1 if text[0] == "-" else 1
    return sign * timedelta(hours=int(text[1:3]), minutes=int(text[4:6]))


def _nearest(latitude: float, longitude: float, time: datetime) -> tuple[str, int] | None:
    """The nearest sunrise or sunset, and the hour from it; None if that is far."""
    moment = time.replace(tzinfo=UTC).timestamp()
    # Local days begin at other times than those of UTC.
    days = [time.date() + timedelta(days=day) for day in (-1, 0, 1)]
    events = [
        (name, moment - at)
        for day in days
        for name, at in _events(round(latitude, 2), round(longitude, 2), day)
    ]
    if not events:
        return None  # beyond the polar circle, in summer or winter
    name, after_s = min(events, key=lambda event: abs(event[1]))
    hour = int(np.floor(after_s / 3600))
    return (name, hour) if FIRST_H <= hour < LAST_H else None


@lru_cache(maxsize=20_000)
def _events(latitude: float, longitude: float, day: date) -> list[tuple[str, float]]:
    from astral import Observer
    from astral.sun import sunrise, sunset

    observer = Observer(latitude, longitude)
    events = []
    for name, find in (("sunrise", sunrise), ("sunset", sunset)):
        try:
            events.append((name, find(observer, day).timestamp()))
        except ValueError:  # it does not rise or set on this day
            continue
    return events
