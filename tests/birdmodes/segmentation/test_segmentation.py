from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
import soxr
from hypothesis import given, settings
from hypothesis import strategies as st

from birdmodes.errors import BirdmodesError
from birdmodes.segmentation import (
    PATCH_RANGE_DB,
    SEGMENTERS,
    Segment,
    energy_map,
    segment_clip,
)
from birdmodes.segmentation.base import build_segments, drop_small, patch_of, regions_of
from birdmodes.segmentation.features import (
    FEATURE_NAMES,
    extract_features,
    in_hertz_and_seconds,
    intensity,
)
from birdmodes.segmentation.notes import split_into_notes
from birdmodes.segmentation.parameters import PRESETS, SegmentationParameters
from birdmodes.segmentation.spectrogram import Spectrogram, spectrogram, whiten

RATE = 22_050
DEFAULT = SegmentationParameters()
NOISE = 0.01


def background(seconds: float, seed: int = 0, rate: int = RATE) -> np.ndarray:
    return NOISE * np.random.default_rng(seed).normal(size=round(seconds * rate))


def add_tone(
    samples: np.ndarray,
    start_s: float,
    length_s: float,
    from_hz: float,
    to_hz: float | None = None,
    level: float = 0.1,
    rate: int = RATE,
) -> None:
    """Add a tone or sweep with soft ends, in place."""
    t = np.arange(round(length_s * rate)) / rate
    to_hz = from_hz if to_hz is None else to_hz
    phase = 2 * np.pi * (from_hz * t + (to_hz - from_hz) * t**2 / (2 * length_s))
    ends = np.minimum(1, np.minimum(t, length_s - t) / 0.01)
    first = round(start_s * rate)
    samples[first : first + t.size] += level * ends * np.sin(phase)


def loud(segments: list[Segment]) -> list[Segment]:
    """Syllables of the tones: the noise has a faint one now and then, as a test below allows."""
    return [s for s in segments if s.patch.max() * PATCH_RANGE_DB / 255 > 14]


def only(segments: list[Segment]) -> Segment:
    segments = loud(segments)
    assert len(segments) == 1
    return segments[0]


@pytest.mark.parametrize("rate_hz", [8000, 16000, 48000])
def test_rounding_is_no_sound(rate_hz: int) -> None:
    constant = np.full(7 * rate_hz, 0.5, dtype=np.float32)
    resampled = soxr.resample(constant, rate_hz, DEFAULT.sample_rate_hz, quality="HQ")
    # without the ends, where the constant begins and stops
    middle = resampled[DEFAULT.sample_rate_hz : -DEFAULT.sample_rate_hz]
    assert np.ptp(middle) > 0
    assert segment_clip(middle, DEFAULT) == []


def test_a_note_is_found_where_it_is() -> None:
    samples = background(5)
    add_tone(samples, 2.0, 0.3, 3000, 4000)
    note = only(segment_clip(samples, DEFAULT))
    assert note.start_s == pytest.approx(2.0, abs=0.04)
    assert note.end_s == pytest.approx(2.3, abs=0.04)
    assert 2500 < note.low_hz < 3050
    assert 3950 < note.high_hz < 4500
    assert not note.truncated


def test_a_faint_note_in_noise_is_found() -> None:
    samples = background(5)
    add_tone(samples, 2.0, 0.2, 3000, level=NOISE)  # 3 dB under the noise of the whole band
    note = only(segment_clip(samples, DEFAULT))
    assert note.low_hz < 3000 < note.high_hz


def test_notes_come_in_order_of_time_then_frequency() -> None:
    samples = background(4)
    for start, pitch in ((3, 5000), (1, 6000), (1.1, 2500), (2, 4000)):
        add_tone(samples, start, 0.2, pitch)
    segments = loud(segment_clip(samples, DEFAULT))
    assert [round(segment.start_s) for segment in segments] == [1, 1, 2, 3]
    for earlier, later in pairwise(segments):
        assert (earlier.start_s, earlier.low_hz) <= (later.start_s, later.low_hz)


