"""Notes that are parts of one call become one syllable, and no others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from birdmodes.segmentation import segment_clip
from birdmodes.segmentation.base import Region, painted
from birdmodes.segmentation.calls import calls_of_notes
from birdmodes.segmentation.grouping import group_parts, in_runs
from birdmodes.segmentation.parameters import PRESETS, SegmentationParameters
from birdmodes.segmentation.parts import Part, cropped, joined, trimmed
from birdmodes.segmentation.spectrogram import Spectrogram

DEFAULT = SegmentationParameters()
NOTES = replace(DEFAULT, join_r=1.0)
RATE = DEFAULT.sample_rate_hz

# Notes are painted on a spectrogram of noise at 1, a frame being 6 ms: (bins, frames, decibels).
Band = tuple[slice, slice, float]


def scene(bands: list[Band], n_bins: int = 60, n_frames: int = 200) -> Spectrogram:
    """Bands of sound with soft ends in noise."""
    rng = np.random.default_rng(0)
    magnitude = rng.rayleigh(np.sqrt(0.5), (n_bins, n_frames)).astype(np.float32)
    for bins, frames, level_db in bands:
        height = 10 ** (level_db / 20) * np.hanning(frames.stop - frames.start + 2)[1:-1]
        magnitude[bins, frames] += height.astype(np.float32)
    return Spectrogram(magnitude, DEFAULT.bin_hz, DEFAULT.frame_s, 0.0)


def note(bins: slice, frames: slice) -> Region:
    return (bins, frames), np.ones((bins.stop - bins.start, frames.stop - frames.start), np.bool_)


def calls(bands: list[Band]) -> list[Region]:
    found = [note(bins, frames) for bins, frames, _ in bands]
    return list(calls_of_notes(found, scene(bands), DEFAULT))


def parts_in(whitened: Spectrogram, *notes: Region) -> list[Part]:
    return [Part(*region, whitened.magnitude) for region in notes]


def test_harmonics_far_apart_are_one_call() -> None:
    times = slice(60, 100)
    bands = [(slice(8 * k, 8 * k + 4), times, 30.0 - 3 * k) for k in (1, 3, 5)]
    (box, mask), *others = calls(bands)
    assert not others
    assert (box[0].start, box[0].stop) == (8, 44)
    assert mask.any(axis=1).sum() == 12  # the rows between the harmonics are not part of it


def test_birds_that_overlap_by_half_stay_two() -> None:
    bands = [(slice(8, 14), slice(60, 100), 25.0), (slice(30, 36), slice(80, 120), 25.0)]
    assert len(calls(bands)) == 2


def test_a_short_call_within_a_long_one_stays_its_own() -> None:
    bands = [(slice(8, 14), slice(20, 180), 25.0), (slice(30, 36), slice(90, 110), 25.0)]
    assert len(calls(bands)) == 2


def test_a_band_that_runs_on_through_a_series_is_cut_at_its_notes() -> None:
    starts = (20, 60, 100, 140)
    below = [(slice(8, 14), slice(start, start + 36), 40.0) for start in starts]
    above = [(slice(30, 36), slice(start, start + 36), 30.0) for start in starts]
    through = slice(20, 176)
    found = [note(bins, frames) for bins, frames, _ in below] + [note(slice(30, 36), through)]
    whitened = scene(below + above)
    got = list(calls_of_notes(found, whitened, DEFAULT))
    assert len(got) == 4
    for (box, _), start in zip(got, starts, strict=True):
        assert (box[0].start, box[0].stop) == (8, 36)
        assert box[1].start == pytest.approx(start, abs=4)
        assert box[1].stop == pytest.approx(start + 36, abs=4)


def test_a_band_is_cut_at_deep_valleys_only() -> None:
    for depth_db, expected in ((6.0, 1), (20.0, 2)):
        level = np.full(80, 30.0)
        level[37:43] -= depth_db
        magnitude = np.ones((40, 80), np.float32)
        magnitude[10:16] = 10 ** (level / 20)
        whitened = Spectrogram(magnitude, DEFAULT.bin_hz, DEFAULT.frame_s, 0.0)
        got = list(calls_of_notes([note(slice(10, 16), slice(0, 80))], whitened, DEFAULT))
        assert len(got) == expected


def test_pixels_are_shared_out_not_made_or_counted_twice() -> None:
    rng = np.random.default_rng(3)
    starts = rng.integers(0, 150, 12)
    bands = [
        (slice(5 * k, 5 * k + 4), slice(int(s), int(s) + 40), 20.0) for k, s in enumerate(starts)
    ]
    shape = scene(bands).magnitude.shape
    before = painted([note(bins, frames) for bins, frames, _ in bands], shape)
    after = calls(bands)
    count = np.zeros(shape, np.int64)
    for box, mask in after:
        count[box] += mask
        assert mask.any(axis=0)[[0, -1]].all()
        assert mask.any(axis=1)[[0, -1]].all()
    assert count.max() == 1
    assert not count[before == 0].any()


def test_loud_parts_lose_their_faint_ends_and_faint_ones_do_not() -> None:
    for level_db, frames in ((50.0, 20), (20.0, 40)):
        magnitude = np.ones((20, 60), np.float32)
        magnitude[5:10, 20:40] = 10 ** (level_db / 20)
        # 5 % of the amplitude on either side
        magnitude[5:10, 10:20] = magnitude[5:10, 40:50] = max(1, 0.05 * 10 ** (level_db / 20))
        part = Part(*note(slice(5, 10), slice(10, 50)), magnitude)
        got = trimmed(part)
        assert got.stop - got.start == pytest.approx(frames, abs=4)


def test_a_part_is_measured_above_the_noise() -> None:
    magnitude = np.ones((4, 30), np.float32)
    magnitude[1, 10:20] = 3.0
    part = Part(*note(slice(0, 4), slice(0, 30)), magnitude)
    assert part.energy == pytest.approx(10 * (3.0**2 - 1))
    assert part.peak_db == pytest.approx(20 * np.log10(3.0))
    assert part.amplitude[15] == pytest.approx(np.sqrt(8.0), rel=1e-3)
    assert part.core == pytest.approx((10, 20), abs=1)


def test_joined_parts_cover_the_pixels_of_each() -> None:
    whitened = scene([])
    one, other = parts_in(
        whitened, note(slice(2, 5), slice(10, 20)), note(slice(9, 11), slice(15, 30))
    )
    both = joined([one, other])
    assert both.box == (slice(2, 11), slice(10, 30))
    assert both.mask.sum() == one.mask.sum() + other.mask.sum()
    assert both.energy == pytest.approx(one.energy + other.energy, rel=1e-5)


def test_a_mask_is_cropped_to_its_pixels() -> None:
    mask = np.zeros((4, 6), np.bool_)
    mask[1, 2] = mask[2, 4] = True
    region = cropped((slice(10, 14), slice(20, 26)), mask)
    assert region is not None
    assert region[0] == (slice(11, 13), slice(22, 25))
    assert cropped((slice(0, 4), slice(0, 6)), np.zeros((4, 6), np.bool_)) is None


def test_runs_are_parts_that_overlap_in_time() -> None:
    whitened = scene([])
    frames = [slice(50, 60), slice(0, 10), slice(5, 20), slice(20, 30)]
    runs = list(in_runs(parts_in(whitened, *(note(slice(3, 6), times) for times in frames))))
    assert [[part.start for part in run] for run in runs] == [[0, 5], [20], [50]]


def test_the_louder_of_two_calls_takes_the_band_that_follows_it() -> None:
    whitened = scene(
        [
            (slice(5, 10), slice(20, 60), 40.0),
            (slice(20, 25), slice(20, 60), 30.0),
            (slice(40, 45), slice(44, 84), 35.0),
        ]
    )
    parts = parts_in(
        whitened,
        note(slice(5, 10), slice(20, 60)),
        note(slice(20, 25), slice(20, 60)),
        note(slice(40, 45), slice(44, 84)),
    )
    boxes = sorted(part.box[0].start for part in group_parts(parts, whitened, 0.75))
    assert boxes == [5, 40]


def harmonic_call(seconds: float = 3.0) -> np.ndarray:
    """A call at 1.5, 3 and 6 kHz in noise, its level going up and down once."""
    samples = 0.003 * np.random.default_rng(0).standard_normal(round(seconds * RATE))
    t = np.arange(round(0.2 * RATE)) / RATE
    call = sum(np.sin(2 * np.pi * pitch * t) for pitch in (1500, 3000, 6000))
    first = round(1.2 * RATE)
    samples[first : first + t.size] += 0.1 * np.hanning(t.size) * call
    return samples


def test_a_call_of_far_harmonics_is_one_syllable_unless_joining_is_off() -> None:
    samples = harmonic_call()
    (syllable,) = [s for s in segment_clip(samples, DEFAULT) if s.patch.max() > 100]
    assert syllable.low_hz < 1500
    assert syllable.high_hz > 6000
    assert len([s for s in segment_clip(samples, NOTES) if s.patch.max() > 100]) == 3


def test_the_published_front_end_leaves_notes_as_they_are() -> None:
    assert PRESETS["briggs2012"].join_r == 1.0
    assert PRESETS["default"].join_r < 1.0
