"""How often clusters occur in bags of each label set, and the mixtures that explain it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from algorithms.bags import Bags, FloatArray, IntArray

KNOWN_SHARE = 0.1
"""An instance whose class is known counts as this share of its cluster, besides itself.

What a list says of one instance, it says of all: its errors do not average out, as those of single
answers do.
"""

_TOLERANCE = 1e-9
_MAX_STEPS = 1000


@dataclass(frozen=True, eq=False)
class LabelSetCounts:
    """Instances of every cluster by the label set of their bag; G clusters, S sets, C classes.

    Attributes
    ----------
    counts : ndarray, shape (G, S)
        Instances of each cluster in bags of each label set; those whose class is known count more.
    sets : ndarray, shape (S, C)
        The distinct label sets of labelled bags, as 0 and 1.
    base_rate : ndarray, shape (C,)
        Share of the labelled bags that have the class.
    """

    counts: FloatArray
    sets: FloatArray
    base_rate: FloatArray

    @classmethod
    def of(cls, assigned: IntArray, bags: Bags, n_clusters: int) -> LabelSetCounts:
        """Count instances in labelled bags; `assigned` has shape (n_instances,), -1 for none."""
        used = bags.labelled
        sets, set_of_used = np.unique(bags.labels[used], axis=0, return_inverse=True)
        set_of_bag = np.full(bags.n_bags, -1)
        set_of_bag[used] = set_of_used.ravel()
        set_of_instance = set_of_bag[bags.bag]
        counted = (set_of_instance >= 0) & (assigned >= 0)
        flat = np.bincount(
            assigned[counted] * len(sets) + set_of_instance[counted],
            _weights(assigned, bags, n_clusters)[counted],
            minlength=n_clusters * len(sets),
        )
        counts: FloatArray = flat.astype(np.float64).reshape(n_clusters, len(sets))
        base_rate = bags.labels[used].sum(axis=0) / max(1, int(used.sum()))
        return cls(counts, sets.astype(np.float64), base_rate)

    @property
    def totals(self) -> FloatArray:
        """Instances of every cluster in labelled bags, (G,)."""
        return np.asarray(self.counts.sum(axis=1))

    def theta(self) -> FloatArray:
        """Partial-label EM, (G, C)."""
        shares = _em(self.counts, self.sets)
        in_some_class = self.counts @ self.sets.any(axis=1)
        return shares * divide(in_some_class, self.totals)[:, None]

    def explained(self) -> FloatArray:
        """Chance-corrected share of syllables in the bags of the best class, (G,)."""
        share = divide(self.counts @ self.sets, self.totals[:, None])
        with np.errstate(divide="ignore", invalid="ignore"):
            beyond_chance = (share - self.base_rate) / (1 - self.base_rate)
        # All syllables in bags with the class: explained, however common the class.
        beyond_chance = np.where(share >= 1, 1.0, beyond_chance)
        beyond_chance[self.totals == 0] = 0.0
        return np.asarray(beyond_chance.max(axis=1, initial=0.0))

    def background_share(self) -> FloatArray:
        """Share of a source that is present in every bag, competing with the classes, (G,)."""
        candidates = np.column_stack([divide(self.sets, self.base_rate), np.ones(len(self.sets))])
        return _em(self.counts, candidates)[:, -1]


def _weights(assigned: IntArray, bags: Bags, n_clusters: int) -> FloatArray:
    """What every instance counts, (n_instances,)."""
    weights = np.ones(len(assigned))
    if bags.known is not None:
        sizes = np.bincount(assigned[assigned >= 0], minlength=n_clusters)
        told = bags.known.decided & (assigned >= 0)
        weights[told] += KNOWN_SHARE * sizes[assigned[told]]
    return weights


def _em(counts: FloatArray, candidates: FloatArray) -> FloatArray:
    """Mixture shares of sources that emit into label sets.

    counts (G, S), candidates (S, A): the weight of source a as the origin of a syllable in a bag
    of label set s. Syllables without any candidate are left out.

    Returns (G, A); rows sum to 1, or to 0 where no syllable has a candidate.
    """
    counts = counts * candidates.any(axis=1)
    totals = counts.sum(axis=1, keepdims=True)
    n_sources = candidates.shape[1]
    shares = np.where(totals > 0, 1.0 / max(1, n_sources), 0.0) * np.ones((1, n_sources))
    for _ in range(_MAX_STEPS):
        per_weight = divide(counts, shares @ candidates.T)
        updated = divide(shares * (per_weight @ candidates), totals)
        change = np.abs(updated - shares).max(initial=0.0)
        shares = updated
        if change < _TOLERANCE:
            break
    return shares


def divide(numerator: FloatArray, denominator: FloatArray | IntArray) -> FloatArray:
    """Quotient of arrays that broadcast, 0 where the denominator is 0."""
    shape = np.broadcast_shapes(numerator.shape, denominator.shape)
    quotient: FloatArray = np.zeros(shape)
    np.divide(numerator, denominator, out=quotient, where=denominator != 0)
    return quotient
