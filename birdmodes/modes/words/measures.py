"""What is measured on one syllable: level, the course of its pitch, width, repeats, harmonics."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from birdmodes.segmentation import PATCH_RANGE_DB

Floats = npt.NDArray[np.float64]

VOICED_ABOVE = 0.08
"""A frame counts where its strongest bin has this share of the strongest of all frames (power)."""

NOISE_POWER = 2.0
"""Taken off every pixel, in units of the noise: what noise alone seldom exceeds."""

WIDTH_DB = 10.0
"""The width of a frame is that of the bins at most this far below its strongest one."""

END_SHARE = 0.2
"""The first and the last pitch are medians over this share of the frames."""

LEVEL_QUANTILE = 0.85
"""The level of a syllable is this quantile of its frames' peaks: a single click does not set it."""

MOST_REPEATS_HZ = 45.0
"""Faster repeats are heard as a buzz."""

LEAST_REPEATS = 4
REPEATS_ABOVE = 0.4
"""An envelope repeats where its autocorrelation exceeds this, at so many periods at least."""

STEADY = 0.1
"""An envelope whose standard deviation is a smaller part of its mean does not repeat."""

HARMONIC_SHARE = 0.03
"""A harmonic counts if its power, over all frames, is this share of the peak's."""

MULTIPLES = (0.5, 2.0, 3.0)


@dataclass(frozen=True)
class Measures:
    """What is measured on one syllable.

    Attributes
    ----------
    level_db : float
        How loud it is above the noise, see `LEVEL_QUANTILE`.
    beside_db : float
        The same of what is in its rectangle without belonging to it; 0 if nothing is.
    start_hz, pitch_hz, end_hz : float
        Strongest frequency of the first fifth, of the middle and of the last fifth.
    bottom_hz, top_hz : float
        5 % and 95 % quantile of the strongest frequency over its frames.
    width_hz : float
        Median width of its frames, see `WIDTH_DB`.
    repeats_hz : float
        How often its envelope repeats in a second; 0 if it does not.
    harmonics : int
        At how many of `MULTIPLES` of the strongest frequency there is sound.
    """

    level_db: float
    beside_db: float
    start_hz: float
    pitch_hz: float
    end_hz: float
    bottom_hz: float
    top_hz: float
    width_hz: float
    repeats_hz: float
    harmonics: int


def measure(
    patch: npt.NDArray[np.uint8],
    mask: npt.NDArray[np.bool_],
    first_hz: float,
    bin_hz: float,
    frame_s: float,
) -> Measures:
    """Measure a syllable.

    Parameters
    ----------
    patch : ndarray of uint8, shape (n_bins, n_frames)
        As in the workspace: decibels above the noise, 0 to `PATCH_RANGE_DB` as 0 to 255.
    mask : ndarray of bool, shape (n_bins, n_frames)
        The syllable's pixels, at least one.
    first_hz : float
        Frequency of the patch's first row.
    bin_hz, frame_s : float
        Distance of two rows (Hz) and of two columns (s).
    """
    level = np.where(mask, patch, 0).astype(np.float64) * (PATCH_RANGE_DB / 255)
    power = np.clip(np.where(mask, 10 ** (level / 10), 0.0) - NOISE_POWER, 0.0, None)
    strongest = power.max(axis=0)
    voiced = strongest > VOICED_ABOVE * strongest.max(initial=0.0)
    if not voiced.any():  # as faint as noise: its loudest pixels have to do
        voiced = mask.any(axis=0)
        power = level
    peaks = power[:, voiced].argmax(axis=0)
    track = first_hz + peaks * bin_hz
    fifth = max(1, round(END_SHARE * len(track)))
    bottom, top = np.quantile(track, [0.05, 0.95])
    middle = track[fifth:-fifth] if len(track) > 2 * fifth else track
    return Measures(
        level_db=_level(level, mask),
        beside_db=_level(np.where(mask, 0, patch) * (PATCH_RANGE_DB / 255), ~mask),
        start_hz=float(np.median(track[:fifth])),
        pitch_hz=float(np.median(middle)),
        end_hz=float(np.median(track[-fifth:])),
        bottom_hz=float(bottom),
        top_hz=float(top),
        width_hz=_width(level[:, voiced], bin_hz),
        repeats_hz=_repeats(power.sum(axis=0), frame_s),
        harmonics=_harmonics(power.sum(axis=1), first_hz, bin_hz),
    )


def _level(level: Floats, inside: npt.NDArray[np.bool_]) -> float:
    """Quantile of the frames' peaks, over the frames that have pixels of this kind."""
    frames = inside.any(axis=0)
    if not frames.any():
        return 0.0
    return float(np.quantile(level[:, frames].max(axis=0), LEVEL_QUANTILE))


def _width(level: Floats, bin_hz: float) -> float:
    near = level >= np.maximum(level.max(axis=0) - WIDTH_DB, 1e-9)
    return float(np.median(near.sum(axis=0))) * bin_hz


def _repeats(envelope: Floats, frame_s: float) -> float:
    """Rate of the first peak of the envelope's autocorrelation that is high enough."""
    n = len(envelope)
    shortest = max(2, int(np.ceil(1 / (2 * MOST_REPEATS_HZ) / frame_s)))
    longest = n // LEAST_REPEATS
    if longest <= shortest:
        return 0.0
    bent = np.sqrt(envelope)  # so that one loud repeat does not hide the others
    if bent.std() <= STEADY * bent.mean():
        return 0.0
    bent = bent - bent.mean()
    energy = float(bent @ bent)
    lags = np.arange(longest + 2)
    correlation = np.array([bent[: n - lag] @ bent[lag:] * n / (n - lag) for lag in lags]) / energy
    for lag in range(shortest, longest + 1):
        around = correlation[lag - 1 : lag + 2]
        if correlation[lag] > REPEATS_ABOVE and correlation[lag] == around.max():
            return 1 / (lag * frame_s)
    return 0.0


def _harmonics(spectrum: Floats, first_hz: float, bin_hz: float) -> int:
    peak = int(spectrum.argmax())
    peak_hz = first_hz + peak * bin_hz
    found = 0
    for multiple in MULTIPLES:
        row = round((multiple * peak_hz - first_hz) / bin_hz)
        near = spectrum[max(0, row - 1) : max(0, row + 2)]
        found += bool(near.size and near.max() > HARMONIC_SHARE * spectrum[peak])
    return found
