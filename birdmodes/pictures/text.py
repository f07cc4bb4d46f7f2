"""Numbers as people read them."""

from __future__ import annotations

import math

from birdmodes.pictures.statistics import Spread


def axis_number(value: float, digits: int) -> str:
    """Give a number with a minus sign as printers set it, and never minus zero."""
    return f"{value + 0.0:.{digits}f}".replace("-", "−")


def seconds(value: float) -> str:
    """Give a duration without its unit: two decimals, three below 0.1 s."""
    return f"{value:.3f}" if value < 0.1 else f"{value:.2f}"


def kilohertz(value_hz: float) -> str:
    """Give a frequency in kHz, without its unit."""
    return f"{value_hz / 1000:.2f}"


def position(value_s: float) -> str:
    """Give a place in a recording: ``12.35 s``, and on the clock from a minute on."""
    text = f"{value_s:.2f} s"
    if value_s < 60:
        return text
    whole = int(value_s)
    clock = f"{whole // 60 % 60:02d}:{whole % 60:02d}"
    if whole >= 3600:
        clock = f"{whole // 3600}:{clock}"
    return f"{text} ({clock.removeprefix('0')})"


def stretch(start_s: float, end_s: float) -> str:
    """Give a part of a recording: ``0–10 s``, and by the clock from a minute on: ``1:50–2:00``."""
    if end_s <= 60:
        return f"{start_s:.0f}–{end_s:.0f} s"
    return f"{_clock(start_s)}–{_clock(end_s)}"


def _clock(value_s: float) -> str:
    minutes, seconds_left = divmod(round(value_s), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{seconds_left:02d}" if hours else f"{minutes}:{seconds_left:02d}"


def clock_time(recorded_at: str) -> str:
    """Give a date and time of ISO 8601 to the second: ``2021-05-02 04:59:58``; empty stays so."""
    return recorded_at[:19].replace("T", " ")


def spread_seconds(spread: Spread) -> str:
    """Give median and range, all with as many decimals: ``0.12 (0.10–0.20) s``."""
    digits = 3 if spread.low < 0.1 else 2
    low, median, high = (
        f"{value:.{digits}f}" for value in (spread.low, spread.median, spread.high)
    )
    return f"{median} ({low}–{high}) s"


def spread_kilohertz(spread: Spread) -> str:
    """Give median and range: ``4.10 (3.80–4.55) kHz``."""
    return f"{kilohertz(spread.median)} ({kilohertz(spread.low)}–{kilohertz(spread.high)}) kHz"


def rate(value: float) -> str:
    """Give a number of events per hour with about two digits: ``1,200``, ``12``, ``0.05``."""
    if value >= 10 or value == 0:
        return f"{value:,.0f}"
    digits = 1 - math.floor(math.log10(value))
    return f"{value:.{digits}f}".rstrip("0").rstrip(".")


def short_rate(value: float) -> str:
    """Give a round number of events per hour for an axis: ``20k``, ``500``, ``0.05``."""
    return f"{value / 1000:g}k" if value >= 1000 else rate(value)


def recorded_time(hours: float) -> str:
    """Give a length of recordings: ``40 s``, ``12 min``, ``1.5 h``, ``120 h``."""
    if hours >= 1:
        return f"{hours:,.0f} h" if hours >= 10 else f"{hours:.1f} h"
    minutes = 60 * hours
    return f"{minutes:.0f} min" if minutes >= 1 else f"{60 * minutes:.0f} s"


def place(latitude: float, longitude: float) -> str:
    """Give coordinates with three decimals, about 100 m: ``51.123° N, 1.000° W``."""
    north, east = "S" if latitude < 0 else "N", "W" if longitude < 0 else "E"
    return f"{abs(latitude):.3f}° {north}, {abs(longitude):.3f}° {east}"


def times(value: float) -> str:
    """Give a ratio with about two digits: ``2.0 ×``, ``0.35 ×``, ``120 ×``."""
    digits = 0 if value >= 10 else 1 if value >= 1 else 2
    return f"{value:,.{digits}f} ×"


def distance(kilometres: float) -> str:
    """Give a round distance: ``50 m``, ``2 km``."""
    return f"{kilometres:g} km" if kilometres >= 1 else f"{1000 * kilometres:g} m"


def expected(value: float) -> str:
    """Give a number that chance leads one to expect: ``3.1``, ``0.04``, ``120``."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 1 else rate(value)


def probability(value: float) -> str:
    """Give a p-value with its sign: ``< 0.001``, ``= 0.012``."""
    return "< 0.001" if value < 0.001 else f"= {value:.3f}"


def share(value: float) -> str:
    """Give a number from 0 to 1 with two decimals, in the way that 1.00 means all."""
    return f"{value:.2f}"


def percent(part: float, whole: float) -> str:
    """Give a percentage; a few are never called none, nor nearly all called all."""
    if whole == 0 or part == 0:
        return "0 %"
    if part == whole:
        return "100 %"
    return f"{min(max(100 * part / whole, 1), 99):.0f} %"


def count(number: int, noun: str, many: str | None = None) -> str:
    """Give ``1 mode``, ``1,200 modes``; `many` is the plural if it does not just add an s."""
    return f"{number:,} {noun if number == 1 else many or noun + 's'}"
