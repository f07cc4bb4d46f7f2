"""Blurs and quantiles of the rows of an image, as scipy and numpy give them, in less time."""

from __future__ import annotations

import functools
from collections.abc import Iterator

import numpy as np
import scipy
from numpy.typing import NDArray

# A blur ends at so many standard deviations: what lies farther has 0.3 % of the weight.
_TRUNCATE = 3.0


def blurred_image(
    image: NDArray[np.float32], sigma_bins: float, sigma_frames: float
) -> NDArray[np.float32]:
    """Blur an image by a Gaussian; at its edges it is mirrored.

    Parameters
    ----------
    image : ndarray of float32, shape (n_bins, n_frames)
        Finite, at least one pixel.
    sigma_bins, sigma_frames : float
        Standard deviations along the columns and along the rows; 0 for no blur.

    Returns
    -------
    ndarray of float32, shape (n_bins, n_frames)
        As from `scipy.ndimage.gaussian_filter`, except for rounding.
    """
    # Sparse products go along whole rows, and add up in the same order on any number of threads.
    turned = _blur(image.shape[1], sigma_frames) @ np.ascontiguousarray(image.T)
    return np.asarray(_blur(image.shape[0], sigma_bins) @ np.ascontiguousarray(turned.T))


@functools.lru_cache(maxsize=8)
def _blur(size: int, sigma: float) -> scipy.sparse.csr_array:
    """Weights of the pixels of a column in each of the blurred column."""
    reach = int(_TRUNCATE * sigma + 0.5)
    away = np.arange(-reach, reach + 1)
    weights = np.exp(-0.5 * (away / max(sigma, np.finfo(float).tiny)) ** 2)
    weights /= weights.sum()
    source = (np.arange(size)[:, None] + away) % (2 * size)
    source = np.minimum(source, 2 * size - 1 - source)
    return scipy.sparse.csr_array(
        (
            np.tile(weights.astype(np.float32), size),
            source.ravel().astype(np.int32),
            np.arange(size + 1, dtype=np.int32) * away.size,
        ),
        shape=(size, size),
    )


def blurred_rows(
    image: NDArray[np.float32], rows: slice, kernel: NDArray[np.floating]
) -> NDArray[np.float32]:
    """Some rows of an image that is blurred along its columns; at its edges it is mirrored.

    Parameters
    ----------
    image : ndarray of float32, shape (n_bins, n_frames)
        The image.
    rows : slice
        With start and stop, within it.
    kernel : ndarray, shape (odd,)
        Weights of the pixels around each.

    Returns
    -------
    ndarray of float32, shape (rows.stop - rows.start, n_frames)
        As from `scipy.ndimage.correlate1d`, except for rounding; that blurs the rows around, too.
    """
    reach, size = kernel.size // 2, 2 * image.shape[0]
    source = np.arange(rows.start - reach, rows.stop + reach) % size
    seen = image.take(np.minimum(source, size - 1 - source), axis=0)
    # For each row of the result those that it is the mean of, none of which is copied.
    step, item = seen.strides
    shape = kernel.size, rows.stop - rows.start, seen.shape[1]
    around: NDArray[np.float32] = np.ndarray(shape, np.float32, seen, strides=(step, step, item))
    return np.asarray(np.einsum("i,ijk->jk", kernel.astype(np.float32), around))


def row_quantiles(image: NDArray[np.floating], *shares: float) -> Iterator[NDArray[np.float64]]:
    """Quantiles of every row, one array of shape (n_rows,) for each share; see `numpy.quantile`."""
    ordered = np.sort(image, axis=1)
    last = image.shape[1] - 1
    for share in shares:
        position = share * last
        left = int(position)
        low = ordered[:, left].astype(np.float64)
        yield low + (position - left) * (ordered[:, min(left + 1, last)] - low)


def upper_quartile(values: NDArray[np.float32]) -> float:
    """Upper quartile of some numbers, as numpy has it to the last bit."""
    ordered = np.sort(values)
    position = 0.75 * (values.size - 1)
    left = int(position)
    low, high = ordered[left], ordered[min(left + 1, values.size - 1)]
    share = np.float32(position - left)
    if share < 0.5:
        return float(low + (high - low) * share)
    return float(high - (high - low) * (np.float32(1.0) - share))
