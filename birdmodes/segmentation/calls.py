"""One call, one syllable: notes that are parts of one call are joined, bands are cut in time.

A call of several harmonics falls into a note for each, and an upper band may run on through a
series whose gaps are a millisecond. After the notes of the regions have been found
(`birdmodes.segmentation.notes`),

1. loud notes lose their faint ends (`birdmodes.segmentation.parts.trimmed`),
2. parts that begin, change and end together are joined (`birdmodes.segmentation.grouping`),
3. what is longer than a note is cut where its level has a deep valley, and its parts are joined
   once more, for now a band has the length of the notes that it runs through,
4. what is too small is dropped.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from birdmodes.segmentation.base import Region, SizeLimits
from birdmodes.segmentation.grouping import group_parts, in_runs
from birdmodes.segmentation.parameters import SegmentationParameters
from birdmodes.segmentation.parts import Part, blurred, columns_of, trimmed
from birdmodes.segmentation.spectrogram import Spectrogram

# A valley so far below the peaks on both sides parts two notes.
_VALLEY_DB = 11.0
# Blur of the level in which valleys are looked for: gaps of some milliseconds must stay.
_VALLEY_BLUR_S = 0.007
_MIN_PIECE_S = 0.05
# Rows in which a part lasts for less than this share of it do not tell when it is silent.
_STEADY_ROW = 0.3
_MIN_MAGNITUDE = 0.1  # 20 dB under the noise: deeper valleys are chance
_ROUNDS = 2  # of joining after the cuts; a third changes nothing in the recordings tried


def calls_of_notes(
    notes: Iterable[Region], whitened: Spectrogram, parameters: SegmentationParameters
) -> Iterator[Region]:
    """Join and cut notes so that every region is one call.

    Parameters
    ----------
    notes : iterable of (box, mask)
        Result of `birdmodes.segmentation.notes.notes_of_regions`: no two share a pixel.
    whitened : Spectrogram
        The spectrogram they were found in.
    parameters : SegmentationParameters
        ``join_r`` and those of `birdmodes.segmentation.base.drop_small`.

    Yields
    ------
    (box, mask)
        Calls, in the order of their start before they are trimmed. A call may have several parts.
    """
    limits = SizeLimits(whitened, parameters)
    parts = [trimmed(Part(*note, whitened.magnitude)) for note in notes]
    for run in in_runs(parts):
        calls = _calls_of_run(run, whitened, parameters.join_r)
        for part in sorted(calls, key=lambda part: (part.start, part.box[0].start)):
            call = trimmed(part)
            if limits.allow(call.mask):
                yield call.box, call.mask


def _calls_of_run(run: list[Part], whitened: Spectrogram, least_r: float) -> list[Part]:
    """Calls among parts that overlap in time."""
    grouped = group_parts(run, whitened, least_r) if len(run) > 1 else run
    pieces = [piece for part in grouped for piece in _cut_at_valleys(part, whitened)]
    if len(run) == 1 or len(pieces) == len(run) == len(grouped):
        return pieces  # nothing has changed, or there is nothing to join
    for _ in range(_ROUNDS):
        before = len(pieces)
        pieces = group_parts(pieces, whitened, least_r)
        if len(pieces) == before:
            break
    return pieces


def _cut_at_valleys(part: Part, whitened: Spectrogram) -> list[Part]:
    """Cut a part at every deep valley of its level."""
    least = max(1, round(_MIN_PIECE_S / whitened.frame_s))
    if part.mask.shape[1] < 2 * least:
        return [part]
    lasting = part.mask.sum(axis=1)
    steady = (lasting >= _STEADY_ROW * part.mask.shape[1]).nonzero()[0]
    if not steady.size:
        return [part]
    magnitude = np.maximum(whitened.magnitude[part.box][steady], np.float32(_MIN_MAGNITUDE))
    level = np.float32(20.0 / steady.size) * np.log10(magnitude).sum(axis=0)
    if level.max() - level.min() < _VALLEY_DB:
        return [part]
    level = blurred(level, _VALLEY_BLUR_S / whitened.frame_s)
    edges = [0, *_valleys(level, least), level.size]
    pieces = (columns_of(part, first, stop) for first, stop in itertools.pairwise(edges))
    return [piece for piece in pieces if piece is not None]


def _valleys(level: NDArray[np.floating], least: int, first: int = 0) -> list[int]:
    """Columns of the valleys that leave `least` columns between them, in order."""
    if level.size < 2 * least:
        return []
    left = np.maximum.accumulate(level)
    right = np.maximum.accumulate(level[::-1])[::-1]
    depth = (np.minimum(left, right) - level)[least : level.size - least + 1]
    deepest = int(depth.argmax())
    if depth[deepest] < _VALLEY_DB:
        return []
    at = least + deepest
    return [
        *_valleys(level[:at], least, first),
        first + at,
        *_valleys(level[at:], least, first + at),
    ]
