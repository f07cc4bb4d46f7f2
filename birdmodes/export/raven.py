"""Selection tables for Raven."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from birdmodes.export.picked.rows import Recordings, numbers_within_recordings
from birdmodes.export.text import (
    FREQUENCY_DECIMALS,
    TIME_DECIMALS,
    doubtful_cells,
    each_cell,
    each_number,
    syllable_key,
    tab_cell,
)
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

VIEW = "Spectrogram 1"
CONFIDENCE_DECIMALS = 6

_BOUNDS = ("low_hz", "high_hz")


def raven_header(rows: pa.RecordBatch) -> str:
    """Give the first line of a table."""
    return "\t".join([*COLUMNS, *([GROUP] if "group" in rows.schema.names else [])]) + "\n"


def raven_lines(rows: pa.RecordBatch) -> pa.StringArray:
    """Write the selections of whole recordings.

    Parameters
    ----------
    rows : pyarrow.RecordBatch
        The syllables, see `birdmodes.export.picked.rows`.

    Returns
    -------
    pyarrow.StringArray
        A line for each; every recording's are counted from 1.
    """
    return _lines(rows, numbers_within_recordings(rows), 0.0)


def raven_combined_lines(
    rows: pa.RecordBatch, recordings: Recordings, first: int = 1
) -> pa.StringArray:
    """Write selections whose times go on from recording to recording.

    Parameters
    ----------
    rows : pyarrow.RecordBatch
        The syllables.
    recordings : Recordings
        All of the workspace, which Raven opens in one window.
    first : int
        Number of the first row.
    """
    here = rows["recording"]
    before_s = recordings.begins_s(here.dictionary)[cells.to_numpy(here.indices)]
    return _lines(rows, np.arange(first, first + len(here)), before_s)


def _lines(
    rows: pa.RecordBatch,
    number: npt.NDArray[np.integer[Any]],
    before_s: npt.NDArray[np.float64] | float,
) -> pa.StringArray:
    here = rows["recording"]
    files = cells.coded(
        here.indices, cells.from_texts(map(_file_name, here.dictionary.to_pylist()))
    )
    view = cells.coded(here.indices, cells.from_texts([VIEW] * len(here.dictionary)))
    start_s, end_s = (cells.numbers_of(rows[name]) for name in ("start_s", "end_s"))
    offset = cells.fixed(start_s, TIME_DECIMALS)
    columns = [
        cells.from_numpy(number).cast(pa.string()),
        view,
        each_number(rows["channel"]),
        *(cells.fixed(time_s + before_s, TIME_DECIMALS) for time_s in (start_s, end_s)),
        *(cells.fixed(cells.numbers_of(rows[name]), FREQUENCY_DECIMALS) for name in _BOUNDS),
        doubtful_cells(files, tab_cell),
        doubtful_cells(rows["path"], tab_cell),
        offset,
        each_cell(rows["species"], tab_cell),
        each_cell(rows["name"], tab_cell),
        cells.fixed(cells.numbers_of(rows["confidence"]), CONFIDENCE_DECIMALS),
        doubtful_cells(rows["syllable"], lambda name: tab_cell(syllable_key(name))),
    ]
    if "group" in rows.schema.names:
        columns.append(rows["group"].cast(pa.string()))
    return cells.lines(columns, "\t")


def _file_name(recording: str) -> str:
    last = recording.rpartition("/")[2]
    # A hundred thousand paths of `pathlib` take time.
    return last if last not in ("", ".") else PurePosixPath(recording).name
