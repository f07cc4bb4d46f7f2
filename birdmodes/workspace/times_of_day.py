"""When syllables were uttered and how long was recorded, by the recorders' clocks."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

HOURS = 24
HOUR_S = 3600
DAY_S = HOURS * HOUR_S

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def syllable_times(syllables: pd.DataFrame, recordings: pd.DataFrame) -> npt.NDArray[np.str_]:
    """Date and time at which each syllable starts.

    Parameters
    ----------
    syllables : pandas.DataFrame
        Columns recording and start_s.
    recordings : pandas.DataFrame
        Columns recording and recorded_at (a time).

    Returns
    -------
    ndarray of str, shape (n_syllables,)
        ISO 8601 to the millisecond, such as "2021-10-01T12:00:04.250", by the clock of the
        recorder; empty where the recording's time is not known.
    """
    starts = pd.Series(
        recordings["recorded_at"].to_numpy(), index=recordings["recording"].to_numpy(dtype=object)
    )
    start = starts.reindex(syllables["recording"]).to_numpy(dtype="datetime64[ms]")
    after = (syllables["start_s"].to_numpy(dtype=float) * 1000).round().astype("timedelta64[ms]")
    return np.where(np.isnat(start), "", np.datetime_as_string(start + after, unit="ms"))


def with_times(recordings: pa.Table) -> pd.DataFrame:
    """Give a table of recordings to pandas, with `as_times` of its column recorded_at, if any."""
    frame: pd.DataFrame = recordings.to_pandas()
    if "recorded_at" in frame:
        frame["recorded_at"] = as_times(frame["recorded_at"])
    return frame


def as_times(texts: pd.Series) -> pd.Series:
    """Read the times of recordings as the tables on disk have them.

    Parameters
    ----------
    texts : pandas.Series of str
        ISO 8601 without a zone; empty or missing where the time is not known.

    Returns
    -------
    pandas.Series of datetime64[us]
        By the clocks of the recorders; NaT where the time is not known.
    """
    times = pd.to_datetime(texts, format="ISO8601", errors="coerce")
    return times.astype("datetime64[us]")


def time_texts(times: pd.Series) -> npt.NDArray[np.object_]:
    """Give times as the tables on disk have them.

    Parameters
    ----------
    times : pandas.Series of datetime64
        As of `as_times`.

    Returns
    -------
    ndarray of str, shape (n_recordings,)
        ISO 8601 to the second, or to the milli- or microsecond if there are any; empty for NaT.
    """
    return np.array(["" if pd.isna(time) else _text(time) for time in times], dtype=object)


def _text(time: pd.Timestamp) -> str:
    if time.microsecond % 1000:
        return time.isoformat(timespec="microseconds")
    return time.isoformat(timespec="milliseconds" if time.microsecond else "seconds")


def hours_of_day(times: pd.Series) -> Ints:
    """Clock hour, 0 to 23, of each time of `syllable_times`; -1 where it is empty."""
    hours = pd.to_numeric(times.str[11:13], errors="coerce")
    return hours.fillna(-1).to_numpy(dtype=np.int64)


def recorded_hours(recordings: pd.DataFrame) -> Floats:
    """How long was recorded in each hour of the day, all days and recorders together.

    Parameters
    ----------
    recordings : pandas.DataFrame
        Columns recorded_at and duration_s. A recording whose time is not known does not count.

    Returns
    -------
    ndarray of float, shape (24,)
        In hours; a recording that goes on over full hours is split at them.
    """
    starts = recordings["recorded_at"]
    known = starts.notna().to_numpy()
    duration_s = recordings["duration_s"].to_numpy(dtype=float)[known]
    clock = starts[known].dt
    start_s = (clock.hour * HOUR_S + clock.minute * 60 + clock.second).to_numpy(dtype=float)
    start_s += clock.microsecond.to_numpy(dtype=float) / 1e6
    whole_days, rest_s = np.divmod(duration_s, DAY_S)
    # What is left ends within the next day, so two days of hours hold it.
    edges_s = HOUR_S * np.arange(2 * HOURS + 1)
    covered_s = np.clip(edges_s[None], start_s[:, None], (start_s + rest_s)[:, None])
    in_hours_s = np.diff(covered_s, axis=1).sum(axis=0).reshape(2, HOURS).sum(axis=0)
    return np.asarray(whole_days.sum() + in_hours_s / HOUR_S, dtype=np.float64)
