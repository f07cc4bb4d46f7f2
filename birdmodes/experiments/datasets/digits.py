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
from birdmodes.experiments.datasets.labels_of_instances import union_of_classes

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
    """Make the data set.

    Parameters
    ----------
    folder : pathlib.Path
        Not used: there are no raw files.

    Returns
    -------
    bags : Bags
        980 digits (64 pixels, 0 to 16) in 378 words.
    y : ndarray of int64, shape (980,)
    """
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
