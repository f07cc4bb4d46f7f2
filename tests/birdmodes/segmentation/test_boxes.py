"""Boxes around sounds: whose syllable is whose."""

from __future__ import annotations

import numpy as np
import pytest

from birdmodes.segmentation import segment_clip
from birdmodes.segmentation.boxes import boxes_over, missed, shares
from birdmodes.segmentation.parameters import SegmentationParameters

PARAMETERS = SegmentationParameters(sample_rate_hz=22050, clip_s=2.0)


def test_shares_of_stretches() -> None:
    inner = np.array([[0.0, 2.0], [1.0, 1.5], [3.0, 3.0]])
    outer = np.array([[1.0, 2.0], [5.0, 6.0]])
    np.testing.assert_allclose(shares(inner, outer), [[0.5, 0.0], [1.0, 0.0], [0.0, 0.0]])


def test_a_sound_goes_to_the_box_that_fits_it() -> None:
    song, call, far = [0.0, 3.0, 1000.0, 5000.0], [1.0, 1.5, 2900.0, 4100.0], [9.0, 9.5, 0.0, 900.0]
    sounds = np.array([
        [1.0, 1.5, 3000.0, 4000.0],  # the call, within the song
        [0.0, 2.9, 1000.0, 4800.0],  # the song
        [2.0, 4.0, 1000.0, 9000.0],  # three quarters of it beyond the song
    ])  # fmt: skip
    over = boxes_over(sounds, np.array([song, call, far]))
    np.testing.assert_array_equal(
        over, [[False, True, False], [True, False, False], [False, False, False]]
    )
    np.testing.assert_array_equal(missed(sounds, np.array([song, call, far])), [False, False, True])


def test_boxes_that_fit_alike_both_count() -> None:
    sounds = np.array([[0.0, 1.0, 1000.0, 2000.0]])
    boxes = np.array([[0.0, 1.2, 1000.0, 2000.0], [0.0, 1.0, 950.0, 2200.0]])
    assert boxes_over(sounds, boxes).all()


def test_without_sounds_or_boxes() -> None:
    none = np.empty((0, 4))
    box = np.array([[0.0, 1.0, 1.0, 2.0]])
    assert boxes_over(none, box).shape == (0, 1)
    assert boxes_over(box, none).shape == (1, 0)
    assert missed(none, box).tolist() == [True]
    assert missed(box, none).tolist() == []


def tone(samples: np.ndarray, start_s: float, hertz: float, level: float) -> None:
    t = np.arange(int(0.3 * 22050)) / 22050
    first = int(start_s * 22050)
    samples[first : first + len(t)] += level * np.hanning(len(t)) * np.sin(2 * np.pi * hertz * t)


def test_marked_sounds_that_are_missed_become_syllables_of_their_boxes() -> None:
    samples = 0.01 * np.random.default_rng(0).standard_normal(2 * 22050)
    tone(samples, 0.4, 3000.0, 0.5)
    boxes = [[0.4, 0.7, 2800.0, 3200.0], [1.2, 1.5, 6000.0, 6500.0]]
    alone = segment_clip(samples, PARAMETERS)
    assert len(alone) == 1
    found = segment_clip(samples, PARAMETERS, boxes=boxes)
    assert len(found) == 2
    assert found[0].start_s == alone[0].start_s
    np.testing.assert_array_equal(found[0].features, alone[0].features)
    added = found[1]
    extent = (added.start_s, added.end_s, added.low_hz, added.high_hz)
    assert extent == pytest.approx((1.2, 1.5, 6000.0, 6500.0), rel=0.01)
    assert added.mask.all()
    assert np.isfinite(added.features).all()


def test_boxes_outside_the_clip_add_nothing() -> None:
    samples = 0.01 * np.random.default_rng(0).standard_normal(2 * 22050)
    boxes = [[5.0, 6.0, 1000.0, 2000.0], [0.5, 0.6, 20000.0, 30000.0]]
    assert segment_clip(samples, PARAMETERS, boxes=boxes) == []
