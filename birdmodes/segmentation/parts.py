"""A part of a call: its pixels and how its energy goes in time; trimmed, joined and cropped."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from birdmodes.segmentation.base import Box, Region

# The core of a part is where its amplitude is at least this share of the largest.
_CORE = 0.25
# Loud sounds have echoes and the skirt of the window beside them: of parts that rise so many
# decibels above the noise, columns under this share of the largest amplitude are no sound of
# their own. Fainter ones keep what they have: painted masks and tags are wider than the sound.
_TRIMS = ((45.0, 0.1), (30.0, 0.05))
# Blurs end at so many standard deviations.
_BLUR_TRUNCATE = 3.0


@dataclass(frozen=True, eq=False)
class Part:
    """Pixels of a spectrogram that are a call or a part of one.

    What is measured on them is computed when it is asked for: most parts are never joined.

    Parameters
    ----------
    box : tuple of slice
        Rows and columns.
    mask : ndarray of bool
        The pixels inside the box; at least one.
    magnitude : ndarray of float32, shape (n_bins, n_frames)
        Whitened magnitudes of the clip, noise at 1.
    """

    box: Box
    mask: NDArray[np.bool_]
    magnitude: NDArray[np.float32]

    @property
    def start(self) -> int:
        """First column."""
        return int(self.box[1].start)

    @property
    def stop(self) -> int:
        """The column behind the last."""
        return int(self.box[1].stop)

    @functools.cached_property
    def peak_db(self) -> float:
        """Loudest pixel in decibels above the noise."""
        return 20.0 * math.log10(max(1.0, float(self._masked.max())))

    @functools.cached_property
    def _masked(self) -> NDArray[np.float32]:
        """Magnitudes of its pixels, 0 elsewhere in the box."""
        return np.asarray(self.magnitude[self.box] * self.mask)

    @functools.cached_property
    def _columns(self) -> NDArray[np.float32]:
        """Energy above the noise of every column."""
        power = np.square(self._masked)
        power -= np.float32(1.0)
        np.maximum(power, np.float32(0.0), out=power)
        return np.asarray(power.sum(axis=0))

    @functools.cached_property
    def energy(self) -> float:
        """Energy above the noise of all pixels."""
        return float(self._columns.sum())

    @functools.cached_property
    def amplitude(self) -> NDArray[np.float32]:
        """Root of the energy above the noise of every column, blurred by a frame."""
        return blurred(np.sqrt(self._columns))

    @functools.cached_property
    def core(self) -> tuple[int, int]:
        """First column of the core, counted in the clip, and the one behind it."""
        loud = (self.amplitude >= _CORE * self.amplitude.max()).nonzero()[0]
        return self.start + int(loud[0]), self.start + int(loud[-1]) + 1


@functools.cache
def _weights(sigma: float) -> NDArray[np.float32]:
    reach = max(1, math.ceil(_BLUR_TRUNCATE * sigma))
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma) ** 2)
    return np.asarray(weights / weights.sum(), dtype=np.float32)


def blurred(values: NDArray[np.float32], sigma: float = 1.0) -> NDArray[np.float32]:
    """Blur a row of numbers; beyond its ends it goes on as it ends.

    One frame takes the ripple of the noise off and leaves the edges.
    """
    weights = _weights(sigma)
    reach = weights.size // 2
    padded = np.empty(values.size + 2 * reach, dtype=np.float32)
    padded[:reach], padded[reach:-reach], padded[-reach:] = values[0], values, values[-1]
    return np.correlate(padded, weights, "valid")  # as convolved: they are symmetric


def columns_of(part: Part, first: int, stop: int) -> Part | None:
    """The part between two columns, counted from its first, without empty rows and columns.

    Returns
    -------
    Part or None
        None if the part has no pixel there.
    """
    if first == 0 and stop == part.mask.shape[1]:
        return part
    mask = part.mask[:, first:stop]
    region = cropped((part.box[0], slice(part.start + first, part.start + stop)), mask)
    return None if region is None else Part(*region, part.magnitude)


def cropped(box: Box, mask: NDArray[np.bool_]) -> Region | None:
    """Smallest box around the pixels of a mask; None if there are none."""
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    if not rows.size:
        return None
    inner = slice(int(rows[0]), int(rows[-1]) + 1), slice(int(columns[0]), int(columns[-1]) + 1)
    outer = tuple(
        slice(side.start + part.start, side.start + part.stop)
        for side, part in zip(box, inner, strict=True)
    )
    return outer, mask[inner]


def trimmed(part: Part) -> Part:
    """Take the faint columns off both ends of a loud part."""
    share = next((share for least_db, share in _TRIMS if part.peak_db >= least_db), 0.0)
    if not share:
        return part
    loud = (part.amplitude >= share * part.amplitude.max()).nonzero()[0]
    return columns_of(part, int(loud[0]), int(loud[-1]) + 1) or part


def joined(parts: Sequence[Part]) -> Part:
    """One part of all pixels of several."""
    if len(parts) == 1:
        return parts[0]
    first, stop = (
        [pick(getattr(part.box[axis], edge) for part in parts) for axis in (0, 1)]
        for pick, edge in ((min, "start"), (max, "stop"))
    )
    box = tuple(slice(*side) for side in zip(first, stop, strict=True))
    mask = np.zeros([side.stop - side.start for side in box], dtype=np.bool_)
    for part in parts:
        rows, columns = (
            slice(inner.start - outer.start, inner.stop - outer.start)
            for inner, outer in zip(part.box, box, strict=True)
        )
        mask[rows, columns] |= part.mask
    return Part(box, mask, parts[0].magnitude)
