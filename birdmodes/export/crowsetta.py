"""Sequences of notes for crowsetta, and for what is built on it, such as vak."""

from __future__ import annotations

import csv
import io
from typing import Literal

import numpy as np
import pyarrow as pa

from birdmodes.export.text import TIME_DECIMALS, each_cell, label_cells, without_nul
from birdmodes.io import cells
from birdmodes.io.formula_guard import guarded, guarded_path

SIMPLE_COLUMNS = ("onset_s", "offset_s", "label")
SIMPLE_HEADER = ",".join(SIMPLE_COLUMNS) + "\n"


def simple_seq_lines(rows: pa.RecordBatch, label: str) -> pa.StringArray:
    """Write the simple-seq tables of whole recordings.

    Parameters
    ----------
    rows : pyarrow.RecordBatch
        The syllables, see `birdmodes.export.picked.rows`.
    label : {"mode", "species"}
        What the labels say.

    Returns
    -------
    pyarrow.StringArray
        A line for each syllable.
    """
    times = [cells.numbers_of(rows[name]) for name in ("start_s", "end_s")]
    labels = each_cell(_labels(rows, label), _csv_cell)
    return cells.lines([*(cells.fixed(time_s, TIME_DECIMALS) for time_s in times), labels], ",")


def generic_seq_table(
    rows: pa.RecordBatch, label: str, name: str, *, first: int = 0
) -> dict[str, pa.Array]:
    """Give a generic-seq table of recordings.

    Parameters
    ----------
    rows : pyarrow.RecordBatch
        The syllables; those of one recording are one annotation of one sequence.
    label : {"mode", "species"}
        What the labels say.
    name : str
        What the table will be called: crowsetta asks for it in every row.
    first : int
        Number of the first recording.

    Returns
    -------
    dict of str to pyarrow.Array
        Its columns.
    """
    paths = rows["path"]
    n = len(paths.dictionary)
    of_recordings = {
        "notated_path": each_cell(paths, guarded_path).dictionary,
        "annot_path": cells.from_texts([guarded_path(name)] * n),
        "sequence": cells.from_numpy(np.zeros(n, dtype=np.int64)),
        "annotation": cells.from_numpy(np.arange(first, first + n)),
    }
    return {
        "label": _labels(rows, label),
        "onset_s": cells.rounded(cells.numbers_of(rows["start_s"]), TIME_DECIMALS),
        "offset_s": cells.rounded(cells.numbers_of(rows["end_s"]), TIME_DECIMALS),
        **{key: cells.coded(paths.indices, column) for key, column in of_recordings.items()},
    }


def _labels(rows: pa.RecordBatch, label: str) -> pa.DictionaryArray:
    return each_cell(label_cells(rows, label), lambda name: guarded(without_nul(name)))


def _csv_cell(text: str) -> str:
    line = io.StringIO()
    # A lone carriage return would be left without quotes.
    quoting: Literal[0, 1] = csv.QUOTE_ALL if "\r" in text else csv.QUOTE_MINIMAL
    csv.writer(line, lineterminator="", quoting=quoting).writerow([text])
    return line.getvalue()
