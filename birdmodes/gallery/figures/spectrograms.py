"""Geometry of the spectrograms: axes, and what lies over a picture.

Places are per cent of the picture, from its upper left corner, so that a page can show it in any
size, and small pictures and close-ups can be cut out of one file.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from birdmodes.gallery.example_files import ExampleFiles
from birdmodes.gallery.figures.axes import Mark
from birdmodes.gallery.windows import ExampleWindow, Span
from birdmodes.modes.words import ModeWords
from birdmodes.pictures import text
from birdmodes.pictures.scale import round_ticks
from birdmodes.pictures.windows import ContextScale

AROUND_S = 0.04
"""Played before and after a syllable or a series."""

LONELY_S = 1.0
"""Played around a syllable that stands in no series."""

BOX_ROOM_HZ = 80.0
"""Between a syllable and the box around it."""

CLOSE_UP_S, CLOSE_UP_HZ = 0.8, 4000.0
"""What a close-up shows, or a multiple of it where syllables are longer or wider."""


@dataclass(frozen=True)
class Box:
    """A rectangle in a picture, in per cent."""

    left: float
    top: float
    width: float
    height: float


@dataclass(frozen=True)
class View:
    """One way to look at an example: the whole picture, a small one, or a close-up.

    Attributes
    ----------
    box : Box
        Around the syllable.
    alike : list of Box
        Bars at the foot: the syllable's first, then those of the same mode.
    outside : list of Box
        What the clip does not reach.
    times : list of Mark
        The axis below it.
    start_s, width_s : float
        The stretch (s of the recording).
    """

    box: Box
    alike: list[Box]
    outside: list[Box]
    times: list[Mark]
    start_s: float
    width_s: float


@dataclass(frozen=True)
class CloseUp:
    """What the close-ups of one mode show.

    Attributes
    ----------
    width_s, low_hz, high_hz : float
        The length, and the edges.
    frequencies : list of Mark
        The axis.
    """

    width_s: float
    low_hz: float
    high_hz: float
    frequencies: list[Mark]


@dataclass(frozen=True)
class Hearing:
    """What the player needs to know of an example; times are seconds of the recording.

    Attributes
    ----------
    clip : str
        Name of the clip that has its sound.
    gain : float
        What makes it as loud as the others.
    low_hz, high_hz : int
        Band of the syllable.
    syllable, series, context : (float, float)
        From and to.
    series_name : str
        Such as "Series of 4", or "1 s around".
    """

    clip: str
    gain: float
    low_hz: int
    high_hz: int
    syllable: Span
    series: Span
    series_name: str
    context: Span


@dataclass(frozen=True)
class ExampleFigure:
    """An example as the templates show it.

    Attributes
    ----------
    syllable, recording : str
        Its name, and that of the recording.
    group : str
        Why it is shown: one of `birdmodes.pictures.exemplars.GROUPS`, or another.
    start_s : float
        Where the syllable begins (s of the recording).
    facts : str
        Duration, and how loud it is.
    label : str
        What a screen reader says of it: mode, recording and place.
    picture : str
        Address of the picture.
    hearing : Hearing or None
        None if there is no sound.
    context, tile, close : View
        The three ways to look at it.
    crop : int
        Which part of the picture small ones show.
    close_up : str
        The part that the close-up shows, as an SVG view box of a picture of 1000 by 1000.
    at_edge : bool
        True if the syllable touches the border of its clip and may be longer.
    """

    syllable: str
    recording: str
    group: str
    start_s: float
    facts: str
    label: str
    picture: str
    hearing: Hearing | None
    context: View
    tile: View
    close: View
    crop: int
    close_up: str
    at_edge: bool


def frequency_marks(low_hz: float, high_hz: float) -> list[Mark]:
    """Ticks of a frequency axis, in kilohertz."""
    return [
        Mark(_percent(high_hz - tick.value, high_hz - low_hz), tick.text)
        for tick in round_ticks(low_hz, high_hz, 1000.0)
    ]


def close_up(words: ModeWords | None, scale: ContextScale) -> CloseUp:
    """Choose what the close-ups of a mode show, so that its examples can be compared.

    Parameters
    ----------
    words : ModeWords or None
        What the mode is.
    scale : ContextScale
        Of the pictures that they are cut out of.
    """
    if words is None:
        return CloseUp(scale.width_s, 0.0, scale.top_hz, frequency_marks(0.0, scale.top_hz))
    width_s = min(CLOSE_UP_S * _times(words.duration_s, 0.75 * CLOSE_UP_S), scale.width_s)
    height_hz = CLOSE_UP_HZ * _times(words.high_hz - words.low_hz, 0.75 * CLOSE_UP_HZ)
    middle_hz = (words.low_hz + words.high_hz) / 2
    high_hz = min(max(middle_hz + height_hz / 2, height_hz), scale.top_hz)
    low_hz = max(high_hz - height_hz, 0.0)
    return CloseUp(width_s, low_hz, high_hz, frequency_marks(low_hz, high_hz))


def example_figure(
    mode_name: str,
    row: dict[Any, Any],
    files: ExampleFiles,
    window: ExampleWindow,
    scale: ContextScale,
    close: CloseUp,
) -> ExampleFigure:
    """Work out what the templates need to show an example.

    Parameters
    ----------
    mode_name : str
        Whole name of its mode.
    row : dict
        The syllable: its row of the workspace's table, and ``group``.
    files : ExampleFiles
        What was made for it.
    window : ExampleWindow
        What its picture shows.
    scale : ContextScale
        Of all pictures.
    close : CloseUp
        What its close-up shows.
    """
    start_s, end_s = window.syllable_s
    first_s, width_s = window.place.start_s, scale.width_s
    close_s = (start_s + end_s - close.width_s) / 2
    close_s = min(max(close_s, first_s), first_s + width_s - close.width_s)
    band = (float(row["low_hz"]), float(row["high_hz"]))
    whole = (0.0, scale.top_hz)
    verb = "Play" if files.clip else "Spectrogram of"
    return ExampleFigure(
        syllable=row["syllable"],
        recording=row["recording"],
        group=row["group"],
        start_s=start_s,
        facts=f"{text.seconds(end_s - start_s)} s · {window.level_db:.0f} dB above noise",
        label=f"{verb} {mode_name}, {row['recording']}, {text.position(start_s)}",
        picture=files.picture,
        hearing=_hearing(band, files, window, scale),
        context=_view(window, band, (first_s, width_s), whole),
        tile=_view(window, band, (window.place.tile_start_s(scale), scale.tile_s), whole),
        close=_view(window, band, (close_s, close.width_s), (close.low_hz, close.high_hz)),
        crop=window.place.crop,
        close_up=" ".join(
            f"{1000 * value:.1f}"
            for value in (
                (close_s - first_s) / width_s,
                (scale.top_hz - close.high_hz) / scale.top_hz,
                close.width_s / width_s,
                (close.high_hz - close.low_hz) / scale.top_hz,
            )
        ),
        at_edge=bool(row["truncated"]),
    )


def _view(window: ExampleWindow, band: Span, stretch: Span, shown_hz: Span) -> View:
    start_s, width_s = stretch
    low_hz, high_hz = shown_hz
    top_hz = min(band[1] + BOX_ROOM_HZ, high_hz)
    bottom_hz = max(band[0] - BOX_ROOM_HZ, low_hz)
    across = _across(window.syllable_s, stretch)
    others = (_across(one, stretch) for one in window.alike)
    box = Box(
        across.left,
        _percent(high_hz - top_hz, high_hz - low_hz),
        across.width,
        _percent(max(top_hz - bottom_hz, 0.0), high_hz - low_hz),
    )
    beyond = [(start_s, window.clip_s[0]), (window.clip_s[1], start_s + width_s)]
    return View(
        box=box,
        alike=[across, *(one for one in others if one.width > 0)],
        outside=[_across(part, stretch) for part in beyond if part[1] - part[0] > 0.01],
        times=_time_marks(start_s, width_s),
        start_s=round(start_s, 4),
        width_s=round(width_s, 4),
    )


def _across(part: Span, stretch: Span) -> Box:
    """From edge to edge in height; in time what of a part is seen."""
    start_s, width_s = stretch
    left = min(max(_percent(part[0] - start_s, width_s), 0.0), 100.0)
    right = min(max(_percent(part[1] - start_s, width_s), 0.0), 100.0)
    return Box(left, 0.0, round(right - left, 2), 100.0)


def _time_marks(start_s: float, width_s: float) -> list[Mark]:
    marks = [
        Mark(_percent(tick.value - start_s, width_s), tick.text)
        for tick in round_ticks(start_s, start_s + width_s, 1.0)
    ]
    # Those at the edges would run out of the picture, or into its neighbour's.
    return [mark for mark in marks if 3 < mark.at < 94 and not mark.text.startswith("−")]


def _hearing(
    band: Span, files: ExampleFiles, window: ExampleWindow, scale: ContextScale
) -> Hearing | None:
    if files.clip is None:
        return None
    start_s, end_s = window.syllable_s
    if window.series > 1:
        series, name = window.series_s, f"Series of {window.series}"
        series = (series[0] - AROUND_S, series[1] + AROUND_S)
    else:
        middle_s, half_s = (start_s + end_s) / 2, max(LONELY_S, end_s - start_s + LONELY_S) / 2
        series, name = (middle_s - half_s, middle_s + half_s), f"{LONELY_S:g} s around"
    first_s = window.place.start_s
    return Hearing(
        clip=files.clip,
        gain=files.gain,
        low_hz=round(band[0]),
        high_hz=round(band[1]),
        syllable=_inside((start_s - AROUND_S, end_s + AROUND_S), window),
        series=_inside(series, window),
        series_name=name,
        context=_inside((first_s, first_s + scale.width_s), window),
    )


def _inside(part: Span, window: ExampleWindow) -> Span:
    clip_s = window.clip_s
    return round(max(part[0], clip_s[0]), 3), round(min(part[1], clip_s[1]), 3)


def _percent(part: float, whole: float) -> float:
    return round(100 * part / whole, 2)


def _times(value: float, most: float) -> int:
    """How many times a length is needed for something that may fill `most` of it."""
    return max(1, math.ceil(value / most))
