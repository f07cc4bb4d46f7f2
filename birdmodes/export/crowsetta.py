"""Sequences of notes for crowsetta, and for what is built on it, such as vak."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Literal

import pandas as pd

from birdmodes.export.label_tracks import label_column, number_texts, write_tracks
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


def write_simple_seq(folder: Path, selection: Selection, label: str) -> int:
    """Write a simple-seq table for each recording that has syllables.

    Parameters
    ----------
    folder : pathlib.Path
        Where; the tables are named after the recordings and lie in the same folders.
    selection : Selection
        The syllables.
    label : {"mode", "species"}
        What the labels say.

    Returns
    -------
    int
        Number of tables.
    """
    rows = selection.rows
    begin, end = (number_texts(rows[name], TIME_DECIMALS) for name in ("start_s", "end_s"))
    labels = cells.texts(each(_labels(rows, label), _csv_cell))
    lines = cells.lines([begin, end, labels], ",")
    return write_tracks(folder, rows, lines, ",".join(SIMPLE_COLUMNS) + "\n", ENDING)


def write_generic_seq(path: Path, selection: Selection, label: str, name: str) -> None:
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
    """
    rows = selection.rows
    table = pd.DataFrame(
        {
            "label": _labels(rows, label),
            "onset_s": rows["start_s"].round(TIME_DECIMALS),
            "offset_s": rows["end_s"].round(TIME_DECIMALS),
            "notated_path": each(rows["path"], guarded_path),
            "annot_path": guarded_path(name),
            "sequence": 0,
            "annotation": pd.factorize(rows["recording"])[0],
        }
    )
    to_csv(path, table[list(GENERIC_COLUMNS)])


def _labels(rows: pd.DataFrame, label: str) -> pd.Series:
    return each(label_column(rows, label), lambda name: guarded(without_nul(name)))


def _csv_cell(text: str) -> str:
    line = io.StringIO()
    # A lone carriage return would be left without quotes.
    quoting: Literal[0, 1] = csv.QUOTE_ALL if "\r" in text else csv.QUOTE_MINIMAL
    csv.writer(line, lineterminator="", quoting=quoting).writerow([text])
    return line.getvalue()
