"""What the formats with one file per recording have in common."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from birdmodes.export.names import label_files

Texts = Sequence[str]

LABELS = ("mode", "species")
"""What may stand as the label of a syllable in formats that have one label only."""


def label_column(rows: pd.DataFrame, label: str) -> pd.Series:
    """Labels of the syllables: their modes, or their species; "Cluster 7" where there is none."""
    if label == "mode":
        return rows["name"]
    return rows["species"].where(rows["species"] != "", rows["name"])


def number_texts(values: pd.Series, decimals: int) -> list[str]:
    """Write numbers with a fixed number of decimals."""
    return [f"{value:.{decimals}f}" for value in values.tolist()]


def by_recording(rows: pd.DataFrame) -> Iterator[tuple[str, slice]]:
    """Where in `rows`, which are sorted by it, each recording's syllables are."""
    names = rows["recording"].to_numpy(dtype=object)
    first = np.flatnonzero(np.r_[True, names[1:] != names[:-1]])
    for start, stop in zip(first.tolist(), [*first[1:].tolist(), len(names)], strict=True):
        yield str(names[start]), slice(start, stop)


def write_tracks(folder: Path, rows: pd.DataFrame, lines: Texts, header: str, ending: str) -> int:
    """Write one file for each recording.

    Parameters
    ----------
    folder : pathlib.Path
        Where.
    rows : pandas.DataFrame
        The syllables, sorted by recording.
    lines : sequence of str
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
    for recording, here in by_recording(rows):
        path = folder / files[recording]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(header + "".join(lines[here]), encoding="utf-8", newline="")
    return len(files)
