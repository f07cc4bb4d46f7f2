"""The window around a syllable and its place in time: values worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from birdmodes.segmentation import segment_clip
from birdmodes.segmentation.parameters import SegmentationParameters
from birdmodes.segmentation.spectrogram import Spectrogram
from birdmodes.segmentation.windows import (
    LEVEL_DB,
    N_BANDS,
    N_COLUMNS,
    PLACE_NAMES,
    WINDOW_S,
    cut_windows,
    mel_bank,
    mel_levels,
    places_in_time,
)

RATE_HZ = 22050


def spectrogram_of(magnitude: np.ndarray, frame_s: float = WINDOW_S / N_COLUMNS) -> Spectrogram:
    """A frame as long as a column of a window, beginning at 0 s."""
    return Spectrogram(magnitude.astype(np.float32), 43.0, frame_s, frame_s / 2)


def test_bands_are_evenly_spaced_in_mel_and_weigh_their_bins_to_one() -> None:
    bank = mel_bank(256, RATE_HZ / 512).toarray()
    assert bank.shape == (N_BANDS, 256)
    np.testing.assert_allclose(bank.sum(axis=1), 1, rtol=1e-6)
    frequency = np.arange(256) * RATE_HZ / 512
    # mel(300 Hz) = 401.97 and mel(10982 Hz) = 3173.3 (2595 lg(1 + f / 700)), in 49 steps
    centre = 700 * (10 ** ((401.97 + np.array([10, 40]) * (3173.3 - 401.97) / 49) / 2595) - 1)
    np.testing.assert_allclose((bank @ frequency)[[9, 39]], centre, rtol=0.01)
    assert frequency[bank.any(axis=0)].min() > 300


def test_recordings_that_end_below_11_khz_have_narrower_bands() -> None:
    bank = mel_bank(256, 8000 / 512).toarray()
    np.testing.assert_allclose(bank.sum(axis=1), 1, rtol=1e-6)
    assert bank[-1, 256 // 2 :].sum() == pytest.approx(1, rel=1e-6)


def test_levels_are_decibels_above_the_band_s_floor() -> None:
    magnitude = np.ones((256, 100))
    magnitude[:, :50] = 2.0  # half of the time at 6 dB: the 40 % quantile is the lower half
    magnitude[100:140, 70] = 20.0
    levels = mel_levels(spectrogram_of(magnitude))
    np.testing.assert_allclose(levels[:, :50], 20 * np.log10(2), atol=1e-4)
    assert (levels[:, 60] == 0).all()
    assert levels[:, 70].max() == pytest.approx(20 * np.log10(20), abs=1e-4)


def test_frames_without_signal_do_not_set_the_floor() -> None:
    magnitude = np.zeros((256, 100))
    magnitude[:, :20] = 5.0
    levels = mel_levels(spectrogram_of(magnitude))
    assert (levels == 0).all()


def test_a_window_is_centred_and_as_long_as_ever() -> None:
    levels = np.zeros((N_BANDS, 60), dtype=np.float32)
    levels[5, 30] = 10.0
    spec = spectrogram_of(np.zeros((256, 60)))
    # the centre lies between the frames 29 and 30, so that frame 30 is the first after it
    window = cut_windows(levels, np.array([30 * spec.frame_s]), spec)[0]
    expected = np.zeros((N_BANDS, N_COLUMNS))
    expected[5, N_COLUMNS // 2] = 10 / LEVEL_DB
    np.testing.assert_array_equal(window, expected)
    # half a frame later it is in the middle between two columns
    window = cut_windows(levels, np.array([30.5 * spec.frame_s]), spec)[0]
    np.testing.assert_array_equal(window[5, 10:14], [0, 20, 20, 0])


def test_frames_of_any_length_are_averaged() -> None:
    levels = np.tile(np.arange(200, dtype=np.float32) / 10, (N_BANDS, 1))
    spec = spectrogram_of(np.zeros((256, 200)), WINDOW_S / N_COLUMNS / 4)
    window = cut_windows(levels, np.array([100 * spec.frame_s]), spec)[0]
    means = levels[0, 52:148].reshape(24, 4).mean(axis=1)
    np.testing.assert_allclose(window[0] * LEVEL_DB, means, atol=LEVEL_DB / 2 + 1e-4)


def test_outside_the_clip_is_silence_and_what_is_too_loud_is_cut() -> None:
    levels = np.full((N_BANDS, 10), 100.0, dtype=np.float32)
    window = cut_windows(levels, np.array([0.0]), spectrogram_of(np.zeros((256, 10))))[0]
    assert (window[:, :12] == 0).all()
    assert (window[:, 12:22] == 255).all()
    assert (window[:, 22:] == 0).all()


def test_places_in_time_by_hand() -> None:
    windows = np.zeros((4, N_BANDS, N_COLUMNS), dtype=np.uint8)
    windows[[0, 2, 3], 10] = 40  # alike
    windows[1, 30] = 40
    centres = np.array([1.0, 1.25, 1.5, 3.5])
    found = places_in_time(windows, centres)
    inf = np.inf
    expected = {
        "next-similar": [0.5, inf, 2.0, inf],
        "last-similar": [inf, inf, 0.5, 2.0],
        "next-sound": [0.25, 0.25, 2.0, inf],
        "last-sound": [inf, 0.25, 0.25, 2.0],
        "similar-near": [1, 0, 1, 0],
        "similar-far": [1, 0, 1, 0],
        "sounds-far": [2, 2, 2, 0],
    }
    for column, name in enumerate(PLACE_NAMES):
        np.testing.assert_allclose(found[:, column], expected[name], err_msg=name)


def test_silent_windows_are_like_nothing() -> None:
    windows = np.zeros((2, N_BANDS, N_COLUMNS), dtype=np.uint8)
    found = places_in_time(windows, np.array([1.0, 1.0]))
    assert np.isinf(found[:, :4]).all()  # nor is there a gap between sounds of one moment
    assert found[:, 4:].tolist() == [[0, 0, 1], [0, 0, 1]]


def test_every_syllable_of_a_clip_gets_a_window_where_it_sounds() -> None:
    rng = np.random.default_rng(0)
    samples = 0.001 * rng.standard_normal(4 * RATE_HZ)
    tone = np.hanning(4410) * np.sin(2 * np.pi * 3000 * np.arange(4410) / RATE_HZ)
    for start in (0.5, 1.5, 2.5):
        samples[round(start * RATE_HZ) :][:4410] += 0.2 * tone
    parameters = SegmentationParameters()
    found = segment_clip(samples, parameters)
    segments = [s for s in found if s.low_hz < 3000 < s.high_hz]
    assert len(segments) == 3
    bank = mel_bank(parameters.n_bins, parameters.bin_hz)
    band = int(np.asarray(bank[:, [round(3000 / parameters.bin_hz)]].todense()).argmax())
    for segment in segments:
        assert segment.window is not None
        assert segment.place is not None
        loudest = np.unravel_index(segment.window.argmax(), segment.window.shape)
        assert loudest[0] == band
        assert abs(loudest[1] - N_COLUMNS / 2) <= 2
    np.testing.assert_allclose(segments[1].place[:2], 1.0, atol=0.03)
