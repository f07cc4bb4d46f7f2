"""What label files say, and what they say of recordings."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from birdmodes.labels.request import LabelRequest

SPECIES_SEPARATOR = ";"


@dataclass(frozen=True)
class LabelRow:
    """One row of a table of our own: a recording and its species.

    Attributes
    ----------
    line : int
        Its line in the file, from 1.
    recording : str
        The recording as written there.
    species : tuple of str
        Empty: labelled as having no species.
    start_s, end_s : float or None
        When they were heard, if the table says.
    """

    line: int
    recording: str
    species: tuple[str, ...]
    start_s: float | None = None
    end_s: float | None = None


@dataclass(frozen=True, order=True)
class TimedLabel:
    """A species heard from one time to another.

    Attributes
    ----------
    start_s, end_s : float
        From the start of the recording (s); equal for a label without length.
    species : str
        Its name.
    low_hz, high_hz : float
        The band in which it was heard (Hz); all frequencies where that is not known.
    """

    start_s: float
    end_s: float
    species: str
    low_hz: float = 0.0
    high_hz: float = math.inf

    @property
    def is_box(self) -> bool:
        """Whether it is known at which frequencies the species was heard."""
        return self.high_hz < math.inf


class Confidence(NamedTuple):
    """How sure a detector was that a species is there.

    Attributes
    ----------
    species : str
        Which.
    start_s, end_s : float or None
        When (s); None for the whole recording.
    confidence : float
        0 to 1.
    """

    species: str
    start_s: float | None
    end_s: float | None
    confidence: float


class LabelEntry(NamedTuple):
    """One label of a label file, of whatever format.

    Attributes
    ----------
    line : int
        Its line in the file, from 1.
    recording : str
        Its path as written there; empty if only the file's name says what it is for.
    species : str
        Empty: the recording was looked at, and this row names nothing in it.
    start_s, end_s : float or None
        When it was heard (s); None for the whole recording.
    confidence : float or None
        Of a detection, 0 to 1.
    low_hz, high_hz : float or None
        The band in which it was heard (Hz), if the file says.
    channel : int or None
        Channel in which it was heard, from 1, if the file says.
    scientific : str
        Scientific name or code of the species, where the file has it beside `species`.
    moment : datetime or None
        When it was heard by the clock, in files that do not name the recording.
    negative : bool
        Whether it says of one species that it was not there, and nothing of others.
    """

    line: int
    recording: str
    species: str
    start_s: float | None = None
    end_s: float | None = None
    confidence: float | None = None
    low_hz: float | None = None
    high_hz: float | None = None
    channel: int | None = None
    scientific: str = ""
    moment: datetime | None = None
    negative: bool = False


@dataclass(frozen=True)
class LabelTable:
    """What a label file says.

    Attributes
    ----------
    path : pathlib.Path
        The file.
    format : str
        Its format, in words.
    entries : list of LabelEntry
        Its labels.
    own : bool
        Whether it is a table of our own: what it does not give a time holds for the whole
        recording, and paths in it start at the recordings' folder.
    folder : str
        Where it lies in the folder that was searched, with forward slashes; or empty.
    notes : list of str
        What the user should know of how it was read, a line each.
    """

    path: Path
    format: str
    entries: list[LabelEntry]
    own: bool = False
    folder: str = ""
    notes: list[str] = field(default_factory=list)

    def first_lines(self) -> dict[str, int]:
        """Recordings as written in the file, each with the line it stands in first.

        A file without any label, but for tables of our own, was made for a recording in which
        nothing was found: the one that the file's name says, which the empty text stands for.
        """
        lines: dict[str, int] = {}
        for entry in self.entries:
            lines.setdefault(entry.recording, entry.line)
        return lines or ({} if self.own else {"": 1})


@dataclass(frozen=True)
class FittedLabels:
    """Label files fitted to recordings.

    Attributes
    ----------
    species : dict
        Name of a labelled recording to its species, sorted; recordings that no row names are
        absent, those labelled 'no species' have an empty tuple.
    warnings : list of str
        What the user should look at, a line each.
    files : list of pathlib.Path
        The files used.
    timed : dict
        Name of a recording whose labels have times to these labels, sorted; empty if nothing was
        heard in it.
    whole : dict
        Name of a recording in `timed` to species that other labels give for all of it.
    confidences : dict
        Name of a recording to what detectors said of how sure they were; recordings without any
        are absent.
    labels_as : {"auto", "lists", "spans", "boxes"}
        What the labels in `timed` say of single sounds, see `birdmodes.labels.choice.Choice`.
    request : LabelRequest or None
        What was asked for, if these are of files.
    """

    species: dict[str, tuple[str, ...]]
    warnings: list[str]
    files: list[Path]
    timed: dict[str, tuple[TimedLabel, ...]] = field(default_factory=dict)
    whole: dict[str, tuple[str, ...]] = field(default_factory=dict)
    confidences: dict[str, tuple[Confidence, ...]] = field(default_factory=dict)
    labels_as: str = "auto"
    request: LabelRequest | None = None


def split_species(text: str) -> tuple[str, ...]:
    """Species of a ``species`` cell, in the order given, each once."""
    names = (name.strip() for name in text.split(SPECIES_SEPARATOR))
    return tuple(dict.fromkeys(name for name in names if name))


def join_species(species: Iterable[str]) -> str:
    """Text of a ``species`` cell; the reverse of `split_species`, sorted."""
    return SPECIES_SEPARATOR.join(sorted(species))
