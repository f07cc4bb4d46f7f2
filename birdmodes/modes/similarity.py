"""Modes of a species that may be one sound cut in two."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from birdmodes.modes.clustering import Clustering
from birdmodes.modes.model import features_of
from birdmodes.workspace.store import Workspace

Floats = npt.NDArray[np.float64]

LEAST_MEMBERS = 5
"""Of fewer syllables the spread is not known well enough."""

CLOSE_BELOW = 3.5
"""A cloud cut through its middle gives halves that are 2.65 (bell-shaped) to 3.46 (even) apart."""


@dataclass(frozen=True)
class SimilarModes:
    """Two modes of one species that may be one.

    Attributes
    ----------
    first, second : int
        Their clusters, in the order of the clustering's modes.
    separation : float
        See `separation`.
    """

    first: int
    second: int
    separation: float


def separation(first: Floats, second: Floats) -> float:
    """How far apart two groups of points are, in units of their spread.

    Every point is laid on the line from the centre of the other group to the centre of its own,
    taken without the point itself, so that a few points in many dimensions do not look apart just
    because the line was drawn through them. The distance of the two means on the line is divided by
    the root mean square of the two standard deviations.

    Parameters
    ----------
    first, second : ndarray of float, shape (n, n_dimensions)
        At least two points each.

    Returns
    -------
    float
        0 if the groups cover each other, 2.65 for the halves of one normal distribution. Negative
        values happen by chance only.

    References
    ----------
    Ashman, Bird & Zepf 1994, Detecting bimodality in astronomical datasets, equation 1 (D).
    """
    ours, theirs = _places(first, second), -_places(second, first)
    spread = np.sqrt((ours.var(ddof=1) + theirs.var(ddof=1)) / 2)
    distance = float(ours.mean() - theirs.mean())
    if spread == 0:
        return 0.0 if distance == 0 else float(np.copysign(np.inf, distance))
    return float(distance / spread)


def _places(own: Floats, other: Floats) -> Floats:
    """Place of each point of `own` on the line to it from `other`, 0 half-way."""
    n = len(own)
    centres = (own.sum(axis=0) - own) / (n - 1)
    towards = centres - other.mean(axis=0)
    length = np.linalg.norm(towards, axis=1, keepdims=True)
    unit = np.divide(towards, length, out=np.zeros_like(towards), where=length > 0)
    middle = (centres + other.mean(axis=0)) / 2
    return np.asarray(np.einsum("ij,ij->i", own - middle, unit))


def similar_modes(workspace: Workspace, clustering: Clustering) -> list[SimilarModes]:
    """Find modes of a species whose centres are close for their spread.

    Parameters
    ----------
    workspace : Workspace
        Where the features are.
    clustering : Clustering
        Its modes. Syllables with confidence 0, which are not of the species, do not count, nor do
        modes of fewer than `LEAST_MEMBERS` others.

    Returns
    -------
    list of SimilarModes
        Pairs with a separation below `CLOSE_BELOW` in the space of the standardised features that
        the clustering was made with, species by species, the closest first.
    """
    modes = clustering.modes[clustering.modes["mode"] != ""]
    several = modes.groupby("species", sort=False).filter(lambda rows: len(rows) > 1)
    if several.empty:
        return []
    counted = (clustering.assignments["confidence"] > 0).to_numpy()
    features = features_of(workspace, clustering)[counted]
    cluster = clustering.assignments["cluster"].to_numpy()[counted]
    members = {number: features[cluster == number] for number in several["cluster"]}
    found = []
    for _, rows in several.groupby("species", sort=False):
        large = [number for number in rows["cluster"] if len(members[number]) >= LEAST_MEMBERS]
        pairs = [
            SimilarModes(int(a), int(b), separation(members[a], members[b]))
            for a, b in combinations(large, 2)
        ]
        close = [pair for pair in pairs if pair.separation < CLOSE_BELOW]
        found += sorted(close, key=lambda pair: pair.separation)
    return found
