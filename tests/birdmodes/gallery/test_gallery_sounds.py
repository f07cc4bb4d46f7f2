from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile

from birdmodes.gallery.sounds import (
    MOST_GAIN,
    MP3_RATES_HZ,
    PEAK,
    finish,
    only_band,
    playable,
    sound_ending,
    write_sound,
)

RATE_HZ = 22050


def tone(frequency_hz: float, seconds: float = 0.5, rate_hz: int = RATE_HZ) -> np.ndarray:
    time = np.arange(round(seconds * rate_hz)) / rate_hz
    return (0.1 * np.sin(2 * np.pi * frequency_hz * time)).astype(np.float32)


def amplitude(samples: np.ndarray, frequency_hz: float, rate_hz: int = RATE_HZ) -> float:
    """Amplitude of one frequency in the middle half of the samples."""
    middle = samples[len(samples) // 4 : -len(samples) // 4].astype(float)
    turn = np.exp(-2j * np.pi * frequency_hz * np.arange(len(middle)) / rate_hz)
    return float(2 * abs(np.mean(middle * turn)))


def test_the_band_stays_and_the_rest_goes() -> None:
    heard = only_band(tone(3000) + tone(500) + tone(9000), RATE_HZ, 2500, 3500)
    assert heard is not None
    assert amplitude(heard, 3000) == pytest.approx(0.1, rel=0.05)
    assert amplitude(heard, 500) < 0.001  # 40 dB down
    assert amplitude(heard, 9000) < 0.001


def test_the_band_is_not_delayed() -> None:
    click = np.zeros(4000, dtype=np.float32)
    click[2000] = 1
    heard = only_band(click, RATE_HZ, 2000, 6000)
    assert heard is not None
    assert np.argmax(np.abs(heard)) == 2000


@pytest.mark.parametrize(("low_hz", "high_hz"), [(0, 500), (9000, 11025), (0, 11025), (8000, 2e4)])
def test_bands_at_the_ends_of_the_scale_are_stable(low_hz: float, high_hz: float) -> None:
    heard = only_band(tone(2000, 0.3), RATE_HZ, low_hz, high_hz)
    assert heard is not None
    assert np.isfinite(heard).all()
    assert np.abs(heard).max() <= 0.2


def test_a_band_that_the_rate_cannot_hold_is_none() -> None:
    assert only_band(tone(2000), RATE_HZ, 30_000, 60_000) is None


def test_a_sound_of_a_few_samples_can_be_filtered() -> None:
    heard = only_band(np.ones(3, dtype=np.float32), RATE_HZ, 300, 400)
    assert heard is not None
    assert len(heard) == 3


@pytest.mark.parametrize(
    ("recorded_hz", "played_hz"),
    [(44100, 44100), (22500, 22050), (96000, 48000), (384000, 48000), (6000, 8000)],
)
def test_sounds_get_a_rate_that_every_player_has(recorded_hz: int, played_hz: int) -> None:
    samples, rate = playable(tone(1000, 0.5, recorded_hz), recorded_hz)
    assert rate == played_hz
    assert rate in MP3_RATES_HZ
    assert len(samples) / rate == pytest.approx(0.5, abs=0.001)
    assert amplitude(samples, 1000, rate) == pytest.approx(0.1, rel=0.05)


def test_the_peak_is_even_and_the_ends_are_faded() -> None:
    done = finish(tone(1000), RATE_HZ)
    assert np.abs(done).max() == pytest.approx(PEAK, rel=0.01)
    assert done[0] == 0
    assert abs(done[-1]) < 1e-6
    assert np.abs(done[:44]).max() < 0.1  # 2 ms after the start it is still quiet


def test_faint_sounds_are_raised_to_a_limit_and_silence_stays() -> None:
    faint = np.full(1000, 1e-5, dtype=np.float32)
    assert finish(faint, RATE_HZ).max() == pytest.approx(1e-5 * MOST_GAIN)
    assert not finish(np.zeros(1000, dtype=np.float32), RATE_HZ).any()
    assert finish(np.zeros(0, dtype=np.float32), RATE_HZ).size == 0


def test_the_given_samples_are_left_alone() -> None:
    samples = tone(1000)
    before = samples.copy()
    finish(samples, RATE_HZ)
    only_band(samples, RATE_HZ, 500, 2000)
    np.testing.assert_array_equal(samples, before)


@pytest.mark.parametrize("ending", [".wav", sound_ending()])
def test_files_can_be_read_again(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"sound{ending}"
    write_sound(path, tone(1000, 0.4), RATE_HZ)
    samples, rate = soundfile.read(path)
    assert rate == RATE_HZ
    assert len(samples) / rate == pytest.approx(0.4, abs=0.1)  # MP3 comes in frames
    assert amplitude(samples, 1000) == pytest.approx(0.1, rel=0.1)
