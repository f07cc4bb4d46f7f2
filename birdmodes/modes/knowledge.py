"""What is known of single syllables, in the form that methods can use."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from algorithms import Bags
from algorithms.bags import Known


@dataclass
class Knowledge:
    """What is known of syllables, by their rows in ``workspace.syllables()``.

    Attributes
    ----------
    species : dict of int to str
        Species of syllables that a person confirmed or moved; empty for noise.
    denied : dict of int to set of str
        Species that syllables are not of.
    mode : dict of int to tuple
        Syllables with the same value belong together, those with different ones apart.
    batches : list of int
        Batches of the log that it comes from.
    """

    species: dict[int, str] = field(default_factory=dict)
    denied: dict[int, set[str]] = field(default_factory=dict)
    mode: dict[int, tuple[int, int]] = field(default_factory=dict)
    batches: list[int] = field(default_factory=list)

    def __bool__(self) -> bool:
        """Whether anything is known."""
        return bool(self.species or self.denied or self.mode)

    def joined(self, other: Knowledge | None) -> Knowledge:
        """The same with what another source knows, which counts where the two differ."""
        if not other:
            return self
        denied = {row: set(names) for row, names in self.denied.items() if row not in other.species}
        for row, names in other.denied.items():
            denied.setdefault(row, set()).update(names)
        species = {row: name for row, name in self.species.items() if row not in other.denied}
        return Knowledge(
            {**species, **other.species}, denied, {**self.mode, **other.mode}, other.batches
        )

    def summary(self) -> dict[str, int]:
        """Numbers for the parameters of a run."""
        noise = sum(not species for species in self.species.values())
        return {
            "species_known": len(self.species) - noise,
            "noise_known": noise,
            "not_of_species": len(self.denied),
            "modes_known": len(set(self.mode.values())),
        }


def with_knowledge(bags: Bags, knowledge: Knowledge) -> Bags:
    """Bags with what is known of their instances.

    Parameters
    ----------
    bags : Bags
        From `birdmodes.workspace.bags.bags_with`.
    knowledge : Knowledge
        Of the same syllables. Species that no recording is labelled with become classes.

    Returns
    -------
    Bags
        With ``known``.
    """
    extra = set(knowledge.species.values()) - set(bags.class_names) - {""}
    names = sorted({*bags.class_names, *extra})
    labels = pd.DataFrame(bags.labels, columns=pd.Index(bags.class_names))
    wide = labels.reindex(columns=names, fill_value=False).to_numpy(dtype=bool)
    column = {name: number for number, name in enumerate([*names, ""])}
    may_be = np.ones((bags.n_instances, len(column)), dtype=bool)
    for row, species in knowledge.species.items():
        may_be[row] = False
        may_be[row, column[species]] = True
    for row, denied in knowledge.denied.items():
        may_be[row, _columns(denied, column)] = False
    mode = np.full(bags.n_instances, -1, dtype=np.int64)
    rows = np.array(sorted(knowledge.mode), dtype=np.int64)
    if len(rows):
        keys = np.array([knowledge.mode[row] for row in rows.tolist()])
        mode[rows] = np.unique(keys, axis=0, return_inverse=True)[1].ravel()
    known = Known(may_be, mode)
    weights = bags.weights
    if weights is not None:
        sure = pd.DataFrame(weights, columns=pd.Index(bags.class_names))
        weights = sure.reindex(columns=names, fill_value=0.0).to_numpy()
    return Bags(bags.X, bags.bag, wide, bags.labelled, names, known=known, weights=weights)


def _columns(names: Iterable[str], column: dict[str, int]) -> list[int]:
    return [column[name] for name in names if name in column]
