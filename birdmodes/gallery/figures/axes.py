"""Geometry of a picture's axes and of what lies over it, drawn as SVG."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from birdmodes.gallery.example_files import ExampleFiles
from birdmodes.pictures import text
from birdmodes.pictures.pictures import first_bin
from birdmodes.pictures.scale import Scale
from birdmodes.segmentation.parameters import SegmentationParameters

AXIS_WIDTH = 36
PLOT_WIDTH, PLOT_HEIGHT = 270, 164
TEXT_ROOM = 12
"""Half the width of a number below a picture."""

AROUND_S = 0.15
"""Played before and after a syllable."""


@dataclass(frozen=True)
class Mark:
    """A tick of an axis: its place in the figure, and its text."""

    at: float
    text: str


@dataclass(frozen=True)
class Frame:
    """The axes that all pictures of a page share.

    Attributes
    ----------
    left : int
        Width of the axis left of the picture.
    plot_width, plot_height : int
        Of the picture.
    time_marks, frequency_marks : list of Mark
        The ticks, in seconds and kilohertz, from the picture's upper left corner.
    """

    left: int
    plot_width: int
    plot_height: int
    time_marks: list[Mark]
    frequency_marks: list[Mark]

    @classmethod
    def of(cls, scale: Scale) -> Frame:
        """Lay out the axes of a scale."""
        return cls(
            left=AXIS_WIDTH,
            plot_width=PLOT_WIDTH,
            plot_height=PLOT_HEIGHT,
            time_marks=[
                mark
                for tick in scale.time_ticks()
                if _fits(mark := Mark(round(scale.x(tick.value) * PLOT_WIDTH, 1), tick.text))
            ],
            frequency_marks=[
                Mark(round(scale.y(tick.value) * PLOT_HEIGHT, 1), tick.text)
                for tick in scale.frequency_ticks()
            ],
        )


def _fits(mark: Mark) -> bool:
    """Whether a time's text stays below its own picture, with the unit that the last one has."""
    return TEXT_ROOM <= mark.at <= PLOT_WIDTH - 1.5 * TEXT_ROOM


@dataclass(frozen=True)
class Hearing:
    """What the player needs to know of an example.

    Attributes
    ----------
    clip : str
        Name of the clip that has its sound.
    from_s, to_s : float
        What is played (s of the recording): the syllable and a little before and after it.
    low_hz, high_hz : int
        Band of the syllable.
    gain : float
        What makes it as loud as the others.
    """

    clip: str
    from_s: float
    to_s: float
    low_hz: int
    high_hz: int
    gain: float


@dataclass(frozen=True)
class ExampleFigure:
    """An example as the template shows it.

    Attributes
    ----------
    syllable : str
        Its name.
    group : str
        Why it is shown: one of `birdmodes.pictures.exemplars.GROUPS`.
    recording : str
        Name of the recording.
    start_s : float
        Where the syllable begins in it (s).
    duration, band, confidence : str
        Facts for the caption; `confidence` is empty for clusters without a species.
    label : str
        What a screen reader says of the button, or of the picture if there is no sound.
    files : ExampleFiles
        Picture and clip.
    hearing : Hearing or None
        None if there is no sound.
    outline_place : str
        SVG transform that takes the outline to the picture.
    cut : str
        Seconds of the syllable that do not fit, or empty.
    at_edge : bool
        True if the syllable touches the border of its clip and may be longer.
    """

    syllable: str
    group: str
    recording: str
    start_s: float
    duration: str
    band: str
    confidence: str
    label: str
    files: ExampleFiles
    hearing: Hearing | None
    outline_place: str
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
        The syllable: its row of the clustering's assignments, ``truncated`` and ``group``.
    files : ExampleFiles
        What was made for it.
    scale : Scale
        Of the page.
    parameters : SegmentationParameters
        Those of the workspace.
    """
    start_s, duration_s = float(row["start_s"]), float(row["end_s"] - row["start_s"])
    cut_s = scale.cut_s(duration_s)
    verb = "Play" if files.clip else "Spectrogram of"
    confidence = float(row["confidence"])
    return ExampleFigure(
        syllable=row["syllable"],
        group=row["group"],
        recording=row["recording"],
        start_s=start_s,
        duration=f"{text.seconds(duration_s)} s",
        band=f"{text.kilohertz(row['low_hz'])}–{text.kilohertz(row['high_hz'])} kHz",
        confidence=text.share(confidence) if confidence > 0 else "",
        label=f"{verb} {mode_name}, {row['recording']}, {text.position(start_s)}",
        files=files,
        hearing=_hearing(row, files),
        outline_place=_outline_place(float(row["low_hz"]), scale, parameters),
        cut=f"{text.seconds(cut_s)} s" if cut_s >= parameters.frame_s else "",
        at_edge=bool(row["truncated"]),
    )


def _hearing(row: dict[Any, Any], files: ExampleFiles) -> Hearing | None:
    if files.clip is None:
        return None
    return Hearing(
        clip=files.clip,
        from_s=round(max(0.0, float(row["start_s"]) - AROUND_S), 3),
        to_s=round(float(row["end_s"]) + AROUND_S, 3),
        low_hz=round(row["low_hz"]),
        high_hz=round(row["high_hz"]),
        gain=files.gain,
    )


def _outline_place(low_hz: float, scale: Scale, parameters: SegmentationParameters) -> str:
    """Transform from frames and bins (upwards) of a patch to the picture."""
    lower_edge_hz = (first_bin(low_hz, parameters) - 0.5) * parameters.bin_hz
    x, y = scale.x(0.0) * PLOT_WIDTH, scale.y(lower_edge_hz) * PLOT_HEIGHT
    per_frame = parameters.frame_s / scale.width_s * PLOT_WIDTH
    per_bin = parameters.bin_hz / scale.height_hz * PLOT_HEIGHT
    return f"translate({x:.2f} {y:.2f}) scale({per_frame:.5g} {-per_bin:.5g})"