def test_notes_of_a_trill_stay_apart() -> None:
    samples = background(4)
    for index in range(10):
        add_tone(samples, 1 + 0.12 * index, 0.06, 4000, 5000, level=0.2)
    segments = loud(segment_clip(samples, DEFAULT))
    assert len(segments) == 10
    starts = [segment.start_s for segment in segments]
    np.testing.assert_allclose(np.diff(starts), 0.12, atol=0.02)


def test_a_long_whistle_is_one_syllable() -> None:
    samples = background(6)
    add_tone(samples, 1, 2.5, 3000, 3300)
    whistle = only(segment_clip(samples, DEFAULT))
    assert whistle.end_s - whistle.start_s == pytest.approx(2.5, abs=0.1)


def test_harmonics_close_together_are_one_syllable() -> None:
    samples = background(4)
    for harmonic in range(3, 8):
        add_tone(samples, 1.5, 0.25, 500 * harmonic, level=0.1)
    stack = only(segment_clip(samples, DEFAULT))
    assert stack.low_hz < 1600
    assert stack.high_hz > 3400


def test_echo_does_not_stretch_a_loud_note() -> None:
    rng = np.random.default_rng(1)
    samples = background(4)
    add_tone(samples, 1.0, 0.1, 4000, level=1.0)
    decay = np.exp(-np.arange(RATE) / (0.05 * RATE)) * rng.normal(size=RATE)
    echo = np.convolve(samples, 0.005 * decay)[: samples.size]
    note = max(segment_clip(samples + echo, DEFAULT), key=lambda segment: segment.mask.sum())
    assert note.end_s < 1.35


def test_simultaneous_birds_far_apart_in_frequency_are_two_syllables() -> None:
    samples = background(4)
    add_tone(samples, 1, 0.3, 2000, 2500)
    add_tone(samples, 1.1, 0.3, 6000, 7000)
    assert len(loud(segment_clip(samples, DEFAULT))) == 2


def test_a_bird_that_sings_most_of_a_short_clip_is_found() -> None:
    samples = background(2)
    for start in np.arange(0.05, 1.8, 0.3):
        add_tone(samples, start, 0.2, 4000, 4500)
    segments = loud(segment_clip(samples, DEFAULT))
    assert len(segments) == 6
    assert all(segment.low_hz > 3500 and segment.high_hz < 5000 for segment in segments)


@pytest.mark.parametrize("preset", list(PRESETS))
@pytest.mark.parametrize("power", [0, 1, 2], ids=["white", "pink", "red"])
def test_stationary_noise_has_no_syllables(preset: str, power: int) -> None:
    parameters = SegmentationParameters.preset(preset)
    spectrum = np.fft.rfft(np.random.default_rng(5).normal(size=parameters.n_clip))
    spectrum /= np.maximum(np.arange(spectrum.size), 1) ** (power / 2)
    assert segment_clip(np.fft.irfft(spectrum), parameters) == []


def test_short_clips_of_noise_have_hardly_any_syllables() -> None:
    found = [len(segment_clip(background(0.5, seed), DEFAULT)) for seed in range(20)]
    assert sum(found) <= 2
    found = [len(segment_clip(background(1.0, seed), DEFAULT)) for seed in range(20)]
    assert sum(found) == 0


def test_white_noise_has_hardly_any_syllables() -> None:
    found = [len(segment_clip(background(10, seed), DEFAULT)) for seed in range(18)]
    assert sum(found) <= 3  # one a minute


def test_drops_of_rain_are_few_syllables_and_a_note_among_them_is_found() -> None:
    samples = background(10)
    rng = np.random.default_rng(5)
    for start in rng.uniform(0.2, 9.7, 60):
        drop = rng.normal(size=round(0.01 * RATE)) * np.hanning(round(0.01 * RATE))
        samples[round(start * RATE) :][: drop.size] += rng.uniform(2, 6) * NOISE * drop
    assert len(segment_clip(samples, DEFAULT)) < 60  # the number of drops
    add_tone(samples, 4, 0.3, 3000, 4000)
    assert any(
        3.9 < s.start_s < 4.1 and s.low_hz < 3500 < s.high_hz
        for s in segment_clip(samples, DEFAULT)
    )


