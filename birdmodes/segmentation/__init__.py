"""From the samples of a clip to its syllables."""

from __future__ import annotations

from numpy.typing import ArrayLike

from birdmodes.errors import BirdmodesError
from birdmodes.parameters import SegmentationParameters
from birdmodes.segmentation.base import Segmenter, build_segments
from birdmodes.segmentation.energy import EnergySegmenter, energy_map
from birdmodes.segmentation.segment import PATCH_RANGE_DB, Segment
from birdmodes.spectrogram import spectrogram, whiten

__all__ = [
    "PATCH_RANGE_DB",
    "SEGMENTERS",
    "EnergySegmenter",
    "Segment",
    "Segmenter",
    "check_method",
    "energy_map",
    "segment_clip",
]

SEGMENTERS: dict[str, type[Segmenter]] = {"energy": EnergySegmenter}
"""Segmenters by the name that ``SegmentationParameters.method`` gives them."""


def check_method(parameters: SegmentationParameters) -> None:
    """Make sure that there is a segmenter of the name in `parameters`.

    Raises
    ------
    BirdmodesError
        If ``parameters.method`` names no segmenter.
    """
    if parameters.method not in SEGMENTERS:
        raise BirdmodesError(
            f"no segmenter {parameters.method!r}: choose one of {', '.join(SEGMENTERS)}"
        )


def segment_clip(samples: ArrayLike, parameters: SegmentationParameters) -> list[Segment]:
    """Find the syllables of one clip.

    Any input is legal: a clip without sound, shorter than a window, or with values that are not
    finite has no syllables there.

    Parameters
    ----------
    samples : array_like, shape (n,)
        Mono samples at ``parameters.sample_rate_hz``. NaN and infinity count as 0.
    parameters : SegmentationParameters
        Settings of spectrogram and segmenter.

    Returns
    -------
    list of Segment
        Ordered by start, then by lowest frequency.

    Raises
    ------
    BirdmodesError
        If ``parameters.method`` names no segmenter.

    Examples
    --------
    >>> import numpy as np
    >>> from birdmodes.parameters import SegmentationParameters
    >>> segment_clip(np.zeros(22050), SegmentationParameters())
    []
    """
    check_method(parameters)
    whitened = whiten(spectrogram(samples, parameters), parameters)
    if whitened.n_frames == 0:
        return []
    labels = SEGMENTERS[parameters.method](parameters).segment(whitened)
    return build_segments(whitened, labels)
