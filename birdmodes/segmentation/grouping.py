"""Which parts sound together: bands of one call, not birds that happen to overlap."""

from __future__ import annotations

import itertools
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
    groups: list[list[Part]] = []
    alone: list[Part] = []
    for part in sorted(parts, key=lambda part: -part.energy):
        best_r, best = -1.0, -1
        for number, group in enumerate(groups):
            r = _likeness(group[0], part, whitened, least_r, reach)
            if r > best_r:
                best_r, best = r, number
        if best >= 0:
            groups[best].append(part)
            continue
        through = [group for group in groups if _runs_through(part, group[0], whitened, reach)]
        if len(through) < 2:
            groups.append([part])
            continue
        for piece, group in _slices(part, through, whitened, reach):
            (alone if group is None else group).append(piece)
    return [joined(group, whitened.magnitude) for group in groups] + alone


def _likeness(
    loud: Part, part: Part, whitened: Spectrogram, least_r: float, reach: _Reach
) -> float:
    """Correlation of two parts that belong together, -1 if they do not."""
    together = _overlap((loud.start, loud.stop), (part.start, part.stop))
    if together <= 0:
        return -1.0
    in_core = _overlap(loud.core, part.core) >= _IN_CORE * (part.core[1] - part.core[0])
    if not in_core and together < _IN_WHOLE * (part.stop - part.start):
        return -1.0
    r = _correlation(loud, part, _around((loud, part), whitened, reach), whitened)
    if not in_core:
        return r if r >= _WHOLE_R else -1.0
    same_edges = (
        max(abs(loud.start - part.start), abs(loud.stop - part.stop)) <= reach.same_edge
        and loud.peak_db >= _CLEAR_DB
        # The edges of the clip are not those of the sound.
        and loud.start > 0
        and loud.stop < whitened.n_frames
    )
    return r if r >= (min(_SAME_EDGES_R, least_r) if same_edges else least_r) else -1.0


def _runs_through(band: Part, call: Part, whitened: Spectrogram, reach: _Reach) -> bool:
    """Whether a band covers the core of a call and follows it there."""
    covered = _overlap(band.core, call.core)
    if covered < max(1.0, _THROUGH * (call.core[1] - call.core[0])):
        return False
    times = _around((call,), whitened, reach)
    return _correlation(call, band, times, whitened) >= _THROUGH_R


def _slices(
    band: Part, groups: Sequence[list[Part]], whitened: Spectrogram, reach: _Reach
) -> Iterator[tuple[Part, list[Part] | None]]:
    """Pieces of a band, each with the group that it lies at, None if it is far from all."""
    columns = np.arange(band.start, band.stop)
    away = np.array(
        [np.maximum(group[0].start - columns, columns - group[0].stop + 1) for group in groups]
    )
    nearest = np.where(away.min(axis=0) <= reach.near, away.argmin(axis=0), -1)
    edges = [0, *(np.flatnonzero(np.diff(nearest)) + 1).tolist(), nearest.size]
    for first, stop in itertools.pairwise(edges):
        piece = columns_of(band, first, stop, whitened.magnitude)
        if piece is not None:
            yield piece, None if nearest[first] < 0 else groups[nearest[first]]


def _overlap(one: tuple[int, int], other: tuple[int, int]) -> int:
    return min(one[1], other[1]) - max(one[0], other[0])


def _around(parts: Sequence[Part], whitened: Spectrogram, reach: _Reach) -> slice:
    """Columns of parts and of what is around them."""
    start = min(part.start for part in parts) - reach.around
    stop = max(part.stop for part in parts) + reach.around
    return slice(max(0, start), min(whitened.n_frames, stop))


def _correlation(one: Part, other: Part, times: slice, whitened: Spectrogram) -> float:
    """Correlation of the levels in the rows of two parts."""
    x, y = (_level(whitened.magnitude[part.box[0], times]) for part in (one, other))
    size = float(np.sqrt(x.dot(x) * y.dot(y)))
    return float(x.dot(y)) / size if size > 0 else 0.0


def _level(magnitude: NDArray[np.float32]) -> NDArray[np.float32]:
    """Decibels of the mean power of columns, their mean taken off."""
    power = np.einsum("ft,ft->t", magnitude, magnitude) / np.float32(magnitude.shape[0])
    level = np.log10(np.maximum(blurred(power), np.float32(_MIN_POWER)))
    return level - level.mean()
