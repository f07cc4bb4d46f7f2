"""Bags to learn from as runs of rows, and the instance of each that stands out."""

from __future__ import annotations

import numpy as np

from algorithms.bags import Bags, BoolArray, FloatArray, IntArray
from algorithms.errors import ClusteringError
from algorithms.layout import SortedBags, sorted_bags


def labelled_runs(bags: Bags) -> tuple[SortedBags, BoolArray]:
    """Keep the bags that a classifier can learn from: those with instances and a label set.

    Parameters
    ----------
    bags : Bags
        Any bags.

    Returns
    -------
    runs : SortedBags
        The instances of those bags.
    labels : ndarray of bool, shape (runs.n_filled, n_classes)
        The label set of each run.

    Raises
    ------
    ClusteringError
        When there are no such bags.
    """
    rows = bags.labelled[bags.bag]
    if not rows.any():
        raise ClusteringError(
            "there are no labelled bags with instances to learn from: give at least one"
        )
    runs = sorted_bags(Bags(bags.X[rows], bags.bag[rows], bags.labels, bags.labelled))
    return runs, bags.labels[runs.bag_numbers]


def first_largest(values: FloatArray, runs: SortedBags) -> IntArray:
    """Find the row of largest value in every run, of equal ones the first.

    Parameters
    ----------
    values : ndarray, shape (n_instances,)
        One for each row of ``runs.X``.
    runs : SortedBags
        Where the bags are.

    Returns
    -------
    ndarray of int64, shape (n_filled,)
        Rows of ``runs.X``.
    """
    largest = np.maximum.reduceat(values, runs.starts)
    equal = np.flatnonzero(values == largest[runs.run]).astype(np.int64)
    return equal[np.searchsorted(equal, runs.starts)]


def as_bags(runs: SortedBags) -> Bags:
    """Make bags of runs, without labels: bag i is run i.

    Parameters
    ----------
    runs : SortedBags
        Runs of rows.

    Returns
    -------
    Bags
        As many bags as there are runs, of no classes.
    """
    return Bags(runs.X, runs.run, np.zeros((runs.n_filled, 0), dtype=np.bool_))


def instances_as_bags(X: FloatArray) -> Bags:
    """Make a bag of every instance, so that distances of bags can be those of instances to bags.

    Parameters
    ----------
    X : ndarray, shape (n_instances, n_features)
        Instances.

    Returns
    -------
    Bags
        As many bags as there are instances, of no classes.
    """
    return Bags(X, np.arange(len(X)), np.zeros((len(X), 0), dtype=np.bool_))
