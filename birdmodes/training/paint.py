"""What was painted on a recording: where there is sound and where not, as its truth."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from birdmodes.audio.read import AudioFacts
from birdmodes.errors import ModelError
from birdmodes.labels.formats.boxes import Box

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]

_PAINTED = 127  # brighter than this is paint
_MAX_PIXELS = 400_000_000


class Paint(Protocol):
    """The truth about one recording."""

    def at(self, hertz: Floats, seconds: Floats, facts: AudioFacts) -> Bools:
        """Whether there is sound at every frequency and time.

        Parameters
        ----------
        hertz : ndarray, shape (n_bins,)
            Frequencies.
        seconds : ndarray, shape (n_frames,)
            Times from the start of the recording.
        facts : AudioFacts
            Of the recording: its duration and sample rate.

        Returns
        -------
        ndarray of bool, shape (n_bins, n_frames)
            True where there is sound.
        """
        ...


@dataclass(frozen=True)
class PaintedImage:
    """A picture over the whole recording, from 0 Hz to half its sample rate; bright is sound.

    Parameters
    ----------
    path : pathlib.Path
        BMP, PNG or whatever else Pillow reads.
    top_is_high : bool
        Whether the top of the picture is the highest frequency, as on a screen, or 0 Hz.
    """

    path: Path
    top_is_high: bool = False

    def at(self, hertz: Floats, seconds: Floats, facts: AudioFacts) -> Bools:
        """See `Paint.at`.

        Raises
        ------
        ModelError
            If the picture cannot be read.
        """
        image = _read_image(self.path)
        if self.top_is_high:
            image = image[::-1]
        row = np.floor(hertz / (facts.sample_rate_hz / 2) * image.shape[0]).astype(np.intp)
        column = np.floor(seconds / facts.duration_s * image.shape[1]).astype(np.intp)
        inside = row < image.shape[0]
        painted = np.zeros((hertz.size, seconds.size), dtype=np.bool_)
        painted[inside] = image[row[inside]][:, column.clip(0, image.shape[1] - 1)]
        return painted


@functools.lru_cache(maxsize=1)  # the clips of a recording ask one after the other
def _read_image(path: Path) -> Bools:
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(path) as image:
            if image.width * image.height > _MAX_PIXELS:
                raise ModelError(f"{path}: {image.width} x {image.height} pixels are too many")
            return np.asarray(image.convert("L")) > _PAINTED
    except (UnidentifiedImageError, Image.DecompressionBombError) as error:
        raise ModelError(f"{path}: not a picture; give BMP or PNG files") from error
    except (OSError, SyntaxError, ValueError) as error:
        raise ModelError(f"{path}: the picture cannot be read ({error})") from error


@dataclass(frozen=True)
class PaintedBoxes:
    """Rectangles, all else being silent.

    Parameters
    ----------
    boxes : sequence of Box
        May be empty: nothing there.
    """

    boxes: Sequence[Box]

    def at(self, hertz: Floats, seconds: Floats, facts: AudioFacts) -> Bools:
        """See `Paint.at`; the recording's facts are not needed."""
        painted = np.zeros((hertz.size, seconds.size), dtype=np.bool_)
        for box in self.boxes:
            bins = np.searchsorted(hertz, (box.low_hz, box.high_hz))
            frames = np.searchsorted(seconds, (box.start_s, box.end_s))
            painted[slice(*bins), slice(*frames)] = True
        return painted
