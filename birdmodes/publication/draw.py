"""A figure: a row of spectrograms for each mode, on one scale of time and frequency.

All panels lie in one pair of axes over the whole figure, in inches: a pair for each would take
twice as long to draw.
"""

from __future__ import annotations

import math
import re
import string
from dataclasses import dataclass
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import Colormap
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from birdmodes.export.text import one_line
from birdmodes.pictures.pictures import SoundImage
from birdmodes.pictures.scale import Scale, Tick
from birdmodes.publication.material import Example, ModeMaterial, SpeciesMaterial

COLOUR_MAPS = ("magma", "viridis", "cividis", "grey")
"""All go evenly from dark to light, but the last, which goes from white to black."""

_NOT_DRAWN = re.compile("[\\ufeff\\ud800-\\udfff]")
"""Signs without a shape, over which matplotlib fails: byte order marks, halves of letters."""

COLOURS = 64
"""Steps of a colour map; more cannot be told apart."""

NO_RECORDING = "0.75"
"""Grey of what lies before or after a recording."""

SMALLEST_RANGE_DB = 20.0
"""What is fainter than this above the noise looks faint."""

RC: Any = {
    "font.family": ["DejaVu Sans"],  # comes with matplotlib, so it is the same everywhere
    "font.size": 7,
    "axes.unicode_minus": True,
    "image.composite_image": False,  # each spectrogram stays one that can be taken out
    "text.usetex": False,
    "pdf.fonttype": 42,  # outlines that journals and drawing programs accept
    "svg.fonttype": "path",
    "svg.hashsalt": "birdmodes",
    "pdf.compression": 6,
}

# inches
_LEFT, _RIGHT, _TOP = 0.5, 0.08, 0.45
_BOTTOM, _BAR_UP, _BAR_HEIGHT = 0.92, 0.36, 0.07
_GAP, _MEAN_GAP, _TITLE = 0.06, 0.16, 0.24
_TICK, _TICK_TEXT = 0.035, 0.055
_ASPECT, _LOWEST, _HIGHEST = 0.85, 0.6, 1.3

_MOST_TICKS, _LAST_TICK = 4, 0.95
_NAME_SIZE = 9


@dataclass(frozen=True)
class Style:
    """How a figure looks.

    Attributes
    ----------
    width_mm : float
        Its width; 180 fills two columns of most journals, 88 one.
    examples : int
        Columns of examples.
    colours : str
        One of `COLOUR_MAPS`.
    """

    width_mm: float = 180.0
    examples: int = 4
    colours: str = "magma"


@dataclass(frozen=True)
class _Grid:
    """Where the panels are, in inches from the lower left corner."""

    width: float
    height: float
    panel_width: float
    panel_height: float

    @classmethod
    def of(cls, rows: int, style: Style) -> _Grid:
        width = style.width_mm / 25.4
        room = width - _LEFT - _RIGHT - _MEAN_GAP - (style.examples - 1) * _GAP
        panel_width = room / (style.examples + 1)
        panel_height = min(max(_ASPECT * panel_width, _LOWEST), _HIGHEST)
        height = _TOP + _BOTTOM + rows * (panel_height + _TITLE)
        return cls(width, height, panel_width, panel_height)

    def panel(self, row: int, column: int, scale: Scale) -> _Panel:
        """Give the place of a spectrogram; column 0 is the mean's."""
        bottom = self.top(row) - self.panel_height
        return _Panel(self.left(column), bottom, self.panel_width, self.panel_height, scale)

    def left(self, column: int) -> float:
        gaps = _MEAN_GAP + (column - 1) * _GAP if column else 0.0
        return _LEFT + column * self.panel_width + gaps

    def top(self, row: int) -> float:
        """Upper edge of a row's panels."""
        return self.height - _TOP - _TITLE - row * (self.panel_height + _TITLE)


