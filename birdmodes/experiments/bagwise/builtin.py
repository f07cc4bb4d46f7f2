"""A small problem that needs no download: handwritten digits in bags, most of them clutter."""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_digits
from sklearn.utils import check_random_state

from algorithms.bags import Bags
from birdmodes.experiments.bagwise.names import BUILT_IN_PROBLEM
from birdmodes.experiments.datasets.bag_problems import BagClusteringProblem

_CLASSES = (0, 3, 6)
_BAGS_OF_CLASS = 25
_OF_ITS_CLASS = 3
_CLUTTER = 2
_SEED = 0


def digits_bags() -> BagClusteringProblem:
    """Make the problem.

    Each of 75 bags holds three writings of its digit, 0, 3 or 6, and two digits of the seven
    others, which tell nothing of it. No writing is used twice.

    Returns
    -------
    BagClusteringProblem
        375 instances of 64 pixels, 0 to 16.
    """
    digits = load_digits()
    # The order of the legacy generator never changes.
    shuffled = check_random_state(_SEED).permutation(len(digits.target))
    truth = np.repeat(np.arange(len(_CLASSES)), _BAGS_OF_CLASS)
    n_bags = len(truth)
    target = digits.target[shuffled]
    own = [shuffled[target == digit][: _BAGS_OF_CLASS * _OF_ITS_CLASS] for digit in _CLASSES]
    clutter = shuffled[~np.isin(target, _CLASSES)][: n_bags * _CLUTTER]
    rows = np.hstack(
        [np.concatenate(own).reshape(n_bags, _OF_ITS_CLASS), clutter.reshape(n_bags, _CLUTTER)]
    )
    bag = np.repeat(np.arange(n_bags), rows.shape[1])
    labels = truth[:, None] == np.arange(len(_CLASSES))
    names = [str(digit) for digit in _CLASSES]
    bags = Bags(digits.data[rows.ravel()], bag, labels, class_names=names)
    return BagClusteringProblem(BUILT_IN_PROBLEM, bags, truth.astype(np.int64))