def test_loud_notes_are_not_stretched_by_the_blur() -> None:
    for level in (0.05, 0.5):
        samples = background(5)
        add_tone(samples, 2, 0.2, 4000, level=level)
        note = max(segment_clip(samples, DEFAULT), key=lambda segment: segment.mask.sum())
        assert note.start_s == pytest.approx(2.0, abs=0.06)
        assert note.end_s == pytest.approx(2.2, abs=0.06)


def test_constant_hum_is_no_syllable_and_hides_none() -> None:
    samples = background(5)
    add_tone(samples, 2, 0.2, 5000)
    t = np.arange(samples.size) / RATE
    for hum_hz in (100, 1000, 3000):
        samples += 0.2 * np.sin(2 * np.pi * hum_hz * t)
    samples += 0.3
    assert only(segment_clip(samples, DEFAULT)).low_hz > 4500


@pytest.mark.parametrize("where", ["before", "after"])
def test_digital_zeros_neither_hide_nor_make_syllables(where: str) -> None:
    sound = background(5)
    add_tone(sound, 2, 0.2, 5000, level=0.03)
    zeros = np.zeros(5 * RATE)
    parts = [zeros, sound] if where == "before" else [sound, zeros]
    note = only(segment_clip(np.concatenate(parts), DEFAULT))
    assert note.start_s == pytest.approx(2 + 5 * (where == "before"), abs=0.05)


def test_a_sound_at_the_edge_of_the_clip_is_truncated() -> None:
    samples = background(4)
    add_tone(samples, -0.0, 0.3, 3000)
    add_tone(samples, 1.5, 0.3, 3000)
    add_tone(samples, 3.8, 0.2, 3000)
    assert [s.truncated for s in loud(segment_clip(samples, DEFAULT))] == [True, False, True]


@pytest.mark.parametrize("rate", [8_000, 11_025, 16_000, 32_000, 48_000, 96_000, 250_000])
def test_the_same_sound_is_found_at_any_sample_rate(rate: int) -> None:
    samples = background(2, rate=rate)
    add_tone(samples, 1.0, 0.2, 2000, 2500, rate=rate)
    parameters = SegmentationParameters(sample_rate_hz=rate)
    note = min(loud(segment_clip(samples, parameters)), key=lambda segment: segment.low_hz)
    assert note.start_s == pytest.approx(1.0, abs=0.06)
    assert note.end_s == pytest.approx(1.2, abs=0.06)
    assert 1500 < note.low_hz < 2050
    assert 2450 < note.high_hz < 3000


def test_band_limits_are_respected() -> None:
    samples = background(4)
    for pitch in (1000, 3000, 6000):
        add_tone(samples, 1, 0.3, pitch)
    parameters = SegmentationParameters(low_hz=2000, high_hz=5000)
    note = only(segment_clip(samples, parameters))
    assert 1970 < note.low_hz < 3000 < note.high_hz < 5030


def test_a_band_above_every_bin_is_silent() -> None:
    samples = background(1)
    for low_hz in (11_000, 11_025):
        assert segment_clip(samples, SegmentationParameters(low_hz=low_hz)) == []


@settings(max_examples=10, deadline=None)
@given(st.floats(-2.5, 5))
def test_the_recording_level_does_not_matter(exponent: float) -> None:
    # as long as its noise is above -120 dB of full scale, under which there is only rounding
    samples = background(2)
    add_tone(samples, 1, 0.2, 3000)
    expected = only(segment_clip(samples, DEFAULT))
    got = only(segment_clip(samples * 10**exponent, DEFAULT))
    assert (got.start_s, got.end_s) == (expected.start_s, expected.end_s)
    assert (got.low_hz, got.high_hz) == (expected.low_hz, expected.high_hz)


