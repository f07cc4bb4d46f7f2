"""Words of handwritten digits, from what scikit-learn brings along: nothing to download.

Made like the letter sets of the papers: a word is a bag, its letters are drawn without replacement
from a table of handwritten ones. The words are the products of a multiplication table, so that
digits occur together unevenly, words come back with other handwriting (12 is 2 x 6 and 3 x 4), and
some words have a single class (7, 11, 222).

References
----------
.. [1] Alpaydin & Kaynak, Optical recognition of handwritten digits, UCI machine learning
   repository, 1998.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits
from sklearn.utils import check_random_state

from algorithms import Bags
from algorithms.bags import IntArray
from birdmodes.experiments.datasets.readers.raw import union_of_classes

LARGEST_FACTOR = 27
"""Factors go up to this; at 29 the handwritten 2s run out."""

_SEED = 0


def words() -> list[str]:
    """Products of all pairs of numbers up to `LARGEST_FACTOR`, in decimal."""
    return [
        str(first * second)
        for second in range(1, LARGEST_FACTOR + 1)
        for first in range(1, second + 1)
    ]


def build(folder: Path) -> tuple[Bags, IntArray]:
    """980 digits (64 pixels, 0 to 16) in 378 words; there are no raw files to look for."""
    digits = load_digits()
    # The order of the legacy generator never changes; the seed fixes who writes which digit.
    shuffled = check_random_state(_SEED).permutation(len(digits.target))
    text = words()
    y = np.array([int(digit) for word in text for digit in word], dtype=np.int64)
    bag = np.repeat(np.arange(len(text)), [len(word) for word in text])
    drawn = np.empty(len(y), dtype=np.int64)
    for digit in range(10):
        places = np.flatnonzero(y == digit)
        drawn[places] = shuffled[digits.target[shuffled] == digit][: len(places)]
    labels = union_of_classes(y, bag, 10)
    return Bags(digits.data[drawn], bag, labels, class_names=[str(d) for d in range(10)]), y


_CLUTTER_CLASSES = (0, 3, 6)
_BAGS_OF_CLASS = 25
_OF_ITS_CLASS = 3
_CLUTTER = 2


def clutter_bags() -> tuple[Bags, IntArray]:
    """Make a small problem for methods that group bags, most of whose instances are clutter.

    Each of 75 bags holds three writings of its digit, 0, 3 or 6, and two digits of the seven
    others, which tell nothing of it. No writing is used twice.

    Returns
    -------
    bags : Bags
        375 instances of 64 pixels, 0 to 16.
    truth : ndarray of int64, shape (75,)
        Class of each bag.
    """
    digits = load_digits()
    shuffled = check_random_state(_SEED).permutation(len(digits.target))
    truth = np.repeat(np.arange(len(_CLUTTER_CLASSES)), _BAGS_OF_CLASS)
    n_bags = len(truth)
    target = digits.target[shuffled]
    n_own = _BAGS_OF_CLASS * _OF_ITS_CLASS
    own = np.concatenate([shuffled[target == digit][:n_own] for digit in _CLUTTER_CLASSES])
    clutter = shuffled[~np.isin(target, _CLUTTER_CLASSES)][: n_bags * _CLUTTER]
    rows = np.hstack([own.reshape(n_bags, _OF_ITS_CLASS), clutter.reshape(n_bags, _CLUTTER)])
    bag = np.repeat(np.arange(n_bags), rows.shape[1])
    labels = truth[:, None] == np.arange(len(_CLUTTER_CLASSES))
    names = [str(digit) for digit in _CLUTTER_CLASSES]
    return Bags(digits.data[rows.ravel()], bag, labels, class_names=names), truth.astype(np.int64)
