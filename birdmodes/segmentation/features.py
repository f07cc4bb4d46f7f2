"""The 38 features of a syllable: profile statistics, mask descriptors, histogram of gradients.

The published files and the published text list the features in different orders. The order here is
that of the files; `FEATURE_NAMES` names every column.

References
----------
Briggs, F., Lakshminarayanan, B., Neal, L., Fern, X. Z., Raich, R., Hadley, S. J. K., Hadley, A. S.
and Betts, M. G. (2012). Acoustic classification of multiple simultaneous bird species: a
multi-instance multi-label approach. Journal of the Acoustical Society of America 131, 4640-4650.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

N_DIRECTIONS = 16
"""Bins of the histogram of gradients."""

FEATURE_NAMES: list[str] = [
    *("freq-gini", "time-gini", "freq-mean", "time-mean", "freq-variance", "time-variance"),
    *("freq-skewness", "time-skewness", "freq-kurtosis", "time-kurtosis", "freq-max", "time-max"),
    *("mask-mean", "mask-stdev"),
    *("min-frequency", "max-frequency", "bandwidth", "duration"),
    *("area", "perimeter", "non-compactness", "rectangularity"),
    *(f"hog-{direction:02d}" for direction in range(N_DIRECTIONS)),
]
"""Names of the 38 features in table order; a list, as pandas wants for several columns."""

_N_PROFILE = 14
_FREQUENCY_COLUMNS = [FEATURE_NAMES.index(n) for n in ("min-frequency", "max-frequency")]
_BANDWIDTH, _DURATION = FEATURE_NAMES.index("bandwidth"), FEATURE_NAMES.index("duration")

# Noise at 1/16 is where the published whitening leaves it for a clip of 10 s, so that 1, the
# brightest value, is 48 dB above the noise.
_NOISE_INTENSITY = 1 / 16
_BLUR_RADIUS, _BLUR_SIGMA = 3, 3.0
_BLUR = np.exp(-0.5 * (np.arange(-_BLUR_RADIUS, _BLUR_RADIUS + 1) / _BLUR_SIGMA) ** 2)
_BLUR /= _BLUR.sum()
_REACH = _BLUR_RADIUS + 1
_MIN_SQUARED_GRADIENT = 0.01
_BYTE = 255.0
_WHITENING_OFFSET = 1e-11


class _Runs:
    """Where numbers of several things lie end to end: computed for all of them in one call."""

    def __init__(self, sizes: Sequence[int]) -> None:
        self.sizes = np.array(sizes)
        self._first = self.sizes.cumsum() - self.sizes
        self._filled = None if all(sizes) else self.sizes > 0

    def sums(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sums over each thing of numbers, shape (..., n)."""
        if self._filled is None:
            return np.add.reduceat(numbers, self._first, axis=-1)
        sums = np.zeros((*numbers.shape[:-1], self.sizes.size))
        if self._filled.any():
            sums[..., self._filled] = np.add.reduceat(numbers, self._first[self._filled], axis=-1)
        return sums

    def spread(self, of_each: NDArray[Any]) -> NDArray[Any]:
        """One number of each thing in all of its places."""
        return of_each.repeat(self.sizes)

    def positions(self, first: NDArray[np.float64]) -> NDArray[np.float64]:
        """Place of every number among those of its thing, counted from `first`."""
        return np.asarray(np.arange(self.sizes.sum()) + self.spread(first - self._first))


def intensity(magnitude: NDArray[np.float32]) -> NDArray[np.float32]:
    """Whitened magnitudes as the image that the features are measured on.

    Parameters
    ----------
    magnitude : ndarray of float32
        Whitened magnitudes, noise at 1.

    Returns
    -------
    ndarray of float32
        ``min(1, sqrt(magnitude) / 16)``: the square root lifts faint parts as in the published
        front-end, and the fixed scale makes the image independent of the clip's length.
    """
    image: NDArray[np.float32] = np.sqrt(magnitude)
    image *= np.float32(_NOISE_INTENSITY)
    return np.minimum(image, np.float32(1.0), out=image)


