from __future__ import annotations

import numpy as np
import pytest

from birdmodes.pictures.mean_patch import MeanPatch
from birdmodes.segmentation.parameters import SegmentationParameters

PARAMETERS = SegmentationParameters()


def full(shape: tuple[int, int], value: int) -> tuple[np.ndarray, np.ndarray]:
    return np.full(shape, value, dtype=np.uint8), np.ones(shape, dtype=bool)


def test_the_mean_of_equal_patches_is_the_patch_however_loud_it_is() -> None:
    mean = MeanPatch(86)
    for value in (255, 40, 120):
        mean.add(*full((10, 20), value))
    level = mean.image(PARAMETERS, 0.0, 0.0).level
    assert level.max() == 1.0
    assert np.count_nonzero(level == 1.0) == np.count_nonzero(level) == 200


def test_patches_of_different_sizes_have_their_centres_on_one_spot() -> None:
    mean = MeanPatch(86)
    mean.add(*full((10, 20), 200))
    mean.add(*full((4, 6), 100))
    image = mean.image(PARAMETERS, centre_s=0.1, centre_hz=4000.0)
    rows, columns = np.nonzero(image.level)
    assert (len(set(rows)), len(set(columns))) == (10, 20)
    assert image.first_s + columns.mean() * image.frame_s == pytest.approx(0.1)
    assert image.first_hz + rows.mean() * image.bin_hz == pytest.approx(4000.0)
    # one of two around the middle, both in it: each counts alike
    assert np.unique(image.level) == pytest.approx([0, 0.5, 1], abs=0.01)
    assert np.count_nonzero(image.level > 0.9) == 24


def test_a_click_in_one_patch_does_not_blacken_the_others() -> None:
    """Thirty faint whistles with their neighbours' noise, and a click of all frequencies."""
    mean = MeanPatch(86)
    for number in range(30):
        patch = np.full((60, 40), 20, dtype=np.uint8)
        patch[28:32] = 90
        if number == 0:
            patch[:, 19:21] = 255
        mean.add(patch, np.ones(patch.shape, dtype=bool))
    level = mean.image(PARAMETERS, 0.0, 0.0).level
    middle = level.shape[0] // 2
    whistle, click, around = level[middle, 10], level[middle + 20, 21], level[middle + 20, 10]
    assert whistle > 0.95
    assert click < 0.35
    assert around < 0.3


def test_what_is_outside_the_mask_is_silent() -> None:
    mean = MeanPatch(86)
    patch, mask = full((10, 20), 255)
    mask[:, 10:] = False
    mean.add(patch, mask)
    assert np.count_nonzero(mean.image(PARAMETERS, 0.0, 0.0).level) == 100


def test_a_patch_wider_than_the_grid_keeps_its_middle() -> None:
    mean = MeanPatch(10)
    patch, mask = full((2, 101), 10)
    patch[:, 50] = 200
    mean.add(patch, mask)
    image = mean.image(PARAMETERS, 0.0, 0.0)
    assert image.level.shape[1] == 10 + 2  # and silence on both sides
    _, columns = np.nonzero(image.level == image.level.max())
    assert image.first_s + columns.mean() * image.frame_s == pytest.approx(
        0.0, abs=PARAMETERS.frame_s
    )


def test_a_patch_as_high_as_the_spectrogram_fits() -> None:
    mean = MeanPatch(86)
    mean.add(*full((PARAMETERS.n_bins, 3), 255))
    assert np.count_nonzero(mean.image(PARAMETERS, 0.0, 0.0).level) == 3 * PARAMETERS.n_bins


def test_parts_that_are_merged_in_any_order_make_the_whole() -> None:
    rng = np.random.default_rng(0)
    patches = [full((int(h), int(w)), int(v)) for h, w, v in rng.integers(1, 30, (20, 3))]
    whole = MeanPatch(20)
    for patch in patches:
        whole.add(*patch)
    parts = []
    for first in range(0, 20, 7):
        parts.append(MeanPatch(20))
        for patch in patches[first : first + 7]:
            parts[-1].add(*patch)
    expected = whole.image(PARAMETERS, 0.3, 5000.0)
    for order in ([0, 1, 2], [2, 0, 1]):
        merged = MeanPatch(20)
        for number in order:
            merged.merge(parts[number])
        image = merged.image(PARAMETERS, 0.3, 5000.0)
        assert merged.count == 20
        np.testing.assert_array_equal(image.level, expected.level)
        assert (image.first_s, image.first_hz) == (expected.first_s, expected.first_hz)
