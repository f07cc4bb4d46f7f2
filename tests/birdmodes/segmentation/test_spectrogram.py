from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.signal
from hypothesis import given, settings
from hypothesis import strategies as st

from birdmodes.segmentation.parameters import SegmentationParameters
from birdmodes.segmentation.spectrogram import (
    Spectrogram,
    noise_spectrum,
    spectrogram,
    whiten,
    window_function,
)

DEFAULT = SegmentationParameters()
BRIGGS = SegmentationParameters.preset("briggs2012")


def noise(n: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=n).astype(np.float32)


@pytest.mark.parametrize("parameters", [DEFAULT, BRIGGS], ids=["default", "briggs2012"])
def test_magnitudes_are_those_of_windowed_frames(parameters: SegmentationParameters) -> None:
    samples = noise(40_000)
    window = window_function(parameters)
    frames = [
        np.fft.fft(window * samples[start : start + parameters.n_window])
        for start in range(0, len(samples) - parameters.n_window + 1, parameters.n_hop)
    ]
    got = spectrogram(samples, parameters)
    assert got.magnitude.dtype == np.float32
    assert got.n_bins == 256
    np.testing.assert_allclose(got.magnitude, np.abs(frames).T[:256], rtol=1e-4, atol=1e-4)


# Importing librosa in a new environment compiles for 24 s.
@pytest.mark.slow
@pytest.mark.parametrize("parameters", [DEFAULT, BRIGGS], ids=["default", "briggs2012"])
def test_magnitudes_agree_with_librosa(parameters: SegmentationParameters) -> None:
    import librosa

    samples = noise(40_000)
    expected = np.abs(
        librosa.stft(
            samples,
            n_fft=parameters.n_window,
            hop_length=parameters.n_hop,
            window=window_function(parameters),
            center=False,
        )
    )
    got = spectrogram(samples, parameters).magnitude
    np.testing.assert_allclose(got, expected[:-1], rtol=1e-4, atol=1e-4)


def test_windows_are_symmetric() -> None:
    i = np.arange(512)
    hamming = 0.54 - 0.46 * np.cos(2 * np.pi * i / 511)
    np.testing.assert_allclose(window_function(BRIGGS), hamming, atol=1e-7)
    hann = scipy.signal.get_window("hann", 512, fftbins=False)
    np.testing.assert_allclose(window_function(DEFAULT), hann, atol=1e-7)


def test_sine_peaks_in_its_bin_at_half_the_sum_of_the_window() -> None:
    bin_number = 100
    t = np.arange(22_050) / 22_050
    spec = spectrogram(np.sin(2 * np.pi * bin_number * DEFAULT.bin_hz * t), DEFAULT)
    assert set(spec.magnitude.argmax(axis=0)) == {bin_number}
    np.testing.assert_allclose(
        spec.magnitude[bin_number], window_function(DEFAULT).sum() / 2, rtol=1e-3
    )


@settings(deadline=None)
@given(st.integers(0, 3000))
def test_frames_lie_fully_inside_the_clip(n: int) -> None:
    starts = [start for start in range(0, max(n, 1), 128) if start + 512 <= n]
    assert spectrogram(np.zeros(n), DEFAULT).n_frames == len(starts)


def test_a_click_is_at_its_time() -> None:
    samples = np.zeros(22_050, dtype=np.float32)
    samples[11_025] = 1.0
    spec = spectrogram(samples, DEFAULT)
    frame = int(spec.magnitude.sum(axis=0).argmax())
    start, end = spec.times_s(frame, frame + 1)
    assert start <= 0.5 <= end
    assert end - start == pytest.approx(128 / 22_050)


def test_bins_are_centred_on_their_frequency() -> None:
    spec = spectrogram(np.zeros(1000), BRIGGS)
    assert spec.frequencies_hz(0, 1) == (0.0, 15.625)
    assert spec.frequencies_hz(10, 12) == (296.875, 359.375)


def test_band_holds_the_bins_between_its_limits() -> None:
    spec = spectrogram(np.zeros(1000), BRIGGS)
    band = spec.band(SegmentationParameters.preset("briggs2012", low_hz=300, high_hz=1000))
    assert (band.start, band.stop) == (10, 33)  # 312.5 Hz ... 1000 Hz
    assert spec.band(BRIGGS) == slice(10, 256)
    assert spec.band(SegmentationParameters.preset("briggs2012", high_hz=9e9)).stop > 256