@dataclass(frozen=True)
class _Panel:
    """Where a spectrogram is, in inches, and what its edges stand for."""

    left: float
    bottom: float
    width: float
    height: float
    scale: Scale

    def x(self, time_s: float) -> float:
        return self.left + self.width * self.scale.x(time_s)

    def y(self, frequency_hz: float) -> float:
        return self.bottom + self.height * (1.0 - self.scale.y(frequency_hz))

    def frame(self, **look: Any) -> Rectangle:
        return Rectangle((self.left, self.bottom), self.width, self.height, linewidth=0.5, **look)


def panel_letter(number: int) -> str:
    """Name the row `number`: a, b, ..., z, aa, ab, ..."""
    letters = string.ascii_lowercase
    return letters[number] if number < 26 else panel_letter(number // 26 - 1) + letters[number % 26]


def draw_species(
    material: SpeciesMaterial, style: Style, first: int = 0, rows: int | None = None
) -> Figure:
    """Draw the modes of a species.

    Parameters
    ----------
    material : SpeciesMaterial
        What to draw.
    style : Style
        How.
    first : int
        The first mode to draw.
    rows : int, optional
        How many modes; by default all that follow.

    Returns
    -------
    matplotlib.figure.Figure
        Not attached to any window. The same levels have the same colours in all examples of the
        species, on whichever page they are; every mean has a scale of its own.
    """
    modes = material.modes[first:][:rows]
    with mpl.rc_context(RC):
        grid = _Grid.of(len(modes), style)
        figure = Figure(figsize=(grid.width, grid.height))
        name = _fitting(material.species, grid.width - _LEFT, 1.15 * _NAME_SIZE)
        _text(figure, grid, _LEFT, grid.height - 0.18, name, size=_NAME_SIZE, weight="bold")
        _other_names(figure, grid, material)
        highest = _highest([e for mode in material.modes for e in mode.examples])
        colours = colour_map(style.colours)
        axes = _whole(figure, grid)
        for row, mode in enumerate(modes):
            _title(figure, grid, row, mode, panel_letter(first + row))
            panel = grid.panel(row, 0, material.scale)
            # around the patches of the mean there is silence
            _spectrogram(axes, panel, mode.mean, 1.0, colours, colours(0.0))
            _ticks(figure, axes, grid, panel, left=True, bottom=row == len(modes) - 1)
            for column, example in enumerate(mode.examples[: style.examples], start=1):
                panel = grid.panel(row, column, material.scale)
                _spectrogram(axes, panel, example.image, highest, colours, NO_RECORDING)
                _box(axes, panel, example, style)
                _ticks(figure, axes, grid, panel, left=False, bottom=row == len(modes) - 1)
        _labels(figure, grid, len(modes))
        _bars(figure, axes, grid, style, (1.0, highest))
    return figure


def _other_names(figure: Figure, grid: _Grid, material: SpeciesMaterial) -> None:
    """Write below the name what else the species is called; the scientific name leans."""
    for name, x in zip(material.others, (_LEFT, grid.width / 2), strict=False):
        text = _fitting(name.text, grid.width / 2 - _LEFT, RC["font.size"])
        style = "italic" if name.is_scientific else "normal"
        _text(figure, grid, x, grid.height - 0.31, text, color="0.35", style=style)


def _whole(figure: Figure, grid: _Grid) -> Axes:
    """Axes that are the figure, in inches."""
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_axis_off()
    axes.set_xlim(0.0, grid.width)
    axes.set_ylim(0.0, grid.height)
    axes.set_autoscale_on(False)
    return axes


def _highest(examples: list[Example]) -> float:
    """Level of the brightest colour, in steps of 5 dB: half the examples reach it."""
    loudest = float(np.median([example.loudest() for example in examples]))
    return max(SMALLEST_RANGE_DB, 5.0 * math.ceil(loudest / 5))


def _text(figure: Figure, grid: _Grid, x: float, y: float, text: str, **options: object) -> None:
    """Write text at a place in inches; names are shown letter by letter, never as formulas.

    Also without ligatures, for which a PDF would hold a second font that takes long to make.
    """
    written = figure.text(x / grid.width, y / grid.height, text, parse_math=False, **options)  # type: ignore[arg-type]
    if hasattr(written, "set_fontfeatures"):  # from matplotlib 3.11 on, which joins letters
        written.set_fontfeatures(("-liga",))


def _fitting(name: str, inches: float, size: float) -> str:
    """Cut a name to a width; letters are taken to be 0.62 of their size wide."""
    line = _NOT_DRAWN.sub("", one_line(name))
    most = max(8, int(inches / (0.62 * size / 72)))
    return line if len(line) <= most else line[: most - 1] + "…"


def _title(figure: Figure, grid: _Grid, row: int, mode: ModeMaterial, letter: str) -> None:
    y = grid.top(row) + 0.06
    _text(figure, grid, _LEFT, y, letter, size=8, weight="bold")
    count = f"  (n = {mode.syllables:,}, {_recordings(mode.recordings)})"
    left = _LEFT + 0.14
    room = grid.width - left - 0.62 * RC["font.size"] / 72 * len(count)
    heading = f"{mode.heading}: {mode.words}" if mode.words else mode.heading
    heading = heading.replace("–", " to ")  # for one sign a PDF would hold a second font
    _text(figure, grid, left, y, _fitting(heading, room, RC["font.size"]) + count)


def _recordings(count: int) -> str:
    return f"{count:,} recording{'' if count == 1 else 's'}"


def colour_map(name: str) -> Colormap:
    """Give one of `COLOUR_MAPS`, in so few steps that files stay small."""
    return mpl.colormaps["gray_r" if name == "grey" else name].resampled(COLOURS)


def _spectrogram(
    axes: Axes,
    panel: _Panel,
    image: SoundImage,
    highest: float,
    colours: Colormap,
    around: Any,
) -> None:
    level, (start_s, end_s, low_hz, high_hz) = _cut(image, panel.scale)
    ground = axes.add_patch(panel.frame(facecolor=around, edgecolor="none"))
    shown = axes.imshow(
        level,
        origin="lower",
        aspect="auto",
        extent=(panel.x(start_s), panel.x(end_s), panel.y(low_hz), panel.y(high_hz)),
        vmin=0.0,
        vmax=highest,
        cmap=colours,
        interpolation="bilinear",
        interpolation_stage="data",
        zorder=2,
    )
    shown.set_clip_path(ground)
    axes.add_patch(panel.frame(fill=False, edgecolor="black", zorder=4))


def _cut(image: SoundImage, scale: Scale) -> tuple[np.ndarray, tuple[float, float, float, float]]:
    """Levels that the scale shows and one more on each side, and their edges in s and Hz."""
    rows = _span(image.first_hz, image.bin_hz, scale.low_hz, scale.high_hz, image.level.shape[0])
    columns = _span(image.first_s, image.frame_s, scale.start_s, scale.end_s, image.level.shape[1])
    left = image.first_s + (columns.start - 0.5) * image.frame_s
    low = image.first_hz + (rows.start - 0.5) * image.bin_hz
    right = left + (columns.stop - columns.start) * image.frame_s
    high = low + (rows.stop - rows.start) * image.bin_hz
    return image.level[rows, columns], (left, right, low, high)


def _span(first: float, step: float, low: float, high: float, size: int) -> slice:
    start = min(max(0, int(np.floor((low - first) / step)) - 1), size - 1)
    stop = max(start + 1, min(size, int(np.ceil((high - first) / step)) + 2))
    return slice(start, stop)


def _box(axes: Axes, panel: _Panel, example: Example, style: Style) -> None:
    """Thin line around the syllable: other sounds may be in the picture."""
    left, bottom = panel.x(0.0), panel.y(example.low_hz)
    box = Rectangle(
        (left, bottom),
        panel.x(example.duration_s) - left,
        panel.y(example.high_hz) - bottom,
        fill=False,
        linewidth=0.4,
        linestyle=(0, (4, 3)),
        edgecolor="0.35" if style.colours == "grey" else "white",
        zorder=3,
    )
    axes.add_patch(box)
    box.set_clip_path(panel.frame(transform=axes.transData))


def _ticks(
    figure: Figure, axes: Axes, grid: _Grid, panel: _Panel, *, left: bool, bottom: bool
) -> None:
    """Ticks at the left and lower edge of the page; more would be most of the work."""
    scale = panel.scale
    times = [tick for tick in scale.time_ticks() if scale.x(tick.value) < _LAST_TICK]
    if bottom:
        places = [(panel.x(tick.value), tick.text) for tick in _with_room(times)]
        _time_ticks(figure, axes, grid, panel.bottom, places)
    if left:
        ticks = scale.frequency_ticks()
        lines = [
            [(panel.left - _TICK, panel.y(tick.value)), (panel.left, panel.y(tick.value))]
            for tick in ticks
        ]
        _lines(axes, lines)
        for tick, line in zip(ticks, lines, strict=True):
            x, y = panel.left - _TICK_TEXT, line[0][1]
            _text(figure, grid, x, y, tick.text, ha="right", va="center_baseline")


def _time_ticks(
    figure: Figure, axes: Axes, grid: _Grid, edge: float, places: list[tuple[float, str]]
) -> None:
    """Ticks below an edge, at places in inches."""
    _lines(axes, [[(x, edge - _TICK), (x, edge)] for x, _ in places])
    for x, text in places:
        _text(figure, grid, x, edge - _TICK_TEXT, text, ha="center", va="top")


def _lines(axes: Axes, lines: list[list[tuple[float, float]]]) -> None:
    axes.add_collection(LineCollection(lines, colors="black", linewidths=0.5), autolim=False)


def _with_room(ticks: list[Tick]) -> list[Tick]:
    """Leave out every second tick, but not zero, where more would run into each other."""
    if len(ticks) <= _MOST_TICKS:
        return ticks
    zero = min(range(len(ticks)), key=lambda number: abs(ticks[number].value))
    return _with_room(ticks[zero % 2 :: 2])


def _labels(figure: Figure, grid: _Grid, rows: int) -> None:
    middle = (grid.top(0) + grid.top(rows - 1) - grid.panel_height) / 2
    _text(figure, grid, 0.13, middle, "Frequency (kHz)", rotation=90, ha="center", va="center")
    centre = (_LEFT + grid.width - _RIGHT) / 2
    y = grid.top(rows - 1) - grid.panel_height - 0.3
    _text(figure, grid, centre, y, "Time from the start of the syllable (s)", ha="center")
    y = grid.top(0) + 0.06 + _TITLE - 0.06
    _text(figure, grid, _LEFT, y, "Mean", color="0.35")
    _text(figure, grid, grid.left(1), y, "Examples", color="0.35")


def _bars(
    figure: Figure, axes: Axes, grid: _Grid, style: Style, highest: tuple[float, float]
) -> None:
    """Colour bars of the means and of the examples."""
    for column, top, text in zip(
        (0, 1), highest, ("Mean (part)", "Level above noise (dB)"), strict=True
    ):
        left = grid.left(column)
        width = grid.panel_width * (1 if column == 0 else min(2, style.examples))
        # A panel whose time is the level.
        bar = _Panel(left, _BAR_UP, width, _BAR_HEIGHT, Scale(0.0, top, 0.0, 1.0))
        axes.imshow(
            np.linspace(0, 1, 256)[None],
            aspect="auto",
            extent=(left, left + width, _BAR_UP, _BAR_UP + _BAR_HEIGHT),
            cmap=colour_map(style.colours),
            interpolation="nearest",
        )
        axes.add_patch(bar.frame(fill=False, edgecolor="black", zorder=4))
        places = [(bar.x(t.value), t.text) for t in _with_room(bar.scale.time_ticks())]
        _time_ticks(figure, axes, grid, _BAR_UP, places)
        _text(figure, grid, left, _BAR_UP - 0.3, text)
