"""Checklists for eBird and observations for iNaturalist: a row for each species of a recording."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from birdmodes.errors import BirdmodesError
from birdmodes.export.picked.heard import Heard
from birdmodes.export.text import doubtful_cells, each_cell, one_line
from birdmodes.io import cells
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
_BINOMIAL = re.compile(r"([A-Z][a-z-]+) ([a-z-]+)")

# So many rows are written at a time.
_ROWS = 50_000

Ints = npt.NDArray[np.integer[Any]]


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
    found = _found(heard)
    of_recording = _Facts(found.recordings)
    species = cells.decoded(each_cell(found.species, _ebird_names))
    # What is told of a recording is joined once, and not for each of its species.
    checklist = cells.joined(
        *(_ebird_cell(of_recording.place), ",", of_recording.latitude, ","),
        *(of_recording.longitude, ",", of_recording.day, ",", of_recording.time),
        *(",,,Stationary,1,", of_recording.minutes, ",N,,,"),
        *(_ebird_cell(cells.joined("recording ", of_recording.name)), "\n"),
    )
    said = cells.quoted(found.said, all_of_them=True)
    with path.open("wb") as file:
        for some in _parts(len(said)):
            names, told = species[some], checklist.take(found.recording[some])
            rows = cells.joined(names, f",{_NOT_COUNTED},", said[some], ",", told)
            file.write(cells.view(rows))
    return found.warnings


def write_inaturalist(path: Path, heard: Heard) -> list[str]:
    """Write the table that iNaturalist imports; the rest as `write_ebird`."""
    found = _found(heard)
    of_recording = _Facts(found.recordings)
    species = each_cell(found.species, lambda name: guarded(one_line(name)))
    species = cells.decoded(cells.quoted(species))
    moment = cells.joined(of_recording.day_first, " ", of_recording.time, ",")
    place = cells.joined(
        *(",", cells.quoted(of_recording.place), ",", of_recording.latitude, ","),
        *(of_recording.longitude, ",sound,\n"),
    )
    with path.open("wb") as file:
        file.write(f"{','.join(INATURALIST_COLUMNS)}\n".encode())
        for some in _parts(len(species)):
            here = found.recording[some]
            said = cells.joined(found.said[some], "; recording ", of_recording.name.take(here))
            said = cells.quoted(said, all_of_them=True)
            rows = cells.joined(species[some], ",", moment.take(here), said, place.take(here))
            file.write(cells.view(rows))
    return found.warnings


def _parts(n: int) -> Iterator[slice]:
    return (slice(first, first + _ROWS) for first in range(0, n, _ROWS))


def _ebird_names(species: str) -> str:
    """Cells of a species: its common name, or its genus and epithet."""
    name = guarded(one_line(species))
    binomial = _BINOMIAL.fullmatch(name)
    if binomial:
        return f",{binomial[1]},{binomial[2]}"
    return f"{_ebird_cell(cells.from_texts([name]))[0].as_py()},,"


def _ebird_cell(texts: pa.StringArray) -> pa.StringArray:
    """Texts as cells of CSV; eBird cannot read quotes in a cell, a comma in one it can."""
    return cells.quoted(pc.replace_substring(texts, '"', ""))


@dataclass(frozen=True, eq=False)
class _Found:
    """Species in recordings whose date is known, by recording and species.

    Attributes
    ----------
    recording : pyarrow.Int64Array
        Number of the recording.
    species : pyarrow.DictionaryArray of str
        Its name.
    said : pyarrow.StringArray
        How many sounds there are, and how sure the best of them is; there is a comma in it.
    recordings : pandas.DataFrame
        By number.
    warnings : list of str
        What is left out.
    """

    recording: pa.Array
    species: pa.DictionaryArray
    said: pa.StringArray
    recordings: pd.DataFrame
    warnings: list[str]


def _found(heard: Heard) -> _Found:
    """Look which recordings have a date."""
    if heard.table.empty:
        raise _undated()
    number, dated = _by_name(heard), _moments(heard.recordings).notna().to_numpy()
    used = np.bincount(number, minlength=len(dated)) > 0
    if not (used & dated).any():
        raise _undated()
    species = cells.texts(heard.table["species"]).dictionary_encode()
    rows = np.flatnonzero(dated[number])
    rows = rows[np.lexsort([_ranks(species)[rows], number[rows]])]
    numbered = np.cumsum(used & dated) - 1
    left_out = np.count_nonzero(used & ~dated)
    return _Found(
        cells.from_numpy(numbered[number[rows]]),
        species.take(cells.from_numpy(rows)),
        _said(heard.table.iloc[rows]),
        heard.recordings[used & dated],
        [f"{left_out} recordings have no date and are left out"] if left_out else [],
    )


def _undated() -> BirdmodesError:
    return BirdmodesError(
        "nothing to export: no date is known of the recordings with species; a checklist "
        "needs one, in the file's name or header"
    )


def _by_name(heard: Heard) -> Ints:
    """Number of each row's recording."""
    names = (cells.texts(table["recording"]) for table in (heard.table, heard.recordings))
    return cells.to_numpy(pc.index_in(*names))


