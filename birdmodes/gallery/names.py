"""What the pages call the modes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from birdmodes.modes.words import ModeWords
from birdmodes.modes.words.shared_names import shared_species, whole_species


@dataclass(frozen=True)
class Names:
    """What a cluster is called.

    Attributes
    ----------
    name : str
        Whole name: "European Robin A", "European Robin song" or "Cluster 7".
    letter : str
        That of the mode: A is "mode 1" of the tables. Empty where there is no species.
    heading : str
        Name below the species: what a person called it, or else what it sounds like.
    given : bool
        Whether a person has named it.
    """

    name: str
    letter: str
    heading: str
    given: bool = False


def names_of_modes(modes: pd.DataFrame, words: Mapping[int, ModeWords]) -> dict[int, Names]:
    """Name all clusters.

    Parameters
    ----------
    modes : pandas.DataFrame
        Columns of `birdmodes.modes.clustering.MODE_COLUMNS`.
    words : mapping of int to ModeWords
        What they sound like.

    Returns
    -------
    dict of int to Names
        By cluster. Letters follow the numbers of the tables; a mode that a person has named has
        lost its number, and gets the first letter that is free.
    """
    names: dict[int, Names] = {}
    for name, rows in modes.groupby("species", sort=False):
        species = str(name)
        pairs = zip(rows["cluster"].astype(int), rows["mode"], rows["background"], strict=True)
        # A mode that is called just as its species, as those of `annotate`, has no name of its own.
        short = {
            cluster: f"{mode} ".removeprefix(f"{species} ").strip()
            if species and not background
            else None
            for cluster, mode, background in pairs
        }
        called = whole_species(species, shared_species(rows))
        names.update(_of_species(called, short, words))
    return names


def letter(number: int) -> str:
    """A, B, ..., Z, AA, AB, ... for 1, 2, ..."""
    first, last = divmod(number - 1, 26)
    return (letter(first) if first else "") + chr(ord("A") + last)


def _of_species(
    species: str, short: Mapping[int, str | None], words: Mapping[int, ModeWords]
) -> dict[int, Names]:
    numbers = {cluster: _number(name) for cluster, name in short.items() if name is not None}
    taken = {number for number in numbers.values() if number}
    free = (number for number in range(1, len(short) + len(taken) + 2) if number not in taken)
    names = {}
    for cluster, name in short.items():
        title = words[cluster].title if cluster in words else ""
        if name is None:
            names[cluster] = Names(f"Cluster {cluster}", "", title or f"Cluster {cluster}")
            continue
        given = bool(name) and not numbers[cluster]
        own = letter(numbers[cluster] or next(free))
        heading = f"{name[:1].upper()}{name[1:]}" if given else title or f"Mode {own}"
        names[cluster] = Names(f"{species} {name if given else own}", own, heading, given)
    return names


def _number(short: str) -> int:
    found = re.fullmatch(r"mode ([0-9]{1,9})", short)
    return int(found[1]) if found else 0
