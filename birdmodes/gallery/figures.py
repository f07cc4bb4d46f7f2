"""Geometry of a figure: a picture with its axes, drawn as SVG."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from birdmodes.gallery import text
from birdmodes.gallery.material import ExampleFiles
from birdmodes.gallery.pictures import first_bin
from birdmodes.gallery.scale import Scale
from birdmodes.parameters import SegmentationParameters

WIDTH, HEIGHT = 320, 194
LEFT, TOP, RIGHT, BOTTOM = 36, 8, 14, 22


@dataclass(frozen=True)
class Mark:
    """A tick of an axis: its place in the figure, and its text."""

    at: float
    text: str


@dataclass(frozen=True)
class Frame:
    """The part of a figure that is the same for all of a page.

    Attributes
    ----------
    width, height : int
        Of the figure.
    left, top, plot_width, plot_height : int
        Where the picture is.
    time_marks, frequency_marks : list of Mark
        The ticks, in seconds and kilohertz.
    """

    width: int
    height: int
    left: int
    top: int
    plot_width: int
    plot_height: int
    time_marks: list[Mark]
    frequency_marks: list[Mark]

    @classmethod
    def of(cls, scale: Scale) -> Frame:
        """Lay out the axes of a scale."""
        plot_width, plot_height = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
        return cls(
            width=WIDTH,
            height=HEIGHT,
            left=LEFT,
            top=TOP,
            plot_width=plot_width,
            plot_height=plot_height,
            time_marks=[
                Mark(round(LEFT + scale.x(tick.value) * plot_width, 1), tick.text)
                for tick in scale.time_ticks()
            ],
            frequency_marks=[
                Mark(round(TOP + scale.y(tick.value) * plot_height, 1), tick.text)
                for tick in scale.frequency_ticks()
            ],
        )


@dataclass(frozen=True)
class ExampleFigure:
    """An example as the template shows it.

    Attributes
    ----------
    recording : str
        Name of the recording.
    start_s : float
        Where the syllable begins in it (s).
    duration, band, confidence : str
        Facts for the caption; `confidence` is empty for clusters without a species.
    label : str
        What a screen reader says of the button, or of the picture if there is no sound.
    files : ExampleFiles
        Picture and sounds.
    outline_place : str
        SVG transform that takes the outline to the picture.
    sound_x, sound_speed : float
        Where in the figure the sound begins, and how far it gets in a second.
    cut : str
        Seconds of the syllable that do not fit, or empty.
    at_edge : bool
        True if the syllable touches the border of its clip and may be longer.
    """

    recording: str
    start_s: float
    duration: str
    band: str
    confidence: str
    label: str
    files: ExampleFiles
    outline_place: str
    sound_x: float
    sound_speed: float
    cut: str
    at_edge: bool


def example_figure(
    mode_name: str,
    row: dict[Any, Any],
    files: ExampleFiles,
    scale: Scale,
    parameters: SegmentationParameters,
) -> ExampleFigure:
    """Work out what the template needs to show an example.

    Parameters
    ----------
    mode_name : str
        Whole name of its mode.
    row : dict
        The syllable: its row of the clustering's assignments, and ``truncated``.
    files : ExampleFiles
        What was made for it.
    scale : Scale
        Of the page.
    parameters : SegmentationParameters
        Those of the workspace.
    """
    plot_width = WIDTH - LEFT - RIGHT
    start_s, duration_s = float(row["start_s"]), float(row["end_s"] - row["start_s"])
    cut_s = scale.cut_s(duration_s)
    verb = "Play" if files.sound else "Spectrogram of"
    confidence = float(row["confidence"])
    return ExampleFigure(
        recording=row["recording"],
        start_s=start_s,
        duration=f"{text.seconds(duration_s)} s",
        band=f"{text.kilohertz(row['low_hz'])}–{text.kilohertz(row['high_hz'])} kHz",
        confidence=text.share(confidence) if confidence > 0 else "",
        label=f"{verb} {mode_name}, {row['recording']}, {text.position(start_s)}",
        files=files,
        outline_place=_outline_place(float(row["low_hz"]), scale, parameters),
        sound_x=round(LEFT + scale.x(files.sound_start_s) * plot_width, 2),
        sound_speed=round(plot_width / scale.width_s, 2),
        cut=f"{text.seconds(cut_s)} s" if cut_s >= parameters.frame_s else "",
        at_edge=bool(row["truncated"]),
    )


def _outline_place(low_hz: float, scale: Scale, parameters: SegmentationParameters) -> str:
    """Transform from frames and bins (upwards) of a patch to the picture."""
    plot_width, plot_height = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
    lower_edge_hz = (first_bin(low_hz, parameters) - 0.5) * parameters.bin_hz
    x, y = scale.x(0.0) * plot_width, scale.y(lower_edge_hz) * plot_height
    per_frame = parameters.frame_s / scale.width_s * plot_width
    per_bin = parameters.bin_hz / scale.height_hz * plot_height
    return f"translate({x:.2f} {y:.2f}) scale({per_frame:.5g} {-per_bin:.5g})"
