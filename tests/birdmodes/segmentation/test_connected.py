"""Connected regions are those of scipy, numbered and boxed alike."""

from __future__ import annotations

import numpy as np
import pytest
import scipy

from birdmodes.segmentation.energy import connected_regions


@pytest.mark.parametrize("share", [0.05, 0.4, 0.6, 1.0])  # nearly all hangs together in the third
@pytest.mark.parametrize("shape", [(1, 1), (1, 40), (40, 1), (30, 50)])
def test_regions_are_those_of_scipy(shape: tuple[int, int], share: float) -> None:
    for seed in range(20):
        image = np.random.default_rng(seed).random(shape) < share
        pixels = np.flatnonzero(image)
        if pixels.size:
            region, boxes = connected_regions(pixels, shape[1])
            expected, _ = scipy.ndimage.label(image)
            np.testing.assert_array_equal(region + 1, expected[image])
            assert boxes == scipy.ndimage.find_objects(expected)


def test_the_end_of_a_row_does_not_touch_the_start_of_the_next() -> None:
    region, boxes = connected_regions(np.array([3, 4, 11]), 4)
    assert region.tolist() == [0, 1, 2]
    assert boxes == [
        (slice(0, 1), slice(3, 4)),
        (slice(1, 2), slice(0, 1)),
        (slice(2, 3), slice(3, 4)),
    ]
