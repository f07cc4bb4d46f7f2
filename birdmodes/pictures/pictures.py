"""Spectrogram pictures on a given scale."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import soxr

from birdmodes.pictures.picture_files import COLOURS
from birdmodes.pictures.scale import Scale
from birdmodes.segmentation import PATCH_RANGE_DB
from birdmodes.segmentation.parameters import SegmentationParameters
from birdmodes.segmentation.spectrogram import spectrogram, whiten

LEAST_LEVEL = 1e-3
"""Magnitude (in units of the noise) that silence is drawn as."""


@dataclass(frozen=True, eq=False)
class SoundImage:
    """Levels on a grid of frequencies and times.

    Attributes
    ----------
    level : ndarray of float, shape (n_bins, n_frames)
        Row 0 is the lowest frequency.
    first_s, first_hz : float
        Centre of the first column (s from the start of the syllable) and of the first row (Hz).
    frame_s, bin_hz : float
        Distance of two columns (s) and of two rows (Hz).
    """

    level: npt.NDArray[np.floating]
    first_s: float
    first_hz: float
    frame_s: float
    bin_hz: float


def recording_image(
    samples: npt.NDArray[np.float32],
    sample_rate_hz: int,
    start_s: float,
    parameters: SegmentationParameters,
) -> SoundImage:
    """Spectrogram of a stretch of a recording, as the segmenter sees it.

    Parameters
    ----------
    samples : ndarray of float32, shape (n_samples,)
        The stretch; long enough to hold some quiet moments, from which the noise is estimated.
    sample_rate_hz : int
        Its rate.
    start_s : float
        Where it begins, in seconds from the start of the syllable.
    parameters : SegmentationParameters
        Sample rate, window and step of the spectrogram.

    Returns
    -------
    SoundImage
        In decibels above the noise.
    """
    rate = parameters.sample_rate_hz
    if sample_rate_hz != rate:
        samples = soxr.resample(samples, sample_rate_hz, rate, "HQ")
    white = whiten(spectrogram(samples, parameters), parameters)
    level = 20 * np.log10(np.maximum(white.magnitude, LEAST_LEVEL))
    return SoundImage(level, start_s + white.first_s, 0.0, white.frame_s, white.bin_hz)


def patch_image(
    patch: npt.NDArray[np.uint8], low_hz: float, parameters: SegmentationParameters
) -> SoundImage:
    """Give the image of a syllable's stored patch.

    Parameters
    ----------
    patch : ndarray of uint8, shape (n_bins, n_frames)
        As in the workspace.
    low_hz : float
        The syllable's lower edge.
    parameters : SegmentationParameters
        Those of the workspace.

    Returns
    -------
    SoundImage
        In decibels above the noise.
    """
    level = patch.astype(np.float32) * (PATCH_RANGE_DB / 255)
    first_hz = first_bin(low_hz, parameters) * parameters.bin_hz
    return SoundImage(
        level, parameters.frame_s / 2, first_hz, parameters.frame_s, parameters.bin_hz
    )


def first_bin(low_hz: float, parameters: SegmentationParameters) -> int:
    """Find the bin whose lower edge is `low_hz`; bins are centred on their frequencies."""
    return round(low_hz / parameters.bin_hz + 0.5) if low_hz > 0 else 0


def draw(
    image: SoundImage, scale: Scale, low: float, high: float, *, size: tuple[int, int]
) -> npt.NDArray[np.uint8]:
    """Bring levels to the pixels of a picture.

    Parameters
    ----------
    image : SoundImage
        What to draw.
    scale : Scale
        What the picture shows.
    low, high : float
        Levels of paper and of black.
    size : (int, int)
        Height and width in pixels.

    Returns
    -------
    ndarray of uint8, shape `size`
        Ink, 0 to ``COLOURS - 1``; none where `image` does not reach. Row 0 is the highest
        frequency.
    """
    height, width = size
    x = (np.arange(width) + 0.5) / width
    y = (np.arange(height) + 0.5) / height
    columns = (scale.start_s + x * scale.width_s - image.first_s) / image.frame_s
    rows = (scale.high_hz - y * scale.height_hz - image.first_hz) / image.bin_hz
    inside = np.outer(
        (rows > -0.5) & (rows < image.level.shape[0] - 0.5),
        (columns > -0.5) & (columns < image.level.shape[1] - 0.5),
    )
    picture = np.zeros(size, dtype=np.uint8)
    if inside.any():
        shown = _between_pixels(image.level, rows, columns)
        brightness = np.clip((shown - low) / (high - low), 0, 1)
        picture[inside] = (brightness[inside] * (COLOURS - 1)).round()
    return picture


def _between_pixels(
    level: npt.NDArray[np.floating[Any]],
    rows: npt.NDArray[np.float64],
    columns: npt.NDArray[np.float64],
) -> npt.NDArray[np.floating[Any]]:
    """Interpolate linearly at every row and column; beyond the edges all is as at the edge.

    First between the rows, then between the columns, which is many times as fast as one place
    after the other.
    """
    upper, lower, share = _neighbours(rows, level.shape[0])
    at_rows = level[upper] * (1 - share[:, None]) + level[lower] * share[:, None]
    left, right, share = _neighbours(columns, level.shape[1])
    between = at_rows.take(left, axis=1) * (1 - share) + at_rows.take(right, axis=1) * share
    return between.astype(level.dtype)


def _neighbours(
    places: npt.NDArray[np.float64], size: int
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp], npt.NDArray[np.float64]]:
    """Pixels before and behind each place, and how far it is on the way to the latter, 0 to 1."""
    places = np.clip(places, 0, size - 1)
    before = places.astype(np.intp)
    return before, np.minimum(before + 1, size - 1), places - before


def outline(mask: npt.NDArray[np.bool_]) -> str:
    """Trace the pixels of a mask.

    Parameters
    ----------
    mask : ndarray of bool, shape (n_bins, n_frames)
        The syllable's pixels.

    Returns
    -------
    str
        Data of an SVG path in units of pixels: x counts frames, y counts bins upwards.
    """
    padded = np.pad(mask, 1).astype(np.int8)
    # Edge y, column x: between the pixels (y - 1, x) and (y, x).
    level_edges = np.diff(padded, axis=0)[:, 1:-1] != 0
    upright_edges = np.diff(padded, axis=1)[1:-1, :].T != 0
    level = [f"M{x} {y}h{n}" for y, x, n in _runs(level_edges)]
    upright = [f"M{x} {y}v{n}" for x, y, n in _runs(upright_edges)]
    return "".join(level + upright)


def _runs(edges: npt.NDArray[np.bool_]) -> list[tuple[int, int, int]]:
    """Row, first column and length of every run of True in the rows of `edges`."""
    change = np.diff(np.pad(edges, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    row, first = np.nonzero(change == 1)
    _, stop = np.nonzero(change == -1)
    return list(zip(row.tolist(), first.tolist(), (stop - first).tolist(), strict=True))
