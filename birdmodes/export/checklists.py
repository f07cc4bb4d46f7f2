"""Checklists for eBird and observations for iNaturalist: a row for each species of a recording."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Any, cast

import pandas as pd

from birdmodes.errors import BirdmodesError
from birdmodes.export.selection import Selection
from birdmodes.export.text import one_line
from birdmodes.io.formula_guard import guarded

INATURALIST_COLUMNS = (
    "Taxon name",
    "Date observed",
    "Description",
    "Place name",
    "Latitude / y coord / northing",
    "Longitude / x coord / easting",
    "Tags",
    "Geoprivacy",
)

# A heard bird cannot be counted; X is eBird's sign for that.
_NOT_COUNTED = "X"
_BINOMIAL = re.compile(r"([A-Z][a-z-]+) ([a-z-]+)")


def write_ebird(path: Path, selection: Selection) -> list[str]:
    """Write eBird's record format, extended: 19 columns, no header, no quotes within a cell.

    Each recording is a checklist, stationary, of one observer, as long as the recording, and not
    complete: birds that nobody labelled may have sung, too.

    Parameters
    ----------
    path : pathlib.Path
        The file.
    selection : Selection
        The syllables.

    Returns
    -------
    list of str
        What was left out, a line each.

    Raises
    ------
    BirdmodesError
        If no recording has a date.
    """
    heard, warnings = _heard(selection)
    rows = []
    for row in heard:
        binomial = _BINOMIAL.fullmatch(row["species"])
        rows.append(
            (
                "" if binomial else row["species"],
                *((binomial[1], binomial[2]) if binomial else ("", "")),
                _NOT_COUNTED,
                row["comment"],
                row["place"],
                row["latitude"],
                row["longitude"],
                row["moment"].strftime("%m/%d/%Y"),
                row["moment"].strftime("%H:%M"),
                *("", "", "Stationary", "1"),
                str(max(1, math.ceil(row["duration_s"] / 60))),
                *("N", "", ""),
                f"recording {row['recording']}",
            )
        )
    # eBird cannot read quotes in a cell; a comma in one it can
    _write(path, [[cell.replace('"', "") for cell in row] for row in rows])
    return warnings


def write_inaturalist(path: Path, selection: Selection) -> list[str]:
    """Write the table that iNaturalist imports; the rest as `write_ebird`."""
    heard, warnings = _heard(selection)
    rows: list[Sequence[str]] = [INATURALIST_COLUMNS]
    rows += [
        (
            row["species"],
            row["moment"].strftime("%Y-%m-%d %H:%M"),
            f"{row['comment']}; recording {row['recording']}",
            row["place"],
            row["latitude"],
            row["longitude"],
            "sound",
            "",
        )
        for row in heard
    ]
    _write(path, rows)
    return warnings


def _heard(selection: Selection) -> tuple[list[dict[str, Any]], list[str]]:
    """What was heard in each recording whose date is known, and what was left out."""
    species = selection.rows[selection.rows["species"] != ""]
    recordings = selection.recordings.set_index("recording")
    moments = pd.to_datetime(recordings["recorded_at"], errors="coerce", format="ISO8601")
    heard = []
    undated: set[str] = set()
    for key, rows in species.groupby(["recording", "species"], sort=True):
        name, bird = map(str, cast("tuple[str, str]", key))
        recording = cast("dict[str, Any]", recordings.loc[name].to_dict())
        moment = moments.loc[name]
        if pd.isna(moment):
            undated.add(name)
            continue
        calls = "sound" if len(rows) == 1 else "sounds"
        heard.append(
            {
                "recording": one_line(name),
                "species": guarded(one_line(bird)),
                "moment": moment,
                "duration_s": float(recording["duration_s"]),
                "place": guarded(one_line(_place(name, recording["path"]))),
                "latitude": _degrees(recording["latitude"]),
                "longitude": _degrees(recording["longitude"]),
                "comment": f"{len(rows)} {calls} found by birdmodes, "
                f"confidence {rows['confidence'].max():.2f}",
            }
        )
    if not heard:
        raise BirdmodesError(
            "nothing to export: no date is known of the recordings with species; a checklist "
            "needs one, in the file's name or header"
        )
    warnings = [f"{len(undated)} recordings have no date and are left out"] if undated else []
    return heard, warnings


def _place(name: str, path: str) -> str:
    """The recording's folder, which eBird wants for a place; its own name where it has none."""
    folder = str(PurePosixPath(name).parent).strip(".")
    return folder or PurePosixPath(str(path)).parent.name


def _degrees(value: float | None) -> str:
    return "" if value is None or pd.isna(value) else f"{value:.6f}"


def _write(path: Path, rows: Sequence[Sequence[str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)
