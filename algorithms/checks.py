"""What every bag clusterer checks before it starts, and before it places new bags."""

from __future__ import annotations

from typing import Any

import numpy as np

from algorithms.bags import Bags, IntArray
from algorithms.errors import ClusteringError
from algorithms.parameters import is_whole_number


def check_bagwise(bags: Bags, n_clusters: int, *, minimum: int = 1) -> IntArray:
    """Check that bags can be put into so many groups.

    Parameters
    ----------
    bags : Bags
        The bags to group.
    n_clusters : int
        Number of groups asked for.
    minimum : int
        Least number of groups.

    Returns
    -------
    ndarray of int64, shape (n_filled,)
        Numbers of the bags that have instances, rising. The others cannot be grouped.

    Raises
    ------
    ClusteringError
        When `n_clusters` is not a whole number from `minimum`, when no bag has instances, or when
        fewer have instances than there are to be groups.
    """
    check_count("n_clusters", n_clusters, minimum=minimum)
    filled = np.flatnonzero(bags.sizes > 0).astype(np.int64)
    if not len(filled):
        raise ClusteringError(
            "there are no bags with instances to group: give at least one instance"
        )
    if n_clusters > len(filled):
        most = (
            "1 group: only 1 bag has"
            if len(filled) == 1
            else (f"{len(filled)} groups: only {len(filled)} bags have")
        )
        raise ClusteringError(f"n_clusters={n_clusters}: ask for at most {most} instances")
    return filled


def check_new_bags(bags: Bags, n_features: int) -> IntArray:
    """Check that new bags have the features of those that a method was fitted to.

    Parameters
    ----------
    bags : Bags
        The new bags.
    n_features : int
        Number of features of the bags of the fit.

    Returns
    -------
    ndarray of int64, shape (n_filled,)
        Numbers of the new bags that have instances, rising.

    Raises
    ------
    ClusteringError
        When the number of features differs.
    """
    if bags.n_instances and bags.n_features != n_features:
        raise ClusteringError(
            f"the new bags have {bags.n_features} features but those of the fit have "
            f"{n_features}: give the same features in the same order"
        )
    return np.flatnonzero(bags.sizes > 0).astype(np.int64)


def check_fitted(clusterer: object) -> None:
    """Raise :class:`ClusteringError` unless `clusterer` has been fitted."""
    if not hasattr(clusterer, "labels_"):
        raise ClusteringError("nothing has been fitted yet: call fit before predict")


def check_count(name: str, value: Any, *, minimum: int = 1) -> None:
    """Raise :class:`ClusteringError` unless `value` is a whole number from `minimum`."""
    if not is_whole_number(value) or value < minimum:
        raise ClusteringError(f"{name} must be a whole number from {minimum}, not {value!r}")


def check_seed(random_state: Any) -> None:
    """Raise :class:`ClusteringError` unless `random_state` is a whole number from 0, or None."""
    if random_state is not None:
        check_count("random_state", random_state, minimum=0)
