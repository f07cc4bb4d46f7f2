"""Makes the pictures and sounds that the pages show, one recording after the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from birdmodes.files import safe_name
from birdmodes.gallery import sounds
from birdmodes.gallery.mean_patch import MeanPatch
from birdmodes.gallery.pictures import (
    SoundImage,
    draw,
    outline,
    patch_image,
    recording_image,
    write_png,
)
from birdmodes.gallery.plan import ModePlan, PagePlan
from birdmodes.gallery.scale import Scale
from birdmodes.gallery.source import Recordings, Stretch
from birdmodes.tables import unpack_patch
from birdmodes.workspace import Workspace

NOISE_CONTEXT_S = 5.0
"""Read before and after a syllable, so that the noise can be told from the sound."""

LEAST_RANGE_DB = 20.0
"""A syllable fainter than this above the noise looks faint."""


@dataclass(frozen=True)
class ExampleFiles:
    """What was made for one example.

    Attributes
    ----------
    picture : str
        Address of the picture from the gallery's folder.
    outline : str
        SVG path around the syllable, in pixels of its patch.
    sound, band_sound : str or None
        Addresses of the sound and of the sound with the syllable's band alone; None if the
        recording could not be read, or has no such band.
    sound_start_s : float
        Where the sounds begin, in seconds from the start of the syllable.
    """

    picture: str
    outline: str
    sound: str | None = None
    band_sound: str | None = None
    sound_start_s: float = 0.0


@dataclass
class Material:
    """Files made for the pages.

    Attributes
    ----------
    examples : dict
        Syllable to its files.
    mean_pictures : dict
        Cluster to the address of its mean patch; clusters without typical members are missing.
    warnings : list of str
        What could not be made.
    """

    examples: dict[str, ExampleFiles] = field(default_factory=dict)
    mean_pictures: dict[int, str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    @property
    def n_pictures(self) -> int:
        """Number of pictures."""
        return len(self.examples) + len(self.mean_pictures)

    @property
    def n_sounds(self) -> int:
        """Number of sound files."""
        files = self.examples.values()
        return sum((f.sound is not None) + (f.band_sound is not None) for f in files)


def make_material(
    workspace: Workspace,
    pages: list[PagePlan],
    folder: Path,
    on_progress: Callable[[int, int, str], None],
) -> Material:
    """Draw all pictures and cut all sounds.

    Parameters
    ----------
    workspace : Workspace
        Where patches and recordings are listed.
    pages : list of PagePlan
        What is wanted.
    folder : pathlib.Path
        The gallery's folder; files go to ``pictures/`` and ``sounds/``.
    on_progress : callable
        Called with done, total and the recording's name after each recording.
    """
    (folder / "pictures").mkdir()
    (folder / "sounds").mkdir()
    material = Material()
    if not pages:
        return material
    parameters = workspace.settings.segmentation
    artist = _Artist(workspace, folder)
    # Twice the page's width, so that no edge of the mean is seen wherever its centre is put.
    means = {
        mode.cluster: MeanPatch(parameters, 2 * page.scale.width_s)
        for page in pages
        for mode in page.modes
    }
    wanted = {
        str(row["syllable"]): (row, page.scale)
        for page in pages
        for mode in page.modes
        for row in mode.examples.to_dict("records")
    }
    typical = pd.concat([mode.typical for page in pages for mode in page.modes])
    recordings = list(typical.groupby("recording"))
    for done, (recording, members) in enumerate(recordings, start=1):
        stored = workspace.patches(str(recording)).set_index("syllable")
        for syllable, cluster in zip(members["syllable"], members["cluster"], strict=True):
            patch, mask = unpack_patch(*stored.loc[syllable])
            means[cluster].add(patch, mask)
            if syllable in wanted:
                row, scale = wanted[syllable]
                material.examples[syllable] = artist.example(row, scale, patch, mask)
        on_progress(done, len(recordings), str(recording))
    for page in pages:
        for mode in page.modes:
            if mode.statistics is not None:
                mean = means[mode.cluster]
                material.mean_pictures[mode.cluster] = artist.mean(mode, mean, page.scale)
    material.warnings = artist.recordings.warnings()
    return material


class _Artist:
    """Writes single pictures and sounds."""

    def __init__(self, workspace: Workspace, folder: Path) -> None:
        self.parameters = workspace.settings.segmentation
        self.recordings = Recordings(workspace)
        self.folder = folder

    def example(
        self,
        row: dict[Any, Any],
        scale: Scale,
        patch: npt.NDArray[np.uint8],
        mask: npt.NDArray[np.bool_],
    ) -> ExampleFiles:
        """Picture and sounds of one syllable."""
        start_s, end_s = float(row["start_s"]), float(row["end_s"])
        stretch = self.recordings.read(
            row["recording"],
            start_s - NOISE_CONTEXT_S,
            max(end_s, start_s + scale.end_s) + NOISE_CONTEXT_S,
        )
        name = safe_name(row["syllable"])
        picture = f"pictures/{name}.png"
        path = outline(mask)
        image = patch_image(patch, row["low_hz"], self.parameters)
        if stretch is not None:
            image = recording_image(
                stretch.samples, stretch.sample_rate_hz, stretch.start_s - start_s, self.parameters
            )
        loudest = _loudest(image, end_s - start_s, row["low_hz"], row["high_hz"])
        write_png(self.folder / picture, draw(image, scale, 0.0, max(loudest, LEAST_RANGE_DB)))
        if stretch is None:
            return ExampleFiles(picture, path)
        cut = stretch.part(start_s - sounds.MARGIN_S, end_s + sounds.MARGIN_S)
        sound, band_sound = self._sounds(name, cut, row["low_hz"], row["high_hz"])
        return ExampleFiles(picture, path, sound, band_sound, cut.start_s - start_s)

    def _sounds(
        self, name: str, cut: Stretch, low_hz: float, high_hz: float
    ) -> tuple[str | None, str | None]:
        samples, rate = sounds.playable(cut.samples, cut.sample_rate_hz)
        if samples.size == 0:
            return None, None
        ending = sounds.sound_ending()
        sound = f"sounds/{name}{ending}"
        sounds.write_sound(self.folder / sound, sounds.finish(samples, rate), rate)
        band = sounds.only_band(samples, rate, low_hz, high_hz)
        if band is None:
            return sound, None
        band_sound = f"sounds/{name}-band{ending}"
        sounds.write_sound(self.folder / band_sound, sounds.finish(band, rate), rate)
        return sound, band_sound

    def mean(self, mode: ModePlan, mean: MeanPatch, scale: Scale) -> str:
        """Picture of a mean patch, at the mode's median frequency and duration."""
        typical = mode.typical
        duration_s = float((typical["end_s"] - typical["start_s"]).median())
        centre_hz = float((typical["low_hz"] + typical["high_hz"]).median() / 2)
        image = mean.image(duration_s / 2, centre_hz)
        picture = f"pictures/mean-{mode.cluster}.png"
        highest = max(float(image.level.max()), 1.0)
        write_png(self.folder / picture, draw(image, scale, 0.0, highest, outside=0))
        return picture


def _loudest(image: SoundImage, duration_s: float, low_hz: float, high_hz: float) -> float:
    """Highest level in a syllable's box."""
    first_row = max(0, round((low_hz - image.first_hz) / image.bin_hz))
    last_row = max(0, round((high_hz - image.first_hz) / image.bin_hz))
    first_column = max(0, round(-image.first_s / image.frame_s))
    last_column = max(0, round((duration_s - image.first_s) / image.frame_s))
    box = image.level[first_row : last_row + 1, first_column : last_column + 1]
    return float(box.max(initial=0.0))
