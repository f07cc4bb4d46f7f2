"""k-means of the instances; a bag goes where most of its instances are."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from algorithms.bags import Bags, FloatArray, IntArray
from algorithms.bagwise.voting import majority_vote
from algorithms.base import BagClusterer
from algorithms.checks import (
    Seed,
    check_bagwise,
    check_count,
    check_fitted,
    check_new_bags,
    check_seed,
    seed_of,
)
from algorithms.errors import ClusteringWarning
from algorithms.layout import SortedBags, sorted_bags
from algorithms.threads import one_thread


class KMeansVote(BagClusterer):
    """k-means of all instances, whatever their bags; the majority of its instances places a bag.

    Of clusters that hold equally many of a bag's instances, the one whose centre has the smallest
    sum of squared distances to all of the bag's instances gets the bag. A group may be left without
    bags, where its cluster is nowhere in the majority; a warning says so.

    Parameters
    ----------
    n_clusters : int
        Number of clusters, and of groups.
    random_state : int or None
        Seed; None takes a new one every time.
    n_init : int
        Runs of k-means, from k-means++ starts; that of least inertia is kept. More of them do not
        change the earlier ones.

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n_bags,)
        Group of each bag; -1 for bags without instances.
    strength_ : ndarray, shape (n_bags,)
        Share of the bag's instances that are in its group; nan for bags without instances.
    centres_ : ndarray, shape (n_clusters, n_features)
        Means of the clusters.
    inertia_ : float
        Sum of squared distances of the instances to the nearest centre.
    run_inertias_ : ndarray, shape (n_init,)
        The same for every run; the first run of the least one was kept.
    run_labels_ : ndarray of int64, shape (n_init, n_bags)
        Groups of every run.

    References
    ----------
    Zhang, Wang, Si & Li, Maximum margin multiple instance clustering with applications to image and
    text clustering, IEEE Transactions on Neural Networks 22 (2011), section 4.2: a baseline, over
    50 runs.
    """

    labels_: IntArray
    strength_: FloatArray
    centres_: FloatArray
    inertia_: float
    run_inertias_: FloatArray
    run_labels_: IntArray

    def __init__(self, n_clusters: int = 8, *, random_state: Seed = 0, n_init: int = 50) -> None:
        self.n_clusters = n_clusters
        self.random_state = random_state
        self.n_init = n_init

    def fit(self, bags: Bags, y: Any = None) -> Self:
        """Group `bags`, whose features are used as they are.

        Features of different units should be standardised first, with
        :func:`algorithms.preprocessing.standardize`.

        Parameters
        ----------
        bags : Bags
            Their labels play no part.

        Raises
        ------
        ClusteringError
            When parameters are out of range or do not fit the data.

        Warns
        -----
        ClusteringWarning
            When groups are left without a bag.
        """
        self._accept(bags)
        check_seed(self.random_state)
        check_count("n_init", self.n_init)
        check_bagwise(bags, self.n_clusters)
        layout = sorted_bags(bags)
        starts = np.random.default_rng(seed_of(self.random_state)).spawn(self.n_init)
        runs = [_kmeans(layout.X, self.n_clusters, start) for start in starts]
        votes = [_vote(layout, centres) for centres, _ in runs]
        self.run_inertias_ = np.array([inertia for _, inertia in runs])
        self.run_labels_ = np.array([layout.to_bags(groups, -1) for groups, _ in votes])
        best = int(self.run_inertias_.argmin())
        self.centres_, self.inertia_ = runs[best]
        self.labels_ = self.run_labels_[best].copy()
        self.strength_ = layout.to_bags(votes[best][1], np.nan)
        n_empty = self.n_clusters - len(np.unique(votes[best][0]))
        if n_empty:
            warnings.warn(
                f"{n_empty} of {self.n_clusters} groups are without a bag, as their clusters are "
                "nowhere in the majority: ask for fewer groups, or use a method that groups whole "
                "bags",
                ClusteringWarning,
                stacklevel=2,
            )
        return self

    def predict(self, bags: Bags) -> IntArray:
        """Give new bags the group whose centre is the nearest one to most of their instances.

        Bags of the fit get their own group back.

        Parameters
        ----------
        bags : Bags
            New bags, their features on the scale of those of the fit.

        Returns
        -------
        ndarray of int64, shape (n_bags,)
            Groups; -1 for bags without instances.

        Raises
        ------
        ClusteringError
            When the number of features differs, or nothing has been fitted.
        """
        check_fitted(self)
        if not len(check_new_bags(bags, self.centres_.shape[1])):
            return np.full(bags.n_bags, -1, dtype=np.int64)
        layout = sorted_bags(bags)
        return layout.to_bags(_vote(layout, self.centres_)[0], -1)


def _kmeans(X: FloatArray, k: int, start: np.random.Generator) -> tuple[FloatArray, float]:
    """Centres and inertia of one run."""
    seed = int(start.integers(1 << 31))
    # On one thread: sums split over several differ in their last bits.
    with one_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer different instances than k
        found = KMeans(k, n_init=1, random_state=seed).fit(X)
    return np.asarray(found.cluster_centers_, dtype=np.float64), float(found.inertia_)


def _vote(layout: SortedBags, centres: FloatArray) -> tuple[IntArray, FloatArray]:
    """Group of each bag with instances, and the share of its instances that are in it."""
    squared = cdist(layout.X, centres, "sqeuclidean")
    return majority_vote(layout, squared.argmin(axis=1), -squared)
