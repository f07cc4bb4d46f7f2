"""What is in a folder of recordings: how many, hours, dates, sites, what cannot be read."""

from __future__ import annotations

import re
import threading
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from birdmodes.audio.find import RecordingFile, find_recordings
from birdmodes.audio.recorders import recorder_facts
from birdmodes.audio.stream import opened
from birdmodes.errors import AudioError, BirdmodesError

MOST_NAMED = 200
"""Recordings that cannot be read, by name; the others are only counted."""

_BEFORE_DATE = re.compile(r"([A-Za-z0-9][\w-]*?)[_-]*(?:19|20)\d{2}-?[01]\d-?[0-3]\d")


@dataclass
class Contents:
    """What is known so far.

    Attributes
    ----------
    folder : str
        The folder.
    recordings : int
        Recordings in it.
    looked_at : int
        Those that were opened so far.
    seconds : float
        Length of those that can be read (s).
    days : dict of str to int
        Recordings by date (ISO 8601).
    undated : int
        Recordings without a date.
    sites : dict of str to int
        Recordings by site.
    unread : list of tuple of str
        Recordings that cannot be read, and why.
    n_unread : int
        How many.
    problem : str
        Why nothing is known; or empty.
    complete : bool
        Whether all was looked at.
    """

    folder: str
    recordings: int = 0
    looked_at: int = 0
    seconds: float = 0.0
    days: dict[str, int] = field(default_factory=dict)
    undated: int = 0
    sites: dict[str, int] = field(default_factory=dict)
    unread: list[tuple[str, str]] = field(default_factory=list)
    n_unread: int = 0
    problem: str = ""
    complete: bool = False

    def add(self, recording: RecordingFile) -> None:
        """Look at a recording: only its header, not its sound."""
        self.looked_at += 1
        try:
            with opened(recording.path, None) as file:
                self.seconds += file.all_frames / file.rate_hz
        except AudioError as error:
            self.n_unread += 1
            if len(self.unread) < MOST_NAMED:
                self.unread.append((recording.name, str(error)))
            return
        facts = recorder_facts(recording.name, recording.path)
        if facts.recorded_at:
            day = facts.recorded_at[:10]
            self.days[day] = self.days.get(day, 0) + 1
        else:
            self.undated += 1
        site = site_of(recording.name, facts.device)
        self.sites[site] = self.sites.get(site, 0) + 1

    def to_dict(self) -> dict[str, Any]:
        """Everything as JSON has it."""
        return asdict(self)


def site_of(name: str, device: str) -> str:
    """Tell the site of a recording.

    Parameters
    ----------
    name : str
        Of the recording.
    device : str
        Serial number of the recorder; or empty.

    Returns
    -------
    str
        The folder it lies in, else what stands before the date in its name, else the recorder;
        empty if nothing tells it.
    """
    folder, _, file = name.rpartition("/")
    if folder:
        return folder.split("/")[0]
    match = _BEFORE_DATE.match(file)
    return match[1].rstrip("_-") if match else device


class Look:
    """A look at a folder that goes on while others see what is known so far.

    Parameters
    ----------
    folder : pathlib.Path
        Of the recordings.
    """

    def __init__(self, folder: Path) -> None:
        self._contents = Contents(str(folder))
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._listed = threading.Event()
        self.recordings: list[RecordingFile] = []
        self._thread = threading.Thread(target=self._look, args=(folder,), daemon=True)
        self._thread.start()

    def so_far(self) -> dict[str, Any]:
        """What is known so far."""
        with self._lock:
            return self._contents.to_dict()

    def failed(self) -> bool:
        """Whether nothing was found, which may be otherwise by now."""
        with self._lock:
            return self._contents.problem != ""

    def end(self) -> None:
        """Look no further."""
        self._over.set()

    def wait(self, seconds: float) -> None:
        """Wait until all was looked at, but no longer than so."""
        self._thread.join(seconds)

    def wait_for_names(self, seconds: float) -> None:
        """Wait until the recordings are listed, but no longer than so."""
        self._listed.wait(seconds)

    def _look(self, folder: Path) -> None:
        try:
            self.recordings = find_recordings(folder)
        except (BirdmodesError, OSError) as error:
            with self._lock:
                self._contents.problem = str(error)
                self._contents.complete = True
            self._listed.set()
            return
        with self._lock:
            self._contents.recordings = len(self.recordings)
        self._listed.set()
        for recording in self.recordings:
            if self._over.is_set():
                return
            with self._lock:
                self._contents.add(recording)
        with self._lock:
            self._contents.complete = True
