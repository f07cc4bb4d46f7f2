"""Which of many recordings sound the same, by their sketches (`birdmodes.audio.prints.Sketch`).

Sketches are not compared each with each. Two of the same sound have a frame in common, bit for
bit in most bands, at about the same time: only those that have are compared as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from birdmodes.audio.prints import N_BITS, N_FRAMES

Ints = npt.NDArray[np.int64]

# Lossy copies differ in 5 to 25 % of the bits; different birds under one and the same loud rain or
# insects, in 27 to 34 %. Of 160,000 pairs of real recordings with
# 128 frames the nearest two differ in 41 %, on the average 47.6 % with a standard deviation of
# 1.6 %, more in shorter ones. Eight deviations below is so seldom that no two recordings of a
# million are taken for copies.
_MOST_APART = 0.26
_USUAL, _DEVIATIONS = 0.48, 1.4
_LEAST_FRAMES = 12
# Coders put up to 0.15 s before the sound.
MOST_LAG = 6
_MOST_APART_S = 0.5
# Frames are looked up by so many neighbouring bands: the more recordings the more, so that chance
# meetings grow no faster than their number. Among a hundred thousand, that finds copies of common
# quality and loses some that hardly sound like the original.
_LEAST_LOOKED_UP, _BEYOND = 16, 7
# These frames are compared first: few pairs that only met by chance differ in less of them.
_FIRST_LOOK, _FIRST_APART = slice(None, None, 6), 0.41
# What so many frames have in common says nothing: a tone, a hum.
_MOST_IN_COMMON = 300
_AT_A_TIME = 1 << 15

_ONES = np.array([bits.bit_count() for bits in range(256)], dtype=np.uint8)


def sounding_alike(
    sketches: Sequence[bytes | None], durations_s: npt.NDArray[np.float64]
) -> list[tuple[int, int]]:
    """Find pairs of recordings that are the same but for coding, rate, gain and padding.

    Parameters
    ----------
    sketches : sequence of bytes or None
        Of each recording, as `birdmodes.audio.prints.Sketch.packed` gives it, made at one rate.
    durations_s : ndarray, shape (n,)
        How long the recordings are: copies differ by less than half a second.

    Returns
    -------
    list of (int, int)
        Numbers of the recordings, the lower first; sorted.
    """
    frames = np.zeros((len(sketches), N_FRAMES, N_BITS // 8), dtype=np.uint8)
    for row, sketch in zip(frames, sketches, strict=True):
        content = np.frombuffer(sketch or b"", dtype=np.uint8).reshape(-1, N_BITS // 8)
        row[: len(content)] = content[:N_FRAMES]
    found = np.zeros(0, dtype=np.int64)
    for one, other, lag in _candidates(frames):
        pair = one * len(frames) + other
        near = np.abs(durations_s[one] - durations_s[other]) <= _MOST_APART_S
        todo = np.flatnonzero(near & ~_among(found, pair))
        same = todo[_are_alike(frames, one[todo], other[todo], lag[todo])]
        if same.size:
            # Two ordered rows are merged, in less time than by `numpy.union1d`.
            found = np.sort(np.concatenate([found, np.unique(pair[same])]), kind="stable")
    return [divmod(pair, len(frames)) for pair in found.tolist()]


def _among(ordered: Ints, values: Ints) -> npt.NDArray[np.bool_]:
    """Which values are among others that are in order: `numpy.isin` would order them again."""
    if not ordered.size:
        return np.zeros(len(values), dtype=np.bool_)
    place = np.searchsorted(ordered, values).clip(max=len(ordered) - 1)
    return np.asarray(ordered[place] == values)


def _candidates(frames: npt.NDArray[np.uint8]) -> Iterator[tuple[Ints, Ints, Ints]]:
    """Pairs with a frame in common: the lower number, the higher, and the lag; some at a time."""
    code = frames.astype(np.int64) @ np.array([1 << 16, 1 << 8, 1])
    recording, time = np.nonzero(code)
    code = code[recording, time]
    bands = min(N_BITS, max(_LEAST_LOOKED_UP, _BEYOND + len(frames).bit_length()))
    width = 2 * (MOST_LAG + 1)
    for start in sorted({0, (N_BITS - bands) // 2, N_BITS - bands}):
        part = (code >> start) & ((1 << bands) - 1)
        for offset in (0, width // 2):
            # Within a slot of time or the one that overlaps it, all that are near enough meet.
            key = part * N_FRAMES + (time + offset) // width
            yield from _in_common(key, recording, time)


def _in_common(key: Ints, recording: Ints, time: Ints) -> Iterator[tuple[Ints, Ints, Ints]]:
    # As by a stable sort of the keys, which takes ten times as long. They are below 2^31, so that
    # there is room for four thousand million frames.
    ordered, order = np.divmod(np.sort(key * len(key) + np.arange(len(key))), len(key))
    changes = np.flatnonzero(np.diff(ordered, prepend=-1, append=-1))
    size = np.diff(changes)
    within = np.repeat((size > 1) & (size <= _MOST_IN_COMMON), size)
    order, ordered = order[within], ordered[within]
    for step in range(1, _MOST_IN_COMMON):
        same = np.flatnonzero(ordered[step:] == ordered[:-step])
        if not same.size:
            return
        one, other = order[same], order[same + step]
        lag = time[other] - time[one]
        wanted = (recording[one] != recording[other]) & (np.abs(lag) <= MOST_LAG)
        one, other, lag = one[wanted], other[wanted], lag[wanted]
        for first in range(0, len(lag), _AT_A_TIME):
            some = slice(first, first + _AT_A_TIME)
            yield recording[one[some]], recording[other[some]], lag[some]


def _are_alike(
    frames: npt.NDArray[np.uint8], one: Ints, other: Ints, lag: Ints
) -> npt.NDArray[np.bool_]:
    """Whether sketches are those of the same sound, the second later by `lag` frames."""
    alike = np.zeros(len(one), dtype=np.bool_)
    for away in np.unique(lag):
        rows = np.flatnonzero(lag == away)
        early, late = max(0, -int(away)), max(0, int(away))
        a = frames[one[rows], early : N_FRAMES - late]
        b = frames[other[rows], late : N_FRAMES - early]
        look = _ONES[a[:, _FIRST_LOOK] ^ b[:, _FIRST_LOOK]]
        near = look.mean(axis=(1, 2), dtype=np.float32) <= _FIRST_APART * 8
        alike[rows[near]] = _differ_little(a[near], b[near])
    return alike


def _differ_little(a: npt.NDArray[np.uint8], b: npt.NDArray[np.uint8]) -> npt.NDArray[np.bool_]:
    """Whether aligned sketches, one a row, are those of the same sound."""
    sound = a.any(axis=2) & b.any(axis=2)
    n_frames = sound.sum(axis=1)
    differing = (_ONES[a ^ b].sum(axis=2, dtype=np.int64) * sound).sum(axis=1)
    share = np.minimum(_USUAL - _DEVIATIONS / np.sqrt(np.maximum(n_frames, 1)), _MOST_APART)
    alike = (differing <= share * n_frames * N_BITS) & (n_frames >= _LEAST_FRAMES)
    return np.asarray(alike)