def _ranks(species: pa.DictionaryArray) -> Ints:
    """Places of species by name."""
    names = species.dictionary.to_pylist()
    place = {name: number for number, name in enumerate(sorted(names))}
    ranks: Ints = np.array([place[name] for name in names])[cells.to_numpy(species.indices)]
    return ranks


def _moments(recordings: pd.DataFrame) -> pd.Series:
    return pd.to_datetime(recordings["recorded_at"], errors="coerce", format="ISO8601")


def _said(table: pd.DataFrame) -> pa.StringArray:
    """Such as "3 sounds found by birdmodes, confidence 0.90"."""
    syllables = table["syllables"].to_numpy(dtype=np.int64)
    confidence = cells.fixed(table["confidence"].to_numpy(dtype=float), 2)
    n = cells.from_numpy(syllables).cast(pa.string())
    sounds = cells.coded(
        cells.from_numpy((syllables == 1).astype(np.int32)), cells.from_texts(["sounds", "sound"])
    )
    found_by = " found by birdmodes, confidence "
    return cells.joined(n, " ", cells.decoded(sounds), found_by, cells.decoded(confidence))


class _Facts:
    """What is told of recordings, whose date is known, a text for each.

    Attributes
    ----------
    name, place : pyarrow.StringArray
        On one line each, and the place no formula.
    day_first, day, time : pyarrow.StringArray
        As 2024-05-31, 05/31/2024 and 04:30.
    minutes : pyarrow.StringArray
        How long they are, one at least.
    latitude, longitude : pyarrow.StringArray
        In degrees; empty where they are not known.
    """

    def __init__(self, recordings: pd.DataFrame) -> None:
        names, paths = (cells.texts(recordings[name]) for name in ("recording", "path"))
        self.name = doubtful_cells(names, one_line)
        self.place = _places(names.to_pylist(), paths.to_pylist())
        moments = _moments(recordings).to_numpy().astype("datetime64[m]")
        written = cells.from_texts(np.datetime_as_string(moments).tolist())
        year, month, day, hour, minute = (
            pc.utf8_slice_codeunits(written, *place)
            for place in ((0, 4), (5, 7), (8, 10), (11, 13), (14, 16))
        )
        self.day_first = cells.joined(year, "-", month, "-", day)
        self.day = cells.joined(month, "/", day, "/", year)
        self.time = cells.joined(hour, ":", minute)
        minutes = np.ceil(recordings["duration_s"].to_numpy(dtype=float) / 60)
        minutes = cells.from_numpy(np.maximum(minutes, 1).astype(np.int64))
        self.minutes = minutes.cast(pa.string())
        self.latitude, self.longitude = (
            _degrees(recordings[name].to_numpy(dtype=float)) for name in ("latitude", "longitude")
        )


def _places(names: list[str], paths: list[str]) -> pa.StringArray:
    """Folders of recordings, which eBird wants for places; their own names where they have none."""
    # A hundred thousand recordings lie in a few folders.
    last = {folder: PurePosixPath(folder).name for folder in {folder_of(path) for path in paths}}
    places = [
        folder_of(name).strip(".") or last[folder_of(path)]
        for name, path in zip(names, paths, strict=True)
    ]
    cell = {place: guarded(one_line(place)) for place in set(places)}
    return cells.from_texts([cell[place] for place in places])


def _degrees(numbers: npt.NDArray[np.float64]) -> pa.StringArray:
    known = cells.from_numpy(~np.isnan(numbers))
    written, nothing = cells.decoded(cells.fixed(numbers, 6)), cells.from_texts([""])
    return pc.if_else(known, written, nothing[0])
