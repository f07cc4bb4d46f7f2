"""Boxes that somebody drew around sounds: which syllables they mean, and what was missed."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import scipy

from birdmodes.segmentation.spectrogram import Spectrogram

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

MIN_UNDER = 0.5
"""Share of the smaller of a sound and a box, or of a sound's duration, that both must share."""

MIN_CONTENT = 0.1
"""Share of a sound that a box must fill."""

_RIVAL = 0.8
"""Boxes that fit a sound at least this share as well as the best one may be meant as well."""


def shares(inner: Floats, outer: Floats) -> Floats:
    """Share of each inner stretch that lies in each outer one.

    Parameters
    ----------
    inner, outer : ndarray, shape (n, 2) and (m, 2)
        Begin and end, or lowest and highest.

    Returns
    -------
    ndarray, shape (n, m)
    """
    first = np.maximum(inner[:, None, 0], outer[None, :, 0])
    last = np.minimum(inner[:, None, 1], outer[None, :, 1])
    length = np.maximum(inner[:, 1] - inner[:, 0], np.finfo(np.float64).tiny)
    return np.asarray(np.clip(last - first, 0.0, None) / length[:, None])


def boxes_over(sounds: Floats, boxes: Floats) -> Bools:
    """Which boxes a sound may be what they mark.

    Those that share half of the smaller of both with it, and a tenth of the sound, and that fit it
    as well as the best of them does, or nearly: the box of a short call within the box of a
    long song is that of the call. How well they fit is the area in common over the area of both.

    Parameters
    ----------
    sounds, boxes : ndarray, shape (n, 4) and (m, 4)
        Columns begin and end (s), lowest and highest frequency (Hz).

    Returns
    -------
    ndarray of bool, shape (n, m)
    """
    fit = _fit(sounds, boxes)
    best = fit.max(axis=1, initial=0.0)
    return np.asarray((fit > 0) & (fit >= _RIVAL * best[:, None]))


def _fit(sounds: Floats, boxes: Floats) -> Floats:
    """How well boxes fit sounds, 0 to 1; 0 where they have too little in common."""
    under = shares(sounds[:, :2], boxes[:, :2]) * shares(sounds[:, 2:], boxes[:, 2:])
    own = (sounds[:, 1] - sounds[:, 0]) * (sounds[:, 3] - sounds[:, 2])
    theirs = (boxes[:, 1] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 2])
    common = under * own[:, None]
    both = np.maximum(own[:, None] + theirs[None, :] - common, np.finfo(np.float64).tiny)
    alike = common >= MIN_UNDER * np.minimum(own[:, None], theirs[None, :])
    return np.asarray(np.where(alike & (under >= MIN_CONTENT), common / both, 0.0))


def missed(sounds: Floats, boxes: Floats) -> Bools:
    """Which boxes mark no sound that was found: they are the best-fitting box of none.

    Parameters
    ----------
    sounds, boxes : ndarray, shape (n, 4) and (m, 4)
        As for `boxes_over`.

    Returns
    -------
    ndarray of bool, shape (m,)
    """
    if not len(sounds):
        return np.ones(len(boxes), dtype=np.bool_)
    fit = _fit(sounds, boxes)
    best = fit.max(axis=1, initial=0.0)
    return np.asarray(~((fit > 0) & (fit == best[:, None])).any(axis=0))


def with_missed(
    labels: npt.NDArray[np.int32], whitened: Spectrogram, boxes: Floats
) -> npt.NDArray[np.int32]:
    """Add boxes to the regions of a segmenter where it found nothing of what they mark.

    Parameters
    ----------
    labels : ndarray of int32, shape (n_bins, n_frames)
        Regions 1, 2, ... on background 0.
    whitened : Spectrogram
        The spectrogram that was segmented.
    boxes : ndarray, shape (n_boxes, 4)
        As for `boxes_over`, by times from the start of the clip.

    Returns
    -------
    ndarray of int32, shape (n_bins, n_frames)
        With a further region for each box that was missed: its pixels that are of no region yet.
    """
    found = [
        (
            *whitened.times_s(place[1].start, place[1].stop),
            *whitened.frequencies_hz(place[0].start, place[0].stop),
        )
        for place in scipy.ndimage.find_objects(labels)
        if place is not None
    ]
    added = labels.copy()
    number = int(labels.max(initial=0))
    for box in boxes[missed(np.array(found).reshape(-1, 4), boxes)]:
        region = added[pixels_of(whitened, *box.tolist())]
        free = region == 0
        if free.any():
            number += 1
            region[free] = number
    return added


def pixels_of(
    whitened: Spectrogram, start_s: float, end_s: float, low_hz: float, high_hz: float
) -> tuple[slice, slice]:
    """Rows and columns of a box; at least one of each, if it is in the picture."""
    begin_s, lowest_hz = whitened.times_s(0, 0)[0], -whitened.bin_hz / 2
    return (
        _slice((low_hz - lowest_hz) / whitened.bin_hz, (high_hz - lowest_hz) / whitened.bin_hz),
        _slice((start_s - begin_s) / whitened.frame_s, (end_s - begin_s) / whitened.frame_s),
    )


def _slice(first: float, last: float) -> slice:
    start = max(0, round(first))
    return slice(start, max(start + 1, round(last)))
