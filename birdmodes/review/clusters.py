"""Clusters between the edits: whose they are, and what they are called."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import pandas as pd


@dataclass
class Cluster:
    """A cluster as the edits so far have left it.

    Attributes
    ----------
    species : str
        Empty if it belongs to none.
    name : str
        Short name that a person gave it; empty for ``mode <number>``.
    number : int or None
        Its number among the modes of `species`, once it has one.
    background : bool
        Whether it is noise.
    numbers : dict of str to int
        Numbers that it had among the modes of other species.
    alone : str
        Species that it is called as, without more, as where sounds were annotated by species;
        empty for most.
    """

    species: str
    name: str = ""
    number: int | None = None
    background: bool = False
    numbers: dict[str, int] = field(default_factory=dict)
    alone: str = ""

    @property
    def is_new(self) -> bool:
        """Whether it still needs a number among the modes of its species."""
        return bool(self.species) and self.number is None and self.species != self.alone

    @property
    def short(self) -> str:
        """Name without the species; empty where that is all of it."""
        if self.name or self.number is None:
            return self.name or ("" if self.species == self.alone else "mode (new)")
        return f"mode {self.number}"

    def give_species(self, species: str) -> None:
        """Make it a mode of another species; back at one that it had, it has its number again."""
        if self.number is not None:
            self.numbers[self.species] = self.number
        self.species, self.number = species, self.numbers.get(species)

    @property
    def mode(self) -> str:
        """Whole name; empty for a cluster that belongs to no species."""
        return f"{self.species} {self.short}".rstrip() if self.species else ""


def clusters_in(table: pd.DataFrame) -> dict[int, Cluster]:
    """Clusters of a table of syllables, with their names taken apart."""
    found: dict[int, Cluster] = {}
    background = table["background"] if "background" in table else [False] * len(table)
    columns = (table["cluster"], table["species"], table["mode"], background)
    first = ~table["cluster"].duplicated().to_numpy()
    rows = zip(*(pd.Series(column).to_numpy()[first] for column in columns), strict=True)
    for cluster, species, mode, is_background in rows:
        is_alone = bool(species) and mode == species
        short = mode.removeprefix(f"{species} ") if species and not is_alone else ""
        default = re.fullmatch(r"mode ([0-9]{1,9})", short)
        found[int(cluster)] = Cluster(
            species,
            name="" if default else short,
            number=int(default[1]) if default else None,
            background=bool(is_background),
            alone=species if is_alone else "",
        )
    return found
