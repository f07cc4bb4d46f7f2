"""Syllables where a person drew them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from birdmodes.errors import BirdmodesError
from birdmodes.segmentation import segmenter_of
from birdmodes.segmentation.base import Segment, build_segment
from birdmodes.segmentation.boxes import MIN_CONTENT, pixels_of
from birdmodes.segmentation.forest_model import ForestModel
from birdmodes.segmentation.parameters import SegmentationParameters
from birdmodes.segmentation.spectrogram import Spectrogram, spectrogram, whiten
from birdmodes.segmentation.windows import cut_windows, mel_levels


def drawn_segments(
    samples: ArrayLike,
    parameters: SegmentationParameters,
    boxes: ArrayLike,
    model: ForestModel | None = None,
) -> list[Segment]:
    """Measure the sounds in boxes of a clip as those that a segmenter finds are measured.

    Parameters
    ----------
    samples : array_like, shape (n,)
        Mono samples at ``parameters.sample_rate_hz``.
    parameters : SegmentationParameters
        Settings of spectrogram and segmenter.
    boxes : array_like, shape (n_boxes, 4)
        Begin and end (s, from the start of the clip), lowest and highest frequency (Hz).
    model : ForestModel, optional
        What the segmenter "forest" was trained to find.

    Returns
    -------
    list of Segment
        One for each box, in their order, with the box to the nearest pixel, and its window. Of its
        pixels those belong to it that the segmenter takes for sound; all of them where these are
        under a tenth. Its place in time depends on the other syllables, and is left open.

    Raises
    ------
    BirdmodesError
        If the clip is too short to have a spectrogram.
    """
    whitened = whiten(spectrogram(samples, parameters), parameters)
    if whitened.n_frames == 0:
        raise BirdmodesError("too short to have a spectrogram")
    sound = segmenter_of(parameters, model).segment(whitened) > 0
    segments = [_drawn(whitened, sound, box) for box in np.asarray(boxes, dtype=np.float64)]
    centres = np.array([(segment.start_s + segment.end_s) / 2 for segment in segments])
    windows = cut_windows(mel_levels(whitened), centres, whitened)
    return [
        Segment(**{**vars(segment), "window": window})
        for segment, window in zip(segments, windows, strict=True)
    ]


def _drawn(whitened: Spectrogram, sound: NDArray[np.bool_], drawn: NDArray[np.float64]) -> Segment:
    bins, frames = pixels_of(whitened, *drawn.tolist())
    box = _inside(bins, whitened.n_bins), _inside(frames, whitened.n_frames)
    mask = sound[box]
    if mask.mean() < MIN_CONTENT:
        mask = np.ones_like(mask)
    return build_segment(whitened, box, mask)


def _inside(pixels: slice, size: int) -> slice:
    """What of a stretch is in the picture: at least the pixel that is nearest."""
    start = min(pixels.start, size - 1)
    return slice(start, max(start + 1, min(pixels.stop, size)))
