"""Detections by site and day, as models of occupancy take them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd

from birdmodes.errors import BirdmodesError
from birdmodes.export.picked.heard import Heard
from birdmodes.export.text import each, one_line
from birdmodes.io import cells
from birdmodes.io.csv_writer import to_csv
from birdmodes.io.files import safe_name
from birdmodes.io.formula_guard import guarded

ONE_SITE = "all"
"""What the site is called where no recording has one."""


def write_detections(folder: Path, heard: Heard, sites: pd.Series) -> tuple[int, list[str]]:
    """Write ``detections.csv``, ``sites.csv``, ``hours.csv`` and a matrix for each species.

    A site was visited on a day if a recording there began on it. Visits without a detection are
    in the tables as 0; days on which a site was not visited are missing, not 0.

    Parameters
    ----------
    folder : pathlib.Path
        Where.
    heard : Heard
        Which species were heard in which recordings.
    sites : pandas.Series of str
        Site of each recording, from `birdmodes.workspace.sites.sites_of`; recordings of no site
        are left out, unless all are.

    Returns
    -------
    n_files : int
        Number of tables.
    warnings : list of str
        What was left out.

    Raises
    ------
    BirdmodesError
        If no recording has a date.
    """
    visits, warnings = _visits(heard.recordings, sites)
    table = heard.table.merge(visits[["recording", "site", "date"]], on="recording")
    effort = visits.groupby(["site", "date"])["duration_s"].agg(recordings="size", hours="sum")
    effort["hours"] = (effort["hours"] / 3600).round(4)
    species = sorted(table["species"].unique())
    found = table.groupby(["species", "site", "date"])
    counts = pd.DataFrame(
        {
            "syllables": found["syllables"].sum(),
            "recordings_with": found.size(),
            "confidence": found["confidence"].max().round(3),
        }
    )
    every = pd.MultiIndex.from_arrays(
        [
            np.repeat(np.array(species, dtype=object), len(effort)),
            *(np.tile(effort.index.get_level_values(n), len(species)) for n in ("site", "date")),
        ],
        names=["species", "site", "date"],
    )
    long = counts.reindex(every).reset_index().join(effort, on=["site", "date"])
    long = long.fillna({"syllables": 0, "recordings_with": 0})
    long = long.astype({"syllables": int, "recordings_with": int})
    long.insert(3, "detected", (long["syllables"] > 0).astype(int))
    _write(folder / "detections.csv", long)
    _write(folder / "sites.csv", _site_table(visits))
    _write(folder / "hours.csv", effort["hours"].unstack("date").reset_index())
    matrix = _Matrix(effort.index)
    detected = (long["detected"] > 0).to_numpy().reshape(len(species), len(effort))
    for name, of_visits in zip(species, detected, strict=True):
        (folder / f"{safe_name(str(name))}.csv").write_bytes(matrix.text(of_visits))
    return 3 + len(species), warnings


def _visits(recordings: pd.DataFrame, sites: pd.Series) -> tuple[pd.DataFrame, list[str]]:
    """Recordings with their site and day, and what had to be left out."""
    table = recordings.assign(site=sites.reindex(recordings["recording"]).to_numpy(dtype=object))
    if not (table["site"] != "").any():
        table["site"] = ONE_SITE
    dated = table["recorded_at"].notna()
    if not dated.any():
        raise BirdmodesError(
            "nothing to export: no date is known of any recording; detections by day need dates, "
            "in the names of the files or their headers"
        )
    placed = table["site"] != ""
    warnings = [
        f"{count:,} recordings left out: their {what} is not known"
        for what, count in (("date", int((~dated).sum())), ("site", int((~placed & dated).sum())))
        if count
    ]
    table = table[dated & placed]
    return table.assign(date=table["recorded_at"].dt.strftime("%Y-%m-%d")), warnings


def _site_table(visits: pd.DataFrame) -> pd.DataFrame:
    groups = visits.groupby("site")
    return pd.DataFrame(
        {
            "latitude": groups["latitude"].mean().round(6),
            "longitude": groups["longitude"].mean().round(6),
            "recordings": groups.size(),
            "hours": (groups["duration_s"].sum() / 3600).round(4),
            "days": groups["date"].nunique(),
            "first": groups["date"].min(),
            "last": groups["date"].max(),
        }
    ).reset_index()


def _write(path: Path, table: pd.DataFrame) -> None:
    names = [name for name in ("species", "site") if name in table]
    safe = {name: each(table[name], lambda text: guarded(one_line(text))) for name in names}
    to_csv(path, table.assign(**safe))


class _Matrix:
    """What is told of visits as a matrix of sites by days; empty where there was none.

    The matrices of all species differ in single digits, which stand in the same places.

    Parameters
    ----------
    visits : pandas.MultiIndex
        Of sites and days.
    """

    def __init__(self, visits: pd.Index) -> None:
        (row, sites), (column, days) = (
            pd.factorize(visits.get_level_values(name), sort=True) for name in ("site", "date")
        )
        names = cells.quoted(cells.from_texts(guarded(one_line(site)) for site in sites))
        visited = np.zeros((len(sites), len(days)), dtype=np.bool_)
        visited[row, column] = True
        text = bytearray(",".join(["site", *days]).encode() + b"\n")
        digits = np.zeros(visited.shape, dtype=np.int64)  # where they stand
        for number, (name, there) in enumerate(zip(names.to_pylist(), visited, strict=True)):
            text += name.encode()
            digits[number] = len(text) + np.cumsum(1 + there) - 1  # each after its comma
            text += b"".join([b",0" if visit else b"," for visit in there.tolist()]) + b"\n"
        self._text = np.frombuffer(text, dtype=np.uint8)
        self._digits = digits[row, column]

    def text(self, found: npt.NDArray[np.bool_]) -> bytes:
        """Write the matrix of a species, which was found at some of the visits."""
        self._text[self._digits] = np.where(found, ord("1"), ord("0"))
        return self._text.tobytes()