def test_values_that_are_not_finite_count_as_zero() -> None:
    clean = noise(5000)
    broken = clean.copy()
    broken[[10, 2000, 4999]] = [np.nan, np.inf, -np.inf]
    clean[[10, 2000, 4999]] = 0
    np.testing.assert_array_equal(
        spectrogram(broken, DEFAULT).magnitude, spectrogram(clean, DEFAULT).magnitude
    )


def test_huge_samples_do_not_overflow() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        whitened = whiten(spectrogram(noise(5000) * 1e37, DEFAULT), DEFAULT)
    assert np.isfinite(whitened.magnitude).all()


def test_noise_is_measured_on_the_quietest_frames() -> None:
    magnitude = np.ones((256, 10), dtype=np.float32)
    magnitude[:, [3, 7]] = [[0.3, 0.4]]  # the quietest fifth
    spec = Spectrogram(magnitude, DEFAULT.bin_hz, DEFAULT.frame_s, 0.0)
    expected = np.sqrt((0.3**2 + 0.4**2) / 2)
    np.testing.assert_allclose(noise_spectrum(spec, DEFAULT), expected, rtol=1e-6)
    assert whiten(spec, DEFAULT).magnitude[0, 3] == pytest.approx(0.3 / expected)


def test_frames_are_called_quiet_by_their_power_inside_the_band() -> None:
    magnitude = np.ones((256, 10), dtype=np.float32)
    magnitude[100, :] = np.linspace(2, 3, 10)
    magnitude[0, :] = 100 * np.linspace(3, 2, 10)  # rumble below 300 Hz goes the other way
    spec = Spectrogram(magnitude, DEFAULT.bin_hz, DEFAULT.frame_s, 0.0)
    quiet = magnitude[100, :2]
    assert noise_spectrum(spec, DEFAULT)[100] == pytest.approx(np.sqrt(np.mean(quiet**2)))


def test_whitening_flattens_coloured_noise() -> None:
    red = np.cumsum(noise(220_500))
    spec = spectrogram(red - red.mean(), DEFAULT)
    before = np.sqrt(np.mean(spec.magnitude[8:] ** 2, axis=1))
    after = np.sqrt(np.mean(whiten(spec, DEFAULT).magnitude[8:] ** 2, axis=1))
    assert before.max() / before.min() > 20
    # The lowest bins decide which frames are quiet, so the estimate is low there.
    assert after.max() / after.min() < 2
    np.testing.assert_allclose(after[50:], 1, atol=0.1)


@settings(max_examples=10, deadline=None)
@given(st.floats(-4, 4))
def test_whitening_does_not_depend_on_the_recording_level(exponent: float) -> None:
    samples = noise(10_000)
    expected = whiten(spectrogram(samples, DEFAULT), DEFAULT).magnitude
    scaled = (samples * 10**exponent).astype(np.float32)
    got = whiten(spectrogram(scaled, DEFAULT), DEFAULT).magnitude
    np.testing.assert_allclose(got, expected, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("gap", [0.0, 1e-5], ids=["digital zero", "100 dB under"])
def test_gaps_do_not_lower_the_noise_level(gap: float) -> None:
    sound = noise(110_250)
    padded = np.concatenate([sound, gap * noise(100_000, seed=1)])
    alone = noise_spectrum(spectrogram(sound, DEFAULT), DEFAULT)
    spec = spectrogram(padded, DEFAULT)
    assert spec.active_frames()[: sound.size // 128 - 4].all()
    assert not spec.active_frames()[sound.size // 128 + 4 :].any()
    np.testing.assert_allclose(noise_spectrum(spec, DEFAULT), alone, rtol=0.15)


def test_silence_whitens_to_zero() -> None:
    whitened = whiten(spectrogram(np.zeros(5000), DEFAULT), DEFAULT)
    assert not whitened.magnitude.any()
    assert not whitened.active_frames().any()


def test_bins_emptied_by_resampling_are_not_blown_up() -> None:
    half = scipy.signal.firwin(801, 0.5)
    low_passed = np.convolve(noise(60_000), half, mode="valid")
    whitened = whiten(spectrogram(low_passed, DEFAULT), DEFAULT).magnitude
    assert np.median(whitened[20:110]) == pytest.approx(0.9, abs=0.15)
    assert whitened[160:].max() < 0.2


def test_clip_shorter_than_a_window_has_no_frames() -> None:
    whitened = whiten(spectrogram(noise(511), DEFAULT), DEFAULT)
    assert whitened.magnitude.shape == (256, 0)
