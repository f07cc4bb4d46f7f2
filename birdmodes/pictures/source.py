"""Stretches of a recording, if it is still what was segmented."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from birdmodes.audio.read import read_span
from birdmodes.errors import AudioError
from birdmodes.pictures import text

SHOWN_NAMES = 5


class UnavailableError(Exception):
    """A recording cannot be read; its text completes '3 recordings ...'."""


@dataclass(frozen=True, eq=False)
class Stretch:
    """A piece of a recording.

    Attributes
    ----------
    samples : ndarray of float32, shape (n_samples,)
        Mono, without a constant offset.
    sample_rate_hz : int
        Of the recording.
    start_s : float
        Where the piece begins in the recording.
    """

    samples: npt.NDArray[np.float32]
    sample_rate_hz: int
    start_s: float

    @property
    def end_s(self) -> float:
        """Where the piece ends in the recording."""
        return self.start_s + len(self.samples) / self.sample_rate_hz

    def part(self, start_s: float, end_s: float) -> Stretch:
        """Cut out a shorter piece, from and to given seconds of the recording."""
        first = max(0, round((start_s - self.start_s) * self.sample_rate_hz))
        stop = max(first, round((end_s - self.start_s) * self.sample_rate_hz))
        return Stretch(
            self.samples[first:stop],
            self.sample_rate_hz,
            self.start_s + first / self.sample_rate_hz,
        )


@dataclass(frozen=True)
class Source:
    """A recording's file, as it was when it was segmented.

    Attributes
    ----------
    recording : str
        Its name.
    path : pathlib.Path
        Where it was.
    size_bytes, mtime_ns : int
        Size and time of change of the file.
    duration_s : float
        Of the sound.
    channel : int or None
        Channel to read, from 1; None for the mean of all.
    """

    recording: str
    path: Path
    size_bytes: int
    mtime_ns: int
    duration_s: float
    channel: int | None

    @classmethod
    def of(cls, recording: str, facts: Mapping[Any, Any], channel: int | None) -> Source:
        """From a row of the workspace's recordings."""
        return cls(
            recording,
            Path(facts["path"]),
            int(facts["size_bytes"]),
            int(facts["mtime_ns"]),
            float(facts["duration_s"]),
            channel,
        )

    def read(self, start_s: float, end_s: float) -> Stretch:
        """Read a stretch; what lies outside the recording is left out.

        Raises
        ------
        UnavailableError
            If the recording is gone, has changed or cannot be read.
        """
        try:
            status = self.path.stat()
        except OSError as error:
            raise UnavailableError("no longer at their place") from error
        if (status.st_size, status.st_mtime_ns) != (self.size_bytes, self.mtime_ns):
            raise UnavailableError("changed since they were segmented")
        start_s = max(0.0, start_s)
        try:
            samples, rate = read_span(self.path, start_s, end_s, self.channel)
        except AudioError as error:
            raise UnavailableError("no longer readable") from error
        if not samples.size:
            raise UnavailableError("shorter than announced")
        return Stretch(samples - samples.mean(), rate, start_s)


def source_warnings(problems: Mapping[str, set[str]]) -> list[str]:
    """One line for each kind of problem.

    Parameters
    ----------
    problems : mapping of str to set of str
        What an `UnavailableError` said, and the names of the recordings.
    """
    lines = []
    for problem, names in sorted(problems.items()):
        shown = ", ".join(sorted(names)[:SHOWN_NAMES])
        more = ", ..." if len(names) > SHOWN_NAMES else ""
        lines.append(
            f"{text.count(len(names), 'recording')} {problem} ({shown}{more}): their examples are "
            "drawn from what 'birdmodes segment' has stored, and cannot be played"
        )
    return lines
