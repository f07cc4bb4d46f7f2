"""How the syllables of a mode follow each other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

Ints = npt.NDArray[np.int64]

GAP_S, GAP_LENGTHS = 0.5, 2.5
"""Onsets of a series are at most so far apart: seconds, or lengths of the syllable before."""

PITCH_WITHIN = 0.25
"""Neighbours in a series differ by at most this part of the pitch."""

LEAST_SHARE = 0.5
"""The word series, or pairs, needs this share of the syllables in such."""

LEAST_RUN = 3


@dataclass(frozen=True)
class Series:
    """The usual series of a mode.

    Attributes
    ----------
    length : int
        Syllables in it: 3 or more for a series, 2 for pairs, 0 for single ones.
    period_s : float
        From onset to onset; 0 for single ones.
    """

    length: int = 0
    period_s: float = 0.0

    @property
    def short(self) -> str:
        """``series of 4``, ``pairs``, or nothing."""
        if self.length >= LEAST_RUN:
            return f"series of {self.length}"
        return "pairs" if self.length else ""

    @property
    def long(self) -> str:
        """``series of 4, one every 0.23 s``, ``pairs, 0.23 s apart``, or nothing."""
        if self.length >= LEAST_RUN:
            return f"{self.short}, one every {self.period_s:.2f} s"
        return f"pairs, {self.period_s:.2f} s apart" if self.length else ""


def run_numbers(members: pd.DataFrame) -> Ints:
    """Number the series that the syllables of one mode stand in.

    Parameters
    ----------
    members : pandas.DataFrame
        Columns recording, start_s, end_s and pitch_hz, in any order.

    Returns
    -------
    ndarray of int, shape (n_syllables,)
        In the order of `members`; syllables with one number are neighbours in one recording.
    """
    recording = pd.factorize(members["recording"])[0]
    start, end, pitch = (
        members[name].to_numpy(dtype=float) for name in ("start_s", "end_s", "pitch_hz")
    )
    order = np.lexsort((start, recording))
    before, after = order[:-1], order[1:]
    gap = np.maximum(GAP_S, GAP_LENGTHS * (end[before] - start[before]))
    pitches = np.minimum(pitch[before], pitch[after])
    follows = (
        (recording[before] == recording[after])
        & (start[after] - start[before] <= gap)
        & (np.abs(pitch[after] - pitch[before]) <= PITCH_WITHIN * pitches)
    )
    numbers = np.empty(len(members), dtype=np.int64)
    numbers[order] = np.concatenate([[0], np.cumsum(~follows)])[: len(members)]
    return numbers


def series_of(members: pd.DataFrame) -> Series:
    """Say how the syllables of one mode follow each other.

    Parameters
    ----------
    members : pandas.DataFrame
        As for `run_numbers`.
    """
    numbers = run_numbers(members)
    sizes = np.bincount(numbers)
    start = members["start_s"].to_numpy(dtype=float)
    for least in (LEAST_RUN, 2):
        long = sizes >= least
        if long.any() and sizes[long].sum() >= LEAST_SHARE * len(members):
            order = np.lexsort((start, numbers))
            inside = np.diff(numbers[order]) == 0
            inside &= long[numbers[order][1:]]
            period_s = float(np.median(np.diff(start[order])[inside]))
            length = round(float(np.median(sizes[long]))) if least == LEAST_RUN else 2
            return Series(max(length, least), period_s)
    return Series()
