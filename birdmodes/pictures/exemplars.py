"""Which syllables of a mode are shown as its examples."""

from __future__ import annotations

import hashlib

import numpy as np
import numpy.typing as npt
import pandas as pd

Ints = npt.NDArray[np.int64]

PER_RECORDING = 3
"""Examples taken from one recording while other recordings have some left."""

FURTHER_SHARE = 3
"""One in so many as there are central examples is wanted of the edge, and as many at random."""

GROUPS = ("good", "central", "edge", "random")
"""The kinds of examples, in the order in which they are shown."""


def typical_members(members: pd.DataFrame) -> pd.DataFrame:
    """Members that can stand for their mode.

    Parameters
    ----------
    members : pandas.DataFrame
        One cluster's rows of a clustering's assignments.

    Returns
    -------
    pandas.DataFrame
        Those with a confidence above 0, and those that a reviewer has called good. A syllable of a
        bag that is known to lack the species has confidence 0: it is in the cluster, but it is not
        the species.
    """
    return members[(members["confidence"] > 0) | reviewed_good(members)]


def reviewed_good(members: pd.DataFrame) -> pd.Series:
    """Tell which members a reviewer has called good; none before anything was reviewed."""
    if "review" not in members:
        return pd.Series(data=False, index=members.index)
    return members["review"] == "good"


def choose_examples(members: pd.DataFrame, count: int) -> pd.DataFrame:
    """Pick good, central, edge and random members.

    Parameters
    ----------
    members : pandas.DataFrame
        Typical members: columns syllable, recording and centrality at least, `review` if there is
        one.
    count : int
        How many central ones are wanted, and at most how many good ones; of the other two kinds a
        third of it each.

    Returns
    -------
    pandas.DataFrame
        Rows of `members`, each once, with a column ``group``, one of `GROUPS`, in that order. Good
        and central ones come most central first, edge ones least central first. Random ones
        depend on nothing but their names, so that a cluster with the same syllables shows the same
        ones, however it was found.
    """
    further = count // FURTHER_SHARE
    ordered = members.sort_values(["centrality", "syllable"], ascending=[False, True])
    recording = _recording_numbers(ordered)
    left = np.arange(len(ordered), dtype=np.int64)
    good = _spread(left[reviewed_good(ordered).to_numpy()], recording, count)
    left = np.setdiff1d(left, good)
    central = _spread(left, recording, count)
    left = np.setdiff1d(left, central)
    edge = _spread(left[::-1], recording, further)
    left = np.setdiff1d(left, edge)
    names = ordered["syllable"].to_numpy()
    shuffled = np.array([_scattered(names[row]) for row in left], dtype=str).argsort()
    chosen = (good, central, edge, _spread(left[shuffled], recording, further))
    groups = np.repeat(GROUPS, [len(rows) for rows in chosen])
    return ordered.iloc[np.concatenate(chosen)].assign(group=groups)


def spread_over_recordings(ordered: pd.DataFrame, count: int) -> pd.DataFrame:
    """Pick the first rows, but not too many of one recording.

    Parameters
    ----------
    ordered : pandas.DataFrame
        Column recording at least; the best first.
    count : int
        How many are wanted.

    Returns
    -------
    pandas.DataFrame
        At most `count` rows in the order of `ordered`. At most `PER_RECORDING` come from one
        recording, unless the others have too few.
    """
    return ordered.iloc[_spread(np.arange(len(ordered)), _recording_numbers(ordered), count)]


def _recording_numbers(table: pd.DataFrame) -> Ints:
    return pd.factorize(table["recording"])[0].astype(np.int64)


def _spread(rows: Ints, recording: Ints, count: int) -> Ints:
    """Do the same with rows of a table whose recordings are numbered."""
    of_row = recording[rows]
    # How many of the same recording come before each row.
    by_recording = np.argsort(of_row, kind="stable")
    starts = np.searchsorted(of_row[by_recording], of_row[by_recording])
    turn = np.empty(len(rows), dtype=np.int64)
    turn[by_recording] = np.arange(len(rows)) - starts
    spread = np.flatnonzero(turn < PER_RECORDING)[:count]
    rest = np.flatnonzero(turn >= PER_RECORDING)[: count - len(spread)]
    chosen: Ints = rows[np.sort(np.concatenate([spread, rest]))]
    return chosen


def _scattered(syllable: str) -> str:
    """Give a name a place that has nothing to do with the name's own order."""
    return hashlib.sha256(f"random {syllable}".encode("utf-8", "surrogatepass")).hexdigest()
