"""The time and frequency scale that the pictures of one page share."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd

from birdmodes.pictures.text import axis_number

DURATION_QUANTILE = 0.9
SHORTEST_S, LONGEST_S = 0.1, 6.0
NARROWEST_HZ = 1000.0
ROUND_HZ = 250.0


@dataclass(frozen=True)
class Tick:
    """A mark of an axis: where (s or Hz), and its text."""

    value: float
    text: str


@dataclass(frozen=True)
class Scale:
    """The stretch of time and the band of frequencies that a picture shows.

    Attributes
    ----------
    start_s, end_s : float
        Left and right edge, in seconds from the start of the syllable.
    low_hz, high_hz : float
        Lower and upper edge (Hz).
    """

    start_s: float
    end_s: float
    low_hz: float
    high_hz: float

    @property
    def width_s(self) -> float:
        """Time shown (s)."""
        return self.end_s - self.start_s

    @property
    def height_hz(self) -> float:
        """Frequencies shown (Hz)."""
        return self.high_hz - self.low_hz

    def edges(self) -> list[float]:
        """Left, right, lower and upper edge."""
        return [self.start_s, self.end_s, self.low_hz, self.high_hz]

    def x(self, time_s: float) -> float:
        """Place of a time (s from the syllable's start): 0 is the left edge, 1 the right one."""
        return (time_s - self.start_s) / self.width_s

    def y(self, frequency_hz: float) -> float:
        """Place of a frequency: 0 is the upper edge, 1 the lower one."""
        return (self.high_hz - frequency_hz) / self.height_hz

    def cut_s(self, duration_s: float) -> float:
        """Seconds of a syllable that are right of the picture; 0 if it fits."""
        return max(0.0, duration_s - self.end_s)

    def time_ticks(self) -> list[Tick]:
        """Round times to mark on the axis, in seconds."""
        return round_ticks(self.start_s, self.end_s, 1.0)

    def frequency_ticks(self) -> list[Tick]:
        """Round frequencies to mark on the axis, in kilohertz."""
        return round_ticks(self.low_hz, self.high_hz, 1000.0)


def shared_scale(examples: pd.DataFrame, nyquist_hz: float) -> Scale:
    """Choose the scale of a page.

    Parameters
    ----------
    examples : pandas.DataFrame
        Syllables to be shown; columns start_s, end_s, low_hz, high_hz.
    nyquist_hz : float
        No higher frequency is shown.

    Returns
    -------
    Scale
        High enough for every syllable, long enough for nine of ten with some context; the longest
        are cut, so that a single one does not squeeze all others.
    """
    if examples.empty:
        return Scale(-0.05, 0.5, 0.0, nyquist_hz)
    durations = examples["end_s"] - examples["start_s"]
    typical = float(np.quantile(durations, DURATION_QUANTILE))
    typical = min(max(typical, SHORTEST_S), LONGEST_S)
    context = min(max(0.25 * typical, 0.05), 0.25)
    low = float(examples["low_hz"].min())
    high = float(examples["high_hz"].max())
    room = max(0.12 * (high - low), (NARROWEST_HZ - (high - low)) / 2)
    return Scale(
        start_s=-context,
        end_s=typical + context,
        low_hz=max(0.0, math.floor((low - room) / ROUND_HZ) * ROUND_HZ),
        high_hz=min(nyquist_hz, math.ceil((high + room) / ROUND_HZ) * ROUND_HZ),
    )


def round_ticks(low: float, high: float, unit: float) -> list[Tick]:
    """Give three to six round numbers between `low` and `high`, written in `unit`."""
    span = (high - low) / unit
    step = round_below(span / 3)
    digits = max(0, -math.floor(math.log10(step)))
    first, last = math.ceil(low / unit / step - 1e-9), math.floor(high / unit / step + 1e-9)
    return [
        Tick(number * step * unit, axis_number(number * step, digits))
        for number in range(first, last + 1)
    ]


def round_below(value: float) -> float:
    """Give the largest of 1, 2, 5, 10, 20, 50 ... that is not above `value`; so also below 1."""
    power = 10.0 ** math.floor(math.log10(value))
    return max(factor * power for factor in (1, 2, 5) if factor * power <= value * (1 + 1e-9))
