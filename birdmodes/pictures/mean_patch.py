"""The mean patch of every cluster, summed up clip by clip.

Every patch counts alike: it is brought to its own scale first, on which its loud parts are 1, and
the mean is drawn on its own scale again. So neither one loud syllable nor one click decides what is
seen of the others.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from birdmodes.pictures.pictures import SoundImage
from birdmodes.segmentation.parameters import SegmentationParameters

Sums = npt.NDArray[np.uint32]

LOUD_QUANTILE = 0.99
"""Of a patch's own pixels: what is louder counts as 1."""

BRIGHT_QUANTILE = 0.997
"""Of the mean's pixels that are not silent: what is more is drawn as 1."""


class MeanPatch:
    """Average of the patches of one cluster, each with its centre on the same spot.

    Sums are of whole numbers, so they do not depend on the order in which patches come.

    Parameters
    ----------
    widest : int
        Frames of the grid; what is wider is cut at both ends.

    Attributes
    ----------
    count : int
        Patches added.
    """

    def __init__(self, widest: int) -> None:
        self._widest = widest
        self._sum: Sums = np.zeros((0, 0), dtype=np.uint32)
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
        own = np.where(mask, patch, np.uint8(0))
        loud = max(float(np.quantile(patch[mask], LOUD_QUANTILE)) if mask.any() else 0.0, 1.0)
        self._put(np.minimum(own * (255 / loud), 255).round().astype(np.uint8))
        self.count += 1

    def merge(self, other: MeanPatch) -> None:
        """Add what another one has summed up."""
        self._put(other._sum)
        self.count += other.count

    def _put(self, image: npt.NDArray[np.unsignedinteger]) -> None:
        cut = max(0, image.shape[1] // 2 - self._widest // 2)
        image = image[:, cut : cut + self._widest]
        self._grow(image.shape)
        part = tuple(
            slice(room // 2 - size // 2, room // 2 - size // 2 + size)
            for room, size in zip(self._sum.shape, image.shape, strict=True)
        )
        self._sum[part] += image

    def _grow(self, shape: tuple[int, ...]) -> None:
        """Make room for an image of this shape around the centre."""
        old = self._sum
        room = [2 * ((max(a, b) + 1) // 2) for a, b in zip(old.shape, shape, strict=True)]
        if room == list(old.shape):
            return
        self._sum = np.zeros(room, dtype=np.uint32)
        rows, columns = ((new - size) // 2 for new, size in zip(room, old.shape, strict=True))
        self._sum[rows : rows + old.shape[0], columns : columns + old.shape[1]] = old

    def image(
        self, parameters: SegmentationParameters, centre_s: float, centre_hz: float
    ) -> SoundImage:
        """Give the mean, with the common centre put at a time and a frequency.

        Parameters
        ----------
        parameters : SegmentationParameters
            Those of the workspace.
        centre_s : float
            In seconds from the start of the syllable.
        centre_hz : float
            In hertz.

        Returns
        -------
        SoundImage
            0 (silence, also around it) to 1.
        """
        # Silence at the edges, so that they are drawn as soft as in the middle.
        level = np.pad(self._sum, 1).astype(np.float64)
        sounding = level[level > 0]
        if sounding.size:
            level = np.minimum(level / np.quantile(sounding, BRIGHT_QUANTILE), 1.0)
        frame_s, bin_hz = parameters.frame_s, parameters.bin_hz
        return SoundImage(
            level=level,
            first_s=centre_s - (level.shape[1] // 2 - 0.5) * frame_s,
            first_hz=centre_hz - (level.shape[0] // 2 - 0.5) * bin_hz,
            frame_s=frame_s,
            bin_hz=bin_hz,
        )
