"""What surrounds a syllable: a log-mel window of fixed length, and its place in time.

The 38 features describe a syllable by itself. Birds are told apart better when its surroundings
are heard as well: the window is centred on the syllable, neither stretched to it nor masked, and
always as long, so that a long note and the trill it belongs to look like what they are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import scipy
from numpy.typing import NDArray

from birdmodes.segmentation.base import Segment
from birdmodes.segmentation.smoothing import row_quantiles
from birdmodes.segmentation.spectrogram import Spectrogram

N_BANDS = 48
"""Rows of a window: bands of the mel scale, the lowest first."""

N_COLUMNS = 24
"""Columns of a window, from early to late."""

WINDOW_S = 0.42
"""Length of a window in seconds."""

_EDGES_S = np.linspace(-0.5, 0.5, N_COLUMNS + 1) * WINDOW_S

LOW_HZ, HIGH_HZ = 300.0, 11_000.0
"""Edges of the lowest and highest band; recordings that end below have narrower bands."""

FLOOR_QUANTILE = 0.4
"""A band's level in the clip that is so seldom undercut is its floor, and is subtracted."""

LEVEL_DB = 0.25
"""Step of the values of a window, in decibels above the floor: 0 to 63.75 dB as 0 to 255."""

SIMILAR = 0.5
"""Sounds whose windows have a cosine above this are similar."""

NEAR_S, FAR_S = 0.5, 1.5
"""How far from a syllable others are counted, between centres."""

PLACE_NAMES = (
    "next-similar",
    "last-similar",
    "next-sound",
    "last-sound",
    "similar-near",
    "similar-far",
    "sounds-far",
)
"""The numbers of a syllable's place in time.

Seconds from its centre to those of the next and the last similar sound of the clip, and to those
of the next and the last sound of any kind, infinite where there is none; number of similar sounds
within `NEAR_S` and `FAR_S`, and of sounds of any kind within `FAR_S`.
"""


def with_windows(segments: Sequence[Segment], whitened: Spectrogram) -> list[Segment]:
    """Add windows and places in time to the syllables of a clip.

    Parameters
    ----------
    segments : sequence of Segment
        All of the clip.
    whitened : Spectrogram
        Its spectrogram, result of `birdmodes.segmentation.spectrogram.whiten`.

    Returns
    -------
    list of Segment
        The same, in the same order, with `window` and `place`.
    """
    if not segments:
        return []
    levels = mel_levels(whitened)
    centres = np.array([(segment.start_s + segment.end_s) / 2 for segment in segments])
    windows = cut_windows(levels, centres, whitened)
    places = places_in_time(windows, centres)
    return [
        # as `replace` does, in a third of the time
        Segment(**{**vars(segment), "window": window, "place": place})
        for segment, window, place in zip(segments, windows, places, strict=True)
    ]


def mel_levels(whitened: Spectrogram) -> NDArray[np.float32]:
    """Decibels above the floor in every mel band and frame.

    Parameters
    ----------
    whitened : Spectrogram
        With at least one frame. Whitening has made the noise of the bins in a band alike, and
        keeps down what a codec or resampling has emptied.

    Returns
    -------
    ndarray of float32, shape (N_BANDS, n_frames)
        At least 0. Frames without signal, as where a recorder paused, say nothing about the
        floor.
    """
    bank = mel_bank(whitened.n_bins, whitened.bin_hz)
    # A sparse product adds up in the same order on any number of threads.
    level: NDArray[np.float32] = bank @ np.square(whitened.magnitude)
    # in place, which spares as many images
    np.maximum(level, 1.0, out=level)
    np.log10(level, out=level)
    level *= 10.0
    active = whitened.active_frames()
    heard = level[:, active] if active.any() and not active.all() else level
    floor = next(row_quantiles(heard, FLOOR_QUANTILE)).astype(np.float32)
    level -= floor[:, None]
    return np.maximum(level, np.float32(0.0), out=level)


