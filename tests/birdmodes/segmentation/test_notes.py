"""Cutting regions into notes."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from birdmodes.segmentation.notes import _single


@given(st.floats(-200.0, 200.0))
def test_what_is_above_a_threshold_is_above_its_like_of_single_precision(threshold: float) -> None:
    near = np.float32(threshold)
    down, up = (np.nextafter(near, np.float32(far)) for far in (-np.inf, np.inf))
    levels = np.array([down, near, up])
    assert np.array_equal(levels > _single(threshold), levels > np.float64(threshold))
