"""Label sets of bags from the classes of their instances."""

from __future__ import annotations

import numpy as np

from algorithms.bags import BoolArray, IntArray


def union_of_classes(y: IntArray, bag: IntArray, n_classes: int) -> BoolArray:
    """Label set of each bag: the classes of its instances.

    Parameters
    ----------
    y : ndarray of int, shape (n_instances,)
        Class of each instance, -1 where it is not known.
    bag : ndarray of int, shape (n_instances,)
        Bag of each instance; the last bag has an instance.
    n_classes : int
        Number of classes.

    Returns
    -------
    ndarray of bool, shape (n_bags, n_classes)
    """
    labels = np.zeros((int(bag.max()) + 1, n_classes), dtype=np.bool_)
    known = y >= 0
    labels[bag[known], y[known]] = True
    return labels
