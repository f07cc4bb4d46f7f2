"""A table for Kaleidoscope, as its cluster analysis writes it."""

from __future__ import annotations

import posixpath
from pathlib import Path
from typing import Any

import pandas as pd

from birdmodes.export.selection import Ints, Selection
from birdmodes.export.tables import FREQUENCY_DECIMALS, TIME_DECIMALS
from birdmodes.export.text import each, each_doubtful, one_line, syllable_key
from birdmodes.io.csv_writer import to_csv
from birdmodes.io.formula_guard import guarded, guarded_path

COLUMNS = (
    "INDIR",
    "FOLDER",
    "IN FILE",
    "CHANNEL",
    "OFFSET",
    "DURATION",
    "Fmin",
    "Fmax",
    "DATE",
    "TIME",
    "HOUR",
    "AUTO ID",
    "TOP1MATCH",
    "TOP1DIST",
    "MANUAL ID",
    "CONFIDENCE",
    "SYLLABLE",
)
GROUP = "GROUP"
"""A further column, where recordings have been grouped."""

NO_SPECIES = "NoID"
NOISE = "Noise"


def write_kaleidoscope(
    path: Path, selection: Selection, channel: Ints, *, append: bool = False
) -> None:
    """Write one table of all syllables.

    Parameters
    ----------
    path : pathlib.Path
        The table.
    selection : Selection
        The syllables.
    channel : numpy.ndarray of int
        Channel that each was found in, from 0 as Kaleidoscope counts.
    append : bool
        Add the rows to those of a file that is there.
    """
    rows = selection.rows
    # Kaleidoscope reads line by line.
    species = each(rows["species"], lambda name: guarded(one_line(name)) or NO_SPECIES)
    begin_s = rows["start_s"].round(TIME_DECIMALS)
    table = pd.DataFrame(
        {
            **_places(rows),
            "CHANNEL": channel,
            "OFFSET": begin_s,
            "DURATION": (rows["end_s"].round(TIME_DECIMALS) - begin_s).round(TIME_DECIMALS),
            "Fmin": rows["low_hz"].round(FREQUENCY_DECIMALS),
            "Fmax": rows["high_hz"].round(FREQUENCY_DECIMALS),
            # 2021-10-01T12:00:04.250
            "DATE": rows["recorded_at"].str[:10],
            "TIME": rows["recorded_at"].str[11:19],
            "HOUR": rows["recorded_at"].str[11:13],
            "AUTO ID": species,
            "TOP1MATCH": each(rows["name"], lambda name: guarded(one_line(name))),
            # as there, 0 is the middle of the cluster
            "TOP1DIST": (1 - rows["centrality"]).round(TIME_DECIMALS),
            "MANUAL ID": _manual(rows["review"], species),
            "CONFIDENCE": rows["confidence"],
            "SYLLABLE": each_doubtful(rows["syllable"], syllable_key),
        }
    )
    columns = list(COLUMNS)
    if "group" in rows:
        table[GROUP] = rows["group"]
        columns.append(GROUP)
    to_csv(path, table[columns], append=append)


def _manual(review: pd.Series, species: pd.Series) -> pd.Series:
    """What a person has said of each syllable; empty where nobody has looked at it."""
    answer = species.astype("str")
    answer = answer.mask(review == "noise", NOISE).mask(review == "not-species", NO_SPECIES)
    return answer.where(review != "", "")


def _places(rows: pd.DataFrame) -> dict[str, Any]:
    """Columns that tell where the recordings are: the folder given to 'segment', and below it."""
    code, recordings = pd.factorize(rows["recording"])
    paths = rows["path"][~pd.Series(code).duplicated().to_numpy()]
    parts = [_place(str(path), str(name)) for path, name in zip(paths, recordings, strict=True)]
    places = pd.DataFrame(parts, columns=["INDIR", "FOLDER", "IN FILE"], dtype="str")
    return {str(name): pd.Categorical(texts).take(code) for name, texts in places.items()}


def _place(path: str, recording: str) -> tuple[str, str, str]:
    slashed = path.replace("\\", "/") if "\\" in path and "/" not in path else path
    if slashed.endswith(f"/{recording}"):
        root = path[: len(path) - len(recording) - 1] or path[:1]
        folder, file = posixpath.split(recording)
    else:
        root, file = posixpath.split(slashed)
        folder = ""
    root, folder, file = map(one_line, (root, folder, file))
    return guarded_path(root), guarded_path(folder), guarded_path(file)
