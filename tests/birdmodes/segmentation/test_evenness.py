"""Noise whose level changes within a clip gives no syllables, and hides none."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import soundfile

from birdmodes.audio.read import ClipReader
from birdmodes.segmentation import Segment, segment_clip
from birdmodes.segmentation.evenness import evening_gain
from birdmodes.segmentation.parameters import SegmentationParameters
from birdmodes.segmentation.spectrogram import evened, spectrogram

DEFAULT = SegmentationParameters()
RATE = DEFAULT.sample_rate_hz
SECONDS = 4.0
AT_S = (0.6, 1.4, 2.2, 3.2)
FAINT = 0.0006  # amplitude of a note that rises between the two thresholds
T = np.arange(round(SECONDS * RATE)) / RATE

Change = Callable[[np.ndarray], np.ndarray]


def times(decibels: np.ndarray | float) -> np.ndarray:
    return np.asarray(10 ** (np.asarray(decibels) / 20))


def noise(seed: int, colour: str) -> np.ndarray:
    samples = np.random.default_rng(seed).standard_normal(T.size)
    if colour == "pink":
        spectrum = np.fft.rfft(samples)
        samples = np.fft.irfft(spectrum / np.sqrt(np.maximum(np.arange(spectrum.size), 50)), T.size)
    return 0.003 * samples / samples.std()


def notes() -> np.ndarray:
    samples = np.zeros(T.size)
    for number, at in enumerate(AT_S):
        t = np.arange(round(0.15 * RATE)) / RATE
        pitch = 3000 + 700 * (number % 2)
        first = round(at * RATE)
        samples[first : first + t.size] += 0.03 * np.hanning(t.size) * np.sin(2 * np.pi * pitch * t)
    return samples


def zeros_at(start_s: float, stop_s: float) -> Change:
    return lambda x: np.where((start_s <= T) & (stop_s > T), 0.0, x)


def automatic_gain(samples: np.ndarray) -> np.ndarray:
    level, gain = 0.02, np.empty(samples.size)
    for first in range(0, samples.size, 220):
        block = slice(first, first + 220)
        level = max(float(np.abs(samples[block]).max()), 0.985 * level)
        gain[block] = 0.02 / level
    return samples * gain


def falling(start_s: float) -> np.ndarray:
    return np.exp(-np.maximum(T - start_s, 0) / 0.8) * (start_s <= T)


CHANGES: dict[str, Change] = {
    "even": lambda x: x,
    "3 dB louder in the first half": lambda x: x * times(np.where(T < 2, 3, 0)),
    "6 dB fainter in the first half": lambda x: x * times(np.where(T < 2, -6, 0)),
    "20 dB louder from 1.1 s on": lambda x: x * times(np.where(T < 1.1, 0, 20)),
    "10 dB louder for 0.6 s": lambda x: x * times(np.where(abs(T - 2.8) < 0.3, 10, 0)),
    "three gains": lambda x: x * times(np.select([T < 1, T < 2.6], [6.0, -4.0], 0.0)),
    "fade in over 0.5 s": lambda x: x * np.minimum(1, T / 0.5),
    "fade out over 0.5 s": lambda x: x * np.minimum(1, T[::-1] / 0.5),
    "a microphone that powers up": lambda x: x * (1 + 4 * np.exp(-3 * T)) + 0.1 * np.exp(-20 * T),
    "zeros at the end": zeros_at(3.65, SECONDS),
    "zeros at the beginning": zeros_at(0, 0.4),
    "dropped buffers": lambda x: x * ((T % 0.5) > 0.02),
    "automatic gain": automatic_gain,
    "3 dB fainter until 1.7 s": lambda x: x * times(np.where(T < 1.7, -3, 0)),
    "3 dB louder from 2.7 s on": lambda x: x * times(np.where(T < 2.7, 0, 3)),
    "a gain of 3 dB that falls back": lambda x: x * (1 + 0.41 * falling(1.9)),
    "a gain of 10 dB that falls back": lambda x: x * (1 + 2.2 * falling(0.3)),
    "a gain in waves of 10 dB": lambda x: x * times(10 * np.sin(np.pi * T)),
    "a microphone that powers up by 3 dB": lambda x: x * (1 + 0.41 * np.exp(-T / 0.3)),
}


@pytest.mark.parametrize("colour", ["white", "pink"])
@pytest.mark.parametrize("change", CHANGES)
def test_noise_alone_gives_no_syllable_and_notes_just_themselves(change: str, colour: str) -> None:
    alone = CHANGES[change](noise(1, colour))
    assert segment_clip(alone, DEFAULT) == []
    found = segment_clip(CHANGES[change](noise(1, colour) + notes()), DEFAULT)
    assert [s.start_s for s in found] == pytest.approx(AT_S, abs=0.05)


def test_a_gain_is_followed_where_the_upper_frequencies_are_empty() -> None:
    rng = np.random.default_rng(0)
    magnitude = rng.rayleigh(1.0, (200, 800))
    magnitude[140:] *= 1e-4  # as after resampling; they do not change
    magnitude[:140, 400:] *= times(12)
    gain = gain_of(magnitude)
    assert gain is not None
    relative = 20 * np.log10(gain[100:300].mean() / gain[500:700].mean())
    assert relative == pytest.approx(12, abs=0.3)


@pytest.mark.parametrize("beside_hz", [None, 3500.0, 8000.0])
def test_what_barely_stands_out_counts_beside_a_clear_sound_only(beside_hz: float | None) -> None:
    t = np.arange(round(0.4 * RATE)) / RATE
    samples = noise(2, "white")
    for pitch, level, at_s in ((3000.0, FAINT, 1.0), (beside_hz, 0.03, 3.0)):
        if pitch is not None:
            first = round(at_s * RATE)
            note = level * np.hanning(t.size) * np.sin(2 * np.pi * pitch * t)
            samples[first : first + t.size] += note
    starts = [round(s.start_s) for s in segment_clip(samples, DEFAULT)]
    assert starts == {None: [], 3500.0: [1, 3], 8000.0: [3]}[beside_hz]


def test_rounding_where_the_sound_has_ended_is_no_sound() -> None:
    dither = np.random.default_rng(7).triangular(-1, 0, 1, T.size) / 32768
    samples = np.round((np.where(T < 2.9, noise(1, "pink") + notes(), 0) + dither) * 32768) / 32768
    found = segment_clip(samples, DEFAULT)
    assert [s.start_s for s in found] == pytest.approx(AT_S[:3], abs=0.05)


def test_dither_alone_gives_no_syllable() -> None:
    dither = np.random.default_rng(3).triangular(-1, 0, 1, T.size)
    assert segment_clip(np.round(dither) / 32768, DEFAULT) == []


def test_zeros_beside_a_constant_offset_are_no_sound(tmp_path: Path) -> None:
    path = tmp_path / "padded.wav"
    soundfile.write(path, zeros_at(3.65, SECONDS)(noise(1, "white") + notes() + 0.05), RATE)
    assert [s.start_s for s in syllables(path)] == pytest.approx(AT_S, abs=0.05)


@pytest.mark.parametrize(("first_s", "last_s"), [(0.0, 0.3), (0.0, 3.5), (1.6, 2.1)])
def test_the_offset_is_that_of_what_was_recorded(
    tmp_path: Path, first_s: float, last_s: float
) -> None:
    path = tmp_path / "offset.wav"
    soundfile.write(path, zeros_at(first_s, last_s)(noise(1, "white") + 0.3), RATE)
    assert syllables(path) == []


def gain_of(magnitude: np.ndarray) -> np.ndarray | None:
    return evening_gain(
        magnitude.astype(np.float32), np.ones(magnitude.shape[1], np.bool_), 0.006, 0.024
    )


def test_the_gain_undoes_a_step() -> None:
    rng = np.random.default_rng(0)
    magnitude = rng.rayleigh(1.0, (200, 800))
    magnitude[:, 400:] *= times(12)
    gain = gain_of(magnitude)
    assert gain is not None
    relative = 20 * np.log10(gain[100:300].mean() / gain[500:700].mean())
    assert relative == pytest.approx(12, abs=0.3)


def test_what_changes_some_frequencies_only_is_left_alone() -> None:
    # wind, a chorus: half of the frequencies rise
    rng = np.random.default_rng(0)
    magnitude = rng.rayleigh(1.0, (200, 800))
    assert gain_of(magnitude) is None
    magnitude[:150, 400:] *= times(12)
    assert gain_of(magnitude) is None


def test_an_even_clip_is_left_as_it_is() -> None:
    spec = spectrogram(noise(0, "white"), DEFAULT)
    assert evened(spec, DEFAULT) is spec


@pytest.mark.parametrize("name", ["whole.wav", "zeros_at_end.wav"])
def test_padding_does_not_add_syllables(shared: Path, name: str) -> None:
    assert len(syllables(shared / "cases" / "F01-zeros" / name)) == 4


@pytest.mark.parametrize("name", ["step_6dB.wav", "step_20dB.wav"])
def test_a_step_of_gain_is_no_syllable(shared: Path, name: str) -> None:
    assert syllables(shared / "cases" / "F02-steps" / name) == []


def syllables(path: Path) -> list[Segment]:
    (clip,) = ClipReader(path, RATE, DEFAULT.clip_s)
    return segment_clip(clip, DEFAULT)
