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
# Begin and length.
_LENGTHS = (
    *("duration_s", "duration (s)", "duration [s]", "length_s", "length (s)", "length [s]"),
    *("duration_sec", "duration_seconds", "duration", "length", "dur", "delta time (s)"),
    *("dauer_s", "dauer (s)", "dauer [s]", "dauer", "länge (s)", "länge"),
    *("durée_s", "durée (s)", "durée [s]", "durée", "duree", "duración", "duración (s)"),
    *("duração", "durata", "duur", "長さ", "継続時間", "时长", "持续时间"),
)
_STARTS = (
    *dict.fromkeys(start for start, _ in _TIMES),
    "offset_s",
    "offset (s)",
    "time_s",
    "time (s)",
)
_MILLISECONDS = (("start_ms", "end_ms"), ("start (ms)", "end (ms)"), ("begin_ms", "end_ms"))
_BANDS = (
    *(("low_hz", "high_hz"), ("low freq (hz)", "high freq (hz)"), ("low_freq", "high_freq")),
    *(("low_freq_hz", "high_freq_hz"), ("low_frequency", "high_frequency"), ("low_f", "high_f")),
    *(("freq_low", "freq_high"), ("freq_min", "freq_max"), ("min_freq", "max_freq")),
    *(("min_frequency", "max_frequency"), ("fmin", "fmax"), ("min_hz", "max_hz")),
    *(("bottom.freq", "top.freq"), ("low freq (khz)", "high freq (khz)")),
)
_BEGIN = re.compile(
    r"(start|begin|onset|beginn|anfang|début|debut|inicio|inizio|開始|开始)(?![a-z])"
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
    length : bool
        Whether the second is a length, to be added to the first.
    """

    table: Table
    places: tuple[int, int] | None
    unit: float = 1.0
    length: bool = False

    def read(self, line: int, cells: Sequence[str]) -> tuple[float | None, float | None]:
        """Read both of a row; none if both cells are empty."""
        if self.places is None or all(cells[place] in _MISSING for place in self.places):
            return None, None
        first, second = (self.table.number(line, place, cells[place]) for place in self.places)
        if self.length:
            second += first
        return self.unit * first, self.unit * second


def time_columns(table: Table) -> Pair:
    """Find the columns of begin and end, or of begin and length (s).

    Raises
    ------
    BirdmodesError
        The table's error, if there is only one of our own columns of begin and end.
    """
    found = _found(table, _TIMES)
    length = found is None
    if found is None:
        found = _begin_and_length(table)
    if found is None:
        milliseconds = _found(table, _MILLISECONDS)
        if milliseconds is not None:
            return Pair(table, milliseconds, 0.001)
        _check_both(table, _TIMES[0])
        _note_begin_alone(table)
        return Pair(table, None)
    names = " and ".join(repr(table.header.names[place]) for place in found)
    if found == _found(table, (*_TIMES[:1], ("start_s", "duration_s"))):
        return Pair(table, found, length=length)
    if _numbers(table, found) is None:
        table.notes.append(
            f"{shown(table.path)}: {names} are not in seconds and not used; times in seconds "
            "belong into start_s and end_s"
        )
        return Pair(table, None)
    what = "begin and length" if length else "times"
    table.notes.append(f"{shown(table.path)}: {names} are taken for {what} in seconds")
    return Pair(table, found, length=length)


def _begin_and_length(table: Table) -> tuple[int, int] | None:
    start, length = table.header.first((*_STARTS, "offset")), table.header.first(_LENGTHS)
    return None if start is None or length is None else (start, length)


def _note_begin_alone(table: Table) -> None:
    """Tell of numbers that say when something was heard, and are not used."""
    for place, key in enumerate(table.header.keys):
        if (key in _STARTS or _BEGIN.match(key)) and _numbers(table, (place, place)):
            table.notes.append(
                f"{shown(table.path)}: {table.header.names[place]!r} is not used, as it is not "
                "clear where its labels begin and end; write start_s and end_s, in seconds"
            )
            return


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
