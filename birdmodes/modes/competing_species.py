"""Which species a cluster's sound could be of, besides the one it was given to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd
import scipy

from birdmodes.labels import split_species

Floats = npt.NDArray[np.float64]

LISTED_AT_LEAST = 0.5
"""A species competes when it is listed for this much of what the own species is listed for ..."""

PROBABLE_AT_LEAST = 0.05
"""... or when the clustering gives it at least this probability."""


@dataclass(frozen=True)
class Candidate:
    """A species that may utter the sounds of a cluster.

    Attributes
    ----------
    species : str
        Its name.
    listed : float
        Share of the cluster's syllables, of those in labelled bags, whose bag lists the species.
    everywhere : float
        Share of all labelled bags that list it: what `listed` would be by chance.
    probability : float or None
        Share of the cluster's syllables that the species utters, as the clustering has it; None
        where it has none.
    """

    species: str
    listed: float
    everywhere: float
    probability: float | None


@dataclass(frozen=True)
class Candidates:
    """The species that a cluster could be of.

    Attributes
    ----------
    own : Candidate or None
        The species that it belongs to; None if it has none, or no bag is labelled.
    others : list of Candidate
        Those that compete, the likeliest first.
    """

    own: Candidate | None
    others: list[Candidate]


def competing_species(
    members: pd.DataFrame,
    bags: pd.DataFrame,
    own: Mapping[int, str],
    probability: pd.DataFrame | None = None,
) -> dict[int, Candidates]:
    """Find the species that compete for each cluster.

    Parameters
    ----------
    members : pandas.DataFrame
        Columns bag and cluster, a row per syllable.
    bags : pandas.DataFrame
        Columns bag, labelled and species, from `birdmodes.workspace.bags.bags_table`.
    own : mapping of int to str
        The species of each cluster, empty for none.
    probability : pandas.DataFrame, optional
        A row for clusters, a column for species: see `cluster_probability`.

    Returns
    -------
    dict of int to Candidates
        An entry for every cluster of `own`.
    """
    labelled = bags[bags["labelled"]]
    names = [split_species(cell) for cell in labelled["species"]]
    species = sorted({name for cell in names for name in cell} | {n for n in own.values() if n})
    listed, everywhere = _shares(members, labelled["bag"], names, list(own), species)
    if probability is None:
        probability = pd.DataFrame(index=list(own), columns=species, dtype=float)
    probable = probability.reindex(index=list(own), columns=species).to_numpy(dtype=float)
    number = {name: column for column, name in enumerate(species)}
    result = {}
    for row, (cluster, name) in enumerate(own.items()):
        if np.isnan(listed[row]).any() or not species:
            result[cluster] = Candidates(None, [])
            continue
        mine = number.get(name)
        reference = listed[row].max() if mine is None else listed[row, mine]
        competes = (listed[row] > 0) & (listed[row] >= LISTED_AT_LEAST * reference)
        competes |= probable[row] >= PROBABLE_AT_LEAST
        likeliest = np.lexsort((-listed[row], -np.nan_to_num(probable[row]).round(3)))
        found = [
            Candidate(
                species[column],
                float(listed[row, column]),
                float(everywhere[column]),
                None if np.isnan(probable[row, column]) else float(probable[row, column]),
            )
            for column in likeliest.tolist()
            if column == mine or competes[column]
        ]
        result[cluster] = Candidates(
            next((one for one in found if one.species == name), None),
            [one for one in found if one.species != name],
        )
    return result


def cluster_probability(model: Mapping[str, npt.NDArray[np.generic]]) -> pd.DataFrame | None:
    """Probability of every species for the clusters, if a clustering's model has it.

    Parameters
    ----------
    model : mapping of str to ndarray
        Arrays of a clustering: ``cluster_species_probability`` and ``class_names``.

    Returns
    -------
    pandas.DataFrame or None
        A row for each cluster that was there when the model was fitted.
    """
    if not {"cluster_species_probability", "class_names"} <= set(model):
        return None
    names = [str(name) for name in model["class_names"]]
    return pd.DataFrame(model["cluster_species_probability"], columns=pd.Index(names))


def _shares(
    members: pd.DataFrame,
    bags: pd.Series,
    names: Sequence[Sequence[str]],
    clusters: list[int],
    species: list[str],
) -> tuple[Floats, Floats]:
    """Share of each cluster's syllables, and of the bags, that list each species."""
    number = {name: column for column, name in enumerate(species)}
    row = np.repeat(np.arange(len(names)), [len(cell) for cell in names])
    column = np.array([number[name] for cell in names for name in cell], dtype=np.int64)
    lists = scipy.sparse.csr_array(
        (np.ones(len(row)), (row, column)), shape=(len(names), len(species))
    )  # bags x species
    bag = pd.Index(bags).get_indexer(pd.Index(members["bag"]))
    place = pd.Index(clusters).get_indexer(pd.Index(members["cluster"]))
    known = (bag >= 0) & (place >= 0)
    counts = scipy.sparse.csr_array(
        (np.ones(int(known.sum())), (place[known], bag[known])), shape=(len(clusters), len(names))
    )
    total = counts.sum(axis=1)[:, None]
    listed = np.full((len(clusters), len(species)), np.nan)
    np.divide((counts @ lists).toarray(), total, out=listed, where=total > 0)
    everywhere = lists.sum(axis=0) / max(1, len(names))
    return listed, everywhere
