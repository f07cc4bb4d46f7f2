"""The truth about syllables, where somebody has drawn it: read it, and match syllables with it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd

from birdmodes.errors import TruthError
from birdmodes.io.paths import AnyPath
from birdmodes.io.tables import Table, read_table
from birdmodes.labels import NameMatcher

COLUMNS = ("recording", "start_s", "end_s", "low_hz", "high_hz", "species", "mode")

MIN_OVERLAP = 0.5
"""Share of the smaller box that a syllable and a true syllable must have in common."""

MIN_CONTENT = 0.1
"""Share of a syllable's box that true syllables must fill."""

MIN_DURATION = 0.5
"""Share of a true syllable's duration that must be covered for it to be found."""

_ROUNDING = 1e-9  # shares that are equal on paper must not differ by the order of sums

_Floats = npt.NDArray[np.float64]
_Ints = npt.NDArray[np.int64]
_Bools = npt.NDArray[np.bool_]


def read_truth(path: AnyPath) -> pd.DataFrame:
    """Read a truth table: one row per true syllable.

    Parameters
    ----------
    path : str or path-like
        Table with the columns ``recording, start_s, end_s, low_hz, high_hz, species, mode`` (in
        any order, others are ignored), UTF-8 with or without byte-order mark, else Windows-1252.

    Returns
    -------
    pandas.DataFrame
        These columns in this order, and ``line``, the row's line in the file. Times in seconds
        from the recording's start, frequencies in hertz. ``low_hz`` and ``high_hz`` are both NaN
        where only times are known; ``species`` and ``mode`` are empty where not known.

    Raises
    ------
    TruthError
        If the file cannot be read, a column is missing, there is no row, or a row names no
        recording or has a number that cannot be right.
    """
    path = Path(path)
    table = read_table(path, TruthError)
    rows = [_parse_row(table, line, values) for line, values in table.records(COLUMNS)]
    if not rows:
        raise TruthError(f"{path}: no rows under the header; write one for every true syllable")
    return pd.DataFrame(rows, columns=[*COLUMNS, "line"])


def _parse_row(table: Table, line: int, cells: dict[str, str]) -> tuple[str | float, ...]:
    if not cells["recording"]:
        raise table.wrong(line, "no recording in this row")
    start, end = (_number(table, line, name, cells) for name in ("start_s", "end_s"))
    if not 0 <= start < end:
        raise table.wrong(
            line,
            f"start_s = {start:g} must be at least 0 and before end_s = {end:g}",
        )
    low = high = math.nan
    if cells["low_hz"] or cells["high_hz"]:
        low, high = (_number(table, line, name, cells) for name in ("low_hz", "high_hz"))
        if not 0 <= low < high:
            raise table.wrong(
                line,
                f"low_hz = {low:g} must be at least 0 and below high_hz = {high:g}; "
                "leave both empty if only times are known",
            )
    return cells["recording"], start, end, low, high, cells["species"], cells["mode"], line


def _number(table: Table, line: int, name: str, cells: dict[str, str]) -> float:
    return table.number(line, table.header.index(name), cells[name])


@dataclass(frozen=True, eq=False)
class Match:
    """Which syllable is which row of the truth.

    Attributes
    ----------
    truth_row : ndarray of int, shape (n_syllables,)
        Position of the syllable's row in the truth table; -1: it matches none.
    found : ndarray of bool, shape (n_truth,)
        True syllables that were found.
    known : ndarray of bool, shape (n_truth,)
        Rows of the truth whose recording is here; the others count nowhere.
    warnings : tuple of str
        What the user should look at, a line each.
    """

    truth_row: _Ints
    found: _Bools
    known: _Bools
    warnings: tuple[str, ...] = ()

    @property
    def recall(self) -> float:
        """Share of the true syllables that were found."""
        return float(self.found[self.known].mean())

    @property
    def precision(self) -> float | None:
        """Share of the syllables that match a true one; None if there are no syllables.

        Syllables of recordings without a row in the truth count as false: the truth is taken to
        be complete.
        """
        return float((self.truth_row >= 0).mean()) if self.truth_row.size else None


