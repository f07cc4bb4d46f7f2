"""Which syllable of one clustering is which of another."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

MIN_OVERLAP = 0.5
"""Share of the area that two boxes cover together which both must cover to be one syllable."""

BOX = ["start_s", "end_s", "low_hz", "high_hz"]


def match_boxes(first: pd.DataFrame, second: pd.DataFrame) -> tuple[Ints, Ints]:
    """Pair the syllables of two tables that lie in the same place of the same recording.

    Parameters
    ----------
    first, second : pandas.DataFrame
        Columns recording, start_s, end_s, low_hz, high_hz.

    Returns
    -------
    rows_first, rows_second : ndarray of int64, shape (n_pairs,)
        Positions of the syllables of each pair, in the order of `first`. Boxes that overlap most
        are paired first; each syllable is in one pair at most; see `MIN_OVERLAP`.
    """
    rows_first, rows_second, overlap = [], [], []
    places = second.groupby("recording").indices
    for recording, here in first.groupby("recording").indices.items():
        there = places.get(recording)
        if there is None:
            continue
        one, other = (
            table[BOX].to_numpy(dtype=float)[rows]
            for table, rows in ((first, here), (second, there))
        )
        a, b, share = _best_pairs(one, other)
        rows_first.append(here[a])
        rows_second.append(there[b])
        overlap.append(share)
    if not overlap:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    a, b = np.concatenate(rows_first), np.concatenate(rows_second)
    order = np.argsort(a, kind="stable")
    return a[order].astype(np.int64), b[order].astype(np.int64)


def _best_pairs(one: Floats, other: Floats) -> tuple[Ints, Ints, Floats]:
    a, b = _together(one, other)
    share = _shared_area(one[a], other[b])
    near = np.flatnonzero(share >= MIN_OVERLAP)
    near = near[np.lexsort((b[near], a[near], -share[near]))]
    free_a, free_b = np.ones(len(one), dtype=bool), np.ones(len(other), dtype=bool)
    kept = []
    for pair in near:
        if free_a[a[pair]] and free_b[b[pair]]:
            free_a[a[pair]] = free_b[b[pair]] = False
            kept.append(pair)
    chosen = np.array(kept, dtype=np.int64)
    return a[chosen], b[chosen], share[chosen]


def _together(one: Floats, other: Floats) -> tuple[Ints, Ints]:
    """Pairs of boxes that overlap in time; an hour has too many syllables to try all pairs."""
    order = np.argsort(other[:, 0], kind="stable")
    starts = other[order, 0]
    longest = float((other[:, 1] - other[:, 0]).max())
    first = np.searchsorted(starts, one[:, 0] - longest, side="left")
    last = np.searchsorted(starts, one[:, 1], side="right")
    count = last - first
    a = np.repeat(np.arange(len(one)), count)
    within = np.arange(int(count.sum())) - np.repeat(np.cumsum(count) - count, count)
    return a, order[np.repeat(first, count) + within]


def _shared_area(one: Floats, other: Floats) -> Floats:
    """Area of both boxes' common part over that of all they cover."""
    width = np.minimum(one[:, 1], other[:, 1]) - np.maximum(one[:, 0], other[:, 0])
    height = np.minimum(one[:, 3], other[:, 3]) - np.maximum(one[:, 2], other[:, 2])
    common = np.maximum(width, 0.0) * np.maximum(height, 0.0)
    total = _area(one) + _area(other) - common
    share: Floats = np.divide(common, total, out=np.zeros(len(common)), where=total > 0)
    return share


def _area(box: Floats) -> Floats:
    return np.asarray((box[:, 1] - box[:, 0]) * (box[:, 3] - box[:, 2]), dtype=np.float64)