def published_intensity(
    magnitude: NDArray[np.float32], quiet_fraction: float = 0.2
) -> NDArray[np.float64]:
    """Image of the published front-end, with its scale and its steps of 1/255.

    Parameters
    ----------
    magnitude : ndarray of float32, shape (n_bins, n_frames)
        Magnitudes of a clip, not whitened.
    quiet_fraction : float
        Share of the frames that the noise spectrum is measured on.

    Returns
    -------
    ndarray of float64, shape (n_bins, n_frames)
        Multiples of 1/255 from 0 to 1: magnitude over its maximum, square root, divided by the
        root of the *sum* of squares over the quiet frames. All 0 if the clip is silent.
    """
    peak = magnitude.max(initial=0.0)
    if peak <= 0:
        return np.zeros(magnitude.shape)
    image = _truncate_to_bytes(np.sqrt(magnitude.astype(np.float64) / float(peak)))
    n_quiet = int(np.ceil(quiet_fraction * image.shape[1]))
    quiet = np.argsort(np.mean(image**2, axis=0), kind="stable")[:n_quiet]
    noise = np.sqrt(np.sum(image[:, quiet] ** 2, axis=1, keepdims=True) + _WHITENING_OFFSET)
    return _truncate_to_bytes(np.minimum(image / noise, 1.0))


def extract_features(
    image: ArrayLike, mask: ArrayLike, *, compat: bool = False
) -> NDArray[np.float64]:
    """Measure the 38 features of one syllable.

    Parameters
    ----------
    image : array_like, shape (n_bins, n_frames)
        Values from 0 to 1, all bins from 0 Hz up; see `intensity`.
    mask : array_like of bool, shape (n_bins, n_frames)
        Pixels of the syllable, at least one.
    compat : bool
        Reproduce the published files, for data that is to be mixed with theirs: the last frame is
        cut off, sizes are last minus first, the perimeter misses the sides towards later
        frames, blurs are cut to multiples of 1/255, mask-mean and mask-stdev run from 0 to 255.
        Give an image of `published_intensity` then.

    Returns
    -------
    ndarray of float64, shape (38,)
        In the order of `FEATURE_NAMES`, in bins, frames and pixels, positions as fractions of the
        whole band and of the syllable's duration. See `in_hertz_and_seconds`.

    Raises
    ------
    ValueError
        If the shapes differ or the mask is empty.
    """
    image = np.asarray(image)
    mask = np.asarray(mask, dtype=np.bool_)
    if image.ndim != 2 or image.shape != mask.shape:
        raise ValueError(f"image {image.shape} and mask {mask.shape} must have the same 2-d shape")
    frames = np.flatnonzero(mask.any(axis=0))
    if frames.size == 0:
        raise ValueError("the mask is empty")
    bins = np.flatnonzero(mask.any(axis=1))
    box = slice(bins[0], bins[-1] + 1), slice(frames[0], frames[-1] + 1)
    return extract_box_features(
        image[box], mask[box], int(bins[0]), n_bins=image.shape[0], compat=compat
    )


def extract_box_features(
    image: NDArray[np.floating[Any]],
    mask: NDArray[np.bool_],
    first_bin: int,
    *,
    n_bins: int,
    compat: bool = False,
) -> NDArray[np.float64]:
    """Measure the 38 features of one syllable on its bounding box alone.

    As `extract_features`, since everything outside the box counts as 0, without all other bins.

    Parameters
    ----------
    image : ndarray of float, shape (box_bins, box_frames)
        Values from 0 to 1 in the bounding box of the syllable.
    mask : ndarray of bool, shape (box_bins, box_frames)
        Pixels of the syllable; some in the first and last row and column.
    first_bin : int
        Bin of the box's first row.
    n_bins : int
        Bins of the whole spectrogram.
    compat : bool
        See `extract_features`.

    Returns
    -------
    ndarray of float64, shape (38,)
        As from `extract_features`.
    """
    rows = extract_many_features([image], [mask], [first_bin], n_bins=n_bins, compat=compat)
    return np.asarray(rows[0])


