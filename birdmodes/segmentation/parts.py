"""A part of a call: its pixels and how its energy goes in time; trimmed, joined and cropped."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from birdmodes.segmentation.notes import Box, Region

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

    Attributes
    ----------
    box : tuple of slice
        Rows and columns.
    mask : ndarray of bool
        The pixels inside the box.
    amplitude : ndarray of float32, shape (n_columns,)
        Root of the energy above the noise in every column, blurred by a frame.
    peak_db : float
        Loudest pixel in decibels above the noise.
    energy : float
        Energy above the noise of all pixels.
    core : tuple of int
        First column of the core, counted as in the box, and the one behind it.
    """

    box: Box
    mask: NDArray[np.bool_]
    amplitude: NDArray[np.float32]
    peak_db: float
    energy: float
    core: tuple[int, int]

    @property
    def start(self) -> int:
        """First column."""
        return int(self.box[1].start)

    @property
    def stop(self) -> int:
        """The column behind the last."""
        return int(self.box[1].stop)


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
    return np.convolve(padded, weights, "valid")


def part_of(region: Region, magnitude: NDArray[np.float32]) -> Part:
    """Measure a region.

    Parameters
    ----------
    region : (box, mask)
        Which pixels; at least one.
    magnitude : ndarray of float32, shape (n_bins, n_frames)
        Whitened magnitudes, noise at 1.
    """
    box, mask = region
    power = magnitude[box] * mask
    power *= power
    power -= np.float32(1.0)
    np.maximum(power, np.float32(0.0), out=power)
    columns = power.sum(axis=0)
    amplitude = blurred(np.sqrt(columns))
    first = int(box[1].start)
    core = np.flatnonzero(amplitude >= _CORE * amplitude.max())
    return Part(
        box=box,
        mask=mask,
        amplitude=amplitude,
        peak_db=10.0 * float(np.log10(power.max() + 1.0)),
        energy=float(columns.sum()),
        core=(first + int(core[0]), first + int(core[-1]) + 1),
    )


def columns_of(part: Part, first: int, stop: int, magnitude: NDArray[np.float32]) -> Part | None:
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
    return None if region is None else part_of(region, magnitude)


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


def trimmed(part: Part, magnitude: NDArray[np.float32]) -> Part:
    """Take the faint columns off both ends of a loud part."""
    share = next((share for least_db, share in _TRIMS if part.peak_db >= least_db), 0.0)
    if not share:
        return part
    loud = np.flatnonzero(part.amplitude >= share * part.amplitude.max())
    return columns_of(part, int(loud[0]), int(loud[-1]) + 1, magnitude) or part


def joined(parts: Sequence[Part], magnitude: NDArray[np.float32]) -> Part:
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
    return part_of((box, mask), magnitude)
