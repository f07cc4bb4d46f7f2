"""Which parts sound together: bands of one call, not birds that happen to overlap."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from birdmodes.segmentation.parts import Part, blurred, columns_of, joined
from birdmodes.segmentation.spectrogram import Spectrogram

# Envelopes are compared over both parts and so much on either side, where the call is silent.
_AROUND_S = 0.08
# Edges so near each other are the same edge: of two parts that share both, this correlation is
# enough, for faint bands have ragged envelopes.
_SAME_EDGE_S = 0.025
_SAME_EDGES_R = 0.2
_CLEAR_DB = 30.0
# Part of the core that lies in the core of the louder; or of the whole that lies in the whole of
# it, where the envelopes are as good as one (the beginning or the skirt of the same sound).
_IN_CORE = 0.5
_IN_WHOLE = 0.6
_WHOLE_R = 0.9
# A band that covers this part of the cores of several calls runs through them and is cut at them,
# if it follows each of them so well; what is farther from all of them stays by itself.
_THROUGH = 0.5
_THROUGH_R = 0.6
_NEAR_S = 0.025
# Whitened powers below this are far under the noise.
_MIN_POWER = 1e-3


@dataclass(frozen=True)
class _Reach:
    """Sizes in frames."""

    around: int
    same_edge: int
    near: int


def in_runs(parts: Iterable[Part]) -> Iterator[list[Part]]:
    """Gather parts that overlap in time, directly or through others, by their start."""
    run: list[Part] = []
    stop = 0
    for part in sorted(parts, key=lambda part: (part.start, part.box[0].start)):
        if run and part.start >= stop:
            yield run
            run, stop = [], 0
        run.append(part)
        stop = max(stop, part.stop)
    if run:
        yield run


def group_parts(parts: Sequence[Part], whitened: Spectrogram, least_r: float) -> list[Part]:
    """Join parts that sound together, the louder ones first.

    A part joins the louder one that its envelope follows best: the level over the rows of either,
    in decibels. A quieter band that runs through several calls is cut at them.

    Parameters
    ----------
    parts : sequence of Part
        Of one clip.
    whitened : Spectrogram
        Where they were found.
    least_r : float
        Correlation of the envelopes from which on two parts are one.

    Returns
    -------
    list of Part
        Of the same pixels.

    References
    ----------
    Bregman, A. S. (1990). Auditory Scene Analysis, chapter 3: what begins, ends and changes
    together is heard as one sound.
    """
    sizes = (_AROUND_S, _SAME_EDGE_S, _NEAR_S)
    reach = _Reach(*(max(1, round(size / whitened.frame_s)) for size in sizes))
    groups: list[_Group] = []
    alone: list[Part] = []
    for part in sorted(parts, key=lambda part: -part.energy):
        # Only with those at the same time is anything compared.
        near = [group for group in groups if group.overlaps(part)]
        likeness = [(group, group.likeness(part)) for group in near]
        own = [
            (r, -number)
            for number, (group, r) in enumerate(likeness)
            if group.owns(part, r, least_r)
        ]
        if own:
            near[-max(own)[1]].parts.append(part)
            continue
        through = [group for group, r in likeness if r >= _THROUGH_R and group.is_crossed_by(part)]
        if len(through) < 2:
            groups.append(_Group(part, whitened, reach))
            continue
        for piece, group in _slices(part, through, reach):
            (alone if group is None else group.parts).append(piece)
    return [joined(group.parts) for group in groups] + alone


class _Group:
    """A loud part and those that belong to it."""

    def __init__(self, loud: Part, whitened: Spectrogram, reach: _Reach) -> None:
        self.parts = [loud]
        self._magnitude = whitened.magnitude
        self._same_edge = reach.same_edge
        self._times = slice(
            max(0, loud.start - reach.around), min(whitened.n_frames, loud.stop + reach.around)
        )
        self._level: NDArray[np.float32] | None = None
        # The edges of the clip are not those of the sound, and only those of loud sounds are sharp.
        self._has_edges = (
            loud.peak_db >= _CLEAR_DB and loud.start > 0 and loud.stop < whitened.n_frames
        )

    def overlaps(self, part: Part) -> bool:
        """Whether a part shares a column with the loud one."""
        loud = self.parts[0]
        return part.start < loud.stop and loud.start < part.stop

    def likeness(self, part: Part) -> float:
        """Correlation of the levels in the rows of both, -1 if they hardly overlap in time."""
        loud = self.parts[0]
        if not (self._covers(part) or self.is_crossed_by(part)):
            return -1.0
        if self._level is None:
            self._level = _level(self._magnitude[loud.box[0], self._times])
        level = _level(self._magnitude[part.box[0], self._times])
        size = math.sqrt(self._level.dot(self._level) * level.dot(level))
        return float(self._level.dot(level)) / size if size > 0 else 0.0

    def owns(self, part: Part, r: float, least_r: float) -> bool:
        """Whether a part whose levels correlate by `r` is of the same call."""
        if r < min(_SAME_EDGES_R, least_r):
            return False
        if not self._shares_core(part):
            return r >= _WHOLE_R and self._covers(part)
        loud = self.parts[0]
        apart = max(abs(loud.start - part.start), abs(loud.stop - part.stop))
        return r >= least_r or (self._has_edges and apart <= self._same_edge)

    def is_crossed_by(self, band: Part) -> bool:
        """Whether a band covers the core of the call."""
        core = self.parts[0].core
        return _overlap(band.core, core) >= max(1.0, _THROUGH * (core[1] - core[0]))

    def _covers(self, part: Part) -> bool:
        loud = self.parts[0]
        together = _overlap((loud.start, loud.stop), (part.start, part.stop))
        return together >= _IN_WHOLE * (part.stop - part.start) or self._shares_core(part)

    def _shares_core(self, part: Part) -> bool:
        core = self.parts[0].core
        return _overlap(core, part.core) >= _IN_CORE * (part.core[1] - part.core[0])


def _slices(
    band: Part, groups: Sequence[_Group], reach: _Reach
) -> Iterator[tuple[Part, _Group | None]]:
    """Pieces of a band, each with the group that it lies at, None if it is far from all."""
    columns = np.arange(band.start, band.stop)
    calls = [group.parts[0] for group in groups]
    away = np.array([np.maximum(call.start - columns, columns - call.stop + 1) for call in calls])
    nearest = np.where(away.min(axis=0) <= reach.near, away.argmin(axis=0), -1)
    edges = [0, *(np.flatnonzero(np.diff(nearest)) + 1).tolist(), nearest.size]
    for first, stop in itertools.pairwise(edges):
        piece = columns_of(band, first, stop)
        if piece is not None:
            yield piece, None if nearest[first] < 0 else groups[nearest[first]]


def _overlap(one: tuple[int, int], other: tuple[int, int]) -> int:
    return min(one[1], other[1]) - max(one[0], other[0])


def _level(magnitude: NDArray[np.float32]) -> NDArray[np.float32]:
    """Decibels of the mean power of columns, their mean taken off."""
    power = np.einsum("ft,ft->t", magnitude, magnitude) / np.float32(magnitude.shape[0])
    level = np.log10(np.maximum(blurred(power), np.float32(_MIN_POWER)))
    return np.asarray(level - level.sum() / np.float32(level.size))
