"""Parts of the labelled recordings that are left out in turn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from algorithms.bags import Bags, BoolArray, IntArray
from algorithms.checks import check_bags, check_count, seed_of
from algorithms.errors import ClusteringError


class BagFolds:
    """Splits bags for scikit-learn's searches and scores: bags stay whole, so do recordings.

    As what is split is bags and not instances, any of scikit-learn's splitters keeps bags whole
    too; this one spreads every class over the parts, as :func:`make_folds` does, and leaves no
    bag out whose labels are not known, as nothing could be said of how well it was told.

    Parameters
    ----------
    n_splits : int
        Parts, each of which is left out once.
    random_state : int, None, RandomState or Generator
        Decides between what is equal.

    Examples
    --------
    >>> bags = Bags([[0.0], [1.0], [2.0]], [0, 1, 2], [["wren"], ["owl"], ["wren"]])
    >>> [(train.tolist(), test.tolist()) for train, test in BagFolds(2).split(bags)]
    [([0], [1, 2]), ([1, 2], [0])]
    """

    def __init__(self, n_splits: int = 5, *, random_state: Any = 0) -> None:
        self.n_splits = n_splits
        self.random_state = random_state

    def get_n_splits(self, bags: Any = None, y: Any = None, groups: Any = None) -> int:
        """Give the number of parts."""
        return self.n_splits

    def split(
        self, bags: Bags, y: Any = None, groups: npt.ArrayLike | None = None
    ) -> Iterator[tuple[IntArray, IntArray]]:
        """Split bags.

        Parameters
        ----------
        bags : Bags
            What to split.
        y : None
            Plays no part.
        groups : array_like, shape (n_bags,), optional
            What stays together: the recording that each bag is of.

        Yields
        ------
        train, test : ndarray of int64
            Numbers of bags.

        Raises
        ------
        ClusteringError
            When there are fewer groups with a labelled bag than parts, or `groups` does not fit.
        """
        check_bags(bags)
        check_count("n_splits", self.n_splits, minimum=2)
        group = np.arange(bags.n_bags) if groups is None else np.asarray(groups)
        if group.shape != (bags.n_bags,):
            raise ClusteringError(
                f"groups must have one entry for each of the {bags.n_bags} bags, not shape "
                f"{group.shape}"
            )
        n_groups = len(np.unique(group[bags.labelled]))
        if n_groups < self.n_splits:
            raise ClusteringError(
                f"n_splits={self.n_splits}: ask for at most {n_groups}, as only so many groups of "
                "bags are labelled"
            )
        seed = int(np.random.SeedSequence(seed_of(self.random_state)).generate_state(1)[0])
        fold = make_folds(bags.labels, bags.labelled, group, self.n_splits, seed)
        for number in range(self.n_splits):
            left_out = (fold == number) & bags.labelled
            yield np.flatnonzero(fold != number), np.flatnonzero(left_out)


def make_folds(
    labels: BoolArray, labelled: BoolArray, group: npt.NDArray[Any], n_folds: int, seed: int
) -> IntArray:
    """Deal groups of labelled bags to folds so that each species is spread over them.

    The groups of the rarest species are dealt first, one by one, each to the fold with fewest
    groups of that species, and of those to the one with fewest groups.

    Parameters
    ----------
    labels : ndarray of bool, shape (n_bags, n_classes)
        Label sets.
    labelled : ndarray of bool, shape (n_bags,)
        Which bags have one.
    group : ndarray, shape (n_bags,)
        What stays together: the recording.
    n_folds : int
        How many; no more than there are groups with a labelled bag are made.
    seed : int
        Decides between what is equal.

    Returns
    -------
    ndarray of int64, shape (n_bags,)
        Fold of each bag; -1 for groups without a labelled bag, which are never left out.

    References
    ----------
    Sechidis, Tsoumakas & Vlahavas, On the stratification of multi-label data, ECML PKDD 2011.
    """
    names, number = np.unique(group, return_inverse=True)
    has = np.zeros((len(names), labels.shape[1]), dtype=np.bool_)
    np.logical_or.at(has, number, labels)
    dealt = np.zeros(len(names), dtype=np.bool_)
    dealt[number[labelled]] = True
    n_folds = max(1, min(n_folds, int(dealt.sum())))
    order = np.random.default_rng(seed).permutation(np.flatnonzero(dealt))
    fold = np.full(len(names), -1, dtype=np.int64)
    of_species = np.zeros((n_folds, labels.shape[1]), dtype=np.int64)
    sizes = np.zeros(n_folds, dtype=np.int64)
    while (waiting := order[fold[order] < 0]).size:
        left = has[waiting].sum(axis=0)
        if left.any():
            rarest = int(np.where(left > 0, left, len(names) + 1).argmin())
            waiting = waiting[has[waiting, rarest]]
            counts = of_species[:, rarest]
        else:  # recordings of no species
            counts = np.zeros(n_folds, dtype=np.int64)
        chosen = int(np.lexsort((sizes, counts))[0])
        fold[waiting[0]] = chosen
        of_species[chosen] += has[waiting[0]]
        sizes[chosen] += 1
    return fold[number]
