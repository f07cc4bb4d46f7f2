"""Stretches of the recordings, if these are still what was segmented."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from birdmodes.audio import read_span
from birdmodes.errors import AudioError
from birdmodes.workspace import Workspace

SHOWN_NAMES = 5


@dataclass(frozen=True, eq=False)
class Stretch:
    """A piece of a recording.

    Attributes
    ----------
    samples : ndarray of float32, shape (n_samples,)
        Mono.
    sample_rate_hz : int
        Of the recording.
    start_s : float
        Where the piece begins in the recording.
    """

    samples: npt.NDArray[np.float32]
    sample_rate_hz: int
    start_s: float

    def part(self, start_s: float, end_s: float) -> Stretch:
        """Cut out a shorter piece, from and to given seconds of the recording."""
        first = max(0, round((start_s - self.start_s) * self.sample_rate_hz))
        stop = max(first, round((end_s - self.start_s) * self.sample_rate_hz))
        return Stretch(
            self.samples[first:stop],
            self.sample_rate_hz,
            self.start_s + first / self.sample_rate_hz,
        )


class Recordings:
    """Reads from a workspace's recordings and remembers which could not be read.

    Parameters
    ----------
    workspace : Workspace
        Where the recordings are listed.
    """

    def __init__(self, workspace: Workspace) -> None:
        table = workspace.recordings()
        self._rows: dict[Hashable, dict[Hashable, Any]] = {
            row["recording"]: row for row in table.to_dict("records")
        }
        self._channel = workspace.settings.channel
        self._problems: dict[str, set[str]] = {}

    def read(self, recording: str, start_s: float, end_s: float) -> Stretch | None:
        """Read a stretch.

        Parameters
        ----------
        recording : str
            Name of the recording.
        start_s, end_s : float
            The stretch (s); what lies outside the recording is left out.

        Returns
        -------
        Stretch or None
            None if the recording is gone, has changed or cannot be read: see `warnings`.
        """
        row = self._rows[recording]
        path = Path(row["path"])
        problem = _problem(path, row)
        if not problem:
            start_s = max(0.0, start_s)
            try:
                samples, rate = read_span(path, start_s, end_s, self._channel)
                if samples.size:
                    return Stretch(samples, rate, start_s)
                problem = "shorter than announced"
            except AudioError:
                problem = "no longer readable"
        self._problems.setdefault(problem, set()).add(recording)
        return None

    def warnings(self) -> list[str]:
        """One line for each kind of problem met."""
        lines = []
        for problem, names in sorted(self._problems.items()):
            shown = ", ".join(sorted(names)[:SHOWN_NAMES])
            more = ", ..." if len(names) > SHOWN_NAMES else ""
            lines.append(
                f"{len(names)} recording(s) {problem} ({shown}{more}): their examples are drawn "
                "from what 'birdmodes segment' has stored, and cannot be played"
            )
        return lines


def _problem(path: Path, row: dict[Hashable, Any]) -> str:
    """Why a recording is not the one that was segmented, or nothing."""
    try:
        status = path.stat()
    except OSError:
        return "no longer at their place"
    if (status.st_size, status.st_mtime_ns) != (row["size_bytes"], row["mtime_ns"]):
        return "changed since they were segmented"
    return ""
