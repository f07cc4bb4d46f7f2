"""Where syllables were recorded: the sites, and how long was recorded at each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

SITE_DECIMALS = 3
"""Recordings whose coordinates (degrees) agree to so many decimals, about 100 m, are of one site:
positioning a recorder again and again scatters by tens of metres."""

EARTH_KM = 111.195
"""Length of a degree of latitude (km), of a sphere of the Earth's mean radius."""


@dataclass(frozen=True, eq=False)
class Sites:
    """The places of all recordings.

    Attributes
    ----------
    latitude, longitude : ndarray of float64, shape (n_sites,)
        Means over the recordings of each site (degrees), from north to south.
    recordings : ndarray of int64, shape (n_sites,)
        Recordings made there.
    recorded_h : ndarray of float64, shape (n_sites,)
        How long they are together (h).
    site_of : pandas.Series of int
        Site of each recording whose place is known; the index is the recording.
    names : tuple of str
        Names of the sites; empty where not all recordings of a place have the same one.
    """

    latitude: Floats
    longitude: Floats
    recordings: Ints
    recorded_h: Floats
    site_of: pd.Series
    names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.latitude)

    def place_km(self) -> tuple[Floats, Floats]:
        """Kilometres east and north of the sites' middle, each of shape (n_sites,).

        Distances are right to a few parts in a thousand over some hundred kilometres.
        """
        longitude = self.longitude
        if np.ptp(longitude) > 180:  # on both sides of the date line
            longitude = longitude % 360
        middle = (self.latitude.min() + self.latitude.max()) / 2
        east = longitude - (longitude.min() + longitude.max()) / 2
        return east * EARTH_KM * np.cos(np.radians(middle)), (self.latitude - middle) * EARTH_KM


@dataclass(frozen=True, eq=False)
class Occurrence:
    """Syllables, or recordings, of a group by site.

    Attributes
    ----------
    sites : Sites
        All sites of the workspace.
    syllables, recordings : ndarray of int64, shape (n_sites,)
        The group's syllables, and the recordings they are in.
    unknown : int
        Syllables whose place is not known.
    """

    sites: Sites
    syllables: Ints
    recordings: Ints
    unknown: int

    @property
    def known(self) -> int:
        """Syllables whose place is known."""
        return int(self.syllables.sum())

    @property
    def rate(self) -> Floats:
        """Syllables in an hour of recording at each site."""
        return self.syllables / self.sites.recorded_h


def find_sites(recordings: pd.DataFrame, named: pd.Series | None = None) -> Sites:
    """Put recordings of one place together.

    Parameters
    ----------
    recordings : pandas.DataFrame
        Columns recording, duration_s, latitude and longitude (degrees, NaN where not known).
    named : pandas.Series of str, optional
        Name of the site of each recording, which is the index, from
        `birdmodes.workspace.sites.sites_of`.

    Returns
    -------
    Sites
        None of them if no place is known.
    """
    known = recordings[recordings["latitude"].notna() & recordings["longitude"].notna()]
    known = known[known["duration_s"] > 0]
    place = known[["latitude", "longitude"]].astype(float).round(SITE_DECIMALS)
    place["longitude"] = place["longitude"].replace(-180.0, 180.0)
    groups = known.groupby([-place["latitude"], place["longitude"]])
    number = groups.ngroup()
    told = {} if named is None else named.to_dict()
    names: dict[int, set[str]] = {}
    for site, recording in zip(number.tolist(), known["recording"], strict=True):
        names.setdefault(site, set()).add(told.get(recording, ""))
    return Sites(
        latitude=groups["latitude"].mean().to_numpy(dtype=float),
        longitude=groups["longitude"].mean().to_numpy(dtype=float),
        recordings=np.asarray(groups.size(), dtype=np.int64),
        recorded_h=groups["duration_s"].sum().to_numpy(dtype=float) / 3600,
        site_of=pd.Series(number.to_numpy(), index=pd.Index(known["recording"])),
        names=tuple(
            next(iter(found)) if len(found) == 1 else "" for _, found in sorted(names.items())
        ),
    )


def occurrence(syllables: pd.DataFrame, sites: Sites) -> Occurrence:
    """Count a group's syllables, or recordings, by site.

    Parameters
    ----------
    syllables : pandas.DataFrame
        Column recording.
    sites : Sites
        Of the workspace.
    """
    counts = np.zeros(len(sites), dtype=np.int64)
    recordings = np.zeros(len(sites), dtype=np.int64)
    if len(sites):
        per_recording = syllables["recording"].value_counts()
        place = sites.site_of.index.get_indexer(per_recording.index)
        known = place >= 0
        site = sites.site_of.to_numpy()[place[known]]
        np.add.at(counts, site, per_recording.to_numpy()[known])
        np.add.at(recordings, site, 1)
    return Occurrence(sites, counts, recordings, len(syllables) - int(counts.sum()))
