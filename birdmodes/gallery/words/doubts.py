"""What an expert would look at before trusting the modes."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass

import pandas as pd

from birdmodes.gallery.plan import ModePlan, PagePlan
from birdmodes.labels import split_species
from birdmodes.modes.clustering import UNSURE_BELOW, Clustering
from birdmodes.modes.similarity import SimilarModes, similar_modes
from birdmodes.workspace.bags import bags_table
from birdmodes.workspace.store import Workspace

FEW_RECORDINGS = 3
"""With fewer recordings that list it, a species cannot be told from those around it."""

CHANCE_ABOVE = 0.05
"""A sound and a species that meet this often by chance have little to do with each other."""


@dataclass(frozen=True)
class Doubts:
    """What may be wrong with the modes of a clustering.

    Attributes
    ----------
    few : dict of str to int
        Species that few recordings list, and how many do.
    inseparable : list of list of str
        Groups of species that are listed for exactly the same bags.
    unsure : list of ModePlan
        Modes whose confidence is low.
    by_chance : list of ModePlan
        Other modes that meet their species hardly more often than by chance.
    single : list of ModePlan
        Modes from one recording.
    similar : list of SimilarModes
        Modes of a species that may be one.
    """

    few: dict[str, int]
    inseparable: list[list[str]]
    unsure: list[ModePlan]
    by_chance: list[ModePlan]
    single: list[ModePlan]
    similar: list[SimilarModes]


def find_doubts(workspace: Workspace, clustering: Clustering, pages: list[PagePlan]) -> Doubts:
    """Look for what may be wrong with the modes.

    Parameters
    ----------
    workspace : Workspace
        What the clustering is of.
    clustering : Clustering
        The modes.
    pages : list of PagePlan
        All pages; those of species are looked at.
    """
    recordings = workspace.recordings()
    modes = [mode for page in pages if page.is_species for mode in page.modes]
    unsure = [
        mode for mode in modes if mode.confidence is not None and mode.confidence < UNSURE_BELOW
    ]
    return Doubts(
        few={name: n for name, n in listing_recordings(recordings).items() if n < FEW_RECORDINGS},
        inseparable=inseparable_species(recordings),
        unsure=unsure,
        by_chance=[
            mode
            for mode in modes
            if mode not in unsure and mode.p_value is not None and mode.p_value > CHANCE_ABOVE
        ],
        single=[mode for mode in modes if mode.recordings == 1],
        similar=similar_modes(workspace, clustering),
    )


def listing_recordings(recordings: pd.DataFrame) -> dict[str, int]:
    """Count the labelled recordings that list each species.

    Parameters
    ----------
    recordings : pandas.DataFrame
        Rows of `birdmodes.workspace.tables.RECORDINGS_SCHEMA`.

    Returns
    -------
    dict of str to int
        Species in alphabetical order.
    """
    labelled = recordings.loc[recordings["labelled"], "species"]
    return dict(sorted(Counter(name for cell in labelled for name in split_species(cell)).items()))


def inseparable_species(recordings: pd.DataFrame) -> list[list[str]]:
    """Find species that no list tells apart.

    Parameters
    ----------
    recordings : pandas.DataFrame
        Rows of `birdmodes.workspace.tables.RECORDINGS_SCHEMA`.

    Returns
    -------
    list of list of str
        Groups of two or more species that are listed for exactly the same bags, in alphabetical
        order.
    """
    bags = bags_table(recordings)
    listed: dict[str, list[int]] = defaultdict(list)
    for number, (labelled, cell) in enumerate(zip(bags["labelled"], bags["species"], strict=True)):
        for name in split_species(cell) if labelled else []:
            listed[name].append(number)
    groups: dict[tuple[int, ...], list[str]] = defaultdict(list)
    for name in sorted(listed):
        groups[tuple(listed[name])].append(name)
    return [group for group in groups.values() if len(group) > 1]


def doubts_of_species(doubts: Doubts, page: PagePlan) -> list[str]:
    """Say in a word or two each what to look at in a species.

    Parameters
    ----------
    doubts : Doubts
        Of the whole clustering.
    page : PagePlan
        The species' page.
    """
    clusters = {mode.cluster for mode in page.modes}
    said = []
    if page.title in doubts.few:
        said.append("few recordings")
    for group in doubts.inseparable:
        if page.title in group:
            others = [name for name in group if name != page.title]
            whom = others[0] if len(others) == 1 else f"{len(others)} others"
            said.append(f"always with {whom}")
    for modes, words in (
        (doubts.unsure, "unsure name"),
        (doubts.by_chance, "name by chance?"),
        (doubts.single, "mode from one recording"),
    ):
        number = sum(mode.cluster in clusters for mode in modes)
        if number:
            said.append(
                words if len(page.modes) == 1 else f"{words}: {number} of {len(page.modes)}"
            )
    pairs = sum(pair.first in clusters for pair in doubts.similar)
    if pairs:
        said.append("modes may be one" if pairs == 1 else f"modes may be one: {pairs} pairs")
    return said