@lru_cache(maxsize=4)
def mel_bank(n_bins: int, bin_hz: float) -> scipy.sparse.csr_array:
    """Weights of the bins in each band: triangles, evenly spaced on the mel scale, of sum 1.

    Parameters
    ----------
    n_bins : int
        Bins of the spectrogram, from 0 Hz.
    bin_hz : float
        Their distance.

    Returns
    -------
    scipy.sparse.csr_array of float32, shape (N_BANDS, n_bins)
        Each band has its own weights between the centres of its neighbours, at least the nearest
        bin's.

    References
    ----------
    O'Shaughnessy, D. (1987), Speech communication: human and machine, p. 150, for the scale.
    """
    frequency = np.arange(n_bins) * bin_hz
    high_hz = min(HIGH_HZ, frequency[-1])
    low_hz = min(LOW_HZ, high_hz / 2)
    mel = np.linspace(_mel(low_hz), _mel(high_hz), N_BANDS + 2)
    edges = 700.0 * (10.0 ** (mel / 2595.0) - 1.0)
    low, centre, high = (edges[start : start + N_BANDS, None] for start in range(3))
    rising, falling = (frequency - low) / (centre - low), (high - frequency) / (high - centre)
    weights = np.maximum(np.minimum(rising, falling), 0.0)
    nearest = np.abs(frequency - centre).argmin(axis=1)
    empty = np.flatnonzero(weights.sum(axis=1) == 0)
    weights[empty, nearest[empty]] = 1.0
    weights /= weights.sum(axis=1, keepdims=True)
    return scipy.sparse.csr_array(weights.astype(np.float32))


def _mel(hz: float) -> float:
    return float(2595.0 * np.log10(1.0 + hz / 700.0))


def cut_windows(
    levels: NDArray[np.float32], centres_s: NDArray[np.float64], spec: Spectrogram
) -> NDArray[np.uint8]:
    """Means of the levels in the windows around some moments.

    Parameters
    ----------
    levels : ndarray of float32, shape (N_BANDS, n_frames)
        From `mel_levels`.
    centres_s : ndarray, shape (n,)
        Middles of the windows, in seconds from the start of the clip.
    spec : Spectrogram
        Tells when the frames are.

    Returns
    -------
    ndarray of uint8, shape (n, N_BANDS, N_COLUMNS)
        In steps of `LEVEL_DB`. Outside the clip there is silence.
    """
    n_frames = levels.shape[1]
    edges_s = centres_s[:, None] + _EDGES_S
    begin_s, _ = spec.times_s(0, n_frames)
    position = ((edges_s - begin_s) / spec.frame_s).clip(0, n_frames)
    begin, end = position[:, :-1, None], position[:, 1:, None]
    # Edges lie within frames, of which each side gets its share.
    n_touched = math.ceil(WINDOW_S / N_COLUMNS / spec.frame_s) + 1
    frame = begin.astype(np.intp) + np.arange(n_touched)
    share = np.maximum(np.minimum(end, frame + 1) - np.maximum(begin, frame), 0.0)
    by_frame = np.ascontiguousarray(levels.T, dtype=np.float64)
    touched = by_frame.take(frame, axis=0, mode="clip")
    means = np.einsum("nct,nctb->ncb", share, touched)
    means *= spec.frame_s * N_COLUMNS / WINDOW_S / LEVEL_DB
    values = np.rint(means, out=means).clip(0, 255).astype(np.uint8)
    return np.ascontiguousarray(values.transpose(0, 2, 1))


def places_in_time(
    windows: NDArray[np.uint8], centres_s: NDArray[np.float64]
) -> NDArray[np.float32]:
    """Where each syllable stands among the sounds of its clip.

    Parameters
    ----------
    windows : ndarray of uint8, shape (n, N_BANDS, N_COLUMNS)
        Of all syllables of a clip.
    centres_s : ndarray, shape (n,)
        Their middles.

    Returns
    -------
    ndarray of float32, shape (n, len(PLACE_NAMES))
        See `PLACE_NAMES`.
    """
    # Sums of whole numbers are exact in any order, so no rounding decides what is similar.
    flat = windows.reshape(len(windows), -1).astype(np.float64)
    product = flat @ flat.T
    length = np.sqrt(product.diagonal())
    other = ~np.eye(len(windows), dtype=np.bool_)
    similar = other & (product > SIMILAR * np.outer(length, length))
    gap = centres_s[None, :] - centres_s[:, None]
    columns = []
    for chosen in (similar, other):
        columns.append(np.where(chosen & (gap > 0), gap, np.inf).min(axis=1))
        columns.append(np.where(chosen & (gap < 0), -gap, np.inf).min(axis=1))
    columns.append((similar & (np.abs(gap) <= NEAR_S)).sum(axis=1))
    columns.append((similar & (np.abs(gap) <= FAR_S)).sum(axis=1))
    columns.append((other & (np.abs(gap) <= FAR_S)).sum(axis=1))
    return np.array(columns, dtype=np.float32).T
