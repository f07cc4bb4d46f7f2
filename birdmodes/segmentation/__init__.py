"""From the samples of a clip to its syllables."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from birdmodes.errors import BirdmodesError
from birdmodes.segmentation.base import (
    PATCH_RANGE_DB,
    Segment,
    Segmenter,
    build_segments,
    painted,
    regions_of,
)
from birdmodes.segmentation.boxes import with_missed
from birdmodes.segmentation.energy import EnergySegmenter, energy_map
from birdmodes.segmentation.forest import ForestSegmenter
from birdmodes.segmentation.forest_model import ForestModel, load_model, save_model
from birdmodes.segmentation.parameters import SegmentationParameters
from birdmodes.segmentation.spectrogram import spectrogram, whiten
from birdmodes.segmentation.windows import with_windows

__all__ = [
    "PATCH_RANGE_DB",
    "SEGMENTERS",
    "EnergySegmenter",
    "ForestModel",
    "ForestSegmenter",
    "Segment",
    "Segmenter",
    "check_method",
    "energy_map",
    "load_model",
    "save_model",
    "segment_clip",
    "segmenter_of",
]

SEGMENTERS: dict[str, type[Segmenter]] = {"energy": EnergySegmenter, "forest": ForestSegmenter}
"""Segmenters by the name that ``SegmentationParameters.method`` gives them."""


def check_method(parameters: SegmentationParameters, model: ForestModel | None = None) -> None:
    """Make sure that there is a segmenter of the name in `parameters`, and the model it needs.

    Raises
    ------
    BirdmodesError
        If ``parameters.method`` names no segmenter.
    ParameterError
        If the segmenter needs a model and there is none, takes none and there is one, or the
        model was trained with another spectrogram.
    """
    segmenter_of(parameters, model)


def segment_clip(
    samples: ArrayLike,
    parameters: SegmentationParameters,
    model: ForestModel | None = None,
    boxes: ArrayLike = (),
) -> list[Segment]:
    """Find the syllables of one clip.

    Any input is legal: a clip without sound, shorter than a window, or with values that are not
    finite has no syllables there.

    Parameters
    ----------
    samples : array_like, shape (n,)
        Mono samples at ``parameters.sample_rate_hz``. NaN and infinity count as 0.
    parameters : SegmentationParameters
        Settings of spectrogram and segmenter.
    model : ForestModel, optional
        What the segmenter "forest" was trained to find.
    boxes : array_like, shape (n_boxes, 4)
        Sounds that somebody marked: begin and end (s, from the start of the clip), lowest and
        highest frequency (Hz). Those of which the segmenter finds nothing become syllables that
        fill their boxes.

    Returns
    -------
    list of Segment
        Ordered by start, then by lowest frequency.

    Raises
    ------
    BirdmodesError
        As `check_method`.

    Examples
    --------
    >>> import numpy as np
    >>> from birdmodes.segmentation.parameters import SegmentationParameters
    >>> segment_clip(np.zeros(22050), SegmentationParameters())
    []
    """
    segmenter = segmenter_of(parameters, model)
    whitened = whiten(spectrogram(samples, parameters), parameters, in_place=True)
    if whitened.n_frames == 0:
        return []
    regions = segmenter.regions(whitened)
    marked = np.asarray(boxes, dtype=np.float64).reshape(-1, 4)
    if len(marked):
        labels = painted(regions, whitened.magnitude.shape)
        regions = regions_of(with_missed(labels, whitened, marked))
    return with_windows(build_segments(whitened, regions), whitened)


def segmenter_of(parameters: SegmentationParameters, model: ForestModel | None = None) -> Segmenter:
    """Make the segmenter that `parameters` name; raises as `check_method`."""
    if parameters.method not in SEGMENTERS:
        raise BirdmodesError(
            f"no segmenter {parameters.method!r}: choose one of {', '.join(SEGMENTERS)}"
        )
    if parameters.method == "forest":
        return ForestSegmenter(parameters, model)
    if model is not None:
        model.check(parameters)
    return SEGMENTERS[parameters.method](parameters)
