"""Colours, and picture files of them."""

from __future__ import annotations

import io
from functools import cache

import numpy as np
import numpy.typing as npt
from PIL import Image, features

COLOURS = 64
"""Steps of the colour map; more cannot be told apart, but make larger files."""

NOTHING = COLOURS
"""Colour number of places that the image says nothing about."""

_NOTHING_RGB = (62, 66, 72)


@cache
def picture_ending() -> str:
    """``.webp`` if Pillow can write it, else ``.png``."""
    return ".webp" if features.check("webp") else ".png"


def encode_picture(colours: npt.NDArray[np.uint8], quality: int) -> bytes:
    """Make the content of a picture file in the format of `picture_ending`.

    Parameters
    ----------
    colours : ndarray of uint8, shape (height, width)
        Colour numbers, 0 (dark) to ``COLOURS - 1`` (bright), or `NOTHING`. Row 0 is the top.
    quality : int
        Of WebP, 0 to 100. PNG has no losses, and files three times as large.
    """
    content = io.BytesIO()
    if picture_ending() == ".webp":
        # Method 2 of 6: the slower ones save two hundredths.
        image = Image.fromarray(_palette().take(colours, axis=0))
        image.save(content, "WEBP", quality=quality, method=2)
    else:
        image = Image.fromarray(colours)
        image.putpalette(_palette().tobytes())
        image.save(content, "PNG", optimize=False)
    return content.getvalue()


@cache
def _palette() -> npt.NDArray[np.uint8]:
    """Colours by number: shape (``COLOURS + 1``, 3)."""
    import matplotlib as mpl  # slow to import, and only needed here

    colours = mpl.colormaps["magma"](np.linspace(0, 1, COLOURS), bytes=True)[:, :3]
    return np.vstack([colours, np.array(_NOTHING_RGB)]).astype(np.uint8)
