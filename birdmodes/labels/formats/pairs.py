"""Columns that go together: begin and end, lowest and highest frequency, as people call them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from birdmodes.io.printing import shown
from birdmodes.io.tables import Table

# Ours first: these must be numbers. The others may be of a clock, and are then passed over.
_TIMES = (
    *(("start_s", "end_s"), ("start (s)", "end (s)"), ("start [s]", "end [s]")),
    *(("begin time (s)", "end time (s)"), ("begin (s)", "end (s)"), ("start", "end")),
    *(("start", "stop"), ("start_time", "end_time"), ("start time", "end time")),
    *(("start time (s)", "end time (s)"), ("start_sec", "end_sec"), ("starttime", "endtime")),
    *(("start_seconds", "end_seconds"), ("start_second", "end_second"), ("begin", "end")),
    *(("begin_time", "end_time"), ("begin_s", "end_s"), ("t_start", "t_end"), ("tmin", "tmax")),
    *(("onset", "offset"), ("onset_s", "offset_s"), ("xmin", "xmax"), ("t0", "t1")),
    *(("beginn", "ende"), ("anfang", "ende"), ("start", "ende"), ("beginn (s)", "ende (s)")),
    *(("début", "fin"), ("debut", "fin"), ("début (s)", "fin (s)"), ("inicio", "fin")),
    *(("開始", "終了"), ("开始", "结束")),
)
_BANDS = (
    *(("low_hz", "high_hz"), ("low freq (hz)", "high freq (hz)"), ("low_freq", "high_freq")),
    *(("low_freq_hz", "high_freq_hz"), ("low_frequency", "high_frequency"), ("low_f", "high_f")),
    *(("freq_low", "freq_high"), ("freq_min", "freq_max"), ("min_freq", "max_freq")),
    *(("min_frequency", "max_frequency"), ("fmin", "fmax"), ("min_hz", "max_hz")),
    *(("bottom.freq", "top.freq"), ("low freq (khz)", "high freq (khz)")),
)
_MISSING = ("", "NA", "NaN", "nan", "None")
# No sound has frequencies in hertz as low as this, and none in kilohertz as high.
_MOST_KHZ = 250.0


@dataclass(frozen=True)
class Pair:
    """Two columns of a table that go together.

    Attributes
    ----------
    table : Table
        The file.
    places : tuple of int or None
        Places of both; none if there are none.
    unit : float
        What their numbers are multiplied with.
    """

    table: Table
    places: tuple[int, int] | None
    unit: float = 1.0

    def read(self, line: int, cells: Sequence[str]) -> tuple[float | None, float | None]:
        """Read both of a row; none if both cells are empty."""
        if self.places is None or all(cells[place] in _MISSING for place in self.places):
            return None, None
        first, second = (self.table.number(line, place, cells[place]) for place in self.places)
        return self.unit * first, self.unit * second


def time_columns(table: Table) -> Pair:
    """Find the columns of begin and end (s).

    Raises
    ------
    BirdmodesError
        The table's error, if there is only one of them.
    """
    _check_both(table, _TIMES[0])
    found = _found(table, _TIMES)
    if found is None:
        return Pair(table, None)
    names = " and ".join(repr(table.header.names[place]) for place in found)
    if found == _found(table, _TIMES[:1]):
        return Pair(table, found)
    if _numbers(table, found) is None:
        table.notes.append(
            f"{shown(table.path)}: {names} are not in seconds and not used; times in seconds "
            "belong into start_s and end_s"
        )
        return Pair(table, None)
    table.notes.append(f"{shown(table.path)}: {names} are taken for times in seconds")
    return Pair(table, found)


def band_columns(table: Table) -> Pair:
    """Find the columns of the lowest and the highest frequency.

    Raises
    ------
    BirdmodesError
        The table's error, if there is only one of them.
    """
    _check_both(table, _BANDS[0])
    found = _found(table, _BANDS)
    if found is None or found == _found(table, _BANDS[:1]):
        return Pair(table, found)
    numbers = _numbers(table, found)
    if numbers is None:
        return Pair(table, None)
    return Pair(table, found, 1000.0 if max(numbers, default=0.0) <= _MOST_KHZ else 1.0)


def _found(table: Table, pairs: Sequence[tuple[str, str]]) -> tuple[int, int] | None:
    for first, second in pairs:
        if table.header.has(first, second):
            return table.header.index(first), table.header.index(second)
    return None


def _check_both(table: Table, pair: tuple[str, str]) -> None:
    there = [name for name in pair if table.header.has(name)]
    if len(there) == 1:
        missing = pair[pair[0] in there]
        raise table.error(f"{shown(table.path)}: a column {there[0]!r} and no column {missing!r}")


def _numbers(table: Table, places: tuple[int, int]) -> list[float] | None:
    """All numbers in both columns; None if there is something else."""
    found = []
    for _, cells in table.rows():
        for place in places:
            cell = cells[place]
            if cell in _MISSING:
                continue
            if not re.fullmatch(r"-?\d*[.,]?\d+([eE][+-]?\d+)?", cell, re.ASCII):
                return None
            found.append(float(cell.replace(",", ".")))
    return found
