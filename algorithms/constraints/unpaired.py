"""Bag constraints without those that a must-link or a cannot-link would state as well.

What is left of Q is what only bag constraints can say. Must-links are between instances of bags
with one and the same only label, cannot-links between those of labelled bags that share none.

References
----------
Pei & Fern (2013), section 5.4 ("CSP w.o. ML/CL").
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np
import scipy.sparse as sp

from algorithms.bags import Bags, BoolArray, FloatArray, IntArray
from algorithms.constraints.operator import (
    BagConstraints,
    Centering,
    Constraints,
    UnlabelledTreatment,
)
from algorithms.constraints.pairs import Cliques, only_class
from algorithms.errors import ClusteringError
from algorithms.graph import SparseMatrix

MAX_LABEL_SETS = 20_000
"""Most different label sets for which ``centering="exact"`` is offered."""


def unpaired_constraints(
    bags: Bags, *, centering: Centering = "paper", unlabelled: UnlabelledTreatment = "paper"
) -> Constraints:
    """Derive the bag constraints of `bags`, 0 where the labels imply a pair.

    The parameters are those of :meth:`~algorithms.constraints.operator.BagConstraints.from_bags`.

    Raises
    ------
    ClusteringError
        With ``centering="exact"``, when there are more than :data:`MAX_LABEL_SETS` different label
        sets.
    """
    full = BagConstraints.from_bags(bags, centering=centering, unlabelled=unlabelled)
    if centering == "paper":
        single = only_class(bags.labels)
        return PaperUnpaired(full, Cliques(single[bags.bag], bags.n_classes), single >= 0)
    packed = np.packbits(bags.labels, axis=1)
    first, inverse = np.unique(packed, axis=0, return_index=True, return_inverse=True)[1:]
    if len(first) > MAX_LABEL_SETS:
        raise ClusteringError(
            f'centering="exact" without pairs is for up to {MAX_LABEL_SETS} different label sets, '
            f'not {len(first)}: use centering="paper"'
        )
    sets: BoolArray = bags.labels[first]
    set_of = inverse.ravel()[bags.bag].astype(np.int64)
    return ExactUnpaired(set_of, sets, _entries(sets, sets, full.mu), full.mu)


@dataclass(frozen=True, eq=False)
class PaperUnpaired:
    r"""Q = B (Y'Y - mu I - sum_c r_c r_c' + mu diag(r)) B', as an operator.

    r_c is the indicator of the bags whose only label is c, and r = sum_c r_c: must-links have
    entry 0. Those of cannot-links are 0 in Q already. A product costs O(n_instances + number of
    labels).

    Attributes
    ----------
    full : BagConstraints
        Q with the entries of pairs, ``centering="paper"``.
    cliques : Cliques
        Instances in bags with one and the same only label.
    single : ndarray of bool, shape (n_bags,)
        r.
    """

    full: BagConstraints
    cliques: Cliques
    single: BoolArray

    def __matmul__(self, vectors: FloatArray, /) -> FloatArray:
        """Return Q @ vectors for `vectors` of shape (n_instances,) or (n_instances, L)."""
        linked = self.cliques.sums_of(self.cliques.group, vectors)
        own_bag = Cliques(self.full.bag, len(self.single)).sums_of(self.full.bag, vectors)
        own_bag[~self.single[self.full.bag]] = 0.0
        return self.full @ vectors - linked + self.full.mu * own_bag

    def pull(self, candidates: BoolArray, vectors: FloatArray) -> FloatArray:
        """Apply the rows of new instances; see :meth:`Constraints.pull`."""
        linked = self.cliques.sums_of(only_class(candidates), vectors)
        return self.full.pull(candidates, vectors) - linked


@dataclass(frozen=True, eq=False)
class ExactUnpaired:
    """Q = B (Y'Y - mu 11') B', 0 for pairs and wherever a bag without labels takes part.

    Which label sets share nothing is not of low rank; but entries only depend on the two label
    sets, so one is stored for every two *different sets* that share a class, not for two bags.

    Attributes
    ----------
    set_of : ndarray of int64, shape (n_instances,)
        Label set of each instance's bag.
    sets : ndarray of bool, shape (n_sets, n_classes)
        The different label sets.
    entries : csr_array, shape (n_sets, n_sets)
        Entries of Q between instances of bags with these sets.
    mu : float
        Mean similarity of two bags.
    """

    set_of: IntArray
    sets: BoolArray
    entries: SparseMatrix
    mu: float

    def __matmul__(self, vectors: FloatArray, /) -> FloatArray:
        """Return Q @ vectors for `vectors` of shape (n_instances,) or (n_instances, L)."""
        return np.asarray(self.entries @ self._pool(vectors), dtype=np.float64)[self.set_of]

    def pull(self, candidates: BoolArray, vectors: FloatArray) -> FloatArray:
        """Apply the rows of new instances; see :meth:`Constraints.pull`."""
        entries = _entries(candidates, self.sets, self.mu)
        return np.asarray(entries @ self._pool(vectors), dtype=np.float64)

    def _pool(self, vectors: FloatArray) -> FloatArray:
        n_sets = len(self.sets)
        return Cliques(self.set_of, n_sets).sums_of(np.arange(n_sets), vectors)


def _entries(one: BoolArray, other: BoolArray, mu: float) -> SparseMatrix:
    """|a & b| / (|a| |b|) - mu for label sets that share a class but are not both just that."""
    shared = sp.csr_array(one.astype(np.float64)) @ sp.csr_array(other.astype(np.float64)).T
    listed = shared.tocoo()
    sizes = one.sum(axis=1)[listed.row] * other.sum(axis=1)[listed.col]
    values = np.where(sizes == 1, 0.0, listed.data / sizes - mu)
    entries = sp.csr_array((values, (listed.row, listed.col)), shape=shared.shape)
    return cast(SparseMatrix, entries)
