"""What the pixel forest knows of every cell of a spectrogram.

The published forest looks at the 289 whitened values around a pixel. Here the same is said in a
few dozen numbers: means, variances and maxima of boxes of several sizes around the cell and
beside it, the cell's frequency, and, to tell a bird from rain, wind and steady insects, what its
whole row and column look like. Boxes are running sums, so their size costs nothing. Nothing is
said of the whole clip: with a few recordings to learn from, that would tell them apart and be
learnt by heart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import scipy
from numpy.typing import NDArray

from birdmodes.segmentation.cells import Image, cell_shape, to_cells
from birdmodes.segmentation.parameters import SegmentationParameters
from birdmodes.segmentation.spectrogram import Spectrogram

Size = tuple[int, int]
"""Rows and columns of cells, each about 62.5 Hz by 16 ms."""

_SCORES = ((3, 3), (5, 5), (3, 9), (9, 3), (7, 15), (3, 31), (15, 15), (11, 41))
_LEVELS = ((3, 7), (7, 7), (5, 15), (15, 5), (15, 15), (31, 31), (9, 61))
_VARIANCES = ((15, 15), (3, 31))
_FINE, _COARSE = (3, 3), (7, 15)
_FINE_MAXIMA = ((9, 9), (5, 25), (15, 31), (31, 15), (5, 61))
_COARSE_MAXIMA = ((5, 15), (5, 41), (21, 41))
_FINE_STEPS = ((0, 3), (0, -3), (0, 6), (0, -6), (3, 0), (-3, 0))
_COARSE_STEPS = ((0, 10), (0, -10), (0, 20), (0, -20), (10, 0), (-10, 0))
_SOUND = (3, 9)  # the score whose shares of a row and a column are counted
_SOUND_SCORES = (3.0, 6.0)
_BANDS_HZ = ((300.0, 2000.0), (2000.0, 4000.0), (4000.0, 8000.0))
_COLUMNS_AROUND = 31

_MIN_LEVEL, _MAX_LEVEL = 0.05, 400.0  # of whitened magnitudes, noise being at 1
_MAX_SCORE = 50.0

# Noise is measured on the lower part of the distribution, as the energy segmenter does.
_QUANTILES = (0.05, 0.30)
_NORMAL_SCORES = (-1.6448536, -0.5244005)  # of a standard normal at these quantiles
_SPREAD_ROWS = 9
_MIN_SPREAD = 1e-3


class CellFeatures:
    """Features of the cells of one clip.

    Parameters
    ----------
    whitened : Spectrogram
        Result of `birdmodes.segmentation.spectrogram.whiten`, with at least one frame.
    parameters : SegmentationParameters
        The band is used.

    Attributes
    ----------
    shape : tuple of int
        Bins and frames of a cell.
    usable : ndarray of bool, shape (n_rows, n_columns)
        Cells within the band and outside gaps.
    sound_score : ndarray of float32, shape (n_rows, n_columns)
        How many noise spreads the cell's surroundings stand above the noise of its row.

    References
    ----------
    Briggs, F., Lakshminarayanan, B., Neal, L., et al. (2012). Acoustic classification of multiple
    simultaneous bird species: a multi-instance multi-label approach. JASA 131, 4640-4650, for the
    forest of pixels. Viola, P. and Jones, M. (2001). Rapid object detection using a boosted
    cascade of simple features. CVPR, for features from sums over boxes.
    """

    def __init__(self, whitened: Spectrogram, parameters: SegmentationParameters) -> None:
        self.shape = cell_shape(whitened)
        self._row_hz = whitened.bin_hz * self.shape[0]
        self._magnitude = np.minimum(to_cells(whitened.magnitude, self.shape), _MAX_LEVEL)
        self._level = _logarithm(self._magnitude)
        self._active = to_cells(whitened.active_frames()[None], (1, self.shape[1]))[0] > 0.5
        inside = np.zeros((whitened.n_bins, 1), dtype=np.bool_)
        inside[whitened.band(parameters)] = True
        self._rows = to_cells(inside, (self.shape[0], 1))[:, 0] > 0.5
        self.usable: NDArray[np.bool_] = self._rows[:, None] & self._active
        self._scores: dict[Size, Image] = {}
        self.sound_score: Image = np.maximum(self.score(_SOUND), self.score(_COARSE))

    def of(self, cells: NDArray[np.intp]) -> NDArray[np.float32]:
        """Give the features of some cells.

        Parameters
        ----------
        cells : ndarray of int, shape (n,)
            Flat positions of cells.

        Returns
        -------
        ndarray of float32, shape (n, len(FEATURE_NAMES))
            All finite.
        """
        place = np.unravel_index(cells, self._level.shape)
        features = np.empty((len(_FEATURES), cells.size), dtype=np.float32)
        for feature, compute in zip(features, _FEATURES.values(), strict=True):
            image = compute(self)
            if image.shape == self._level.shape:
                image.take(cells, out=feature)
            else:
                feature[:] = np.broadcast_to(image, self._level.shape)[place]
        return np.ascontiguousarray(features.T)

    def score(self, size: Size) -> Image:
        """Mean of a box around every cell, in noise spreads above the noise of its row."""
        if size not in self._scores:
            mean = _logarithm(_box_mean(self._magnitude, size))
            # Neighbouring boxes share cells: a part of them tells as much of the noise.
            step = max(1, size[1] // 3)
            self._scores[size] = _noise_score(mean, self._active, step)
        return self._scores[size]

    def level(self, size: Size) -> Image:
        """Mean logarithm of a box around every cell."""
        return _box_mean(self._level, size)

    def variance(self, size: Size) -> Image:
        """Variance of the logarithm in a box around every cell."""
        return _box_mean(self._level**2, size) - _box_mean(self._level, size) ** 2

    def maximum(self, size: Size, of: Size) -> Image:
        """Highest score of boxes `of` one size in a box around every cell."""
        return np.asarray(scipy.ndimage.maximum_filter(self.score(of), size), dtype=np.float32)

    def beside(self, step: Size, of: Size) -> Image:
        """Score of the box that is some rows and columns away."""
        image = self.score(of)
        rows, columns = (
            (np.arange(length) + by).clip(0, length - 1)
            for length, by in zip(image.shape, step, strict=True)
        )
        return np.asarray(image[rows][:, columns])

    def frequency(self) -> Image:
        """Kilohertz of every row."""
        rows = np.arange(self._level.shape[0], dtype=np.float32)[:, None]
        return np.asarray(rows * (self._row_hz / 1000.0), dtype=np.float32)

    def row_share(self, above: float) -> Image:
        """Share of every row above a score."""
        share = np.mean(self._sound() > above, axis=1, keepdims=True)
        return np.asarray(share, dtype=np.float32)

    def row_median(self) -> Image:
        """Median score of every row."""
        return np.asarray(np.median(self._sound(), axis=1, keepdims=True), dtype=np.float32)

    def row_maximum(self) -> Image:
        """Highest coarse score of every row."""
        return np.asarray(self.score(_COARSE).max(axis=1, keepdims=True))

    def column_share(self, above: float, around: int = 1) -> Image:
        """Share of every column above a score, mean of the columns around it."""
        share = np.mean(self._sound()[self._rows] > above, axis=0, keepdims=True)
        return _box_mean(share.astype(np.float32), (1, around))

    def column_level(self, low_hz: float, high_hz: float) -> Image:
        """Mean logarithm of a band in every column."""
        rows = slice(*(round(hertz / self._row_hz) for hertz in (low_hz, high_hz)))
        band = self._level[rows]
        if not len(band):
            return np.zeros((1, 1), dtype=np.float32)
        return np.asarray(band.mean(axis=0, keepdims=True))

    def _sound(self) -> Image:
        return self.score(_SOUND)


def _logarithm(magnitude: Image) -> Image:
    return np.log(np.maximum(magnitude, np.float32(_MIN_LEVEL)))


def _box_mean(image: Image, size: Size) -> Image:
    return np.asarray(scipy.ndimage.uniform_filter(image, size, mode="nearest"), dtype=np.float32)


def _noise_score(image: Image, active: NDArray[np.bool_], step: int) -> Image:
    """Subtract every row's noise level and divide by its spread, as if normal below."""
    seen = image[:, active] if active.any() else image
    low, high = _row_quantiles(seen[:, ::step])
    spread = (high - low) / (_NORMAL_SCORES[1] - _NORMAL_SCORES[0])
    spread = scipy.ndimage.uniform_filter1d(spread, _SPREAD_ROWS, mode="nearest")
    reference = max(float(np.quantile(spread, 0.25)), _MIN_SPREAD)
    spread = np.clip(spread, reference, 2 * reference)
    level = low - _NORMAL_SCORES[0] * spread
    score = (image - level[:, None]) / spread[:, None]
    return np.asarray(score.clip(-_MAX_SCORE, _MAX_SCORE), dtype=np.float32)


