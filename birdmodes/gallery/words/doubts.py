"""What an expert would look at before trusting the modes."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass

import pandas as pd

from birdmodes.gallery.plan import ModePlan, PagePlan
from birdmodes.labels import split_species
from birdmodes.modes.clustering import Clustering
from birdmodes.modes.similarity import SimilarModes, similar_modes
from birdmodes.modes.words.sureness import GUESS
from birdmodes.workspace.bags import bags_table
from birdmodes.workspace.store import Workspace

FEW_RECORDINGS = 3
"""With fewer recordings that list it, a species cannot be told from those around it."""


@dataclass(frozen=True)
class Doubts:
    """What may be wrong with the modes of a clustering.

    Attributes
    ----------
    few : dict of str to int
        Species that few recordings list, and how many do.
    inseparable : list of list of str
        Groups of species that are listed for exactly the same bags.
    guesses : list of ModePlan
        Modes whose name is a guess.
    single : list of ModePlan
        Modes from one recording.
    similar : list of SimilarModes
        Modes of a species that may be one.
    """

    few: dict[str, int]
    inseparable: list[list[str]]
    guesses: list[ModePlan]
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
    return Doubts(
        few={name: n for name, n in listing_recordings(recordings).items() if n < FEW_RECORDINGS},
        inseparable=inseparable_species(recordings),
        guesses=[mode for mode in modes if mode.sureness and mode.sureness.word == GUESS],
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
