"""Where in its recording each example is shown, and what else of its mode is seen there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from birdmodes.gallery.clips import clip_stretch
from birdmodes.modes.words.series import run_numbers
from birdmodes.pictures.windows import ContextScale, Window, context_scale, place_window
from birdmodes.workspace.store import Workspace

Floats = npt.NDArray[np.float64]
Span = tuple[float, float]


@dataclass(frozen=True, eq=False)
class ExampleWindow:
    """The stretch that a picture shows; all times are seconds of the recording.

    Attributes
    ----------
    place : Window
        Where it begins.
    clip_s : (float, float)
        The clip whose sound is at hand.
    syllable_s, series_s : (float, float)
        The syllable, and the series that it stands in.
    series : int
        Syllables in that.
    alike : list of (float, float)
        Other syllables of its mode that are seen.
    level_db : float
        How loud it is above the noise.
    """

    place: Window
    clip_s: Span
    syllable_s: Span
    series_s: Span
    series: int
    alike: list[Span]
    level_db: float


class Windows:
    """The windows of all syllables of a gallery.

    Parameters
    ----------
    workspace : Workspace
        Where the recordings are listed.
    syllables : pandas.DataFrame
        Columns syllable, recording, clip, start_s, end_s, high_hz, level_db, pitch_hz and cluster;
        a cluster of -1 is none.

    Attributes
    ----------
    scale : ContextScale
        Of all pictures.
    """

    def __init__(self, workspace: Workspace, syllables: pd.DataFrame) -> None:
        self._settings = workspace.settings
        self._facts = workspace.recordings().set_index("recording").to_dict("index")
        self.scale: ContextScale = context_scale(
            syllables, workspace.settings.segmentation.nyquist_hz
        )
        self._row = {name: row for row, name in enumerate(syllables["syllable"])}
        self._recording = syllables["recording"].to_numpy()
        self._clip = syllables["clip"].to_numpy(dtype=np.int64)
        self._start = syllables["start_s"].to_numpy(dtype=np.float64)
        self._end = syllables["end_s"].to_numpy(dtype=np.float64)
        self._level = syllables["level_db"].to_numpy(dtype=np.float64)
        self._run = _runs(syllables)
        self._alike = syllables.groupby(["recording", "cluster"], sort=False).indices
        self._cluster = syllables["cluster"].to_numpy(dtype=np.int64)

    def run(self, names: pd.Series) -> npt.NDArray[np.int64]:
        """Numbers of the series that some syllables stand in."""
        return self._run[[self._row[name] for name in names]]

    def of(self, syllable: str) -> ExampleWindow:
        """Window around a syllable."""
        row = self._row[syllable]
        recording, cluster = self._recording[row], int(self._cluster[row])
        alike = np.array([row])
        if cluster >= 0:
            alike = np.asarray(self._alike[recording, cluster], dtype=np.int64)
        series = alike[self._run[alike] == self._run[row]]
        series_s = (float(self._start[series].min()), float(self._end[series].max()))
        syllable_s = (float(self._start[row]), float(self._end[row]))
        clip_s = clip_stretch(self._settings, self._facts[recording], int(self._clip[row]))
        place = place_window(syllable_s, series_s, clip_s, self.scale)
        until_s = place.start_s + self.scale.width_s
        inside = (self._end[alike] > place.start_s) & (self._start[alike] < until_s)
        seen: list[int] = alike[inside & (alike != row)].tolist()
        return ExampleWindow(
            place=place,
            clip_s=clip_s,
            syllable_s=syllable_s,
            series_s=series_s,
            series=len(series),
            alike=[(float(self._start[one]), float(self._end[one])) for one in seen],
            level_db=float(self._level[row]),
        )


def _runs(syllables: pd.DataFrame) -> npt.NDArray[np.int64]:
    """Number of every syllable's series; those of different modes are never in one."""
    numbers = np.zeros(len(syllables), dtype=np.int64)
    first = 0
    for cluster, rows in syllables.groupby("cluster", sort=True).indices.items():
        if int(str(cluster)) < 0:  # of no mode: each stands alone
            numbers[rows] = first + np.arange(len(rows))
        else:
            numbers[rows] = first + run_numbers(syllables.iloc[rows])
        first = int(numbers[rows].max()) + 1
    return numbers
