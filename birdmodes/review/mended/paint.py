"""Recordings whose boxes a person has corrected, as examples for ``train-segmenter``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from birdmodes.audio.read import AudioFacts, RecordingFile
from birdmodes.errors import ModelError
from birdmodes.training.find_paint import PaintedRecording
from birdmodes.workspace.mending import BOX
from birdmodes.workspace.store import Workspace
from birdmodes.workspace.tables import unpack_patch

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PaintedSyllable:
    """The pixels that belong to a syllable.

    Attributes
    ----------
    box : tuple of float
        Begin and end (s, in the recording), lowest and highest frequency (Hz).
    mask : ndarray of bool, shape (n_bins, n_frames)
        Its pixels, evenly over the box, row 0 the lowest frequency.
    """

    box: tuple[float, float, float, float]
    mask: Bools


@dataclass(frozen=True, eq=False)
class PaintedSyllables:
    """The syllables of a recording; all else is silent, what was thrown away as well."""

    syllables: Sequence[PaintedSyllable]

    def at(self, hertz: Floats, seconds: Floats, facts: AudioFacts) -> Bools:
        """See `birdmodes.training.paint.Paint.at`; the recording's facts are not needed."""
        painted = np.zeros((hertz.size, seconds.size), dtype=np.bool_)
        for one in self.syllables:
            start_s, end_s, low_hz, high_hz = one.box
            n_bins, n_frames = one.mask.shape
            row = np.floor((hertz - low_hz) / (high_hz - low_hz) * n_bins).astype(np.intp)
            column = np.floor((seconds - start_s) / (end_s - start_s) * n_frames).astype(np.intp)
            rows = np.flatnonzero((row >= 0) & (row < n_bins))
            columns = np.flatnonzero((column >= 0) & (column < n_frames))
            painted[np.ix_(rows, columns)] |= one.mask[np.ix_(row[rows], column[columns])]
        return painted


def corrected_paint(workspace: Workspace) -> list[PaintedRecording]:
    """Recordings of a workspace in which a person has corrected boxes, with all their syllables.

    Raises
    ------
    ModelError
        If there is none, or the file of one is not there.
    BusyError
        If another command writes to the workspace.
    """
    with workspace.reading():
        return _painted(workspace)


def _painted(workspace: Workspace) -> list[PaintedRecording]:
    rows = {row["recording"]: row for row in workspace.recording_rows()}
    names = sorted(workspace.mended(rows))
    if not names:
        raise ModelError(
            f"{workspace.folder}: nobody has corrected boxes there yet; do so on the page of a "
            "clip and run 'birdmodes review apply'"
        )
    painted = []
    for name in names:
        path = Path(rows[name]["path"])
        if not path.exists():
            raise ModelError(f"{path}: no such file; {name} cannot be learned from without it")
        file = RecordingFile(name, path, path.parent)
        painted.append(PaintedRecording(file, _syllables(workspace, name)))
    return painted


def _syllables(workspace: Workspace, recording: str) -> PaintedSyllables:
    table = workspace.syllable_rows(recording).to_pandas()
    return PaintedSyllables(
        [
            PaintedSyllable(
                (row[BOX[0]], row[BOX[1]], row[BOX[2]], row[BOX[3]]),
                unpack_patch(row["patch_bins"], row["patch_frames"], row["patch"], row["mask"])[1],
            )
            for row in table.to_dict("records")
        ]
    )
