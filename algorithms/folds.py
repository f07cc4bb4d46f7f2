"""Parts of the labelled recordings that are left out in turn, and bags without them."""

from __future__ import annotations

import numpy as np

from algorithms.bags import Bags, BoolArray, IntArray


def make_folds(
    labels: BoolArray, labelled: BoolArray, group: IntArray, n_folds: int, seed: int
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
    group : ndarray of int64, shape (n_bags,)
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


def choose_bags(bags: Bags, chosen: BoolArray) -> Bags:
    """Give some of the bags, with their instances, in the order they have.

    Parameters
    ----------
    bags : Bags
        Without ``known``.
    chosen : ndarray of bool, shape (n_bags,)
        Which.
    """
    number = np.cumsum(chosen) - 1
    rows = chosen[bags.bag]
    return Bags(
        bags.X[rows],
        number[bags.bag[rows]],
        bags.labels[chosen],
        bags.labelled[chosen],
        bags.class_names,
    )
