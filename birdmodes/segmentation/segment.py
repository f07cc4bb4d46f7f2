"""The syllable as the segmenters hand it on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

PATCH_RANGE_DB = 60.0
"""Decibels above the noise floor that the values 0 to 255 of a patch stand for."""


@dataclass(frozen=True, eq=False)
class Segment:
    """One syllable of a clip.

    Parameters
    ----------
    start_s, end_s : float
        Begin and end in seconds from the start of the clip.
    low_hz, high_hz : float
        Lower and upper edge in hertz.
    features : ndarray of float64, shape (38,)
        The features of `birdmodes.segmentation.features.FEATURE_NAMES`, frequencies in hertz and
        durations in seconds.
    patch : ndarray of uint8, shape (n_bins, n_frames)
        The spectrogram in the syllable's bounding box, row 0 the lowest frequency: decibels above
        the noise floor, 0 to `PATCH_RANGE_DB` mapped to 0 to 255.
    mask : ndarray of bool, shape (n_bins, n_frames)
        The pixels of the box that belong to the syllable.
    truncated : bool
        True if the syllable touches the first or last frame of the clip, so that it may go on
        beyond.
    window : ndarray of uint8, shape (n_bands, n_columns), or None
        The sound around the syllable, see `birdmodes.segmentation.windows`.
    place : ndarray of float32, shape (n_numbers,), or None
        Its place in time, see `birdmodes.segmentation.windows.PLACE_NAMES`.
    """

    start_s: float
    end_s: float
    low_hz: float
    high_hz: float
    features: NDArray[np.float64]
    patch: NDArray[np.uint8]
    mask: NDArray[np.bool_]
    truncated: bool
    window: NDArray[np.uint8] | None = None
    place: NDArray[np.float32] | None = None
