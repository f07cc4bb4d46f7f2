"""Sequences of notes for crowsetta, and for what is built on it, such as vak."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Literal

import pandas as pd
import pyarrow as pa

from birdmodes.export.label_tracks import label_column, number_texts
from birdmodes.export.selection import Selection
from birdmodes.export.tables import TIME_DECIMALS
from birdmodes.export.text import each, without_nul
from birdmodes.io import cells
from birdmodes.io.csv_writer import to_csv
from birdmodes.io.formula_guard import guarded, guarded_path

SIMPLE_COLUMNS = ("onset_s", "offset_s", "label")
GENERIC_COLUMNS = (
    "label",
    "onset_s",
    "offset_s",
    "notated_path",
    "annot_path",
    "sequence",
    "annotation",
)
ENDING = ".csv"


def simple_seq_lines(selection: Selection, label: str) -> tuple[str, pa.StringArray]:
    """Write the simple-seq tables of whole recordings.

    Parameters
    ----------
    selection : Selection
        The syllables.
    label : {"mode", "species"}
        What the labels say.

    Returns
    -------
    header : str
        Of the table of each recording.
    lines : pyarrow.StringArray
        A line for each syllable.
    """
    rows = selection.rows
    begin, end = (number_texts(rows[name], TIME_DECIMALS) for name in ("start_s", "end_s"))
    labels = cells.texts(each(_labels(rows, label), _csv_cell))
    return ",".join(SIMPLE_COLUMNS) + "\n", cells.lines([begin, end, labels], ",")


def write_generic_seq(
    path: Path, selection: Selection, label: str, name: str, *, first: int = 0
) -> int:
    """Write one generic-seq table of all recordings.

    Parameters
    ----------
    path : pathlib.Path
        Where to write.
    selection : Selection
        The syllables; those of one recording are one annotation of one sequence.
    label : {"mode", "species"}
        What the labels say.
    name : str
        What the table will be called: crowsetta asks for it in every row.
    first : int
        Number of the first recording; from 1 on, the rows are added to those that are there.

    Returns
    -------
    int
        Number of the next recording.
    """
    rows = selection.rows
    number, recordings = pd.factorize(rows["recording"])
    table = pd.DataFrame(
        {
            "label": _labels(rows, label),
            "onset_s": rows["start_s"].round(TIME_DECIMALS),
            "offset_s": rows["end_s"].round(TIME_DECIMALS),
            "notated_path": each(rows["path"], guarded_path),
            "annot_path": guarded_path(name),
            "sequence": 0,
            "annotation": number + first,
        }
    )
    to_csv(path, table[list(GENERIC_COLUMNS)], append=first > 0)
    return first + len(recordings)


def _labels(rows: pd.DataFrame, label: str) -> pd.Series:
    return each(label_column(rows, label), lambda name: guarded(without_nul(name)))


def _csv_cell(text: str) -> str:
    line = io.StringIO()
    # A lone carriage return would be left without quotes.
    quoting: Literal[0, 1] = csv.QUOTE_ALL if "\r" in text else csv.QUOTE_MINIMAL
    csv.writer(line, lineterminator="", quoting=quoting).writerow([text])
    return line.getvalue()
