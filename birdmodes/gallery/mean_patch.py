"""The mean patch of every cluster, summed up recording by recording."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from birdmodes.gallery.pictures import SoundImage
from birdmodes.parameters import SegmentationParameters
from birdmodes.segmentation import PATCH_RANGE_DB


class MeanPatch:
    """Average of the patches of one cluster, each with its centre on the same spot.

    Parameters
    ----------
    parameters : SegmentationParameters
        Those of the workspace; the grid has its bins and frames.
    width_s : float
        Width of the grid (s); what is wider is cut at both ends.

    Attributes
    ----------
    count : int
        Patches added.
    """

    def __init__(self, parameters: SegmentationParameters, width_s: float) -> None:
        self._parameters = parameters
        self._half_bins = parameters.n_bins // 2
        self._half_frames = max(1, math.ceil(width_s / 2 / parameters.frame_s))
        self._sum = np.zeros((2 * self._half_bins, 2 * self._half_frames), dtype=np.float32)
        self.count = 0

    def add(self, patch: npt.NDArray[np.uint8], mask: npt.NDArray[np.bool_]) -> None:
        """Add a syllable; what is outside its mask counts as silence.

        Parameters
        ----------
        patch : ndarray of uint8, shape (n_bins, n_frames)
            As in the workspace.
        mask : ndarray of bool, shape (n_bins, n_frames)
            The syllable's pixels.
        """
        rows, from_rows = _overlap(self._half_bins, patch.shape[0])
        columns, from_columns = _overlap(self._half_frames, patch.shape[1])
        part = (from_rows, from_columns)
        self._sum[rows, columns] += np.where(mask[part], patch[part], 0)
        self.count += 1

    def image(self, centre_s: float, centre_hz: float) -> SoundImage:
        """Give the mean, with the common centre put at a time and a frequency.

        Parameters
        ----------
        centre_s : float
            In seconds from the start of the syllable.
        centre_hz : float
            In hertz.

        Returns
        -------
        SoundImage
            In decibels above the noise.
        """
        level = self._sum * (PATCH_RANGE_DB / 255 / max(1, self.count))
        frame_s, bin_hz = self._parameters.frame_s, self._parameters.bin_hz
        return SoundImage(
            level=level,
            first_s=centre_s - (self._half_frames - 0.5) * frame_s,
            first_hz=centre_hz - (self._half_bins - 0.5) * bin_hz,
            frame_s=frame_s,
            bin_hz=bin_hz,
        )


def _overlap(half: int, size: int) -> tuple[slice, slice]:
    """Where something of `size` goes that is centred on ``2 * half`` places, and what of it."""
    first = half - size // 2
    kept = slice(max(0, -first), min(size, 2 * half - first))
    return slice(first + kept.start, first + kept.stop), kept