def with_click(samples: np.ndarray) -> np.ndarray:
    samples[samples.size // 2] = 1.0
    return samples


BAD_CLIPS: dict[str, Callable[[], np.ndarray]] = {
    "empty": lambda: np.zeros(0),
    "one sample": lambda: np.ones(1),
    "shorter than a window": lambda: background(0.02),
    "one frame": lambda: background(1)[:512],
    "two frames": lambda: background(1)[:640],
    "silence": lambda: np.zeros(RATE),
    "direct current": lambda: np.full(RATE, 0.7),
    "nan": lambda: np.full(RATE, np.nan),
    "infinity": lambda: np.full(RATE, np.inf),
    "some nan": lambda: np.where(np.arange(RATE) % 5000 == 0, np.nan, background(1)),
    "huge": lambda: background(1) * 1e300,
    "tiny": lambda: background(1) * 1e-300,
    "clipped noise": lambda: np.clip(100 * background(1), -1, 1),
    "click in silence": lambda: with_click(np.zeros(RATE)),
    "click in noise": lambda: with_click(background(1)),
    "last bit": lambda: np.random.default_rng(0).integers(-1, 2, RATE) / 32768,
    "tone without noise": lambda: 0.5 * np.sin(2 * np.pi * 3000 * np.arange(RATE) / RATE),
    "integers": lambda: np.zeros(RATE, dtype=np.int16),
}


@pytest.mark.parametrize("name", list(BAD_CLIPS))
@pytest.mark.parametrize("preset", list(PRESETS))
def test_bad_clips_give_few_syllables_and_no_warning(name: str, preset: str) -> None:
    samples = BAD_CLIPS[name]()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        segments = segment_clip(samples, SegmentationParameters.preset(preset))
    assert len(segments) <= (2 if name in ("click in noise", "tone without noise") else 0)


def test_clipped_song_is_still_found() -> None:
    samples = background(4)
    add_tone(samples, 1, 0.3, 3000, level=50)
    add_tone(samples, 2, 0.3, 3000, level=50)
    starts = [s.start_s for s in segment_clip(np.clip(samples, -1, 1), DEFAULT) if s.low_hz < 3000]
    assert sorted({round(start) for start in starts}) == [1, 2]


@settings(max_examples=25, deadline=None)
@given(
    st.integers(0, 3000),
    st.sampled_from([0.0, 1e-30, 1e-3, 1.0, 1e6]),
    st.integers(0, 2**32 - 1),
)
def test_any_clip_gives_valid_syllables(n: int, level: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    samples = level * np.repeat(rng.normal(size=n) * (rng.random(n) < 0.3), 7)
    for segment in segment_clip(samples, DEFAULT):
        assert 0 <= segment.start_s < segment.end_s <= samples.size / RATE
        assert 0 <= segment.low_hz < segment.high_hz <= RATE / 2
        assert np.isfinite(segment.features).all()
        assert segment.patch.shape == segment.mask.shape
        assert segment.mask.any(axis=0)[[0, -1]].all()
        assert segment.mask.any(axis=1)[[0, -1]].all()


def test_same_input_gives_the_same_syllables() -> None:
    samples = background(3)
    add_tone(samples, 1, 0.3, 3000, 4000)
    first, second = (only(segment_clip(samples, DEFAULT)) for _ in range(2))
    np.testing.assert_array_equal(first.features, second.features)
    np.testing.assert_array_equal(first.patch, second.patch)


def test_the_samples_given_are_not_changed() -> None:
    samples = background(2).astype(np.float32)
    samples[5] = np.nan
    before = samples.copy()
    segment_clip(samples, DEFAULT)
    np.testing.assert_array_equal(samples, before)


def test_features_patch_and_mask_describe_the_same_pixels() -> None:
    samples = background(3)
    add_tone(samples, 1, 0.3, 3000, 4000)
    note = only(segment_clip(samples, DEFAULT))
    whitened = whiten(spectrogram(samples, DEFAULT), DEFAULT)
    named = dict(zip(FEATURE_NAMES, note.features, strict=True))
    low_bin = round(named["min-frequency"] / DEFAULT.bin_hz)
    first = round((note.start_s - whitened.times_s(0, 1)[0]) / DEFAULT.frame_s)
    bins, frames = note.mask.shape
    box = (slice(low_bin, low_bin + bins), slice(first, first + frames))
    np.testing.assert_array_equal(note.patch, patch_of(whitened.magnitude[box]))
    mask = np.zeros(whitened.magnitude.shape, dtype=bool)
    mask[box] = note.mask
    expected = extract_features(intensity(whitened.magnitude), mask)
    np.testing.assert_allclose(
        note.features, in_hertz_and_seconds(expected, DEFAULT.bin_hz, DEFAULT.frame_s)
    )
    assert note.low_hz == pytest.approx((low_bin - 0.5) * DEFAULT.bin_hz)
    assert named["duration"] == pytest.approx(note.end_s - note.start_s)
    assert named["bandwidth"] == pytest.approx(note.high_hz - note.low_hz)


def test_patch_values_are_decibels_above_the_noise() -> None:
    levels_db = np.array([-20, 0, 12, 30, 60, 90])
    magnitude = (10 ** (levels_db / 20)).astype(np.float32)
    expected = np.rint(np.clip(levels_db / PATCH_RANGE_DB, 0, 1) * 255)
    np.testing.assert_array_equal(patch_of(magnitude), expected)


def test_energy_map_of_noise_is_standardised() -> None:
    whitened = whiten(spectrogram(background(10), DEFAULT), DEFAULT)
    z = energy_map(whitened, DEFAULT)
    assert np.isneginf(z[:7]).all()  # below 300 Hz
    inside = z[10:]
    assert abs(np.median(inside)) < 0.3
    # The mean of two maps of spread 1 that are partly alike.
    assert 0.6 < inside.std() < 1.1


def test_energy_map_of_a_gap_is_minus_infinity() -> None:
    samples = np.concatenate([background(2), np.zeros(RATE)])
    whitened = whiten(spectrogram(samples, DEFAULT), DEFAULT)
    z = energy_map(whitened, DEFAULT)
    gap = ~whitened.active_frames()
    assert gap.sum() > 150
    assert np.isneginf(z[:, gap]).all()
    assert np.isfinite(z[7:, ~gap]).all()


def test_a_region_needs_a_pixel_above_the_seed() -> None:
    samples = background(5)
    add_tone(samples, 1, 0.2, 3000, level=0.5 * NOISE)
    whitened = whiten(spectrogram(samples, DEFAULT), DEFAULT)
    peak = float(energy_map(whitened, DEFAULT).max())
    sizes = {"min_area_hz_s": 0.0, "min_duration_s": 0.0, "min_bandwidth_hz": 0.0}
    found = [
        len(segment_clip(samples, SegmentationParameters(grow_z=2.0, seed_z=seed, **sizes)))
        for seed in (peak * 0.99, peak * 1.01)
    ]
    assert found == [1, 0]


def level_map(rows_db: list[float] | np.ndarray, height: int = 60) -> Spectrogram:
    """Whitened spectrogram with the given level in every frame, the same in all bins."""
    level = np.broadcast_to(rows_db, (height, len(rows_db)))
    return Spectrogram((10 ** (level / 20)).astype(np.float32), 43.0, 0.006, 0.0)


UNBLURRED = SegmentationParameters(split_smooth_s=0, split_smooth_hz=0)


def two_peaks(valley_db: float) -> Spectrogram:
    return level_map([10.0] * 5 + [30.0] * 15 + [valley_db] * 3 + [30.0] * 15 + [10.0] * 5)


def test_a_deep_valley_separates_notes_and_every_pixel_goes_to_the_nearer() -> None:
    spec = two_peaks(valley_db=15)
    notes = split_into_notes(np.ones(spec.magnitude.shape, np.int32), spec, UNBLURRED)
    first, last = notes[0, 10], notes[0, 30]
    assert {first, last} == {1, 2}
    expected = [first] * 21 + [last] * 22
    assert (np.abs(notes - expected) > 0).sum() <= 60  # the middle frame may go either way


def test_a_shallow_valley_does_not_separate_notes() -> None:
    spec = two_peaks(valley_db=26)
    notes = split_into_notes(np.ones(spec.magnitude.shape, np.int32), spec, UNBLURRED)
    assert notes.max() == 1


def test_peaks_at_the_same_time_are_not_separated() -> None:
    magnitude = two_peaks(valley_db=15).magnitude.T
    spec = Spectrogram(np.repeat(magnitude, 2, axis=1)[:, :60], 43.0, 0.006, 0.0)
    notes = split_into_notes(np.ones(spec.magnitude.shape, np.int32), spec, UNBLURRED)
    assert notes.max() == 1


def test_three_notes_with_valleys_of_different_depth_are_separated() -> None:
    spec = level_map([36] * 12 + [22] * 3 + [36] * 12 + [10] * 3 + [20] * 12)
    notes = split_into_notes(np.ones(spec.magnitude.shape, np.int32), spec, UNBLURRED)
    assert len({int(notes[0, frame]) for frame in (5, 20, 38)}) == 3


def test_pixels_far_below_the_peak_are_removed() -> None:
    spec = level_map([4.0] * 10 + [16.0] * 10 + [40.0] * 10)
    notes = split_into_notes(np.ones(spec.magnitude.shape, np.int32), spec, UNBLURRED)
    assert not notes[:, :10].any()
    assert (notes[:, 10:] == 1).all()


def test_separate_regions_stay_separate_notes() -> None:
    spec = level_map([30.0] * 40)
    regions = np.zeros(spec.magnitude.shape, np.int32)
    regions[:, :15], regions[:, 25:] = 1, 2
    notes = split_into_notes(regions, spec, UNBLURRED)
    np.testing.assert_array_equal(notes, regions)


def test_notes_smaller_than_a_syllable_are_dropped() -> None:
    spec = level_map([30.0] * 40)
    regions = np.zeros(spec.magnitude.shape, np.int32)
    regions[:5, :5] = 1  # 215 Hz and 0.03 s, but only 6.45 Hz s
    regions[:30, 10:30] = 2
    notes = split_into_notes(regions, spec, UNBLURRED)
    np.testing.assert_array_equal(notes, regions == 2)


def test_regions_of_the_smallest_size_are_kept() -> None:
    spec = Spectrogram(np.ones((40, 60), np.float32), 50.0, 0.01, 0.0)
    parameters = SegmentationParameters(
        min_area_hz_s=4.5, min_duration_s=0.03, min_bandwidth_hz=150
    )
    labels = np.zeros((40, 60), np.int32)
    labels[0:3, 0:3] = 1  # 4.5 Hz s, 0.03 s, 150 Hz: just large enough
    labels[10:12, 0:20] = 2  # too narrow
    labels[20:40, 0:2] = 3  # too short
    labels[0:3, 20:23] = 4
    labels[1, 21] = 0  # too small an area
    labels[10:20, 30:40] = 6  # number 5 is not used
    got = drop_small(labels, spec, parameters)
    expected = np.zeros_like(labels)
    expected[0:3, 0:3], expected[10:20, 30:40] = 1, 2
    np.testing.assert_array_equal(got, expected)


def test_segments_are_built_from_any_labels() -> None:
    samples = background(1)
    whitened = whiten(spectrogram(samples, DEFAULT), DEFAULT)
    labels = np.zeros(whitened.magnitude.shape, np.int32)
    labels[50:60, 100:110] = 3
    labels[20:25, 0:7] = 1
    first, second = build_segments(whitened, regions_of(labels))
    assert (first.mask.shape, second.mask.shape) == ((5, 7), (10, 10))
    assert (first.truncated, second.truncated) == (True, False)
    assert second.start_s == pytest.approx(256 / RATE + 99.5 * 128 / RATE)
    assert (first.low_hz, first.high_hz) == whitened.frequencies_hz(20, 25)


def test_an_unknown_method_lists_the_segmenters() -> None:
    with pytest.raises(BirdmodesError, match="no segmenter 'magic': choose one of energy"):
        segment_clip(np.zeros(10), SegmentationParameters(method="magic"))


def test_segmenters_are_found_by_name() -> None:
    whitened = whiten(spectrogram(background(1), DEFAULT), DEFAULT)
    labels = SEGMENTERS["energy"](DEFAULT).segment(whitened)
    assert labels.shape == whitened.magnitude.shape
    assert labels.dtype == np.int32


def test_a_worker_does_not_load_heavy_libraries() -> None:
    code = (
        "import sys, numpy as np; import birdmodes.segmentation as s; "
        "from birdmodes.segmentation.parameters import SegmentationParameters as P; "
        "s.segment_clip(np.zeros(9999), P()); "
        "print([m for m in ('librosa', 'numba', 'sklearn', 'matplotlib') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
