"""Checklists for eBird and observations for iNaturalist: a row for each species of a recording."""

from __future__ import annotations

import csv
import itertools
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath

import pandas as pd

from birdmodes.errors import BirdmodesError
from birdmodes.export.picked.heard import Heard
from birdmodes.export.text import one_line
from birdmodes.io.formula_guard import guarded
from birdmodes.io.paths import folder_of

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
_MOMENT, _DAY, _TIME = "%Y-%m-%d %H:%M", "%m/%d/%Y", "%H:%M"
_BINOMIAL = re.compile(r"([A-Z][a-z-]+) ([a-z-]+)")


def write_ebird(path: Path, heard: Heard) -> list[str]:
    """Write eBird's record format, extended: 19 columns, no header, no quotes within a cell.

    Each recording is a checklist, stationary, of one observer, as long as the recording, and not
    complete: birds that nobody labelled may have sung, too.

    Parameters
    ----------
    path : pathlib.Path
        The file.
    heard : Heard
        Which species were heard in which recordings.

    Returns
    -------
    list of str
        What was left out, a line each.

    Raises
    ------
    BirdmodesError
        If no recording has a date.
    """
    facts, warnings = _facts(heard)
    names = {name: _ebird_names(name) for name in heard.table["species"].unique()}
    # eBird cannot read quotes in a cell; a comma in one it can
    _write(
        path,
        (
            [
                cell.replace('"', "")
                for cell in (
                    *names[species],
                    _NOT_COUNTED,
                    comment,
                    fact["place"],
                    fact["latitude"],
                    fact["longitude"],
                    fact["day"],
                    fact["time"],
                    *("", "", "Stationary", "1"),
                    fact["minutes"],
                    *("N", "", ""),
                    f"recording {fact['recording']}",
                )
            ]
            for species, comment, fact in _rows(heard, facts)
        ),
    )
    return warnings


def write_inaturalist(path: Path, heard: Heard) -> list[str]:
    """Write the table that iNaturalist imports; the rest as `write_ebird`."""
    facts, warnings = _facts(heard)
    names = {name: guarded(one_line(name)) for name in heard.table["species"].unique()}
    rows: Iterator[Sequence[str]] = (
        (
            names[species],
            fact["moment"],
            f"{comment}; recording {fact['recording']}",
            fact["place"],
            fact["latitude"],
            fact["longitude"],
            "sound",
            "",
        )
        for species, comment, fact in _rows(heard, facts)
    )
    _write(path, itertools.chain([INATURALIST_COLUMNS], rows))
    return warnings


def _ebird_names(species: str) -> tuple[str, str, str]:
    """Cells of a species: its common name, or its genus and epithet."""
    name = guarded(one_line(species))
    binomial = _BINOMIAL.fullmatch(name)
    return ("", binomial[1], binomial[2]) if binomial else (name, "", "")


def _facts(heard: Heard) -> tuple[dict[str, dict[str, str]], list[str]]:
    """Cells of each recording whose date is known, and what is left out."""
    names = heard.table["recording"].unique()
    recordings = heard.recordings[heard.recordings["recording"].isin(names)]
    moments = pd.to_datetime(recordings["recorded_at"], errors="coerce", format="ISO8601")
    dated = moments.notna().to_numpy()
    if not dated.any():
        raise BirdmodesError(
            "nothing to export: no date is known of the recordings with species; a checklist "
            "needs one, in the file's name or header"
        )
    # Written as a column each: of ten thousand moments one by one that takes a tenth of a second.
    written = (moments[dated].dt.strftime(form) for form in (_MOMENT, _DAY, _TIME))
    facts = {
        str(row["recording"]): {
            "recording": one_line(row["recording"]),
            "moment": moment,
            "day": day,
            "time": time,
            "minutes": str(max(1, math.ceil(float(row["duration_s"]) / 60))),
            "place": guarded(one_line(_place(row["recording"], row["path"]))),
            "latitude": _degrees(row["latitude"]),
            "longitude": _degrees(row["longitude"]),
        }
        for row, moment, day, time in zip(
            recordings[dated].to_dict("records"), *written, strict=True
        )
    }
    undated = len(names) - len(facts)
    return facts, [f"{undated} recordings have no date and are left out"] if undated else []


def _rows(
    heard: Heard, facts: dict[str, dict[str, str]]
) -> Iterator[tuple[str, str, dict[str, str]]]:
    """Species, what is said of it, and cells of the recording, by recording and species."""
    table = heard.table.sort_values(["recording", "species"])
    for recording, species, n, confidence in zip(
        *(table[name].tolist() for name in ("recording", "species", "syllables", "confidence")),
        strict=True,
    ):
        if recording in facts:
            calls = "sound" if n == 1 else "sounds"
            said = f"{n} {calls} found by birdmodes, confidence {confidence:.2f}"
            yield species, said, facts[recording]


def _place(name: str, path: str) -> str:
    """The recording's folder, which eBird wants for a place; its own name where it has none."""
    folder = folder_of(name).strip(".")
    return folder or PurePosixPath(str(path)).parent.name


def _degrees(value: float | None) -> str:
    return "" if value is None or pd.isna(value) else f"{value:.6f}"


def _write(path: Path, rows: Iterable[Sequence[str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)
