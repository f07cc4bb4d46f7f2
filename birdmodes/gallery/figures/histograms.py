"""How duration and frequencies of a mode are distributed, as small figures of one scale."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from birdmodes.pictures.scale import Tick, round_ticks
from birdmodes.pictures.statistics import peak_frequency_hz
from birdmodes.segmentation.parameters import SegmentationParameters

Floats = npt.NDArray[np.float64]

BINS = 24
SHOWN_QUANTILES = (0.005, 0.995)
"""What lies outside goes into the first and the last bar, so that a single odd syllable does not
squeeze all others."""


@dataclass(frozen=True)
class Measure:
    """Something that is measured of every syllable.

    Attributes
    ----------
    name : str
        As it is shown.
    unit : str
        As it is shown.
    scale : float
        How much of what is stored makes one of `unit`.
    least_width : float
        The axis is at least so long, in `unit`.
    """

    name: str
    unit: str
    scale: float
    least_width: float


DURATION = Measure("Duration", "s", 1.0, 0.1)
PEAK = Measure("Peak frequency", "kHz", 1000.0, 0.5)
BANDWIDTH = Measure("Bandwidth", "kHz", 1000.0, 0.5)
MEASURES = (DURATION, PEAK, BANDWIDTH)


@dataclass(frozen=True, eq=False)
class Axis:
    """The axis that the histograms of one measure share on a page.

    Attributes
    ----------
    measure : Measure
        What is on it.
    low, high : float
        Its ends, in the measure's unit.
    """

    measure: Measure
    low: float
    high: float

    @property
    def edges(self) -> Floats:
        """Borders of the bars, shape (BINS + 1,)."""
        return np.linspace(self.low, self.high, BINS + 1)

    def counts(self, values: Floats) -> npt.NDArray[np.int64]:
        """Syllables in each bar, shape (BINS,); those beyond the axis are in the outer ones."""
        return np.histogram(np.clip(values, self.low, self.high), self.edges)[0]

    def ticks(self) -> list[Tick]:
        """Round values to mark."""
        return round_ticks(self.low, self.high, 1.0)


def measured(syllables: pd.DataFrame, parameters: SegmentationParameters) -> dict[Measure, Floats]:
    """Measure syllables.

    Parameters
    ----------
    syllables : pandas.DataFrame
        Columns start_s, end_s, low_hz, high_hz and freq-max.
    parameters : SegmentationParameters
        Those the features were made with.

    Returns
    -------
    dict of Measure to ndarray of float64, shape (n_syllables,)
        In each measure's unit.
    """
    values = (
        syllables["end_s"] - syllables["start_s"],
        peak_frequency_hz(syllables["freq-max"], parameters),
        syllables["high_hz"] - syllables["low_hz"],
    )
    return {
        measure: np.asarray(value, dtype=np.float64) / measure.scale
        for measure, value in zip(MEASURES, values, strict=True)
    }


def shared_axis(measure: Measure, values: Floats) -> Axis:
    """Choose the axis of a page.

    Parameters
    ----------
    measure : Measure
        What is on it.
    values : ndarray of float64, shape (n,)
        Of all the page's modes, in the measure's unit; may be empty.

    Returns
    -------
    Axis
        From and to round values; durations and bandwidths begin at 0, as these have a true zero.
    """
    if not values.size:
        return Axis(measure, 0.0, measure.least_width)
    low, high = (float(value) for value in np.quantile(values, SHOWN_QUANTILES))
    if measure is not PEAK:
        low = 0.0
    high = max(high, low + measure.least_width)
    step = 10.0 ** math.floor(math.log10((high - low) / 2))
    return Axis(
        measure,
        math.floor(low / step + 1e-9) * step,
        math.ceil(high / step - 1e-9) * step,
    )
