"""Small sound files for the page's player."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import librosa
import numpy as np
import numpy.typing as npt
import soundfile
from scipy.signal import butter, sosfiltfilt

Samples = npt.NDArray[np.float32]

MARGIN_S = 0.15
FADE_S = 0.02
PEAK = 0.6
MOST_GAIN = 100.0
FILTER_ORDER = 4
BAND_ROOM = 0.1
"""Part of the edges' frequencies by which the band is wider than the syllable."""

MP3_RATES_HZ = (8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000)


@cache
def sound_ending() -> str:
    """``.mp3`` if libsndfile can write it (from 1.1 on), else ``.wav``."""
    return ".mp3" if "MP3" in soundfile.available_formats() else ".wav"


def playable(samples: Samples, sample_rate_hz: int) -> tuple[Samples, int]:
    """Resample to a rate that MP3 and every sound card have, at most 48 kHz.

    Parameters
    ----------
    samples : ndarray of float32, shape (n_samples,)
        A sound.
    sample_rate_hz : int
        Its rate.

    Returns
    -------
    samples : ndarray of float32, shape (n_new_samples,)
        The same sound; what is above half the new rate is lost.
    sample_rate_hz : int
        One of `MP3_RATES_HZ`: the highest that is not above the old one.
    """
    rate = max((r for r in MP3_RATES_HZ if r <= sample_rate_hz), default=MP3_RATES_HZ[0])
    if rate != sample_rate_hz:
        samples = librosa.resample(
            samples, orig_sr=sample_rate_hz, target_sr=rate, res_type="soxr_hq"
        )
    return samples, rate


def only_band(
    samples: Samples, sample_rate_hz: int, low_hz: float, high_hz: float
) -> Samples | None:
    """Keep the frequencies of the syllable.

    Parameters
    ----------
    samples : ndarray of float32, shape (n_samples,)
        A sound.
    sample_rate_hz : int
        Its rate.
    low_hz, high_hz : float
        The syllable's edges; the band is a tenth wider on both sides.

    Returns
    -------
    ndarray of float32 or None
        Filtered forwards and backwards (Butterworth), so nothing is delayed; None if the band is
        above what the rate can hold.
    """
    highest = 0.49 * sample_rate_hz
    low = max(low_hz * (1 - BAND_ROOM), 20.0)
    high = min(high_hz * (1 + BAND_ROOM), highest)
    if low >= 0.95 * highest:
        return None
    sections = butter(FILTER_ORDER, [low, high], "bandpass", fs=sample_rate_hz, output="sos")
    # As long as the slowest ringing, but never longer than the sound.
    padding = min(len(samples) - 1, round(3 * sample_rate_hz / low))
    return sosfiltfilt(sections, samples, padlen=padding).astype(np.float32)


def finish(samples: Samples, sample_rate_hz: int) -> Samples:
    """Fade in and out, and bring the peak to `PEAK`, with a gain of at most `MOST_GAIN`."""
    peak = float(np.abs(samples).max(initial=0.0))
    gain = min(PEAK / peak, MOST_GAIN) if peak > 0 else 0.0
    faded = samples * np.float32(gain)
    n_fade = min(round(FADE_S * sample_rate_hz), len(samples) // 2)
    ramp = np.sin(np.linspace(0, np.pi / 2, n_fade, dtype=np.float32)) ** 2
    faded[:n_fade] *= ramp
    faded[len(faded) - n_fade :] *= ramp[::-1]
    return faded


def write_sound(path: Path, samples: Samples, sample_rate_hz: int) -> None:
    """Write a mono file in the format of the path's ending."""
    kind = {".mp3": "MP3", ".wav": "WAV"}[path.suffix]
    soundfile.write(path, samples, sample_rate_hz, format=kind)
