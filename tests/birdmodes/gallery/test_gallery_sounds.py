from __future__ import annotations

import io
from collections.abc import Iterator

import numpy as np
import pytest
import soundfile

from birdmodes.gallery.sounds import (
    MOST_GAIN,
    MP3_RATES_HZ,
    PEAK,
    bytes_per_second,
    encode_sound,
    faded,
    gain_to_peak,
    playable_rate,
    resampled,
    slowing,
    sound_type,
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


@pytest.fixture
def without_mp3(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An old libsndfile."""
    monkeypatch.setattr(soundfile, "available_formats", lambda: {"WAV": ""})
    sound_type.cache_clear()
    yield
    sound_type.cache_clear()


@pytest.mark.parametrize(
    ("recorded_hz", "shown_hz", "played_hz"),
    [
        (22050, 22050, 22050),
        (48000, 22050, 22050),  # what is not seen is not heard
        (48000, 96000, 48000),
        (384000, 48000, 48000),
        (22500, 96000, 22050),
        (6000, 22050, 8000),
    ],
)
def test_sounds_get_a_rate_that_every_player_has(
    recorded_hz: int, shown_hz: int, played_hz: int
) -> None:
    rate = playable_rate(recorded_hz, shown_hz)
    assert rate == played_hz
    samples = resampled(tone(1000, 0.5, recorded_hz), recorded_hz, rate)
    assert len(samples) / rate == pytest.approx(0.5, abs=0.001)
    assert amplitude(samples, 1000, rate) == pytest.approx(0.1, rel=0.05)


@pytest.mark.parametrize(
    ("recorded_hz", "shown_hz", "slowed", "played_hz"),
    [
        (384000, 48000, 1, 48000),  # sound cards play all of it as it is
        (96000, 96000, 4, 24000),
        (192000, 256000, 8, 24000),
        (384000, 250000, 8, 32000),  # 31.25 kHz is no rate of players
        (500000, 500000, 16, 32000),
    ],
)
def test_ultrasound_is_slowed_until_all_of_it_is_heard(
    recorded_hz: int, shown_hz: int, slowed: int, played_hz: int
) -> None:
    assert slowing(recorded_hz, shown_hz) == slowed
    assert playable_rate(recorded_hz, shown_hz) == played_hz
    assert played_hz * slowed >= min(recorded_hz, shown_hz)  # nothing is cut off


def test_the_ends_are_faded_and_the_samples_left_alone() -> None:
    samples = tone(1000)
    before = samples.copy()
    done = faded(samples, RATE_HZ)
    assert done[0] == 0
    assert abs(done[-1]) < 1e-6
    np.testing.assert_array_equal(done[200:-200], samples[200:-200])  # 9 ms
    np.testing.assert_array_equal(samples, before)
    assert faded(samples[:0], RATE_HZ).size == 0


def test_faint_sounds_are_raised_to_a_limit_and_silence_stays() -> None:
    assert gain_to_peak(np.array([0.1, -0.3], dtype=np.float32)) == pytest.approx(PEAK / 0.3)
    assert gain_to_peak(np.array([0.9], dtype=np.float32)) == pytest.approx(PEAK / 0.9)
    assert gain_to_peak(np.full(9, 1e-5, dtype=np.float32)) == MOST_GAIN
    assert gain_to_peak(np.full(9, 0.1, dtype=np.float32), most=2) == 2
    assert gain_to_peak(np.zeros(9, dtype=np.float32)) == 1
    assert gain_to_peak(np.zeros(0, dtype=np.float32)) == 1


@pytest.mark.skipif(sound_type() != "audio/mpeg", reason="this libsndfile has no MP3")
@pytest.mark.parametrize("rate_hz", MP3_RATES_HZ)
def test_an_mp3_begins_where_the_sound_does_and_is_as_large_as_foreseen(rate_hz: int) -> None:
    samples = (0.1 * np.random.default_rng(0).standard_normal(4 * rate_hz)).astype(np.float32)
    samples[: rate_hz // 2] = 0
    content = encode_sound(samples, rate_hz)
    decoded, rate = soundfile.read(io.BytesIO(content))
    # Only with its tag does a player know of the samples that the encoder has put before.
    assert b"Xing" in content[:300]
    assert (rate, len(decoded)) == (rate_hz, len(samples))
    begins_s = np.argmax(np.abs(decoded) > 0.05) / rate_hz
    assert begins_s == pytest.approx(0.5, abs=0.01)
    assert len(content) == pytest.approx(4 * bytes_per_second(rate_hz), rel=0.25)


def test_without_mp3_there_is_wav(without_mp3: None) -> None:
    content = encode_sound(tone(1000), RATE_HZ)
    assert sound_type() == "audio/wav"
    samples, rate = soundfile.read(io.BytesIO(content))
    assert (rate, len(samples)) == (RATE_HZ, RATE_HZ // 2)
    np.testing.assert_allclose(samples, tone(1000), atol=1e-4)
    assert len(content) == pytest.approx(0.5 * bytes_per_second(RATE_HZ), rel=0.01)


def test_a_soundfile_that_cannot_be_told_the_bit_rate_still_writes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write = soundfile.write

    def old(file: object, data: object, samplerate: int, *, format: str) -> None:
        write(file, data, samplerate, format=format)

    if sound_type() != "audio/mpeg":
        pytest.skip("this libsndfile has no MP3")
    monkeypatch.setattr(soundfile, "write", old)
    samples, rate = soundfile.read(io.BytesIO(encode_sound(tone(1000), RATE_HZ)))
    assert (rate, len(samples)) == (RATE_HZ, RATE_HZ // 2)
