"""Cut connected regions into notes at the valleys of their level."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import scipy
from numpy.typing import NDArray

from birdmodes.segmentation.base import Box, Region, SizeLimits, painted, regions_of
from birdmodes.segmentation.parameters import SegmentationParameters
from birdmodes.segmentation.smoothing import blurred_rows
from birdmodes.segmentation.spectrogram import Spectrogram

# Levels are tried in steps of this size: valleys are found to that accuracy.
_STEP_DB = 3.0
# Whitened magnitudes below this are far under the noise.
_MIN_MAGNITUDE = 0.01
# Peaks that share more than this part of their time sound together: harmonics, not two notes.
_TOGETHER = 0.5
# Blurs end at this many standard deviations, where the weight is 1 % of that of the centre.
_BLUR_TRUNCATE = 3.0
# Part of the smallest syllable that a peak must fill to count.
_MIN_PEAK = 1 / 3

CROSS = np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]], dtype=bool)
"""Pixels that touch at a side are connected."""

Level = NDArray[np.float32]


def split_into_notes(
    regions: NDArray[np.int32], whitened: Spectrogram, parameters: SegmentationParameters
) -> NDArray[np.int32]:
    """Cut regions where notes touch, and remove what is far below the peak of its note.

    A region is cut at a level if it falls apart there into peaks that rise ``split_db`` above
    the level and do not sound at the same time; every pixel goes to the nearest peak. This is
    repeated in the parts (a component tree). What is smaller than a syllable may be is dropped.

    Parameters
    ----------
    regions : ndarray of int32, shape (n_bins, n_frames)
        Regions 1, 2, ... on background 0.
    whitened : Spectrogram
        The spectrogram the regions were found in.
    parameters : SegmentationParameters
        ``split_db``, ``split_smooth_s``, ``split_smooth_hz``, ``range_db``, and those of
        `birdmodes.segmentation.base.drop_small`.

    Returns
    -------
    ndarray of int32, shape (n_bins, n_frames)
        Notes 1, 2, ... on background 0. A note may have several parts where the quiet bridge
        between them was removed.

    References
    ----------
    Salembier, P., Oliveras, A. and Garrido, L. (1998). Antiextensive connected operators for image
    and sequence processing. IEEE Transactions on Image Processing 7, 555-570 (the max-tree).
    """
    return painted(notes_of_regions(regions_of(regions), whitened, parameters), regions.shape)


def notes_of_regions(
    regions: Iterable[Region], whitened: Spectrogram, parameters: SegmentationParameters
) -> Iterator[Region]:
    """Cut regions that are given one by one; see `split_into_notes`.

    Parameters
    ----------
    regions : iterable of (box, mask)
        Where each region is, and which pixels there belong to it: ndarray of bool of the box's
        shape.
    whitened : Spectrogram
        The spectrogram the regions were found in.
    parameters : SegmentationParameters
        As for `split_into_notes`.

    Yields
    ------
    (box, mask)
        The notes, in the order of their regions.
    """
    kernels = (
        _gaussian(parameters.split_smooth_hz / whitened.bin_hz),
        _gaussian(parameters.split_smooth_s / whitened.frame_s),
    )
    limits = SizeLimits(whitened, parameters)
    min_pixels = _MIN_PEAK * limits.least_pixels
    for box, mask in regions:
        if np.count_nonzero(mask) < limits.least_pixels:
            continue
        level = _level(whitened.magnitude, box, kernels)
        values = level[mask]
        parts = _split(level, mask, values, parameters.split_db, min_pixels)
        parts = _trim(level, parts, mask, values, parameters.range_db, min_pixels)
        if parts is None:
            if limits.allow(mask):
                yield box, mask
            continue
        for note, inner in enumerate(scipy.ndimage.find_objects(parts), start=1):
            if inner is None:
                continue
            pixels = parts[inner] == note
            if limits.allow(pixels):
                yield _inside(box, inner), pixels


def _level(
    magnitude: NDArray[np.float32], box: Box, kernels: Sequence[NDArray[np.float64]]
) -> Level:
    """Blurred level in decibels of the pixels of a box."""
    bins, frames = box
    # The box grows by what the blur reaches: blurring the whole clip would take longer.
    reach = kernels[1].size // 2
    around = slice(max(0, frames.start - reach), frames.stop + reach)
    wide = _correlated(blurred_rows(magnitude[:, around], bins, kernels[0]), kernels[1])
    blurred = wide[:, frames.start - around.start : frames.stop - around.start]
    level = np.maximum(blurred, np.float32(_MIN_MAGNITUDE))
    np.log10(level, out=level)
    level *= np.float32(20.0)
    return level


def _correlated(image: Level, kernel: NDArray[np.float64]) -> Level:
    # It takes a while to find out what result to make, if it is not told.
    result = np.empty(image.shape, dtype=np.float32)
    scipy.ndimage.correlate1d(image, kernel, output=result)
    return result


@functools.lru_cache(maxsize=8)
def _gaussian(sigma: float) -> NDArray[np.float64]:
    """Weights of a blur."""
    reach = int(_BLUR_TRUNCATE * sigma + 0.5)
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / max(sigma, 1e-9)) ** 2)
    return np.asarray(weights / weights.sum())


def _split(
    level: Level, mask: NDArray[np.bool_], values: Level, depth: float, min_pixels: float
) -> NDArray[np.int32] | None:
    """Number the notes of one region; None if it is a single one.

    `values` are the levels of its pixels, row by row.
    """
    whole: Box = tuple(slice(0, size) for size in mask.shape)
    todo = _first_cut(level, mask, values, float(values.min()), depth, min_pixels)
    if not todo:
        return None
    parts = np.zeros(mask.shape, dtype=np.int32)
    n_parts = 0
    todo = [(_inside(whole, inner), child, floor) for inner, child, floor in todo]
    while todo:
        box, part, floor = todo.pop()
        inside = level[box]
        children = _first_cut(inside, part, inside[part], floor, depth, min_pixels)
        if not children:
            n_parts += 1
            parts[box][part] = n_parts
        for inner, child, child_floor in children:
            todo.append((_inside(box, inner), child, child_floor))
    free = parts == 0
    rows, columns = scipy.ndimage.distance_transform_edt(
        free, return_distances=False, return_indices=True
    )
    places = np.flatnonzero(free & mask)
    parts.reshape(-1)[places] = parts[rows.ravel()[places], columns.ravel()[places]]
    return parts


def _first_cut(
    level: Level,
    part: NDArray[np.bool_],
    values: Level,
    floor: float,
    depth: float,
    min_pixels: float,
) -> list[tuple[Box, NDArray[np.bool_], float]]:
    """Find the lowest level at which a part falls into notes: box, mask and level of each.

    `values` are the levels of its pixels, row by row.
    """
    highest = float(values.max()) - depth
    if highest <= floor + _STEP_DB:
        return []
    for threshold in np.arange(floor + _STEP_DB, highest, _STEP_DB):
        above = part & (level > _single(threshold))
        if np.count_nonzero(above) < max(2, 2 * min_pixels):
            break  # two peaks fill more
        labels, n_labels = scipy.ndimage.label(above, CROSS)
        if n_labels < 2:
            continue
        number = labels[above]
        large = np.bincount(number, minlength=n_labels + 1) >= min_pixels
        large[0] = False
        if np.count_nonzero(large) < 2:
            continue
        loud = level[above] >= threshold + depth
        high = np.bincount(number[loud], minlength=n_labels + 1) > 0
        peaks = (large & high).nonzero()[0]
        if peaks.size < 2:
            continue
        boxes = scipy.ndimage.find_objects(labels)
        groups = list(_sounding_together(peaks, [boxes[label - 1][1] for label in peaks]))
        if len(groups) > 1:
            cut = []
            for group in groups:
                box = _hull([boxes[label - 1] for label in group])
                chosen = np.zeros(n_labels + 1, dtype=np.bool_)
                chosen[group] = True
                cut.append((box, chosen[labels[box]], float(threshold)))
            return cut
    return []


def _single(threshold: float) -> np.float32:
    """What numbers of single precision are above just as they are above a threshold.

    Compared with the threshold itself, all of them would be brought to double precision.
    """
    near = np.float32(threshold)
    # a number of Python would be brought to single precision to be compared
    return np.nextafter(near, np.float32(-np.inf)) if float(near) > threshold else near


def _sounding_together(peaks: NDArray[np.intp], times: list[slice]) -> Iterator[NDArray[np.intp]]:
    """Group peaks whose times overlap, directly or through others."""
    start = np.array([time.start for time in times])
    stop = np.array([time.stop for time in times])
    shared = np.minimum.outer(stop, stop) - np.maximum.outer(start, start)
    either = np.maximum.outer(stop, stop) - np.minimum.outer(start, start)
    linked = shared > _TOGETHER * either
    # Every peak takes the lowest number among those it is linked to, until none changes.
    group = np.arange(peaks.size)
    while True:
        lowest = np.where(linked, group, peaks.size).min(axis=1)
        if np.array_equal(lowest, group):
            break
        group = lowest
    for index in np.unique(group):
        yield peaks[group == index]


def _trim(
    level: Level,
    parts: NDArray[np.int32] | None,
    mask: NDArray[np.bool_],
    values: Level,
    range_db: float,
    min_pixels: float,
) -> NDArray[np.int32] | None:
    """Remove pixels far below the peak of their note, and the crumbs that this leaves.

    `parts` is None if all pixels of the mask are one note; so is the result if all of them stay.
    """
    if parts is None:
        peak = values.max()
        if values.min() >= peak - range_db:
            return None
        kept: NDArray[np.int32] = (mask & (level >= peak - range_db)).astype(np.int32)
    else:
        numbers = parts[mask]
        # The first is that of the background.
        peaks = np.full(int(numbers.max()) + 1, -np.inf, dtype=np.float32)
        np.maximum.at(peaks, numbers, values)
        loud = values >= peaks[numbers] - range_db
        if loud.all():
            return parts
        kept = np.zeros(parts.shape, dtype=np.int32)
        kept[mask] = numbers * loud
    for box, note in regions_of(kept):
        pieces, n_pieces = scipy.ndimage.label(note, CROSS)
        if n_pieces > 1:
            size = np.bincount(pieces.ravel())
            size[0] = 0
            crumb = size < min(min_pixels, size.max())
            crumb[0] = False
            kept[box][crumb[pieces]] = 0
    return kept


def _inside(outer: Box, inner: Box) -> Box:
    """Box `inner`, given relative to the corner of `outer`, in the coordinates of `outer`."""
    return tuple(
        slice(side.start + part.start, side.start + part.stop)
        for side, part in zip(outer, inner, strict=True)
    )


def _hull(boxes: list[Box]) -> Box:
    """Smallest box around boxes."""
    return tuple(
        slice(min(box[axis].start for box in boxes), max(box[axis].stop for box in boxes))
        for axis in (0, 1)
    )
