"""Selection tables for Raven."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

import numpy as np
import pandas as pd
import pyarrow as pa

from birdmodes.export.label_tracks import by_recording, number_texts
from birdmodes.export.selection import Ints, Selection, of_recordings
from birdmodes.export.tables import FREQUENCY_DECIMALS, TIME_DECIMALS
from birdmodes.export.text import each, each_doubtful, syllable_key, tab_cell
from birdmodes.io import cells

COLUMNS = (
    "Selection",
    "View",
    "Channel",
    "Begin Time (s)",
    "End Time (s)",
    "Low Freq (Hz)",
    "High Freq (Hz)",
    "Begin File",
    "Begin Path",
    "File Offset (s)",
    "Species",
    "Mode",
    "Confidence",
    "Syllable",
)
GROUP = "Recording group"
"""A further column, where recordings have been grouped."""

ENDING = ".Table.1.selections.txt"
VIEW = "Spectrogram 1"
CONFIDENCE_DECIMALS = 6


def raven_lines(selection: Selection, channel: Ints) -> tuple[str, pa.StringArray]:
    """Write the selections of whole recordings.

    Parameters
    ----------
    selection : Selection
        The syllables.
    channel : numpy.ndarray of int
        Channel that each was found in, from 1.

    Returns
    -------
    header : str
        Of the table of each recording.
    lines : pyarrow.StringArray
        A line for each syllable; every recording's are counted from 1.
    """
    rows = selection.rows
    number = np.concatenate(
        [np.arange(1, here.stop - here.start + 1) for _, here in by_recording(rows)]
    )
    return _header(rows), _lines(rows, number, rows["start_s"], rows["end_s"], channel)


def write_raven_combined(
    path: Path, selection: Selection, channel: Ints, begins: pd.Series, *, first: int = 1
) -> None:
    """Write one table whose times go on from recording to recording.

    Parameters
    ----------
    path : pathlib.Path
        The table.
    selection : Selection
        The syllables.
    channel : numpy.ndarray of int
        Channel that each syllable was found in, from 1.
    begins : pandas.Series
        Those of all recordings, from `begins_of`.
    first : int
        Number of the first row; from 2 on, the rows are added to those that are there.
    """
    rows, recordings = selection.rows, selection.recordings
    before_s = of_recordings(rows, recordings, begins[recordings.index])
    number = np.arange(first, first + len(rows))
    lines = _lines(rows, number, rows["start_s"] + before_s, rows["end_s"] + before_s, channel)
    with path.open("wb" if first == 1 else "ab") as file:
        if first == 1:
            file.write(_header(rows).encode())
        file.write(cells.content(lines)[0])


def begins_of(recordings: pd.DataFrame) -> pd.Series:
    """When the recordings begin if each begins where the one before it, by name, ends.

    So it is when Raven opens all recordings of the workspace in one window.
    """
    ordered = recordings.sort_values("recording")
    ends_s = np.cumsum(ordered["duration_s"].to_numpy(dtype=float))
    return pd.Series(np.r_[0.0, ends_s[:-1]], index=ordered.index)


def _header(rows: pd.DataFrame) -> str:
    return "\t".join([*COLUMNS, *([GROUP] if "group" in rows else [])]) + "\n"


def _lines(
    rows: pd.DataFrame,
    number: np.ndarray,
    begin_s: pd.Series,
    end_s: pd.Series,
    channel: Ints,
) -> pa.StringArray:
    columns = [
        pa.array(number).cast(pa.string()),
        pa.repeat(VIEW, len(rows)),
        pa.array(channel).cast(pa.string()),
        number_texts(begin_s, TIME_DECIMALS),
        number_texts(end_s, TIME_DECIMALS),
        number_texts(rows["low_hz"], FREQUENCY_DECIMALS),
        number_texts(rows["high_hz"], FREQUENCY_DECIMALS),
        cells.texts(each(rows["recording"], lambda name: tab_cell(PurePosixPath(name).name))),
        cells.texts(each(rows["path"], tab_cell)),
        number_texts(rows["start_s"], TIME_DECIMALS),
        cells.texts(each(rows["species"], tab_cell)),
        cells.texts(each(rows["name"], tab_cell)),
        number_texts(rows["confidence"], CONFIDENCE_DECIMALS),
        cells.texts(each_doubtful(rows["syllable"], lambda name: tab_cell(syllable_key(name)))),
    ]
    if "group" in rows:
        columns.append(pa.array(rows["group"]).cast(pa.string()))
    return cells.lines(columns, "\t")
