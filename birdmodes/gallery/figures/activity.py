"""Activity over the day: syllables by clock hour, and how long was recorded in each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from birdmodes.workspace.times_of_day import HOURS, hours_of_day


@dataclass(frozen=True, eq=False)
class Activity:
    """Syllables, or recordings, of a group by the hour of the recorders' clocks.

    Attributes
    ----------
    syllables : ndarray of int, shape (24,)
        Those that start in each hour.
    recorded_h : ndarray of float, shape (24,)
        How long all recordings of known time together cover each hour (h).
    unknown : int
        Syllables whose time is not known.
    """

    syllables: npt.NDArray[np.int64]
    recorded_h: npt.NDArray[np.float64]
    unknown: int

    @property
    def known(self) -> int:
        """Syllables whose time is known."""
        return int(self.syllables.sum())

    @property
    def total(self) -> int:
        """All syllables."""
        return self.known + self.unknown

    @property
    def rate(self) -> npt.NDArray[np.float64]:
        """Syllables in an hour of recording, for each hour; NaN where nothing was recorded.

        Counts alone would show when the recorders were on rather than when birds were.
        """
        rate = np.full(HOURS, np.nan)
        np.divide(self.syllables, self.recorded_h, out=rate, where=self.recorded_h > 0)
        return rate


def activity_of(syllables: pd.DataFrame, recorded_h: npt.NDArray[np.float64]) -> Activity:
    """Count syllables, or recordings, by hour.

    Parameters
    ----------
    syllables : pandas.DataFrame
        Column recorded_at, as in a clustering's assignments: when each begins.
    recorded_h : ndarray of float, shape (24,)
        From `birdmodes.workspace.times_of_day.recorded_hours`, of all recordings of the workspace.
    """
    hours = hours_of_day(syllables["recorded_at"])
    known = hours[hours >= 0]
    counts = np.bincount(known, minlength=HOURS).astype(np.int64)
    return Activity(counts, recorded_h, len(hours) - len(known))


def clock_note(recordings: pd.DataFrame) -> str:
    """Say what the hours mean: by which clocks they are.

    Parameters
    ----------
    recordings : pandas.DataFrame
        Columns recorded_at and utc_offset.

    Returns
    -------
    str
        A sentence; empty if no recording's time is known.
    """
    timed = recordings[recordings["recorded_at"].notna()]
    zones = sorted(set(timed["utc_offset"].fillna("")))
    if not zones:
        return ""
    if zones == [""]:
        return "Hours are by the recorders' clocks; their time zone is not in the recordings."
    if zones == ["+00:00"]:
        return "Hours are by the recorders' clocks, which were at UTC: local hours may be others."
    if len(zones) == 1:
        return f"Hours are by the recorders' clocks, which were at UTC{zones[0]}."
    names = ", ".join(f"UTC{zone}" if zone else "not known" for zone in zones)
    return (
        f"Hours are by the recorders' clocks, which were not in one time zone ({names}): hours of "
        "one are not those of the other."
    )
