from __future__ import annotations

import numpy as np
import pytest

from birdmodes.gallery.mean_patch import MeanPatch
from birdmodes.parameters import SegmentationParameters
from birdmodes.segmentation import PATCH_RANGE_DB

PARAMETERS = SegmentationParameters()


def full(shape: tuple[int, int], value: int) -> tuple[np.ndarray, np.ndarray]:
    return np.full(shape, value, dtype=np.uint8), np.ones(shape, dtype=bool)


def test_the_mean_of_equal_patches_is_the_patch_in_decibels() -> None:
    mean = MeanPatch(PARAMETERS, 0.5)
    for _ in range(3):
        mean.add(*full((10, 20), 255))
    level = mean.image(0.0, 0.0).level
    assert level.max() == pytest.approx(PATCH_RANGE_DB)
    assert np.count_nonzero(level) == 200


def test_patches_of_different_sizes_have_their_centres_on_one_spot() -> None:
    mean = MeanPatch(PARAMETERS, 0.5)
    mean.add(*full((10, 20), 200))
    mean.add(*full((4, 6), 100))
    image = mean.image(centre_s=0.1, centre_hz=4000.0)
    rows, columns = np.nonzero(image.level)
    assert (len(set(rows)), len(set(columns))) == (10, 20)
    assert image.first_s + columns.mean() * image.frame_s == pytest.approx(0.1)
    assert image.first_hz + rows.mean() * image.bin_hz == pytest.approx(4000.0)
    # (200 + 100) / 2 in the middle, 200 / 2 around it
    unit_db = PATCH_RANGE_DB / 255
    assert np.unique(image.level) == pytest.approx([0, 100 * unit_db, 150 * unit_db])
    assert np.count_nonzero(image.level > 149 * unit_db) == 24


def test_what_is_outside_the_mask_is_silent() -> None:
    mean = MeanPatch(PARAMETERS, 0.5)
    patch, mask = full((10, 20), 255)
    mask[:, 10:] = False
    mean.add(patch, mask)
    assert np.count_nonzero(mean.image(0.0, 0.0).level) == 100


def test_a_patch_wider_than_the_grid_keeps_its_middle() -> None:
    mean = MeanPatch(PARAMETERS, 10 * PARAMETERS.frame_s)
    patch, mask = full((2, 101), 10)
    patch[:, 50] = 200
    mean.add(patch, mask)
    image = mean.image(0.0, 0.0)
    assert image.level.shape[1] == 10
    _, columns = np.nonzero(image.level == image.level.max())
    assert image.first_s + columns.mean() * image.frame_s == pytest.approx(
        0.0, abs=PARAMETERS.frame_s
    )


def test_a_patch_as_high_as_the_spectrogram_fits() -> None:
    mean = MeanPatch(PARAMETERS, 0.5)
    mean.add(*full((PARAMETERS.n_bins, 3), 255))
    assert np.count_nonzero(mean.image(0.0, 0.0).level) == 3 * PARAMETERS.n_bins
