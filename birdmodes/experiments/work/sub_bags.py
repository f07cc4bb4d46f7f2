"""Bags made less ambiguous, and lists made wrong: what label sets are worth to a learner."""

from __future__ import annotations

import numpy as np

from algorithms.bags import Bags, FloatArray, IntArray
from birdmodes.experiments.data import Data


def split_bags(data: Data, size: float, seed: int) -> Data:
    """Deal the instances of each bag at random to sub-bags of about one size.

    A sub-bag is labelled with the classes of its instances; one with instances of unknown class
    keeps of its bag's labels also those that no known instance of the bag explains.

    Parameters
    ----------
    data : Data
        Bags and the true classes of their instances.
    size : float
        Mean number of instances, from 1; a bag of n is cut into n / size parts, rounded.
    seed : int
        Same seed, same sub-bags.
    """
    bags, truth = data.bags, data.known_truth
    parts = np.maximum(1, np.rint(bags.sizes / size)).astype(np.int64)
    first = np.concatenate([[0], parts.cumsum()[:-1]])
    shuffled = np.random.default_rng(seed).permutation(bags.n_instances)
    order = shuffled[np.argsort(bags.bag[shuffled], kind="stable")]
    starts = np.concatenate([[0], bags.sizes.cumsum()[:-1]])
    of_order = bags.bag[order]
    place = np.arange(bags.n_instances) - starts[of_order]
    number: IntArray = np.empty(bags.n_instances, dtype=np.int64)
    number[order] = first[of_order] + place % parts[of_order]
    whole = np.repeat(np.arange(bags.n_bags), parts)  # the bag of each sub-bag
    known = truth >= 0
    explained, labels = np.zeros_like(bags.labels), np.zeros((len(whole), bags.n_classes), bool)
    explained[bags.bag[known], truth[known]] = True
    labels[number[known], truth[known]] = True
    unknown = np.unique(number[~known])
    labels[unknown] |= (bags.labels & ~explained)[whole[unknown]]
    labelled = bags.labelled[whole]
    labels &= labelled[:, None]
    return Data(
        data.name, Bags(bags.X, number, labels, labelled, bags.class_names), truth, note=data.note
    )


def with_errors(bags: Bags, share: float, seed: int) -> Bags:
    """Take a share of the labels away, and add about as many false ones; no list gets empty.

    Parameters
    ----------
    bags : Bags
        With true lists.
    share : float
        Chance of each label to be taken away. Absent ones are added with such a chance that as many
        are expected in each bag.
    seed : int
        Same seed, same lists; the same draws whatever the share is.
    """
    present = bags.labels.sum(axis=1)
    chance = share * present / np.maximum(bags.n_classes - present, 1)
    return wrong_lists(bags, chance[:, None], share, seed)


def wrong_lists(bags: Bags, false: FloatArray | float, missing: float, seed: int) -> Bags:
    """Add absent classes to the lists, and take present ones away; some are left in each list.

    Parameters
    ----------
    bags : Bags
        With true lists.
    false : float, or ndarray of shape (n_bags, 1)
        Chance of each absent class to be added.
    missing : float
        Chance of each present class to be taken away.
    seed : int
        Same seed, same lists; the same draws whatever the chances are.
    """
    rng = np.random.default_rng(seed)
    added, taken = (rng.random(bags.labels.shape) for _ in range(2))
    kept = bags.labels & (taken >= missing)
    # The list would be empty, which says that nothing was heard: nobody makes such a list.
    emptied = bags.labels.any(axis=1) & ~kept.any(axis=1)
    kept[emptied] = bags.labels[emptied]
    labels = kept | (~bags.labels & (added < false) & bags.labelled[:, None])
    return Bags(bags.X, bags.bag, labels, bags.labelled, bags.class_names)
