"""A time as a recorder's clock showed it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

LONGEST_OFFSET = timedelta(hours=14)
"""No clock on earth is farther from UTC (the Line Islands are at +14:00)."""

_OFFSET = re.compile(r"([+-])(\d{1,2})(?::?([0-5]\d))?", re.ASCII)
_ISO = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?"
    r"\s*(Z|[+-]\d\d(?::?\d\d)?)?",
    re.ASCII,
)


@dataclass(frozen=True)
class Moment:
    """A date and time, and the time zone if it is known.

    Attributes
    ----------
    local : datetime.datetime
        What the clock showed; without a zone.
    offset : datetime.timedelta or None
        How far the clock was ahead of UTC.
    """

    local: datetime
    offset: timedelta | None = None

    @property
    def is_set(self) -> bool:
        """False for a clock that counts from 1 January 1970 since nobody set it."""
        return self.local.year > 1970

    @property
    def local_text(self) -> str:
        """ISO 8601 to the second, or to the milli- or microsecond if there are any."""
        microsecond = self.local.microsecond
        digits = "microseconds" if microsecond % 1000 else "milliseconds"
        return self.local.isoformat(timespec=digits if microsecond else "seconds")

    @property
    def offset_text(self) -> str:
        """Such as "+10:00" or "-02:30"; empty if the zone is not known."""
        if self.offset is None:
            return ""
        sign = "-" if self.offset < timedelta(0) else "+"
        minutes = abs(self.offset) // timedelta(minutes=1)
        return f"{sign}{minutes // 60:02d}:{minutes % 60:02d}"


def make_moment(
    year: int,
    month: int,
    day: int,
    hour: int,
    minute: int,
    second: int = 0,
    fraction: str = "",
    offset: timedelta | None = None,
) -> Moment | None:
    """Make a moment of its parts; None if there is no such date or time.

    Parameters
    ----------
    year, month, day, hour, minute, second : int
        24:00:00 is the beginning of the next day.
    fraction : str
        Digits behind the second's point; those beyond the microsecond are dropped.
    offset : datetime.timedelta, optional
        How far the clock is ahead of UTC.
    """
    midnight = (hour, minute, second) == (24, 0, 0)
    microsecond = int(fraction[:6].ljust(6, "0")) if fraction else 0
    try:
        local = datetime(year, month, day, 0 if midnight else hour, minute, second, microsecond)
        return Moment(local + timedelta(days=1) if midnight else local, offset)
    except (ValueError, OverflowError):
        return None


def parse_offset(text: str) -> timedelta | None:
    """Read an offset from UTC, such as "Z", "+10", "-0430", "+1:00" or "-2:30".

    Returns
    -------
    datetime.timedelta or None
        None if `text` is something else, or more than `LONGEST_OFFSET`.
    """
    if text == "Z":
        return timedelta(0)
    match = _OFFSET.fullmatch(text)
    if match is None:
        return None
    sign, hours, minutes = match.groups(default="0")
    offset = timedelta(hours=int(hours), minutes=int(minutes))
    if offset > LONGEST_OFFSET:
        return None
    return -offset if sign == "-" else offset


def parse_iso(text: str) -> Moment | None:
    """Read a date and time of ISO 8601, with or without a zone, such as headers have them.

    Returns
    -------
    Moment or None
        None if `text` is something else.
    """
    match = _ISO.fullmatch(text.strip())
    if match is None:
        return None
    year, month, day, hour, minute, second = map(int, match.groups()[:6])
    offset = parse_offset(match[8]) if match[8] else None
    if match[8] and offset is None:
        return None
    return make_moment(year, month, day, hour, minute, second, match[7] or "", offset)


def from_posix(seconds: int) -> Moment:
    """Moment of a clock that counts seconds since 1970 in UTC."""
    return Moment(datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None), timedelta(0))
