"""Baselines that use the list of a bag and little else: what a method brings beyond the list.

Each gives a class to every instance, which counts as its cluster.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from algorithms.bags import Bags, BoolArray, FloatArray, IntArray
from algorithms.spectral.csp import CSP

_ROUNDS = 50


def random_of_list(bags: Bags, seed: int) -> IntArray:
    """Give each instance a random class of its bag's list.

    Parameters
    ----------
    bags : Bags
        The instances; where a bag has no list, any class will do.
    seed : int
        Same seed, same classes.

    Returns
    -------
    ndarray of int64, shape (n_instances,)
    """
    drawn = np.random.default_rng(seed).random((bags.n_instances, bags.n_classes))
    return np.asarray(np.where(_allowed(bags), drawn, -1.0).argmax(axis=1), dtype=np.int64)


def csp_with_list(bags: Bags, seed: int) -> IntArray:
    """Cluster with csp, and give each instance the class of its list that its cluster has most of.

    How much a cluster has of a class is the mean of equal shares of the lists of its instances,
    against that of all instances.

    Parameters
    ----------
    bags, seed
        As for `random_of_list`.
    """
    cluster = CSP(bags.n_classes, random_state=seed).fit(bags).labels_
    allowed = _allowed(bags)
    share = allowed / allowed.sum(axis=1, keepdims=True)
    mean = np.zeros((int(cluster.max()) + 1, bags.n_classes))
    np.add.at(mean, cluster, share)
    mean /= np.bincount(cluster)[:, None]
    lift = mean / np.maximum(share.mean(axis=0), 1e-12)
    return np.asarray(np.where(allowed, lift[cluster], -1.0).argmax(axis=1), dtype=np.int64)


def kmeans_with_list(bags: Bags, seed: int) -> IntArray:
    """Group by k-means with one centre a class, each instance at a centre of its bag's list.

    Centres start at the means of the instances in bags that list the class, those with short
    lists counting more.

    Parameters
    ----------
    bags, seed
        As for `random_of_list`; nothing is random here.
    """
    allowed = _allowed(bags)
    share = allowed / allowed.sum(axis=1, keepdims=True)
    weight = share.sum(axis=0)
    centres = (share.T @ bags.X) / np.maximum(weight, 1e-12)[:, None]
    found = np.full(bags.n_instances, -1, dtype=np.int64)
    for _ in range(_ROUNDS):
        nearest = _nearest(bags.X, centres, allowed)
        if np.array_equal(nearest, found):
            break
        found = nearest
        for number in np.unique(found):
            centres[number] = bags.X[found == number].mean(axis=0)
    return found


LIST_BASELINES: Mapping[str, Callable[[Bags, int], IntArray]] = {
    "random-of-list": random_of_list,
    "csp-with-list": csp_with_list,
    "kmeans-with-list": kmeans_with_list,
}
"""The baselines by name."""


def _allowed(bags: Bags) -> BoolArray:
    """Classes that each instance may be of."""
    listed = bags.labels[bags.bag]
    return np.asarray(listed | ~listed.any(axis=1, keepdims=True), dtype=np.bool_)


def _nearest(X: FloatArray, centres: FloatArray, allowed: BoolArray) -> IntArray:
    """Nearest allowed centre of each instance."""
    distance = (centres**2).sum(axis=1) - 2 * X @ centres.T
    return np.asarray(np.where(allowed, distance, np.inf).argmin(axis=1), dtype=np.int64)
