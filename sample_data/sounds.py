"""What the sample recordings are made of: syllables, a wood that they sound through, background.

Levels of the background are in steps of the 16-bit scale; syllables have a peak near 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import fft, interpolate, signal

Samples = NDArray[np.float64]
Sound = Callable[[np.random.Generator, float, int], Samples]

CLIP_S = 10.0
NOISE_RMS = (16.0, 45.0)  # background without its disturbances, in steps of the 16-bit scale
EXTENT_DB = -20.0  # a truth box ends where the syllable's energy falls this far below its peak

# Syllables: a Sound takes (rng, pitch factor, sample rate in Hz) and returns one syllable.


def _duration(rng: np.random.Generator, seconds: float, rate: int) -> int:
    return round(seconds * math.exp(rng.normal(0.0, 0.10)) * rate)


def _envelope(n: int, attack: float, release: float) -> Samples:
    """Raised-cosine rise and fall, as fractions of the length."""
    x = np.linspace(0.0, 1.0, n)
    rise = np.clip(x / attack, 0.0, 1.0)
    fall = np.clip((1.0 - x) / release, 0.0, 1.0)
    return 0.25 * (1.0 - np.cos(np.pi * rise)) * (1.0 - np.cos(np.pi * fall))


def tone(
    contour_hz: Sequence[float],
    seconds: float,
    *,
    harmonics: Sequence[float] = (1.0, 0.02),
    vibrato: tuple[float, float] = (0.0, 0.0),
    flutter: tuple[float, float] = (0.0, 0.0),
    attack: float = 0.2,
    release: float = 0.35,
) -> Sound:
    """Make a voiced sound.

    `contour_hz` is the pitch at equal steps from start to end, joined smoothly; `harmonics` are
    the levels of the pitch and its multiples; `vibrato` is (times per second, share of the
    pitch), `flutter` (times per second, depth) the same for the loudness.
    """

    def make(rng: np.random.Generator, pitch: float, rate: int) -> Samples:
        n = _duration(rng, seconds, rate)
        time = np.arange(n) / rate
        points = np.asarray(contour_hz) * pitch * np.exp(rng.normal(0.0, 0.012, len(contour_hz)))
        steps = np.arange(len(points))
        frequency = interpolate.pchip_interpolate(steps, points, np.linspace(0, steps[-1], n))
        phase_v = rng.uniform(0, 2 * np.pi)
        frequency *= 1.0 + vibrato[1] * np.sin(2 * np.pi * vibrato[0] * time + phase_v)
        phase = 2 * np.pi * np.cumsum(frequency) / rate
        sound = np.zeros(n)
        for number, level in enumerate(harmonics, start=1):
            below_nyquist = number * frequency < 0.47 * rate
            sound += level * np.exp(rng.normal(0.0, 0.15)) * np.sin(number * phase) * below_nyquist
        sound *= 1.0 - flutter[1] * (0.5 + 0.5 * np.cos(2 * np.pi * flutter[0] * time))
        return sound * _envelope(n, attack, release) / max(harmonics)

    return make


def rasp(band_hz: tuple[float, float], seconds: float, pulses_hz: float) -> Sound:
    """Make pulsed noise in a band: a buzz when the pulses are fast, a rasp when slow."""

    def make(rng: np.random.Generator, pitch: float, rate: int) -> Samples:
        n = _duration(rng, seconds, rate)
        low, high = (edge * pitch * math.exp(rng.normal(0.0, 0.02)) for edge in band_hz)
        band = signal.butter(4, (low, min(high, 0.47 * rate)), "bandpass", fs=rate, output="sos")
        noise = signal.sosfilt(band, rng.normal(size=n + rate // 20))[rate // 20 :]
        pulses_per_s = pulses_hz * math.exp(rng.normal(0.0, 0.05))
        pulses = 0.5 - 0.5 * np.cos(2 * np.pi * pulses_per_s * np.arange(n) / rate)
        noise *= (0.15 + 0.85 * pulses) * _envelope(n, 0.25, 0.2)
        return np.asarray(noise / np.abs(noise).max())

    return make


def drum_roll(resonances_hz: Sequence[float], seconds: float, strike_s: float) -> Sound:
    """Make strikes on dead wood, too fast to be heard singly; they speed up, swell and fade."""

    def make(rng: np.random.Generator, pitch: float, rate: int) -> Samples:
        n = _duration(rng, seconds, rate)
        time = np.arange(int(0.05 * rate)) / rate
        strike = rng.normal(size=len(time)) * np.exp(-time / 0.004)  # the bill
        for hz in resonances_hz:  # the wood
            ring = np.sin(2 * np.pi * hz * pitch * time) * np.exp(-time * hz / 6.0)
            strike += 2.0 * rng.uniform(0.6, 1.0) * ring
        sound = np.zeros(n + len(time))
        at = 0.0
        while at * rate < n:
            here = int(at * rate)
            swell = math.sin(math.pi * (0.15 + 0.75 * here / n))
            sound[here : here + len(time)] += swell * rng.uniform(0.85, 1.15) * strike
            at += strike_s * rng.uniform(0.93, 1.07) * (1.1 - 0.2 * here / n)
        band = (0.5 * resonances_hz[0], 1.3 * resonances_hz[-1])
        filtered = signal.sosfilt(signal.butter(2, band, "bandpass", fs=rate, output="sos"), sound)
        return np.asarray(filtered / np.abs(filtered).max())

    return make


def background(rng: np.random.Generator, rate: int, disturbances: Sequence[str]) -> Samples:
    """Make ten seconds of a place without birds.

    `disturbances` may hold "wind", "hum" and "rain".
    """
    n = int(CLIP_S * rate)
    frequency = fft.rfftfreq(n, 1 / rate)
    level = math.exp(rng.uniform(*np.log(NOISE_RMS)))
    hiss = _shaped_noise(rng, n, (1.0 + frequency / 400.0) ** -0.5) * level
    rumble = _shaped_noise(rng, n, (1.0 + (frequency / 90.0) ** 2) ** -1.0)
    gusts = _slow_curve(rng, n, 8)
    sound = hiss * (1.0 + 0.08 * gusts)
    sound += rumble * level * (np.exp(0.9 * gusts) * 3.0 if "wind" in disturbances else 0.7)
    if "hum" in disturbances:
        time = np.arange(n) / rate
        for number, share in ((1, 1.0), (2, 0.8), (3, 0.3), (5, 0.25), (7, 0.1)):
            phase = rng.uniform(0, 2 * np.pi)
            sound += 1.5 * level * share * np.sin(2 * np.pi * 50.0 * number * time + phase)
    if "rain" in disturbances:
        sound += _rain(rng, n, rate, level)
    return sound


def _shaped_noise(rng: np.random.Generator, n: int, gain: Samples) -> Samples:
    """Gaussian noise of unit rms with this gain per `rfft` bin."""
    noise = fft.irfft(fft.rfft(rng.normal(size=n)) * gain, n)
    return np.asarray(noise / np.sqrt(np.mean(noise**2)))


def _slow_curve(rng: np.random.Generator, n: int, points: int) -> Samples:
    return np.interp(np.linspace(0, points - 1, n), np.arange(points), rng.normal(size=points))


def _rain(rng: np.random.Generator, n: int, rate: int, level: float) -> Samples:
    """Make drops on leaves: clicks of a few milliseconds, many faint and few loud."""
    length = int(0.012 * rate)
    decay = np.exp(-np.arange(length) / (0.0016 * rate))
    sound = np.zeros(n)
    for _ in range(8):  # leaves of different sizes
        drops = np.zeros(n)
        at = rng.integers(0, n, size=40)
        drops[at] = level * np.exp(rng.normal(0.6, 0.7, size=40))
        sound += np.convolve(drops, rng.normal(size=length) * decay)[:n]
    high = signal.butter(2, 900.0, "highpass", fs=rate, output="sos")
    return signal.sosfilt(high, sound)


def through_the_air(rng: np.random.Generator, dry: Samples, rate: int, distance: float) -> Samples:
    """Add the wood's echo and take the treble away, the more the farther (0 near, 1 far)."""
    tail = int(0.18 * rate)
    echo = rng.normal(size=tail) * np.exp(-np.arange(tail) / (0.035 * rate))
    share = 10 ** (-(20.0 - 8.0 * distance) / 20.0)
    response = np.concatenate(([1.0], share * echo / np.sqrt(np.sum(echo**2))))
    n = len(dry) + tail
    padded = fft.next_fast_len(n, real=True)
    treble_db = -8.0 * distance * fft.rfftfreq(padded, 1 / rate) / 8000.0
    spectrum = fft.rfft(dry, padded) * fft.rfft(response, padded) * 10 ** (treble_db / 20.0)
    return np.asarray(fft.irfft(spectrum, padded)[:n], dtype=np.float64)


def extents(sound: Samples, rate: int) -> tuple[float, float, float, float]:
    """Start and end (s), low and high (Hz) between which the sound is above `EXTENT_DB`.

    Time from the power smoothed over 8 ms, frequency from the power of a spectrogram with 23 ms
    windows summed over time, each against its own maximum.
    """
    width = int(0.008 * rate)
    power = np.convolve(sound**2, np.ones(width) / width, mode="same")
    loud = np.flatnonzero(power >= power.max() * 10 ** (EXTENT_DB / 10))
    window = int(0.0232 * rate)
    padded = np.pad(sound, window)
    hz, _, spectrum = signal.spectrogram(padded, rate, "hann", window, window * 3 // 4)
    profile = spectrum.sum(axis=1)
    strong = np.flatnonzero(profile >= profile.max() * 10 ** (EXTENT_DB / 10))
    half_bin = hz[1] / 2
    low, high = hz[strong[0]] - half_bin, hz[strong[-1]] + half_bin
    return loud[0] / rate, (loud[-1] + 1) / rate, max(low, 0.0), min(high, rate / 2)