def extract_many_features(
    images: Sequence[NDArray[np.floating[Any]]],
    masks: Sequence[NDArray[np.bool_]],
    first_bins: Sequence[int],
    *,
    n_bins: int,
    compat: bool = False,
) -> NDArray[np.float64]:
    """Measure the 38 features of several syllables on their bounding boxes.

    Parameters
    ----------
    images, masks, first_bins, n_bins, compat
        See `extract_box_features`; the first three are sequences.

    Returns
    -------
    ndarray of float64, shape (n, 38)
        Each row as from `extract_box_features`.
    """
    # What sums and single pixels tell is computed for all at once: each syllable has few of them.
    features = np.zeros((len(masks), len(FEATURE_NAMES)))
    measured = []
    for row, image, mask, first_bin in zip(features, images, masks, first_bins, strict=True):
        last_bin = first_bin + mask.shape[0] - 1
        bandwidth, duration = mask.shape
        if compat:
            bandwidth, duration = bandwidth - 1, duration - 1
            image, mask = image[:, :-1], mask[:, :-1]
        # Rows of the spectrogram below and above the box, as many as blur and gradient can see.
        below, above = min(_REACH, first_bin), min(_REACH, n_bins - 1 - last_bin)
        masked = np.multiply(image, mask, dtype=np.float64)
        pixels = mask.ravel().nonzero()[0]
        row[_N_PROFILE : _N_PROFILE + 4] = first_bin, last_bin, bandwidth, duration
        edges = (1, min(above, 1), 1, 0) if compat else (1, 1, 1, 1)
        row[_N_PROFILE + 4 : -N_DIRECTIONS] = _shape_statistics(mask, bandwidth * duration, edges)
        sobel = _gradients(masked, below, above, compat=compat)
        measured.append(
            (
                masked.sum(axis=1),
                masked.sum(axis=0),
                masked.ravel().take(pixels),
                *(gradient.ravel().take(pixels) for gradient in sobel),
            )
        )
    by_bin, by_frame, values, gx, gy = zip(*measured, strict=True)
    first = np.zeros((2, len(masks)))
    first[0] = first_bins
    sizes = [n_bins] * len(masks) + [profile.size for profile in by_frame]
    statistics = _distributions((*by_bin, *by_frame), first.ravel(), np.array(sizes))
    features[:, :12] = statistics.reshape(6, 2, -1).transpose(2, 0, 1).reshape(-1, 12)
    runs = _Runs([each.size for each in values])
    scale = _BYTE if compat else 1.0
    features[:, 12:_N_PROFILE] = _level_statistics(runs, np.concatenate(values), scale).T
    features[:, -N_DIRECTIONS:] = _direction_histograms(
        runs, np.concatenate(gx), np.concatenate(gy)
    )
    return features


def in_hertz_and_seconds(
    features: NDArray[np.float64], bin_hz: float, frame_s: float
) -> NDArray[np.float64]:
    """Convert min-frequency, max-frequency, bandwidth and duration from bins and frames.

    Parameters
    ----------
    features : ndarray of float64, shape (..., 38)
        Result of `extract_features`, or several as rows.
    bin_hz, frame_s : float
        Size of a bin in hertz and of a frame in seconds.

    Returns
    -------
    ndarray of float64, shape (..., 38)
        A converted copy; the other features are the same.
    """
    return np.asarray(features, dtype=np.float64) * _units(bin_hz, frame_s)


@functools.lru_cache(maxsize=4)
def _units(bin_hz: float, frame_s: float) -> NDArray[np.float64]:
    """By what each feature is multiplied."""
    units = np.ones(len(FEATURE_NAMES))
    units[[*_FREQUENCY_COLUMNS, _BANDWIDTH]] = bin_hz
    units[_DURATION] = frame_s
    return units


