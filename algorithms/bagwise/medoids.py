"""What the k-medoids methods share: distances of bags, medoids, and placing new bags."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import numpy as np

from algorithms.bags import Bags, FloatArray, IntArray
from algorithms.bagwise.kmedoids import KMedoids
from algorithms.base import BagClusterer
from algorithms.checks import (
    Seed,
    check_bagwise,
    check_fitted,
    check_new_bags,
    check_seed,
)
from algorithms.distances import BagDistance, bag_distances
from algorithms.errors import ClusteringError


class MedoidClusterer(BagClusterer):
    """Groups of bags, each around the bag in its middle, its medoid.

    A method supplies its distance, and :meth:`_runs`, the search for medoids.

    Parameters
    ----------
    n_clusters : int
        Number of groups, at most as many as there are bags with instances.
    random_state : int or None
        Seed; None takes a new one every time.
    n_jobs : int
        Number of threads for the distances, -1 for as many as there are processors; it makes no
        difference to the result.

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n_bags,)
        Group of each bag, that of the nearest medoid; of several the first. -1 for bags without
        instances.
    medoids_ : ndarray of int64, shape (n_clusters,)
        Bag in the middle of each group, in rising order.
    medoid_bags_ : Bags
        The instances of these bags, numbered by group.
    cost_ : float
        Sum of the distances of all bags to their medoids.
    strength_ : ndarray, shape (n_bags,)
        Minus the distance of each bag to its medoid; nan for bags without instances.
    run_costs_ : ndarray, shape (n_runs,)
        Cost of every run; the first one of least cost was kept.
    run_labels_ : ndarray of int64, shape (n_runs, n_bags)
        Groups of every run.
    """

    labels_: IntArray
    medoids_: IntArray
    medoid_bags_: Bags
    cost_: float
    strength_: FloatArray
    run_costs_: FloatArray
    run_labels_: IntArray

    def __init__(self, n_clusters: int = 8, *, random_state: Seed = 0, n_jobs: int = -1) -> None:
        self.n_clusters = n_clusters
        self.random_state = random_state
        self.n_jobs = n_jobs

    @property
    @abstractmethod
    def _kind(self) -> BagDistance:
        """Distance of bags that the method goes by."""

    @abstractmethod
    def _runs(self, distances: FloatArray) -> list[KMedoids]:
        """Search for medoids, once or several times."""

    def fit(self, bags: Bags, y: Any = None, *, distances: FloatArray | None = None) -> Self:
        """Group `bags`, whose features are used as they are.

        Features of different units should be standardised first, with
        :func:`algorithms.preprocessing.standardize`.

        Parameters
        ----------
        bags : Bags
            Their labels play no part.
        distances : ndarray, shape (n_bags, n_bags), optional
            Distances of these bags, from :func:`algorithms.distances.bag_distances`, which are
            computed here unless given.

        Raises
        ------
        ClusteringError
            When parameters are out of range or do not fit the data.
        """
        self._accept(bags)
        self._check_parameters()
        filled = check_bagwise(bags, self.n_clusters)
        table = self._distances(bags) if distances is None else distances
        if table.shape != (bags.n_bags, bags.n_bags):
            raise ClusteringError(
                f"distances must have {bags.n_bags} rows and columns, one per bag, not shape "
                f"{table.shape}"
            )
        between = table[np.ix_(filled, filled)]
        if not np.isfinite(between).all():
            raise ClusteringError(
                "distances between bags are not finite: scale the features down"
                if distances is None
                else "distances must be finite between bags with instances"
            )
        runs = self._runs(between)
        self.run_costs_ = np.array([run.cost for run in runs])
        self.run_labels_ = np.full((len(runs), bags.n_bags), -1, dtype=np.int64)
        self.run_labels_[:, filled] = [run.labels for run in runs]
        best = int(self.run_costs_.argmin())
        self._keep(runs[best], bags, filled, between)
        self.labels_ = self.run_labels_[best].copy()
        return self

    def predict(self, bags: Bags) -> IntArray:
        """Give new bags the group of the nearest medoid; of several the first.

        Bags of the fit get their own group back, unless two medoids are equally far.

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
        filled = check_new_bags(bags, self.medoid_bags_.n_features)
        labels = np.full(bags.n_bags, -1, dtype=np.int64)
        labels[filled] = self._distances(bags, self.medoid_bags_)[filled].argmin(axis=1)
        return labels

    def _distances(self, bags: Bags, other: Bags | None = None) -> FloatArray:
        return bag_distances(bags, self._kind, other, n_jobs=self.n_jobs)

    def _check_parameters(self) -> None:
        check_seed(self.random_state)

    def _keep(self, best: KMedoids, bags: Bags, filled: IntArray, between: FloatArray) -> None:
        self.cost_ = best.cost
        self.medoids_ = filled[best.medoids]
        self.strength_ = np.full(bags.n_bags, np.nan)
        self.strength_[filled] = -between[best.medoids[best.labels], np.arange(len(filled))]
        group = np.full(bags.n_bags, -1, dtype=np.int64)
        group[self.medoids_] = np.arange(len(self.medoids_))
        rows = np.flatnonzero(group[bags.bag] >= 0)
        self.medoid_bags_ = Bags(
            bags.X[rows], group[bags.bag[rows]], np.zeros((len(self.medoids_), 0))
        )
