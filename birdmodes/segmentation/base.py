"""What a segmenter and a syllable are, and the steps that all segmenters share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import scipy
from numpy.typing import NDArray

from birdmodes.segmentation.features import (
    extract_many_features,
    in_hertz_and_seconds,
    intensity,
)
from birdmodes.segmentation.parameters import SegmentationParameters
from birdmodes.segmentation.spectrogram import Spectrogram

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


Box = tuple[slice, ...]
Region = tuple[Box, NDArray[np.bool_]]
"""The smallest box around some pixels (rows, columns), and which pixels of the box they are."""


class Segmenter(Protocol):
    """Contract of the segmenters: a whitened spectrogram in, regions out."""

    def __init__(self, parameters: SegmentationParameters) -> None: ...

    def regions(self, whitened: Spectrogram) -> Iterable[Region]:
        """Find the syllables of one clip.

        Parameters
        ----------
        whitened : Spectrogram
            Result of `birdmodes.segmentation.spectrogram.whiten`, with at least one frame.

        Returns
        -------
        iterable of (box, mask)
            No two share a pixel.
        """
        ...

    def segment(self, whitened: Spectrogram) -> NDArray[np.int32]:
        """Paint the syllables of one clip, see `regions`.

        Returns
        -------
        ndarray of int32, shape (n_bins, n_frames)
            0 for background, the pixels of syllable k are k = 1, 2, ...
        """
        return painted(self.regions(whitened), whitened.magnitude.shape)


def painted(regions: Iterable[Region], shape: tuple[int, ...]) -> NDArray[np.int32]:
    """Number regions in the order given: ndarray of int32 of `shape`, 0 for background."""
    labels = np.zeros(shape, dtype=np.int32)
    for number, (box, mask) in enumerate(regions, start=1):
        labels[box][mask] = number
    return labels


def regions_of(labels: NDArray[np.int32]) -> Iterator[Region]:
    """Regions of an image in which they are numbered, as `painted` gives it."""
    for number, box in enumerate(scipy.ndimage.find_objects(labels), start=1):
        if box is not None:
            yield box, labels[box] == number


class SizeLimits:
    """The smallest syllable that counts; a size equal to a limit is allowed.

    Parameters
    ----------
    whitened : Spectrogram
        Gives the size of a pixel.
    parameters : SegmentationParameters
        ``min_area_hz_s``, ``min_duration_s`` and ``min_bandwidth_hz`` are used.
    """

    def __init__(self, whitened: Spectrogram, parameters: SegmentationParameters) -> None:
        self._pixel = whitened.bin_hz, whitened.frame_s
        self._parameters = parameters
        self.least_pixels = parameters.min_area_hz_s / (whitened.bin_hz * whitened.frame_s)
        """What has fewer is too small."""

    def allow(self, mask: NDArray[np.bool_]) -> bool:
        """Whether a mask that reaches the edges of its box is large enough."""
        bin_hz, frame_s = self._pixel
        bins, frames = mask.shape
        return bool(
            frames * frame_s >= self._parameters.min_duration_s
            and bins * bin_hz >= self._parameters.min_bandwidth_hz
            and np.count_nonzero(mask) * bin_hz * frame_s >= self._parameters.min_area_hz_s
        )


def drop_small(
    labels: NDArray[np.int32], whitened: Spectrogram, parameters: SegmentationParameters
) -> NDArray[np.int32]:
    """Remove regions under the smallest area, duration or bandwidth.

    Parameters
    ----------
    labels : ndarray of int32, shape (n_bins, n_frames)
        Regions 1, 2, ... on background 0.
    whitened : Spectrogram
        Gives the size of a pixel.
    parameters : SegmentationParameters
        ``min_area_hz_s``, ``min_duration_s`` and ``min_bandwidth_hz`` are used. A size equal to
        the limit is kept.

    Returns
    -------
    ndarray of int32, shape (n_bins, n_frames)
        The remaining regions, numbered without gaps in their old order.
    """
    kept = np.zeros_like(labels)
    n_kept = 0
    limits = SizeLimits(whitened, parameters)
    for box, mask in regions_of(labels):
        if limits.allow(mask):
            n_kept += 1
            kept[box][mask] = n_kept
    return kept


def patch_of(magnitude: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Decibels above the noise floor as bytes.

    Parameters
    ----------
    magnitude : ndarray of float32
        Whitened magnitudes, noise at 1.

    Returns
    -------
    ndarray of uint8
        0 to `PATCH_RANGE_DB` decibels mapped to 0 to 255; outside values are clipped.
    """
    level = np.maximum(magnitude, 1.0)
    # in place, which spares as many images
    np.log10(level, out=level)
    level *= 20.0
    level /= PATCH_RANGE_DB
    np.minimum(level, 1.0, out=level)
    level *= 255.0
    return np.rint(level, out=level).astype(np.uint8)


def build_segments(whitened: Spectrogram, regions: Iterable[Region]) -> list[Segment]:
    """Turn regions into syllables with features, patch and mask.

    Parameters
    ----------
    whitened : Spectrogram
        The spectrogram that was segmented.
    regions : iterable of (box, mask)
        Result of a segmenter.

    Returns
    -------
    list of Segment
        Ordered by start, then by lowest frequency.
    """
    segments = _segments(whitened, list(regions))
    return sorted(segments, key=lambda segment: (segment.start_s, segment.low_hz))


def build_segment(
    whitened: Spectrogram, box: tuple[slice, slice], mask: NDArray[np.bool_]
) -> Segment:
    """Turn pixels of a spectrogram into a syllable with features and patch.

    Parameters
    ----------
    whitened : Spectrogram
        The spectrogram.
    box : tuple of slice
        Bins and frames of the syllable's bounding box.
    mask : ndarray of bool, shape (n_bins, n_frames)
        The pixels of the box that belong to it, at least one.
    """
    return _segments(whitened, [(box, mask)])[0]


def _segments(whitened: Spectrogram, regions: Sequence[Region]) -> list[Segment]:
    """Syllables in the order of their regions; what can be is computed for all at once."""
    if not regions:
        return []
    boxes, masks = zip(*regions, strict=True)
    magnitude = np.concatenate([whitened.magnitude[box].ravel() for box in boxes])
    patches, images = (
        _cut_like(masks, each) for each in (patch_of(magnitude), intensity(magnitude))
    )
    features = in_hertz_and_seconds(
        extract_many_features(
            images, masks, [bins.start for bins, _ in boxes], n_bins=whitened.n_bins
        ),
        whitened.bin_hz,
        whitened.frame_s,
    )
    return [
        Segment(
            *whitened.times_s(frames.start, frames.stop),
            *whitened.frequencies_hz(bins.start, bins.stop),
            features=row,
            patch=patch,
            mask=mask,
            truncated=frames.start == 0 or frames.stop == whitened.n_frames,
        )
        for (bins, frames), row, patch, mask in zip(boxes, features, patches, masks, strict=True)
    ]


def _cut_like(masks: Sequence[NDArray[np.bool_]], numbers: NDArray[Any]) -> list[NDArray[Any]]:
    """Numbers of several boxes that lie end to end, each in the shape of its mask."""
    parts, stop = [], 0
    for mask in masks:
        start, stop = stop, stop + mask.size
        parts.append(numbers[start:stop].reshape(mask.shape))
    return parts
