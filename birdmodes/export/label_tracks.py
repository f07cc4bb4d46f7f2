"""What the formats with one file per recording have in common."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from birdmodes.export.names import label_files
from birdmodes.io import cells

LABELS = ("mode", "species")
"""What may stand as the label of a syllable in formats that have one label only."""


def label_column(rows: pd.DataFrame, label: str) -> pd.Series:
    """Labels of the syllables: their modes, or their species; "Cluster 7" where there is none."""
    if label == "mode":
        return rows["name"]
    return rows["species"].where(rows["species"] != "", rows["name"])


def number_texts(values: pd.Series, decimals: int) -> pa.StringArray:
    """Write numbers with a fixed number of decimals."""
    return cells.fixed(values.to_numpy(dtype=float), decimals)


def by_recording(rows: pd.DataFrame) -> Iterator[tuple[str, slice]]:
    """Where in `rows`, which are sorted by it, each recording's syllables are."""
    number = pd.factorize(rows["recording"])[0]
    first = np.flatnonzero(np.r_[True, number[1:] != number[:-1]])
    names = rows["recording"].iloc[first].tolist()
    for name, start, stop in zip(names, first, [*first[1:], len(rows)], strict=True):
        yield str(name), slice(int(start), int(stop))


def write_tracks(
    folder: Path, rows: pd.DataFrame, lines: pa.StringArray, header: str, ending: str
) -> int:
    """Write one file for each recording.

    Parameters
    ----------
    folder : pathlib.Path
        Where.
    rows : pandas.DataFrame
        The syllables, sorted by recording.
    lines : pyarrow.StringArray
        What to write for each of them, line ends included.
    header : str
        What each file begins with, line end included; may be empty.
    ending : str
        Of the files' names.

    Returns
    -------
    int
        Number of files.
    """
    files = label_files(rows["recording"].unique(), ending)
    content, starts = cells.content(lines)
    for recording, here in by_recording(rows):
        path = folder / files[recording]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(header.encode() + content[starts[here.start] : starts[here.stop]])
    return len(files)
