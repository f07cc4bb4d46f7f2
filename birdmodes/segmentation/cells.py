"""A spectrogram in coarse cells: what the pixel forest looks at, and the way back to pixels.

Painted masks are no finer than this, and a quarter of the pixels or less takes as little time.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from birdmodes.segmentation.spectrogram import Spectrogram

CELL_HZ = 62.5
"""Height that a cell comes nearest to, in whole bins."""

CELL_S = 0.016
"""Width that a cell comes nearest to, in whole frames."""

Image = NDArray[np.float32]


def cell_shape(spec: Spectrogram) -> tuple[int, int]:
    """Bins and frames of a cell, at least one of each."""
    return max(1, round(CELL_HZ / spec.bin_hz)), max(1, round(CELL_S / spec.frame_s))


def to_cells(image: NDArray[np.generic], shape: tuple[int, int]) -> Image:
    """Mean of every cell.

    Parameters
    ----------
    image : ndarray, shape (n_bins, n_frames)
        Numbers or truth values, at least one row and column.
    shape : tuple of int
        Bins and frames of a cell.

    Returns
    -------
    ndarray of float32, shape (ceil(n_bins / shape[0]), ceil(n_frames / shape[1]))
        Cells at the upper and right edge may be made of fewer pixels.
    """
    values: Image = np.asarray(image, dtype=np.float32)
    for axis, size in enumerate(shape):
        length = values.shape[axis]
        whole = length - length % size
        parts = [values.take(np.arange(first, whole, size), axis) for first in range(size)]
        cells = sum(parts[1:], start=parts[0]) / np.float32(size)
        if whole < length:
            rest = values.take(np.arange(whole, length), axis).mean(axis=axis, keepdims=True)
            cells = np.concatenate([cells, rest], axis=axis)
        values = np.asarray(cells, dtype=np.float32)
    return values


def to_pixels(cells: Image, shape: tuple[int, int], n_bins: int, n_frames: int) -> Image:
    """Values of pixels, linear between the centres of cells.

    Parameters
    ----------
    cells : ndarray of float32, shape (n_rows, n_columns)
        A value for every cell.
    shape : tuple of int
        Bins and frames of a cell.
    n_bins, n_frames : int
        Size of the result.

    Returns
    -------
    ndarray of float32, shape (n_bins, n_frames)
        Beyond the outermost centres, the value there.
    """
    values = cells
    for axis, (size, length) in enumerate(zip(shape, (n_bins, n_frames), strict=True)):
        position = ((np.arange(length) + 0.5) / size - 0.5).clip(0, cells.shape[axis] - 1)
        lower = np.floor(position).astype(np.intp)
        upper = np.minimum(lower + 1, cells.shape[axis] - 1)
        share = (position - lower).astype(np.float32)
        share = share[:, None] if axis == 0 else share
        below, above = values.take(lower, axis=axis), values.take(upper, axis=axis)
        values = below + (above - below) * share
    return values