def _row_quantiles(image: Image) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    ranks = [int(quantile * (image.shape[1] - 1)) for quantile in _QUANTILES]
    ordered = np.partition(image, ranks, axis=1)
    return ordered[:, ranks[0]], ordered[:, ranks[1]]


def _table() -> Iterator[tuple[str, Callable[[CellFeatures], Image]]]:
    """Name of every feature, and what computes it for all cells."""

    def name(kind: str, size: Size) -> str:
        return f"{kind} {size[0]} x {size[1]}"

    for size in _SCORES:
        yield name("score", size), partial(CellFeatures.score, size=size)
    for size in _LEVELS:
        yield name("level", size), partial(CellFeatures.level, size=size)
    for size in _VARIANCES:
        yield name("variance", size), partial(CellFeatures.variance, size=size)
    for kind, of, sizes in (("fine", _FINE, _FINE_MAXIMA), ("coarse", _COARSE, _COARSE_MAXIMA)):
        for size in sizes:
            yield name(f"{kind} maximum", size), partial(CellFeatures.maximum, size=size, of=of)
    for kind, of, steps in (("fine", _FINE, _FINE_STEPS), ("coarse", _COARSE, _COARSE_STEPS)):
        for step in steps:
            yield name(f"{kind} beside", step), partial(CellFeatures.beside, step=step, of=of)
    yield "frequency", CellFeatures.frequency
    for score in _SOUND_SCORES:
        yield f"row above {score:g}", partial(CellFeatures.row_share, above=score)
        yield f"column above {score:g}", partial(CellFeatures.column_share, above=score)
    yield "row median", CellFeatures.row_median
    yield "row maximum", CellFeatures.row_maximum
    yield (
        "columns around",
        partial(CellFeatures.column_share, above=_SOUND_SCORES[0], around=_COLUMNS_AROUND),
    )
    for low, high in _BANDS_HZ:
        yield (
            f"column {low:g} to {high:g} Hz",
            partial(CellFeatures.column_level, low_hz=low, high_hz=high),
        )


_FEATURES = dict(_table())

FEATURE_NAMES = tuple(_FEATURES)
"""Names of the features in their order; sizes and steps in rows x columns of cells."""
