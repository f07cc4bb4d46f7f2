"""Noise whose level changes within a clip is brought to one level before it is measured.

Gain steps, automatic gain, a microphone that powers up, a fade: where the noise is louder than in
the rest of the clip, all of it would stand out, and where it is fainter, it would be taken for the
noise of all. How loud the noise is at a moment is told by the quieter frequencies, which no animal
fills; only what lasts counts, for rain drops and broad calls are not noise. And only what changes
all frequencies alike is a change of gain: wind, insects and choruses have a colour of their own.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy
from numpy.typing import NDArray

from birdmodes.segmentation.smoothing import row_quantiles, upper_quartile

# This share of the frequencies is quieter than the level of a frame: what animals leave free.
_QUANTILE = 0.25
# Shorter changes than half of these are sounds. Steps stay steps in a running median.
_WINDOWS_S = (0.12, 0.25, 0.5)
# Looked for in one frame of so many and one row of so many, for nearly nothing.
_FRAME_STEP, _ROW_STEP = 4, 2
# Rows 40 dB under the upper quartile are empty: of a recording with few samples a second, the upper
# half may be, and does not follow its gain.
_EMPTY = 1e-2
# A clip whose level varies by less is even: it is left as it is.
_EVEN_DB = 1.0
# Where rows are empty the others are too few to tell a gain from sounds by less: the smallest step
# of a recorder's gain.
_PLAIN_DB = 3.0
# Changes of level at single frequencies relative to that of all of them: in four of five rows of a
# change of gain between these bounds. Of 600 real clips 34 are within, most of which fade in.
_ROWS_TOGETHER = 8
_OUTER = (0.1, 0.9)
_ALIKE = (0.72, 1.32)
_LEAST_SLOPE = 0.6
# What stands out of a row by more is a sound in it, and says nothing of the noise.
_SOUND_DB = 6.0
# Noise in rows of eight varies by so much (standard deviation), and slopes with it; a tenth of
# them is further away than so many standard deviations.
_ROW_DB, _OUTER_DEVIATIONS = 2.0, 1.28
# A gain that changes fast is followed so far; sounds as short as this are seldom so broad.
_FAST_DB = 2.5
# Even noise seems to change by so much in the second of the windows, and in the first.
_CHANCE_DB = (0.25, 0.6)
# A level that changes by more within a frame is a step.
_STEP_DB = 1.0
# So far under the median, there is nothing but rounding: a gap.
_GAP_DB = 30.0
_MIN_MAGNITUDE = 1e-12


def evening_gain(
    inside: NDArray[np.float32], active: NDArray[np.bool_], frame_s: float, window_s: float
) -> NDArray[np.float32] | None:
    """By what every frame is to be multiplied for the noise to be as loud everywhere.

    Parameters
    ----------
    inside : ndarray of float32, shape (n_bins, n_frames)
        Magnitudes of the band in which sound is looked for.
    active : ndarray of bool, shape (n_frames,)
        Frames that hold any signal.
    frame_s, window_s : float
        Distance and length of the frames (s).

    Returns
    -------
    ndarray of float32, shape (n_frames,), or None
        None where the level varies by less than 2 dB, or not at all frequencies alike. Frames
        30 dB under the median of the clip get 0.
    """
    if not inside.size or not active.any():
        return None
    heard = inside if active.all() else inside[:, active]
    n_rows = heard.shape[0]
    heard = heard[: _n_filled(heard[:, :: _FRAME_STEP**2])]
    even_db = _EVEN_DB if heard.shape[0] == n_rows else _PLAIN_DB
    if heard.shape[0] < 2 * _ROWS_TOGETHER:
        return None
    seen = heard[:, ::_FRAME_STEP]
    coarse = _lasting(_levels_db(seen[::_ROW_STEP]), frame_s * _FRAME_STEP)
    if np.ptp(coarse) < even_db or not _alike_everywhere(seen, coarse):
        return None
    now = _levels_db(heard)
    lasting = _lasting(now, frame_s)
    away = np.zeros(lasting.size)
    for windows, chance in zip((_WINDOWS_S[:2], _WINDOWS_S[:1]), _CHANCE_DB, strict=True):
        fast = np.clip(_lasting(now, frame_s, windows) - lasting, -_FAST_DB, _FAST_DB) - away
        away += fast - np.clip(fast, -chance, chance)
    lasting += away
    level = np.full(active.size, -np.inf)
    level[active] = lasting - np.median(lasting)
    # A frame that sees a step has some of the louder noise; where the level only slopes, its own.
    reach = max(1, round(window_s / frame_s / 2))
    louder = scipy.ndimage.maximum_filter1d(level, 2 * reach + 1, mode="nearest")
    louder = np.where(louder - np.maximum(level, -_GAP_DB) > _STEP_DB, louder, level)
    gain = np.where(level > -_GAP_DB, 10.0 ** (-np.maximum(louder, -_GAP_DB) / 20.0), 0.0)
    return gain.astype(np.float32)


def _n_filled(inside: NDArray[np.float32]) -> int:
    """Number of rows up to the highest that a codec or resampling has not emptied."""
    # as numpy's median and quantile, in a third of the time
    ordered = np.sort(inside, axis=1)
    last = inside.shape[1] - 1
    usual = (ordered[:, last // 2] + ordered[:, (last + 1) // 2]) / np.float32(2.0)
    filled = usual >= _EMPTY * upper_quartile(usual)
    return int(np.flatnonzero(filled)[-1]) + 1


def _alike_everywhere(inside: NDArray[np.float32], level: NDArray[np.float64]) -> bool:
    """Whether all rows go up and down with the level, by as much."""
    n_rows = inside.shape[0] // _ROWS_TOGETHER
    rows = inside[: n_rows * _ROWS_TOGETHER].reshape(n_rows, _ROWS_TOGETHER, -1)
    power = np.einsum("rkt,rkt->rt", rows, rows) / _ROWS_TOGETHER
    beyond = 10.0 * np.log10(np.maximum(power, _MIN_MAGNITUDE**2)) - level
    usual = next(row_quantiles(beyond, 0.5))
    rows_db = np.minimum(beyond, usual[:, None] + _SOUND_DB) + level
    away = level - level.mean()
    slopes = rows_db @ away / (away @ away)
    quantiles = row_quantiles(slopes[None], _OUTER[0], 0.5, _OUTER[1])
    lowest, typical, highest = (float(quantile[0]) for quantile in quantiles)
    by_chance = _OUTER_DEVIATIONS * _ROW_DB / np.sqrt(away @ away)
    return bool(
        typical >= _LEAST_SLOPE
        and lowest >= _ALIKE[0] * typical - by_chance
        and highest <= _ALIKE[1] * typical + by_chance
    )


def _levels_db(magnitude: NDArray[np.float32]) -> NDArray[np.float64]:
    """Level of the quieter frequencies of every frame in decibels."""
    columns = np.ascontiguousarray(magnitude.T)
    place = int(_QUANTILE * columns.shape[1])
    quiet = np.sort(columns, axis=1)[:, place]  # in less time than to part them alone
    return 20.0 * np.log10(np.maximum(quiet.astype(np.float64), _MIN_MAGNITUDE))


def _lasting(
    level: NDArray[np.float64], frame_s: float, windows_s: Sequence[float] = _WINDOWS_S
) -> NDArray[np.float64]:
    """What of a level lasts: its running median, over less the nearer an end is."""
    from_end = np.minimum(np.arange(level.size), np.arange(level.size)[::-1])
    lasting = np.array(level)
    for window_s in windows_s:
        half = max(1, round(window_s / frame_s / 2))
        width = min(2 * half + 1, level.size | 1)
        median = scipy.ndimage.median_filter(level, width, mode="reflect")
        reached = (from_end >= half) | (window_s == _WINDOWS_S[0])
        lasting[reached] = median[reached]
    return lasting
