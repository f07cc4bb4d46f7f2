"""Must-link and cannot-link pairs of instances that bag labels imply, as blocks, never as lists.

References
----------
Pei & Fern (2013), section 4.3 and Table 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import cast

import numpy as np

from algorithms.bags import Bags, BoolArray, FloatArray, IntArray
from algorithms.errors import ClusteringError

_BLOCK_PAIRS = 1 << 20  # pairs looked at in one go


@dataclass(frozen=True, eq=False)
class Cliques:
    """Disjoint groups of instances; all pairs within a group are meant.

    Attributes
    ----------
    group : ndarray of int64, shape (n_instances,)
        Group of each instance, 0 .. n_groups - 1, or -1.
    n_groups : int
        Number of groups; some may be empty.
    """

    group: IntArray
    n_groups: int

    @cached_property
    def sizes(self) -> IntArray:
        """Number of instances in each group, shape (n_groups,)."""
        inside = self.group[self.group >= 0]
        return np.bincount(inside, minlength=self.n_groups).astype(np.int64)

    @property
    def has_pairs(self) -> bool:
        """Whether any group has two instances."""
        return bool((self.sizes > 1).any())

    def same(self, rows: slice = slice(None)) -> BoolArray:
        """Tell which instances share a group with each of `rows`, shape (n_rows, n_instances).

        An instance of a group shares it with itself.
        """
        group = self.group[rows, None]
        return cast(BoolArray, (group == self.group) & (group >= 0))

    def sizes_of(self, group: IntArray) -> FloatArray:
        """Size of each of the groups asked for, shape (len(group),); 0 for -1."""
        return np.append(self.sizes, 0).astype(np.float64)[group]

    def sums_of(self, group: IntArray, vectors: FloatArray) -> FloatArray:
        """Sum what the instances of a group hold.

        Parameters
        ----------
        group : ndarray of int64, shape (n,)
            The groups asked for, or -1.
        vectors : ndarray, shape (n_instances,) or (n_instances, L)
            What the instances hold.

        Returns
        -------
        ndarray, shape (n,) or (n, L)
            0 for -1.
        """
        columns = vectors[:, None] if vectors.ndim == 1 else vectors
        inside = self.group >= 0
        sums = np.zeros((self.n_groups + 1, columns.shape[1]))  # the last row is for -1
        for j in range(columns.shape[1]):
            sums[:-1, j] = np.bincount(
                self.group[inside], columns[inside, j], minlength=self.n_groups
            )
        return sums[group].reshape(len(group), *vectors.shape[1:])


@dataclass(frozen=True, eq=False)
class InducedPairs:
    """Pairs of instances whose bags' label sets tell that they belong together, or do not.

    - *Must-link*: two instances of bags whose only label is the same class, when every class is
      one cluster (K = C). The must-links are one clique for each class.
    - *Cannot-link*: two instances of labelled bags that share no class, when no cluster spans two
      classes (K >= C).

    Unlabelled bags and bags labelled with no class imply nothing. Beside what labels imply,
    instances that are known to be of the same mode (:class:`~algorithms.bags.Known`) are
    must-linked, unless their class's clique holds them already.

    Attributes
    ----------
    bag : ndarray of int64, shape (n_instances,)
        Bag of each instance.
    labels : ndarray of bool, shape (n_bags, n_classes)
        Label set of each bag.
    cliques : Cliques
        Must-links: an instance is in the clique of the class that is its bag's only label; after
        those of the classes come the cliques of known modes.
    """

    bag: IntArray
    labels: BoolArray
    cliques: Cliques

    @classmethod
    def from_bags(cls, bags: Bags, n_clusters: int, *, force: bool = False) -> InducedPairs:
        """Derive the pairs for a clustering into `n_clusters`.

        Raises
        ------
        ClusteringError
            When there are fewer clusters than classes, so that the labels imply no pair at all;
            with `force` must-links and cannot-links are taken as for K = C.
        """
        if n_clusters < bags.n_classes and not force:
            raise ClusteringError(
                f"n_clusters={n_clusters} is below the number of classes, {bags.n_classes}, so bag "
                f"labels imply no pairs: use {bags.n_classes} clusters or more, or force=True"
            )
        if n_clusters > bags.n_classes:
            group = np.full(bags.n_instances, -1, dtype=np.int64)
        else:
            group = only_class(bags.labels)[bags.bag]
        n_groups = bags.n_classes
        if bags.known is not None:
            mode = bags.known.mode
            group = np.where((group < 0) & (mode >= 0), n_groups + mode, group)
            n_groups += bags.known.n_modes
        return cls(bags.bag, bags.labels, Cliques(group, n_groups))

    def disjoint(self, label_sets: BoolArray, rows: IntArray, columns: IntArray) -> BoolArray:
        """Tell which label sets forbid a link to an instance.

        Parameters
        ----------
        label_sets : ndarray of bool, shape (m, n_classes)
            Label sets; an empty one forbids nothing.
        rows : ndarray of int64, shape (n_pairs,)
            Row of `label_sets` of each pair.
        columns : ndarray of int64, shape (n_pairs,)
            Instance of each pair.

        Returns
        -------
        ndarray of bool, shape (n_pairs,)
        """
        one, other = np.packbits(label_sets, axis=1), np.packbits(self.labels, axis=1)
        filled_one: BoolArray = np.asarray(label_sets.any(axis=1))
        filled_other: BoolArray = np.asarray(self.labels.any(axis=1))
        disjoint = np.empty(len(rows), dtype=np.bool_)
        for start in range(0, len(rows), _BLOCK_PAIRS):
            block = slice(start, start + _BLOCK_PAIRS)
            left, right = rows[block], self.bag[columns[block]]
            shared = np.asarray((one[left] & other[right]).any(axis=1))
            disjoint[block] = filled_one[left] & filled_other[right] & ~shared
        return disjoint

    def disjoint_from_bags(self, label_sets: BoolArray) -> BoolArray:
        """Tell which label sets share nothing with which bag, (n_sets, n_bags).

        An empty set, or a bag without labels, counts as sharing.
        """
        shared = label_sets.astype(np.float32) @ self.labels.T.astype(np.float32) > 0
        filled = np.logical_and.outer(label_sets.any(axis=1), self.labels.any(axis=1))
        return cast(BoolArray, filled & ~shared)

    def group_of(self, candidates: BoolArray) -> IntArray:
        """Clique that an instance of a new bag with each of the label sets joins, or -1."""
        if not (self.cliques.group >= 0).any():
            return np.full(len(candidates), -1, dtype=np.int64)
        return only_class(candidates)


def only_class(label_sets: BoolArray) -> IntArray:
    """Return the class of every label set that holds just one, else -1."""
    single = label_sets.sum(axis=1) == 1
    if not label_sets.shape[1]:
        return np.full(len(label_sets), -1, dtype=np.int64)
    return np.where(single, label_sets.argmax(axis=1), -1).astype(np.int64)
