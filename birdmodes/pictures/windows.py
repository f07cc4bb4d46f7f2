"""The stretches of recordings that pictures of syllables show, all on one scale."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd

from birdmodes.pictures.scale import Tick, round_ticks

CONTEXT_S = 3.0
"""A picture is so long, and more only where syllables are long."""

LONG_SHARE = 0.6
"""Of the picture; nine of ten syllables, and series to be shown whole, are at most so long."""

TILE_SHARE = 2 / 3
"""The part of a picture that small ones show."""

CROPS = 10
"""Small pictures begin at one of so many and one places of the larger one."""

TOP_STEP_HZ, LEAST_TOP_HZ = 2000.0, 4000.0
HIGH_QUANTILE = 0.98


@dataclass(frozen=True)
class ContextScale:
    """What every picture of a gallery shows.

    Attributes
    ----------
    width_s : float
        Length of the stretch.
    top_hz : float
        Upper edge; the lower one is 0.
    """

    width_s: float
    top_hz: float

    @property
    def tile_s(self) -> float:
        """Length that small pictures show."""
        return TILE_SHARE * self.width_s

    def frequency_ticks(self) -> list[Tick]:
        """Round frequencies to mark on the axis, in kilohertz."""
        return round_ticks(0.0, self.top_hz, 1000.0)


def context_scale(syllables: pd.DataFrame, nyquist_hz: float) -> ContextScale:
    """Choose the scale of a gallery.

    Parameters
    ----------
    syllables : pandas.DataFrame
        All that may be shown; columns start_s, end_s and high_hz.
    nyquist_hz : float
        No higher frequency is shown.

    Returns
    -------
    ContextScale
        `CONTEXT_S` long, or as many times that as lets nine of ten syllables be shown with some
        context; high enough for nearly all.
    """
    if syllables.empty:
        return ContextScale(CONTEXT_S, nyquist_hz)
    long_s = float(np.quantile(syllables["end_s"] - syllables["start_s"], 0.9))
    times = max(1, math.ceil(long_s / (LONG_SHARE * CONTEXT_S) - 1e-9))
    high_hz = float(np.quantile(syllables["high_hz"], HIGH_QUANTILE))
    top_hz = max(LEAST_TOP_HZ, math.ceil(high_hz / TOP_STEP_HZ) * TOP_STEP_HZ)
    if top_hz > nyquist_hz:  # as a round number, if that leaves anything
        top_hz = 1000.0 * (nyquist_hz // 1000) or nyquist_hz
    return ContextScale(times * CONTEXT_S, top_hz)


@dataclass(frozen=True)
class Window:
    """The stretch around one syllable.

    Attributes
    ----------
    start_s : float
        In its recording.
    crop : int
        Where the small picture begins: in parts of `CROPS` of what it leaves out.
    """

    start_s: float
    crop: int

    def tile_start_s(self, scale: ContextScale) -> float:
        """Where the small picture begins in the recording."""
        return self.start_s + self.crop / CROPS * (scale.width_s - scale.tile_s)


def place_window(
    syllable_s: tuple[float, float],
    series_s: tuple[float, float],
    clip_s: tuple[float, float],
    scale: ContextScale,
) -> Window:
    """Choose the stretch around a syllable.

    Parameters
    ----------
    syllable_s, series_s, clip_s : (float, float)
        Start and end of the syllable, of the series that it stands in, and of the clip whose sound
        is at hand, in seconds of the recording.
    scale : ContextScale
        How long it is to be.

    Returns
    -------
    Window
        Around the series if that is short enough, else around the syllable, and inside the clip as
        far as the clip is long enough.
    """
    start_s, end_s = syllable_s
    series_length_s = series_s[1] - series_s[0]
    whole = series_s if series_length_s <= LONG_SHARE * scale.width_s else syllable_s
    first_s = (whole[0] + whole[1] - scale.width_s) / 2
    if end_s - start_s > scale.width_s:  # the start tells more than the middle
        first_s = start_s - 0.1 * scale.width_s
    first_s = max(min(first_s, clip_s[1] - scale.width_s), clip_s[0])
    room_s = scale.width_s - scale.tile_s
    middle_s = (start_s + end_s - scale.tile_s) / 2
    wanted_s = min(middle_s, start_s - 0.1 * scale.tile_s)  # a long one from its start
    crop = round(CROPS * (wanted_s - first_s) / room_s)
    return Window(round(first_s, 4), min(max(crop, 0), CROPS))
