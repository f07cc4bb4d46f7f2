"""Figures of a grouping of recordings; see docs/metrics.md."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from algorithms import Bags
from algorithms.distances import bag_distances
from algorithms.metrics import adjusted_rand_index, normalized_mutual_info

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

MOST_BAGS = 400
"""The silhouette of more bags is taken over a sample of so many."""

MOST_SYLLABLES = 64
"""Of a bag with more syllables, distances are taken from a sample of so many."""

LEAST_SINGLE = 10
"""Fewer bags of one species than this say nothing of how groups and species agree."""


def group_metrics(
    bags: Bags, group: Ints, *, seed: int, repetitions: Iterable[Ints]
) -> dict[str, float | None]:
    """How good a grouping is.

    Parameters
    ----------
    bags : Bags
        What was grouped.
    group : ndarray of int, shape (n_bags,)
        Groups from 0; -1 for bags without syllables.
    seed : int
        Of the samples that the silhouette of many bags is taken over.
    repetitions : iterable of ndarray of int, shape (n_bags,)
        Groups of runs that differ in their seed; may be empty.

    Returns
    -------
    dict
        Name to number, None where it is not defined. ``silhouette``, on the average Hausdorff
        distance, and ``stability``, the mean adjusted Rand index with the repetitions, need no
        labels; ``label_nmi`` and ``label_ari`` are the agreement with the species of the bags that
        have one species only, where there are at least `LEAST_SINGLE` of two species or more.
    """
    grouped = np.flatnonzero(group >= 0)
    sizes = np.bincount(group[grouped])
    nmi, ari = _label_agreement(bags, group)
    values = {
        "groups": len(sizes),
        "bags": bags.n_bags,
        "bags_without_syllables": bags.n_bags - len(grouped),
        "largest_group_share": float(sizes.max() / len(grouped)),
        "silhouette": bag_silhouette(bags, group, seed=seed),
        "stability": _stability(group[grouped], (labels[grouped] for labels in repetitions)),
        "label_nmi": nmi,
        "label_ari": ari,
        "unlabelled_bag_share": float((~bags.labelled).mean()),
    }
    return {key: None if value is None else round(value, 6) for key, value in values.items()}


def bag_silhouette(bags: Bags, group: Ints, *, seed: int) -> float | None:
    """Mean silhouette of the bags on the average Hausdorff distance; None for one group only."""
    from sklearn.metrics import silhouette_score  # slow to import

    sample = _sample(bags, group, seed)
    labels = group[sample]
    if not 2 <= len(np.unique(labels)) < len(labels):
        return None
    distance = bag_distances(_some_syllables(bags, sample, seed), "average")
    return float(silhouette_score(distance, labels, metric="precomputed"))


def _sample(bags: Bags, group: Ints, seed: int) -> Ints:
    """Numbers of bags that have a group, at most `MOST_BAGS`, rising."""
    grouped = np.flatnonzero(group >= 0)
    if len(grouped) <= MOST_BAGS:
        return grouped
    rng = np.random.default_rng(seed)
    return np.sort(rng.choice(grouped, MOST_BAGS, replace=False))


def _some_syllables(bags: Bags, chosen: Ints, seed: int) -> Bags:
    """The chosen bags, numbered from 0, with at most `MOST_SYLLABLES` syllables each."""
    rng = np.random.default_rng(seed)
    number = np.full(bags.n_bags, -1, dtype=np.int64)
    number[chosen] = np.arange(len(chosen))
    shuffled = rng.permutation(np.flatnonzero(number[bags.bag] >= 0))
    by_bag = shuffled[np.argsort(number[bags.bag[shuffled]], kind="stable")]
    sizes = bags.sizes[chosen]
    place = np.arange(len(by_bag)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    rows = np.sort(by_bag[place < MOST_SYLLABLES])
    return Bags(bags.X[rows], number[bags.bag[rows]], bags.labels[chosen], bags.labelled[chosen])


def _stability(group: Ints, repetitions: Iterable[Ints]) -> float | None:
    agreement = [adjusted_rand_index(group, labels) for labels in repetitions]
    return float(np.mean(agreement)) if agreement else None


def _label_agreement(bags: Bags, group: Ints) -> tuple[float | None, float | None]:
    """NMI and ARI of the groups with the species of the bags that have but one."""
    single = bags.labelled & (bags.labels.sum(axis=1) == 1) & (group >= 0)
    if single.sum() < LEAST_SINGLE:
        return None, None
    species = bags.labels[single].argmax(axis=1)
    if len(np.unique(species)) < 2:
        return None, None
    return (
        normalized_mutual_info(species, group[single]),
        adjusted_rand_index(species, group[single]),
    )
