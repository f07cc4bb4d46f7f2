"""Spectrograms as ink on paper, as in field guides: what is loud is black."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from birdmodes.pictures.picture_files import COLOURS
from birdmodes.pictures.pictures import SoundImage

Pixels = npt.NDArray[np.uint8]
Levels = npt.NDArray[np.floating[Any]]

PAPER_DB = 8.0
"""What is no louder, in decibels above the noise of its frequency, stays paper."""

RANGE_DB = 24.0
"""From paper to black at most; a louder sound has its faint parts, and its echo, left out."""

BELOW_PEAK_DB = 1.0
"""Black begins so far below the level of the syllable that is shown: it is always dark, and a
louder neighbour only saturates."""

FAINTEST_DB = 16.0
"""Of what is fainter than this, noise would be drawn as dark as sound."""

LEVEL_QUANTILE = 0.85
"""The level of a syllable is this quantile of its frames' peaks."""


def ink(level: Levels, black_db: float) -> Pixels:
    """Bring levels to ink.

    Parameters
    ----------
    level : ndarray of float, shape (n_bins, n_frames)
        Decibels above the noise; row 0 is the lowest frequency.
    black_db : float
        From here on all is black.

    Returns
    -------
    ndarray of uint8, shape (n_bins, n_frames)
        0 (paper) to ``COLOURS - 1`` (black). Row 0 is the highest frequency.
    """
    black_db = max(black_db, FAINTEST_DB)
    paper_db = max(PAPER_DB, black_db - RANGE_DB)
    share = np.clip((level[::-1] - paper_db) / (black_db - paper_db), 0, 1)
    pixels: Pixels = (share * (COLOURS - 1)).round().astype(np.uint8)
    return pixels


def black_of(level_db: float) -> float:
    """From which level on all is black, where a syllable has a given level."""
    return level_db - BELOW_PEAK_DB


def level_in_box(
    image: SoundImage, start_s: float, end_s: float, low_hz: float, high_hz: float
) -> float:
    """Level of a syllable in a picture, see `LEVEL_QUANTILE`; times as the image has them."""
    rows = _span(image.first_hz, image.bin_hz, low_hz, high_hz)
    columns = _span(image.first_s, image.frame_s, start_s, end_s)
    box = image.level[rows, columns]
    return float(np.quantile(box.max(axis=0), LEVEL_QUANTILE)) if box.size else 0.0


def _span(first: float, step: float, low: float, high: float) -> slice:
    return slice(max(0, round((low - first) / step)), max(0, round((high - first) / step)) + 1)


def window_ink(
    image: SoundImage, start_s: float, width_s: float, top_hz: float, black_db: float
) -> Pixels:
    """Draw a stretch, one pixel for each frame and bin.

    Parameters
    ----------
    image : SoundImage
        What there is.
    start_s, width_s : float
        The stretch, with times as the image has them; what the image does not reach is paper.
    top_hz : float
        Upper edge.
    black_db : float
        As for `ink`.

    Returns
    -------
    ndarray of uint8, shape (n_bins, n_frames)
        As from `ink`.
    """
    n_columns = max(1, round(width_s / image.frame_s))
    n_rows = max(1, round(top_hz / image.bin_hz))
    level = np.zeros((n_rows, n_columns), dtype=np.float32)
    first = round((start_s - image.first_s) / image.frame_s + 0.5)
    bottom = round(image.first_hz / image.bin_hz)
    columns = slice(max(0, first), min(image.level.shape[1], first + n_columns))
    rows = slice(0, max(0, min(image.level.shape[0], n_rows - bottom)))
    part = image.level[rows, columns]
    if part.size:
        left = columns.start - first
        level[bottom : bottom + part.shape[0], left : left + part.shape[1]] = part
    return ink(level, black_db)