def match_syllables(
    syllables: pd.DataFrame,
    truth: pd.DataFrame,
    recordings: Iterable[str],
    *,
    min_overlap: float = MIN_OVERLAP,
    min_content: float = MIN_CONTENT,
    min_duration: float = MIN_DURATION,
    source: str = "truth",
) -> Match:
    """Match syllables with the true ones of the same recording.

    A syllable and a true syllable *agree* if their boxes have at least `min_overlap` of the
    smaller one in common, and all true boxes together fill at least `min_content` of the
    syllable's box. Dividing by the smaller box lets a fragment agree with the whole that it is a
    part of, and a syllable that runs through several notes of a trill agree with each of them;
    the second condition keeps a burst of noise from agreeing with everything under it.

    A syllable *matches*, of the rows that it agrees with, the one with the greatest intersection
    over union: a fragment under two true boxes goes to the tighter one. A true syllable is
    *found* if the syllables that agree with it cover at least `min_duration` of its duration,
    together; it need not be the one that any of them matches.

    Where the truth gives only times, the box is taken to be as high as the syllable's.

    Parameters
    ----------
    syllables : pandas.DataFrame
        Columns recording, start_s, end_s, low_hz, high_hz.
    truth : pandas.DataFrame
        As `read_truth` gives it.
    recordings : iterable of str
        Names of all recordings that were segmented, also those that gave no syllable: what is
        true there was missed. The truth may name them by relative path, file name or stem.
    min_overlap, min_content, min_duration : float
        See above; shares from 0 to 1.
    source : str
        What messages call the truth: its file.

    Returns
    -------
    Match
        In the order of the rows of `syllables` and `truth`.

    Raises
    ------
    TruthError
        If no row of the truth is about any of the recordings, or a row fits several.
    """
    names, warnings = _recordings_of_truth(truth, recordings, source)
    known = np.array([name is not None for name in names], dtype=np.bool_)
    i, j = _pairs_at_the_same_time(syllables, truth, names)
    boxes = _PairedBoxes.of(syllables, truth, i, j)
    content = np.bincount(i, boxes.common, minlength=len(syllables))[i]
    smaller = np.minimum(boxes.syllable, boxes.truth)
    agree = (boxes.common > 0) & (boxes.common >= (min_overlap - _ROUNDING) * smaller)
    agree &= content >= (min_content - _ROUNDING) * boxes.syllable
    i, j, likeness = i[agree], j[agree], boxes.likeness()[agree]
    return Match(
        truth_row=_best_row(i, j, likeness, len(syllables), _rank(truth)),
        found=_covered_share(syllables, truth, i, j) >= min_duration - _ROUNDING,
        known=known,
        warnings=warnings,
    )


def _recordings_of_truth(
    truth: pd.DataFrame, recordings: Iterable[str], source: str
) -> tuple[list[str | None], tuple[str, ...]]:
    """Name of each row's recording (None: not here), and a warning if some are not here."""
    names = sorted(set(recordings))
    matcher = NameMatcher(names)
    meant: dict[str, str | None] = {}
    for text in sorted(set(truth["recording"])):
        fits = matcher.find(text)
        if len(fits) > 1:
            raise TruthError(
                f"{source}: {text!r} fits {len(fits)} recordings ({', '.join(sorted(fits)[:3])}); "
                "write the path relative to the folder"
            )
        meant[text] = fits[0] if fits else None
    unknown = [text for text, name in meant.items() if name is None]
    if len(unknown) == len(meant):
        raise TruthError(
            f"{source}: none of its {len(meant)} recordings is among the {len(names)} here; it has "
            f"{next(iter(meant), '')!r}, a recording here is called {next(iter(names), '')!r}"
        )
    warnings: tuple[str, ...] = ()
    if unknown:
        n_rows = int(truth["recording"].isin(unknown).sum())
        warnings = (
            f"{source}: {n_rows} rows are about {len(unknown)} recordings that are not here "
            f"({', '.join(unknown[:3])}{', ...' if len(unknown) > 3 else ''}) and do not count",
        )
    return [meant[text] for text in truth["recording"]], warnings


