"""Painted recordings as cells with features and truth, clip by clip."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from birdmodes.audio.read import AudioFacts, ClipReader
from birdmodes.segmentation.cells import to_cells
from birdmodes.segmentation.forest_features import CellFeatures
from birdmodes.segmentation.parameters import SegmentationParameters
from birdmodes.segmentation.spectrogram import spectrogram, whiten
from birdmodes.training.find_paint import PaintedRecording

_MIN_SHARE = 0.5  # of a cell's pixels that must be painted for it to be sound


@dataclass(frozen=True, eq=False)
class PaintedClip:
    """One clip of a painted recording.

    Parameters
    ----------
    features : CellFeatures
        What the forest may know of it.
    sound : ndarray of bool, shape (n_rows, n_columns)
        The truth about every cell.
    """

    features: CellFeatures
    sound: NDArray[np.bool_]


@dataclass(frozen=True)
class PaintedLength:
    """How long a recording is."""

    facts: AudioFacts
    n_clips: int


def measure(
    painted: PaintedRecording, parameters: SegmentationParameters, channel: int | None
) -> PaintedLength:
    """Read a recording once to see how long it is: headers may be wrong.

    Raises
    ------
    AudioError
        If it cannot be read.
    """
    reader = _reader(painted, parameters, channel)
    n_clips = sum(samples.size >= parameters.n_window for samples in reader)
    return PaintedLength(reader.facts, n_clips)


def painted_clips(
    painted: PaintedRecording,
    parameters: SegmentationParameters,
    channel: int | None,
    facts: AudioFacts,
) -> Iterator[PaintedClip]:
    """Give the clips of a recording, as many as `measure` has counted.

    Parameters
    ----------
    painted : PaintedRecording
        The recording.
    parameters : SegmentationParameters
        Clips, spectrogram and band.
    channel : int or None
        Channel to read, from 1; None mixes all down.
    facts : AudioFacts
        Of the recording.

    Raises
    ------
    AudioError
        If the recording cannot be read.
    ModelError
        If the mask cannot be read.
    """
    for number, samples in enumerate(_reader(painted, parameters, channel)):
        whitened = whiten(spectrogram(samples, parameters), parameters)
        if whitened.n_frames == 0:
            continue
        features = CellFeatures(whitened, parameters)
        start_s = number * parameters.n_clip / parameters.sample_rate_hz
        frames = np.arange(whitened.n_frames, dtype=np.float64)
        seconds = start_s + whitened.first_s + frames * whitened.frame_s
        hertz = np.arange(whitened.n_bins, dtype=np.float64) * whitened.bin_hz
        pixels = painted.paint.at(hertz, seconds, facts)
        yield PaintedClip(features, to_cells(pixels, features.shape) >= _MIN_SHARE)


def _reader(
    painted: PaintedRecording, parameters: SegmentationParameters, channel: int | None
) -> ClipReader:
    return ClipReader(painted.recording.path, parameters.sample_rate_hz, parameters.clip_s, channel)