def _truncate_to_bytes(image: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.floor(image * _BYTE) / _BYTE


def _level_statistics(
    runs: _Runs, values: NDArray[np.float64], scale: float
) -> NDArray[np.float64]:
    """Features 13 and 14 as rows, intensities multiplied by `scale`."""
    size = np.maximum(runs.sizes, 1)
    mean = runs.sums(values) / size
    variance = runs.sums(np.square(values - runs.spread(mean))) / size
    return np.array([mean, np.sqrt(variance)]) * scale


def _distributions(
    totals: Sequence[NDArray[np.float64]], first: NDArray[np.float64], size: NDArray[np.integer]
) -> NDArray[np.float64]:
    """Gini impurity, mean, raw 2nd to 4th central moment and mode of positions 0 to 1, as rows.

    Each of `totals` is proportional to the probabilities of the positions from `first` on, of
    `size` in all; where it is 0, so are the statistics.
    """
    runs = _Runs([each.size for each in totals])
    p = np.concatenate(totals)
    total = runs.sums(p)
    p /= runs.spread(np.where(total > 0, total, 1.0))
    last = np.maximum(size - 1, 1)
    x = runs.positions(first) / runs.spread(last)
    mean = runs.sums(x * p)
    x -= runs.spread(mean)
    square = x * x
    gini, *moments = runs.sums(np.array([p, square, square * x, square * square]) * p)
    mode = (first + [each.argmax() if each.size else 0 for each in totals]) / last
    statistics = np.array([1.0 - gini, mean, *moments, mode])
    if not total.all():
        statistics[:, total <= 0] = 0.0
    return statistics


def _shape_statistics(
    mask: NDArray[np.bool_], box: int, edges: tuple[int, int, int, int]
) -> tuple[float, float, float, float]:
    """Features 19 to 22.

    `box` is bandwidth times duration, `edges` says which sides of the mask (low, high, first,
    last) have windows that reach over them.
    """
    area = int(np.count_nonzero(mask))
    if area == 0:
        return 0.0, 0.0, 0.0, 0.0
    low, high, first, last = edges
    n_rows, n_columns = mask.shape
    padded = np.zeros((low + n_rows + high, first + n_columns + last), dtype=np.uint8)
    padded[low : low + n_rows, first : first + n_columns] = mask
    inside = padded[1:] + padded[:-1]
    inside = inside[:, 1:] + inside[:, :-1]
    # Pixels of each window of two by two: at the edge are those that are neither empty nor full.
    perimeter = int(np.count_nonzero(inside & 3))
    return area, perimeter, perimeter**2 / area, area / box if box else 0.0


def _gradients(
    masked: NDArray[np.float64], below: int, above: int, *, compat: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Sobel gradients of the blurred, masked image along time and along frequency.

    There are so many rows of the spectrogram `below` and `above` it, in which nothing is.
    """
    n_rows, n_columns = masked.shape
    # Into results that are there already, which is faster; the second has 0 around it, as
    # gradients see it.
    across = np.zeros((below + n_rows + above, n_columns))
    inside = across[below : below + n_rows]
    around = np.zeros((across.shape[0] + 2, n_columns + 2))
    blurred = around[1:-1, 1:-1]
    scipy.ndimage.correlate1d(masked, _BLUR, axis=1, mode="nearest", output=inside)
    if compat:
        inside[:] = _truncate_to_bytes(inside)
    scipy.ndimage.correlate1d(across, _BLUR, axis=0, mode="nearest", output=blurred)
    if compat:
        blurred[:] = _truncate_to_bytes(blurred)
    return _sobel(around[below : below + n_rows + 2])


def _direction_histograms(
    runs: _Runs, gx: NDArray[np.float64], gy: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Features 23 to 38: shares of the directions of the steep gradients."""
    steep = (gx * gx + gy * gy >= _MIN_SQUARED_GRADIENT).nonzero()[0]
    # The direction with the largest projection is the one with the nearest angle.
    angle = np.arctan2(gy.take(steep), gx.take(steep))
    nearest = np.rint(angle * (N_DIRECTIONS / (2 * np.pi))).astype(np.intp)
    # The remainder of a division by a power of two, negative numbers included.
    nearest &= N_DIRECTIONS - 1
    count = runs.sizes.size
    nearest += runs.spread(np.arange(0, count * N_DIRECTIONS, N_DIRECTIONS)).take(steep)
    histograms = np.bincount(nearest, minlength=count * N_DIRECTIONS).reshape(count, -1)
    return np.asarray(histograms / np.maximum(histograms.sum(axis=1, keepdims=True), 1))


def _sobel(around: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Sobel gradients along time and along frequency of all but the outermost pixels."""
    along_time = around[:, 2:] - around[:, :-2]
    along_frequency = around[2:] - around[:-2]
    in_time, in_frequency = 2.0 * along_time[1:-1], 2.0 * along_frequency[:, 1:-1]
    in_time += along_time[:-2]
    in_time += along_time[2:]
    in_frequency += along_frequency[:, :-2]
    in_frequency += along_frequency[:, 2:]
    return in_time, in_frequency
