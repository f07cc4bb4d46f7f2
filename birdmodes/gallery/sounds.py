"""Small sounds for the page's player."""

from __future__ import annotations

import io
from functools import cache

import numpy as np
import numpy.typing as npt
import soundfile
import soxr

Samples = npt.NDArray[np.float32]

FADE_S = 0.005
PEAK = 0.6
MOST_GAIN = 100.0

MP3_RATES_HZ = (8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000)

HIGH_RATE_HZ = 32000
"""From here on MP3 has other bit rates."""


HEARD_RATE_HZ = 32000
"""Ultrasound is slowed down until its rate is no higher: all of it is below 16 kHz then."""


@cache
def sound_type() -> str:
    """``audio/mpeg`` if libsndfile can write MP3 (from 1.1 on), else ``audio/wav``."""
    return "audio/mpeg" if "MP3" in soundfile.available_formats() else "audio/wav"


def bytes_per_second(sample_rate_hz: int) -> float:
    """About how large a second of sound becomes at one of `MP3_RATES_HZ`."""
    if sound_type() == "audio/wav":
        return 2.0 * sample_rate_hz
    kilobits = 25 if sample_rate_hz <= 12000 else 50 if sample_rate_hz < HIGH_RATE_HZ else 90
    return 1000 / 8 * kilobits


def slowing(sample_rate_hz: int, shown_rate_hz: int) -> int:
    """How many times slower a sound is to be played, so that all of it can be heard.

    Parameters
    ----------
    sample_rate_hz : int
        Of the recording.
    shown_rate_hz : int
        Of the spectrogram.

    Returns
    -------
    int
        1 for what sound cards can play, else a power of two: the least that brings the rate down to
        `HEARD_RATE_HZ`.
    """
    highest = min(sample_rate_hz, shown_rate_hz)
    if highest <= MP3_RATES_HZ[-1]:
        return 1
    factor = 1
    while highest > HEARD_RATE_HZ * factor:
        factor *= 2
    return factor


def playable_rate(sample_rate_hz: int, shown_rate_hz: int) -> int:
    """Rate that MP3 and every sound card have, after slowing down by `slowing`.

    Parameters
    ----------
    sample_rate_hz : int
        Of the recording.
    shown_rate_hz : int
        Of the spectrogram; what is above its frequencies is not kept.

    Returns
    -------
    int
        One of `MP3_RATES_HZ`: the highest that is not above either; of slowed sounds, the lowest
        that keeps all of it.
    """
    highest = min(sample_rate_hz, shown_rate_hz)
    slowed = slowing(sample_rate_hz, shown_rate_hz)
    if slowed > 1:
        return min(rate for rate in MP3_RATES_HZ if rate * slowed >= highest)
    return max((rate for rate in MP3_RATES_HZ if rate <= highest), default=MP3_RATES_HZ[0])


def resampled(samples: Samples, sample_rate_hz: int, new_rate_hz: int) -> Samples:
    """Bring a sound to another rate; what is above half of it is lost."""
    if sample_rate_hz == new_rate_hz or not samples.size:
        return samples
    return np.asarray(soxr.resample(samples, sample_rate_hz, new_rate_hz, "HQ"), dtype=np.float32)


def gain_to_peak(samples: Samples, most: float = MOST_GAIN) -> float:
    """Factor that brings the peak to `PEAK`, at most `most`; 1 for silence."""
    peak = float(np.abs(samples).max(initial=0.0))
    return min(PEAK / peak, most) if peak > 0 else 1.0


def faded(samples: Samples, sample_rate_hz: int) -> Samples:
    """Fade in and out, so that a cut is no click."""
    result = samples.copy()
    n_fade = min(round(FADE_S * sample_rate_hz), len(samples) // 2)
    ramp = np.sin(np.linspace(0, np.pi / 2, n_fade, dtype=np.float32)) ** 2
    result[:n_fade] *= ramp
    result[len(result) - n_fade :] *= ramp[::-1]
    return result


def encode_sound(samples: Samples, sample_rate_hz: int) -> bytes:
    """Make the content of a mono file in the format of `sound_type`.

    MP3 has a prescribed mean bit rate, so that sizes can be foreseen. (A constant one leaves no
    room for the tag that tells players how many samples the encoder has put before the first one:
    at 22 kHz they would play everything 50 ms late.)
    """
    content = io.BytesIO()
    if sound_type() == "audio/wav":
        soundfile.write(content, samples, sample_rate_hz, format="WAV", subtype="PCM_16")
        return content.getvalue()
    try:
        soundfile.write(
            content,
            samples,
            sample_rate_hz,
            format="MP3",
            bitrate_mode="AVERAGE",
            compression_level=0.7 if sample_rate_hz < HIGH_RATE_HZ else 0.8,
        )
    except TypeError:  # before soundfile 0.13, which cannot be told how much to compress
        soundfile.write(content, samples, sample_rate_hz, format="MP3")
    return content.getvalue()
