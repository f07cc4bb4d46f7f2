"""What the formats with one file per recording have in common."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa

from birdmodes.export.names import label_files
from birdmodes.io import cells

if TYPE_CHECKING:
    import pandas as pd


def by_recording(rows: pd.DataFrame | pa.RecordBatch) -> Iterator[tuple[str, slice]]:
    """Where in `rows`, which are sorted by it, each recording's syllables are."""
    column = rows["recording"]
    if not isinstance(column, pa.DictionaryArray):
        column = pa.array(column, pa.string()).dictionary_encode()
    names, number = column.dictionary.to_pylist(), cells.to_numpy(column.indices)
    first = np.flatnonzero(np.r_[True, number[1:] != number[:-1]])
    for start, stop in zip(first.tolist(), [*first[1:].tolist(), len(number)], strict=True):
        yield names[number[start]], slice(start, stop)


class Track(NamedTuple):
    """What the file of a recording is to hold.

    Attributes
    ----------
    recording : str
        Its name.
    text : bytes
        The content.
    digest : str
        SHA-256 of it.
    """

    recording: str
    text: bytes
    digest: str


class Tracks:
    """A folder of one file for each recording, named after it and in the same folders.

    Parameters
    ----------
    folder : pathlib.Path
        Where.
    recordings : iterable of str
        Recordings that may be written.
    ending : str
        Of the files' names.
    """

    def __init__(self, folder: Path, recordings: Iterable[str], ending: str) -> None:
        self._folder = folder
        self._recordings = recordings
        self._ending = ending
        self._digests: dict[str, str] = {}

    @functools.cached_property
    def _files(self) -> dict[str, str]:
        """Files by recording: told once there is something to write, while more is made ready."""
        return label_files(self._recordings, self._ending)

    def files(
        self, rows: pd.DataFrame | pa.RecordBatch, lines: pa.StringArray, header: str
    ) -> list[Track]:
        """Make the contents of the files of some recordings.

        Parameters
        ----------
        rows : pandas.DataFrame or pyarrow.RecordBatch
            All of their syllables, sorted by recording.
        lines : pyarrow.StringArray
            What to write for each of them, line ends included.
        header : str
            What each file begins with, line end included; may be empty.
        """
        content, starts, head = cells.view(lines), cells.starts(lines), header.encode()
        made = []
        for recording, here in by_recording(rows):
            text = b"".join((head, content[starts[here.start] : starts[here.stop]]))
            made.append(Track(recording, text, hashlib.sha256(text).hexdigest()))
        return made

    def write(self, made: Iterable[Track]) -> None:
        """Write the files of some recordings."""
        there = ""
        for recording, text, digest in made:
            file = self._files[recording]
            if file.rpartition("/")[0] != there:
                there = file.rpartition("/")[0]
                (self._folder / there).mkdir(parents=True, exist_ok=True)
            with open(f"{self._folder}/{file}", "wb") as track:  # noqa: PTH123  faster
                track.write(text)
            self._digests[recording] = digest

    def finish(self) -> dict[str, str]:
        """Name the files as if no other recordings were there; gives the SHA-256 of each file."""
        files = self._files
        if len(self._digests) < len(files):
            files = label_files(self._digests, self._ending)
            moved = [name for name, file in files.items() if file != self._files[name]]
            for number, name in enumerate(moved):  # none may take the place of another
                (self._folder / self._files[name]).rename(self._folder / f"{number}.moved")
            for number, name in enumerate(moved):
                (self._folder / f"{number}.moved").rename(self._folder / files[name])
        return {files[name]: digest for name, digest in self._digests.items()}
