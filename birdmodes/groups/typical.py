"""Which syllables tell what a group of recordings sounds like."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from algorithms import Bags
from algorithms.nearest import nearest_neighbours

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

MOST_SYLLABLES = 12
"""Typical syllables of a group."""

MOST_OF_A_BAG = 2
"""Typical syllables of one bag, so that one loud bird does not stand for a group."""

NEIGHBOURS = 30
"""Syllables that are asked how typical one is."""

_EXACT_UP_TO = 20_000
"""More syllables than this are looked at in a sample."""


def of_witnesses(group: Ints, strength: Floats, witnesses: Ints) -> list[Ints]:
    """Take the witnesses of the bags that fit their group best.

    Parameters
    ----------
    group : ndarray of int, shape (n_bags,)
        Group of each bag from 0, -1 for none.
    strength : ndarray, shape (n_bags,)
        How well the bag fits; NaN where that is not known.
    witnesses : ndarray of int, shape (n_bags,)
        Row of the syllable that decided, -1 for none.

    Returns
    -------
    list of ndarray of int
        For each group up to `MOST_SYLLABLES` rows, that of the best bag first.
    """
    best_first = np.argsort(-np.nan_to_num(strength, nan=-np.inf).round(9), kind="stable")
    chosen = []
    for number in range(int(group.max(initial=-1)) + 1):
        own = best_first[(group[best_first] == number) & (witnesses[best_first] >= 0)]
        chosen.append(witnesses[own[:MOST_SYLLABLES]])
    return chosen


def of_neighbours(group: Ints, bags: Bags, *, seed: int) -> list[Ints]:
    """Take the syllables whose like are found in the group's other bags, and nowhere else.

    Of the `NEIGHBOURS` syllables nearest to a syllable, those in other bags of its group count for
    it, those in bags of other groups against it, and those in its own bag not at all: that a bird
    repeats itself says nothing of the group. Of two with the same count, the nearer to its
    neighbours comes first.

    Parameters
    ----------
    group : ndarray of int, shape (n_bags,)
        Group of each bag from 0, -1 for none.
    bags : Bags
        The syllables.
    seed : int
        Of the sample that is taken of very many syllables.

    Returns
    -------
    list of ndarray of int
        For each group up to `MOST_SYLLABLES` rows of `bags.X`, at most `MOST_OF_A_BAG` of a bag,
        the most typical first.
    """
    rows = np.arange(bags.n_instances)
    if len(rows) > _EXACT_UP_TO:
        rng = np.random.default_rng(seed)
        rows = np.sort(rng.choice(rows, _EXACT_UP_TO, replace=False))
    bag = bags.bag[rows]
    count, distance = _votes(bags.X[rows], bag, group[bag])
    most_typical_first = np.lexsort((rows, distance.round(9), -count))
    return [
        rows[_few_of_a_bag(most_typical_first[group[bag[most_typical_first]] == number], bag)]
        for number in range(int(group.max(initial=-1)) + 1)
    ]


def _votes(X: Floats, bag: Ints, group: Ints) -> tuple[Ints, Floats]:
    """Neighbours for less those against each syllable, and the mean distance to them all."""
    k = min(NEIGHBOURS, len(X) - 1)
    if k < 1:
        return np.zeros(len(X), dtype=np.int64), np.zeros(len(X))
    indices, squared = nearest_neighbours(X, k, "exact", 0)
    other_bag = bag[indices] != bag[:, None]
    same_group = group[indices] == group[:, None]
    count = (other_bag & same_group).sum(axis=1) - (~same_group).sum(axis=1)
    return count, np.sqrt(squared).mean(axis=1)


def _few_of_a_bag(ordered: Ints, bag: Ints) -> Ints:
    """The first `MOST_SYLLABLES` of `ordered` with at most `MOST_OF_A_BAG` of each bag."""
    taken: dict[int, int] = {}
    chosen: list[int] = []
    for row in ordered.tolist():
        own = int(bag[row])
        if taken.get(own, 0) < MOST_OF_A_BAG:
            taken[own] = taken.get(own, 0) + 1
            chosen.append(row)
        if len(chosen) == MOST_SYLLABLES:
            break
    return np.array(chosen, dtype=np.int64)