def _pairs_at_the_same_time(
    syllables: pd.DataFrame, truth: pd.DataFrame, names: Sequence[str | None]
) -> tuple[_Ints, _Ints]:
    """Positions of all syllables and true syllables that share time in a recording."""
    start, end = _column(syllables, "start_s"), _column(syllables, "end_s")
    true_start, true_end = _column(truth, "start_s"), _column(truth, "end_s")
    syllables_of = _positions(syllables["recording"])
    first, second = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
    for name, rows in _positions(names).items():
        here = syllables_of.get(name)
        if here is None:
            continue
        together = (start[here, None] < true_end[rows]) & (true_start[rows] < end[here, None])
        a, b = np.nonzero(together)
        first.append(here[a])
        second.append(rows[b])
    return np.concatenate(first), np.concatenate(second)


def _positions(names: Iterable[str | None]) -> dict[str, _Ints]:
    places: dict[str, list[int]] = {}
    for position, name in enumerate(names):
        if name is not None:
            places.setdefault(name, []).append(position)
    return {name: np.array(positions, dtype=np.int64) for name, positions in places.items()}


def _column(table: pd.DataFrame, name: str) -> _Floats:
    return np.asarray(table[name], dtype=np.float64)


@dataclass(frozen=True, eq=False)
class _PairedBoxes:
    """Areas in hertz times seconds, for pairs of a syllable and a true syllable."""

    syllable: _Floats
    truth: _Floats
    common: _Floats

    @classmethod
    def of(cls, syllables: pd.DataFrame, truth: pd.DataFrame, i: _Ints, j: _Ints) -> _PairedBoxes:
        start, end, low, high = (_column(syllables, name)[i] for name in COLUMNS[1:5])
        t_start, t_end, t_low, t_high = (_column(truth, name)[j] for name in COLUMNS[1:5])
        t_low = np.where(np.isnan(t_low), low, t_low)
        t_high = np.where(np.isnan(t_high), high, t_high)
        common_s = np.minimum(end, t_end) - np.maximum(start, t_start)
        common_hz = np.maximum(np.minimum(high, t_high) - np.maximum(low, t_low), 0.0)
        return cls(
            syllable=(end - start) * (high - low),
            truth=(t_end - t_start) * (t_high - t_low),
            common=common_s * common_hz,
        )

    def likeness(self) -> _Floats:
        """Intersection over union, 0 where nothing is in common."""
        union = self.syllable + self.truth - self.common
        return np.divide(self.common, union, out=np.zeros_like(union), where=self.common > 0)


def _rank(truth: pd.DataFrame) -> _Ints:
    """Rank of each row by what it says, so that ties do not depend on the order of rows."""
    order = truth.reset_index(drop=True).sort_values([*COLUMNS[1:], "recording"]).index
    rank = np.empty(len(truth), dtype=np.int64)
    rank[order] = np.arange(len(truth))
    return rank


def _best_row(i: _Ints, j: _Ints, likeness: _Floats, n_syllables: int, rank: _Ints) -> _Ints:
    best = np.full(n_syllables, -1, dtype=np.int64)
    worst_first = np.lexsort((-rank[j], likeness))
    best[i[worst_first]] = j[worst_first]  # of several, the last one written stays
    return best


def _covered_share(syllables: pd.DataFrame, truth: pd.DataFrame, i: _Ints, j: _Ints) -> _Floats:
    """Share of each true syllable's duration that its paired syllables cover together."""
    t_start, t_end = _column(truth, "start_s"), _column(truth, "end_s")
    start = np.maximum(_column(syllables, "start_s")[i], t_start[j])
    end = np.minimum(_column(syllables, "end_s")[i], t_end[j])
    order = np.lexsort((end, start, j))
    start, end, j = start[order], end[order], j[order]
    # Laid one after the other on one axis, no row's intervals reach into the next row's, so one
    # running maximum tells for all rows how far the intervals before have come.
    span = float(t_end.max()) + 1.0
    reached = np.maximum.accumulate(end + j * span) - j * span
    before = np.concatenate(([0.0], reached[:-1])) if len(j) else reached
    first_of_row = np.diff(j, prepend=-1) != 0
    fresh = end - np.where(first_of_row, start, np.maximum(start, before))
    covered = np.bincount(j, np.maximum(fresh, 0.0), minlength=len(truth))
    return np.asarray(covered / (t_end - t_start))
