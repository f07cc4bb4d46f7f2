"""Which syllables of a mode are shown as its examples."""

from __future__ import annotations

import hashlib

import numpy as np
import numpy.typing as npt
import pandas as pd

from birdmodes.modes.words import ModeWords

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

FURTHER_SHARE = 3
"""One in so many as there are clear examples is wanted of the edge, and as many at random."""

GROUPS = ("good", "clear", "edge", "random")
"""The kinds of examples, in the order in which they are shown."""

LOUD_DB = 15.0
"""A clear example is at least so far above the noise."""

PITCH_NEAR, PITCH_FAR = 0.18, 0.30
"""How far the pitch of a clear example may be from that of its mode, and of one that has to do."""

LEVEL_RANGE_DB, ISOLATION_RANGE_DB = (10.0, 35.0), (-8.0, 12.0)
"""From nothing to full marks."""

CENTRAL, LOUD, ALONE, IN_SHAPE, OFF_PITCH = 0.2, 0.3, 0.35, 0.15, -0.4
"""Weights of what makes a good example."""


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


def choose_examples(
    members: pd.DataFrame, count: int, words: ModeWords | None = None
) -> pd.DataFrame:
    """Pick good, clear, edge and random members.

    Parameters
    ----------
    members : pandas.DataFrame
        Typical members: columns syllable, recording and centrality at least, `review` if there is
        one; with `words` also level_db, isolation_db, pitch_hz, shape, truncated and run (number
        of the series that each stands in).
    count : int
        How many clear ones are wanted, and at most how many good ones; of the other two kinds a
        third of it each.
    words : ModeWords, optional
        What the mode is said to be: clear examples are what the words say, loud and by themselves.
        Without them the most central ones are taken.

    Returns
    -------
    pandas.DataFrame
        Rows of `members`, each once, with a column ``group``, one of `GROUPS`, in that order. Of
        each kind one of every recording comes before a second of any, and clear ones never come
        from one series while there are others. Edge ones are the least central. Random ones depend
        on nothing but their names, so that a cluster with the same syllables shows the same ones,
        however it was found.
    """
    further = count // FURTHER_SHARE
    ordered = members.sort_values(["centrality", "syllable"], ascending=[False, True])
    recording = _recording_numbers(ordered)
    left = np.arange(len(ordered), dtype=np.int64)
    best = left if words is None or ordered.empty else _clearest_first(ordered, words)
    good = _spread(best[reviewed_good(ordered).to_numpy()[best]], recording, count)
    best = best[~np.isin(best, good)]
    if words is None:
        clear = _spread(best, recording, count)
    else:
        clear = _clear_first(ordered, best, recording)[:count]
    left = np.setdiff1d(left, np.concatenate([good, clear]))
    edge = _spread(left[::-1], recording, further)
    left = np.setdiff1d(left, edge)
    names = ordered["syllable"].to_numpy()
    shuffled = np.array([_scattered(names[row]) for row in left], dtype=str).argsort()
    chosen = (good, clear, edge, _spread(left[shuffled], recording, further))
    groups = np.repeat(GROUPS, [len(rows) for rows in chosen])
    return ordered.iloc[np.concatenate(chosen)].assign(group=groups)


def clearness(members: pd.DataFrame, words: ModeWords) -> Floats:
    """How good an example each member is: loud, by itself, central, and what the words say.

    Parameters
    ----------
    members : pandas.DataFrame
        Columns centrality, level_db, isolation_db, pitch_hz and shape.
    words : ModeWords
        Of their mode.

    Returns
    -------
    ndarray of float64, shape (n_members,)
        At most 1.
    """
    rank = members["centrality"].rank(pct=True).to_numpy()
    off = np.minimum(_off_pitch(members, words) / PITCH_FAR, 1.0)
    marks: Floats = (
        CENTRAL * rank
        + LOUD * _marks(members["level_db"], LEVEL_RANGE_DB)
        + ALONE * _marks(members["isolation_db"], ISOLATION_RANGE_DB)
        + IN_SHAPE * _in_shape(members, words)
        + OFF_PITCH * off
    )
    return marks


def is_clear(members: pd.DataFrame) -> npt.NDArray[np.bool_]:
    """Whether members are loud enough to be shown before others, see `LOUD_DB`."""
    loud: npt.NDArray[np.bool_] = members["level_db"].to_numpy() >= LOUD_DB
    return loud


def _clearest_first(ordered: pd.DataFrame, words: ModeWords) -> Ints:
    """All rows: those that are what the words say first, then four steps down."""
    off, loud = _off_pitch(ordered, words), is_clear(ordered)
    whole = ~ordered["truncated"].to_numpy(dtype=bool)
    near, far = off <= PITCH_NEAR, off <= PITCH_FAR
    steps = [_in_shape(ordered, words) & near & loud & whole, near & loud & whole, far & loud, loud]
    step = np.select(steps, range(len(steps)), len(steps))
    rows: Ints = np.lexsort((-clearness(ordered, words), step)).astype(np.int64)
    return rows


def _clear_first(ordered: pd.DataFrame, best: Ints, recording: Ints) -> Ints:
    """One of each recording before a second of any, the loud ones before the faint ones."""
    again = _turns(ordered["run"].to_numpy()[best]) > 0
    turn = np.empty(len(best), dtype=np.int64)
    for series_again in (False, True):
        inside = again == series_again
        turn[inside] = _turns(recording[best[inside]])
    faint = ~is_clear(ordered)[best]
    return best[np.lexsort((np.arange(len(best)), turn, again, faint))]


def _off_pitch(members: pd.DataFrame, words: ModeWords) -> Floats:
    off: Floats = np.abs(members["pitch_hz"].to_numpy() / max(words.pitch_hz, 1.0) - 1)
    return off


def _in_shape(members: pd.DataFrame, words: ModeWords) -> npt.NDArray[np.bool_]:
    if not words.shape:  # varied: any shape is what the words say
        return np.ones(len(members), dtype=bool)
    same: npt.NDArray[np.bool_] = members["shape"].to_numpy() == words.shape
    return same


def _marks(values: pd.Series, limits: tuple[float, float]) -> Floats:
    low, high = limits
    return np.clip((values.to_numpy(dtype=np.float64) - low) / (high - low), 0, 1)


def spread_over_recordings(ordered: pd.DataFrame, count: int) -> pd.DataFrame:
    """Pick the first rows, one of each recording before a second of any.

    Parameters
    ----------
    ordered : pandas.DataFrame
        Column recording at least; the best first.
    count : int
        How many are wanted.

    Returns
    -------
    pandas.DataFrame
        At most `count` rows.
    """
    return ordered.iloc[_spread(np.arange(len(ordered)), _recording_numbers(ordered), count)]


def _recording_numbers(table: pd.DataFrame) -> Ints:
    return pd.factorize(table["recording"])[0].astype(np.int64)


def _spread(rows: Ints, recording: Ints, count: int) -> Ints:
    """Do the same with rows of a table whose recordings are numbered."""
    chosen: Ints = rows[np.argsort(_turns(recording[rows]), kind="stable")[:count]]
    return chosen


def _turns(values: npt.NDArray[np.generic]) -> Ints:
    """How many of the same value come before each."""
    by_value = np.argsort(values, kind="stable")
    starts = np.searchsorted(values[by_value], values[by_value])
    turn = np.empty(len(values), dtype=np.int64)
    turn[by_value] = np.arange(len(values)) - starts
    return turn


def _scattered(syllable: str) -> str:
    """Give a name a place that has nothing to do with the name's own order."""
    return hashlib.sha256(f"random {syllable}".encode("utf-8", "surrogatepass")).hexdigest()
