"""Tiny pictures of all syllables, many in one file."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from PIL import Image

from birdmodes.pictures.picture_files import COLOURS, encode_picture
from birdmodes.segmentation import PATCH_RANGE_DB

WIDTH, HEIGHT = 48, 36
COLUMNS = 32
PER_SHEET = 1024
QUALITY = 60

LEAST_RANGE_DB = 20.0
"""A syllable fainter than this above the noise looks faint."""

Pixels = npt.NDArray[np.uint8]


def thumb(patch: Pixels) -> Pixels:
    """Bring a stored patch to the size of a thumb.

    Parameters
    ----------
    patch : ndarray of uint8, shape (n_bins, n_frames)
        As in the workspace; row 0 is the lowest frequency.

    Returns
    -------
    ndarray of uint8, shape (HEIGHT, WIDTH)
        Colour numbers, highest frequency at the top. The patch fills the width or the height, and
        a frame is as wide as a bin is high, so that slopes can be compared.
    """
    n_bins, n_frames = patch.shape
    size = min(WIDTH / n_frames, HEIGHT / n_bins)
    width, height = max(1, round(n_frames * size)), max(1, round(n_bins * size))
    small = Image.fromarray(np.ascontiguousarray(patch[::-1])).resize(
        (width, height), Image.Resampling.BILINEAR
    )
    loudest = max(float(patch.max()), LEAST_RANGE_DB / PATCH_RANGE_DB * 255)
    colours = (np.asarray(small) * ((COLOURS - 1) / loudest)).round()
    result = np.zeros((HEIGHT, WIDTH), dtype=np.uint8)
    top, left = (HEIGHT - height) // 2, (WIDTH - width) // 2
    result[top : top + height, left : left + width] = np.minimum(colours, COLOURS - 1)
    return result


class Sheet:
    """One file of thumbs, filled in any order.

    Parameters
    ----------
    count : int
        How many thumbs it is to hold, at most `PER_SHEET`.

    Attributes
    ----------
    missing : int
        How many are still to come.
    """

    def __init__(self, count: int) -> None:
        self.missing = count
        rows = -(-count // COLUMNS)
        self._pixels = np.zeros((rows, HEIGHT, COLUMNS, WIDTH), dtype=np.uint8)

    def put(self, cell: int, pixels: Pixels) -> None:
        """Fill a cell, numbered row by row."""
        self._pixels[cell // COLUMNS, :, cell % COLUMNS] = pixels
        self.missing -= 1

    def encode(self) -> bytes:
        """Content of the file."""
        rows = self._pixels.shape[0]
        return encode_picture(self._pixels.reshape(rows * HEIGHT, COLUMNS * WIDTH), QUALITY)
