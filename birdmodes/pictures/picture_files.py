"""Picture files: ink on paper, which the pages colour."""

from __future__ import annotations

import io
from functools import cache

import numpy as np
import numpy.typing as npt
from PIL import Image, features

COLOURS = 64
"""Steps from paper to black; more cannot be told apart, but make larger files."""


@cache
def picture_ending() -> str:
    """``.webp`` if Pillow can write it, else ``.png``."""
    return ".webp" if features.check("webp") else ".png"


def encode_picture(ink: npt.NDArray[np.uint8], quality: int) -> bytes:
    """Make the content of a picture file in the format of `picture_ending`.

    Parameters
    ----------
    ink : ndarray of uint8, shape (height, width)
        0 (paper, white) to ``COLOURS - 1`` (black). Row 0 is the top.
    quality : int
        Of WebP, 0 to 100. PNG has no losses, and files three times as large.
    """
    content = io.BytesIO()
    image = Image.fromarray(_greys().take(ink))
    if picture_ending() == ".webp":
        # Method 1 of 6: the slower ones take twice as long to save a few hundredths.
        image.save(content, "WEBP", quality=quality, method=1)
    else:
        image.save(content, "PNG", optimize=False)
    return content.getvalue()


@cache
def _greys() -> npt.NDArray[np.uint8]:
    """Grey by number: shape (``COLOURS``,)."""
    return np.linspace(255, 0, COLOURS).round().astype(np.uint8)
