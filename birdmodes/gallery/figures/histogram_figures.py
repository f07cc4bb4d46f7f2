"""Geometry and words of the small histograms of a mode."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from birdmodes.gallery.figures.axes import Mark
from birdmodes.gallery.figures.histograms import BINS, Axis, Floats, Measure
from birdmodes.pictures.statistics import Spread

WIDTH, HEIGHT = 240, 104
LEFT, RIGHT, TOP, BOTTOM = 34, 14, 8, 20
GAP = 0.1
"""Share of a bar's width that is left free between bars."""


@dataclass(frozen=True)
class HistogramFigure:
    """A histogram as the template shows it.

    Attributes
    ----------
    heading : str
        What is measured, with its unit.
    width, height, left, right, top, bottom : int
        Of the figure, and where its bars are.
    bars : str
        SVG path of all bars.
    median : float
        Where the median is.
    marks, counts : list of Mark
        Ticks of the measure, and of the number of syllables.
    label : str
        What a screen reader says.
    """

    heading: str
    width: int
    height: int
    left: int
    right: int
    top: int
    bottom: int
    bars: str
    median: float
    marks: list[Mark]
    counts: list[Mark]
    label: str


def histogram_figures(
    name: str, values: dict[Measure, Floats], axes: dict[Measure, Axis]
) -> list[HistogramFigure]:
    """Lay out the histograms of a mode.

    Parameters
    ----------
    name : str
        Of the mode.
    values : dict of Measure to ndarray of float64, shape (n_syllables,)
        From `birdmodes.gallery.figures.histograms.measured`.
    axes : dict of Measure to Axis
        Those of the page.

    Returns
    -------
    list of HistogramFigure
        None for a mode without typical syllables.
    """
    return [
        _histogram(name, axes[measure], numbers)
        for measure, numbers in values.items()
        if numbers.size
    ]


def _histogram(name: str, axis: Axis, values: Floats) -> HistogramFigure:
    counts = axis.counts(values)
    highest = int(counts.max())
    plot_width, plot_height = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
    bar_width = plot_width / BINS
    base = HEIGHT - BOTTOM

    def x(value: float) -> float:
        share = (min(max(value, axis.low), axis.high) - axis.low) / (axis.high - axis.low)
        return round(LEFT + share * plot_width, 1)

    heights = [round(plot_height * int(count) / highest, 1) for count in counts]
    bars = "".join(
        f"M{LEFT + (number + GAP / 2) * bar_width:.1f} {base}"
        f"v{-height:g}h{(1 - GAP) * bar_width:.1f}v{height:g}z"
        for number, height in enumerate(heights)
        if height
    )
    spread = Spread.of(values)
    return HistogramFigure(
        heading=f"{axis.measure.name} ({axis.measure.unit})",
        width=WIDTH,
        height=HEIGHT,
        left=LEFT,
        right=WIDTH - RIGHT,
        top=TOP,
        bottom=base,
        bars=bars,
        median=x(spread.median),
        marks=[Mark(x(tick.value), tick.text) for tick in axis.ticks()],
        counts=[Mark(TOP, f"{highest:,}"), Mark(base, "0")],
        label=_label(name, axis, counts, spread),
    )


def _label(name: str, axis: Axis, counts: np.ndarray, spread: Spread) -> str:
    edges, mode = axis.edges, int(counts.argmax())
    unit = axis.measure.unit
    low, median, high, first, last = (
        f"{value:.2f}"
        for value in (spread.low, spread.median, spread.high, *edges[mode : mode + 2])
    )
    return (
        f"{axis.measure.name} of {name}: median {median} {unit}, nine in ten from {low} to {high} "
        f"{unit}; most syllables, {counts[mode]:,} of {int(counts.sum()):,}, from {first} to "
        f"{last} {unit}."
    )
