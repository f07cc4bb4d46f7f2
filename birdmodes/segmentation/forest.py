"""Segmentation by example: a forest that was trained on painted spectrograms.

The steps:

1. Put the whitened spectrogram into coarse cells and compute the features of those that stand out
   at all (`birdmodes.segmentation.forest_features`).
2. Ask the forest how probable it is that each of them is sound, and blur the answers.
3. Keep connected regions at least as probable as the threshold that was found in training.
4. Cut every region into notes where its level has valleys (`birdmodes.segmentation.notes`), and
   drop what is too small, as for the energy segmenter.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import scipy
from numpy.typing import NDArray

from birdmodes.errors import ParameterError
from birdmodes.segmentation.base import Region, Segmenter, drop_small, regions_of
from birdmodes.segmentation.cells import Image, to_pixels
from birdmodes.segmentation.forest_features import CellFeatures
from birdmodes.segmentation.forest_model import METHOD, ForestModel
from birdmodes.segmentation.notes import split_into_notes
from birdmodes.segmentation.parameters import SegmentationParameters
from birdmodes.segmentation.spectrogram import Spectrogram
from birdmodes.segmentation.trees import Forest

MIN_SOUND_SCORE = 1.5
"""Cells that stand out of the noise less than this are silent without asking the forest."""

_BLUR_CELLS = 2.0


class ForestSegmenter(Segmenter):
    """Regions that a trained forest takes for sound, cut at the valleys between notes.

    Parameters
    ----------
    parameters : SegmentationParameters
        Settings of the spectrogram, those of the model; those of notes and smallest sizes.
    model : ForestModel
        The trained forest.

    Raises
    ------
    ParameterError
        If there is no model or it was trained with another spectrogram.

    References
    ----------
    Briggs, F., Lakshminarayanan, B., Neal, L., et al. (2012). Acoustic classification of multiple
    simultaneous bird species: a multi-instance multi-label approach. JASA 131, 4640-4650.
    Neal, L., Briggs, F., Raich, R. and Fern, X. Z. (2011). Time-frequency segmentation of bird
    song in noisy acoustic environments. ICASSP, 2012-2015.
    """

    def __init__(
        self, parameters: SegmentationParameters, model: ForestModel | None = None
    ) -> None:
        if model is None:
            raise ParameterError(
                f"the segmenter {METHOD!r} needs a trained model: give --model, the file that "
                "'birdmodes train-segmenter' wrote"
            )
        model.check(parameters)
        self.parameters = parameters
        self.model = model

    def regions(self, whitened: Spectrogram) -> Iterator[Region]:
        """Find the syllables of one clip; see `birdmodes.segmentation.base.Segmenter`."""
        sound, _ = scipy.ndimage.label(self.probability(whitened) >= self.model.threshold)
        notes = split_into_notes(sound.astype(np.int32), whitened, self.parameters)
        return regions_of(drop_small(notes, whitened, self.parameters))

    def probability(self, whitened: Spectrogram) -> NDArray[np.float32]:
        """How probable it is that a pixel is sound.

        Parameters
        ----------
        whitened : Spectrogram
            Result of `birdmodes.segmentation.spectrogram.whiten`, with at least one frame.

        Returns
        -------
        ndarray of float32, shape (n_bins, n_frames)
            From 0 to 1; 0 outside the band and in gaps.
        """
        features = CellFeatures(whitened, self.parameters)
        cells = cell_probability(features, self.model.forest)
        pixels = to_pixels(cells, features.shape, whitened.n_bins, whitened.n_frames)
        inside = np.zeros(whitened.n_bins, dtype=np.bool_)
        inside[whitened.band(self.parameters)] = True
        pixels[~inside] = 0.0
        pixels[:, ~whitened.active_frames()] = 0.0
        return pixels


def candidates(features: CellFeatures) -> NDArray[np.intp]:
    """Flat positions of the cells that the forest is asked about."""
    return np.flatnonzero(features.usable & (features.sound_score > MIN_SOUND_SCORE))


def cell_probability(features: CellFeatures, forest: Forest) -> Image:
    """How probable it is that a cell is sound, from the cell and those around it.

    Parameters
    ----------
    features : CellFeatures
        Of one clip.
    forest : Forest
        What to ask.

    Returns
    -------
    ndarray of float32, shape (n_rows, n_columns)
        The forest's probabilities, blurred.
    """
    cells = np.zeros(features.usable.shape, dtype=np.float32)
    asked = candidates(features)
    cells.ravel()[asked] = forest.probability(features.of(asked))
    return np.asarray(scipy.ndimage.gaussian_filter(cells, _BLUR_CELLS), dtype=np.float32)
