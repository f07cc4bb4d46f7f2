"""What is said in numbers about a mode."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from birdmodes.segmentation.parameters import SegmentationParameters


@dataclass(frozen=True)
class Spread:
    """Median and the range that holds nine tenths of the values.

    Attributes
    ----------
    median, low, high : float
        The 50 %, 5 % and 95 % quantile.
    """

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: npt.ArrayLike) -> Spread:
        """Spread of at least one value."""
        low, median, high = np.quantile(np.asarray(values, dtype=float), [0.05, 0.5, 0.95])
        return cls(float(median), float(low), float(high))


@dataclass(frozen=True)
class SoundStatistics:
    """Duration and frequency of a group of syllables.

    Attributes
    ----------
    duration_s : Spread
        End minus start (s).
    low_hz, high_hz : Spread
        Edges of the syllables (Hz).
    peak_hz : Spread
        Frequency that holds the most energy (Hz).
    """

    duration_s: Spread
    low_hz: Spread
    high_hz: Spread
    peak_hz: Spread


def peak_frequency_hz(
    freq_max: npt.ArrayLike, parameters: SegmentationParameters
) -> npt.NDArray[np.float64]:
    """Frequency of the feature ``freq-max``.

    Parameters
    ----------
    freq_max : array_like, shape (n,)
        Fraction of the highest bin's frequency.
    parameters : SegmentationParameters
        Those the features were made with.

    Returns
    -------
    ndarray of float64, shape (n,)
        In hertz.
    """
    highest_hz = (parameters.n_bins - 1) * parameters.bin_hz
    return np.asarray(freq_max, dtype=np.float64) * highest_hz


def sound_statistics(
    syllables: pd.DataFrame, parameters: SegmentationParameters
) -> SoundStatistics | None:
    """Summarise syllables.

    Parameters
    ----------
    syllables : pandas.DataFrame
        Columns start_s, end_s, low_hz, high_hz and freq-max.
    parameters : SegmentationParameters
        Those the features were made with.

    Returns
    -------
    SoundStatistics or None
        None if there are no syllables.
    """
    if syllables.empty:
        return None
    return SoundStatistics(
        duration_s=Spread.of(syllables["end_s"] - syllables["start_s"]),
        low_hz=Spread.of(syllables["low_hz"]),
        high_hz=Spread.of(syllables["high_hz"]),
        peak_hz=Spread.of(peak_frequency_hz(syllables["freq-max"], parameters)),
    )
