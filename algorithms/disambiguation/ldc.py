"""LDC: label-disambiguated clustering."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy.spatial.distance import cdist

from algorithms.bags import Bags, FloatArray, IntArray, check_features
from algorithms.base import InstanceClusterer
from algorithms.blocks.rows import BLOCK_ROWS
from algorithms.blocks.runners import Runner
from algorithms.checks import (
    Seed,
    check_count,
    check_fewer_clusters,
    check_fitted,
    check_new_features,
    check_number,
    check_seed,
    seed_of,
)
from algorithms.disambiguation.background import BackgroundChoice
from algorithms.disambiguation.cluster_species import known_modes
from algorithms.disambiguation.disambiguator import LabelDisambiguator
from algorithms.disambiguation.splitting import feature_scale, share_clusters, split_groups
from algorithms.disambiguation.told import most_probable
from algorithms.disambiguation.ward import Trees
from algorithms.errors import ClusteringError, ClusteringWarning
from algorithms.graph import knn_affinity
from algorithms.mode_counts import drawn_together
from algorithms.spectral.neighbourhood import NOVELTY_AFFINITY, Neighbourhood

DRAWN_SHARE = 0.8
"""So much of an instance of a class in `drawn` is the mean of its bout."""

_SCALE_NEIGHBOUR = 7
_STARTS_AGAIN = 5


class LDC(InstanceClusterer):
    """First the class of every instance, from the bags' labels; then clusters within each class.

    The class comes from :class:`~algorithms.disambiguation.disambiguator.LabelDisambiguator`: the
    most probable one, or background. Within a class, k-means on the features, scaled to a total
    variance of 1, and the square roots of the class probabilities, times `posterior_weight`, side
    by side (distances between the latter are Hellinger's, which tell 0.01 from 0.1). So every
    cluster lies within one class, and instances that may be of another class gather in clusters
    of their own.

    Instances whose class is known (:class:`~algorithms.bags.Known`) get it, and those whose mode
    is known stay together, apart from other modes of their class, while k-means finds what belongs
    to them. A class has a cluster for each of its known modes at least, whatever is asked for.

    Parameters
    ----------
    n_clusters : int or None
        Number of clusters, at least one for each class that has instances (and background);
        each further one goes where it lowers the k-means inertia most. None takes two for each.
    random_state : int or None
        Seed; None takes a new one every time.
    clusters_per_class : sequence of int or None
        Number of clusters of each class, in the order of the bags' classes, instead of
        `n_clusters`; background has one more.
    n_init : int
        Starts of k-means in classes of more than 3,000 instances, or with known modes; the others
        start from Ward's clusters.
    posterior_weight : float
        Weight of the square roots of the class probabilities within a class.
    column_weights : sequence of float or None
        Weight of each feature's variance within a class; None for 1. What tells classes apart need
        not tell the modes of a class apart.
    drawn : sequence of bool or None
        Classes whose clusters are those of bouts: k-means sees `drawn_weights` times the features,
        :data:`DRAWN_SHARE` of each being the mean of the class's instances in the bag, and no class
        probabilities. None for no class.
    drawn_weights : sequence of float or None
        Weight of each feature's variance there; None for 1.
    background : {"off", "cautious", "eager"}
        Whether an instance may be of no class: noise, or a species that nobody listed. Cautious
        asks for next to no doubt, eager for more than the doubt.
    n_landmarks, gamma, ridge, ranks, rounds, sharpness, power, occupancy, judge_lists
        See :class:`~algorithms.disambiguation.disambiguator.LabelDisambiguator`.

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n_instances,)
        Cluster of each instance.
    class_of_cluster_ : ndarray of int64, shape (n_clusters,)
        Class that each cluster lies in; -1 for background.
    posterior_ : ndarray, shape (n_instances, n_classes)
        Probability that the instance is of the class, less than 1 in all with background.
    embedding_ : ndarray, shape (n_instances, n_features + n_classes)
        What k-means saw.

    References
    ----------
    This package's own; docs/ldc.md tells how it was chosen and what each part brings.
    """

    reads_known = True

    labels_: IntArray
    class_of_cluster_: IntArray
    posterior_: FloatArray
    runner: Runner | None = None  # who works on the blocks; None for this process
    block_rows: int = BLOCK_ROWS

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        random_state: Seed = 0,
        clusters_per_class: Sequence[int] | None = None,
        n_init: int = 20,
        posterior_weight: float = 1.5,
        column_weights: Sequence[float] | None = None,
        drawn: Sequence[bool] | None = None,
        drawn_weights: Sequence[float] | None = None,
        background: BackgroundChoice = "off",
        n_landmarks: int = 1000,
        gamma: float = 0.5,
        ridge: float | None = None,
        ranks: bool = True,
        rounds: int = 15,
        sharpness: float = 10.0,
        power: float = 1.5,
        occupancy: float = 1.5,
        judge_lists: bool = True,
    ) -> None:
        self.n_clusters = n_clusters
        self.random_state = random_state
        self.clusters_per_class = clusters_per_class
        self.n_init = n_init
        self.posterior_weight = posterior_weight
        self.column_weights = column_weights
        self.drawn = drawn
        self.drawn_weights = drawn_weights
        self.background = background
        self.n_landmarks = n_landmarks
        self.gamma = gamma
        self.ridge = ridge
        self.ranks = ranks
        self.rounds = rounds
        self.sharpness = sharpness
        self.power = power
        self.occupancy = occupancy
        self.judge_lists = judge_lists

    def fit(self, bags: Bags, y: Any = None) -> Self:
        """Cluster the instances of `bags`, whose features should be standardised.

        Raises
        ------
        ClusteringError
            When parameters are out of range or do not fit the data, or there are fewer clusters
            than classes.
        """
        self._accept(bags)
        self._check_parameters(bags)
        landmark_seed, kmeans_seed = self._seeds()
        self.disambiguator_ = self._disambiguator(landmark_seed).fit(bags)
        self.posterior_ = self.disambiguator_.posterior_
        self._training_X, self._training_bag = bags.X, bags.bag
        self.feature_scale_ = feature_scale(bags.X, self.column_weights)
        self._drawn_scale = feature_scale(bags.X, self.drawn_weights)
        group = self.disambiguator_.class_
        fixed, least = known_modes(bags, group)
        trees: Trees = {}
        self._cluster_counts = counts = self._counts(bags, group, kmeans_seed, least, trees)
        self.labels_, self.class_of_cluster_, self.centres_ = split_groups(
            self.embedded, group, counts, self.n_init, kmeans_seed, fixed, trees=trees
        )
        self._warn_of_fewer(len(self.class_of_cluster_), counts)
        self.__dict__.pop("_neighbourhood", None)
        return self

    def again(self, bags: Bags, seed: int) -> IntArray:
        """Cluster the training instances again with another seed, from where the fit ended.

        Half as many landmarks, other ones, a few rounds more, and k-means from other starts, with
        as many clusters for each class: whether the answer stays, for a part of the cost.

        Parameters
        ----------
        bags : Bags
            Those of the fit.
        seed : int
            The other seed.

        Returns
        -------
        ndarray of int64, shape (n_instances,)
            Clusters.
        """
        check_fitted(self, "centres_")
        landmark_seed, kmeans_seed = (
            int(state) for state in np.random.SeedSequence(seed).generate_state(2)
        )
        shares = self.disambiguator_.again(landmark_seed)
        group = most_probable(shares)
        fixed, least = known_modes(bags, group)
        counts = {
            int(name): max(self._cluster_counts.get(int(name), 1), least.get(int(name), 1))
            for name in np.unique(group)
        }

        def points(rows: IntArray) -> FloatArray:
            return self._embed(bags.X[rows], shares[rows], group[rows], bags.bag[rows])

        return split_groups(points, group, counts, _STARTS_AGAIN, kmeans_seed, fixed)[0]

    def predict(self, X: npt.ArrayLike | Bags, candidates: npt.ArrayLike | None = None) -> IntArray:
        """Give new instances the clusters of the fit: first their class, then the nearest centre.

        Parameters
        ----------
        X : array_like, shape (n, n_features), or Bags
            New instances, standardised as the training instances were; of bags, candidates are
            what their labels say.
        candidates : array_like of bool, shape (n, n_classes), optional
            Label set of each new instance's bag; all False where it is not known. None lets the
            features alone decide.

        Returns
        -------
        ndarray of int64, shape (n,)
            Clusters; -1 for an instance that is like no landmark (kernel below
            :data:`~algorithms.spectral.neighbourhood.NOVELTY_AFFINITY` for all), or whose class
            has no cluster.

        Raises
        ------
        ClusteringError
            When the arrays do not fit the training data, or nothing has been fitted.
        """
        check_fitted(self, "centres_")
        bag = X.bag if isinstance(X, Bags) else None
        X, candidates = self._instances(X, candidates)
        posterior = self.disambiguator_.predict_shares(X, candidates)[1]
        features = check_features(X)
        group = most_probable(posterior)
        # Without bags, every instance is a bout by itself.
        bouts = np.arange(len(features)) if bag is None else bag
        points = self._embed(features, posterior, group, bouts)
        distance = cdist(points, self.centres_, "sqeuclidean")
        other_class = group[:, None] != self.class_of_cluster_
        distance[other_class] = np.inf
        labels: IntArray = distance.argmin(axis=1).astype(np.int64)
        labels[other_class.all(axis=1)] = -1
        kernel = self.disambiguator_.kernel_
        if kernel is not None:
            labels[kernel.strongest(features) < NOVELTY_AFFINITY] = -1
        return labels

    def rejection_score(self, X: npt.ArrayLike) -> FloatArray:
        """Tell how unlike the training instances new ones are.

        The measure of the spectral methods; see
        :meth:`algorithms.spectral.base.SpectralClusterer.rejection_score`.

        Parameters
        ----------
        X : array_like, shape (n, n_features)
            New instances, standardised as the training instances were.

        Returns
        -------
        ndarray, shape (n,)
            From 0, like the training instances, to 1, like none of them.

        Raises
        ------
        ClusteringError
            When the features do not fit the training data, or nothing has been fitted.
        """
        check_fitted(self, "centres_")
        features = check_new_features(X, self._training_X.shape[1])
        return self._neighbourhood.rejection_score(features)

    @cached_property
    def _neighbourhood(self) -> Neighbourhood:
        """Local scales of the training instances; only rejection needs them."""
        n_neighbors = _SCALE_NEIGHBOUR + 1
        affinity = knn_affinity(self._training_X, n_neighbors=n_neighbors, t=_SCALE_NEIGHBOUR)
        return Neighbourhood.of_training(
            self._training_X, affinity, t=_SCALE_NEIGHBOUR, n_neighbors=n_neighbors
        )

    def _disambiguator(self, seed: int) -> LabelDisambiguator:
        shared = LabelDisambiguator().get_params().keys() & self.get_params().keys()
        parameters = {name: getattr(self, name) for name in shared}
        disambiguator = LabelDisambiguator(**(parameters | {"random_state": seed}))
        disambiguator.runner, disambiguator.block_rows = self.runner, self.block_rows
        return disambiguator

    @property
    def embedding_(self) -> FloatArray:
        """What k-means saw; see the class."""
        check_fitted(self, "centres_")
        return self.embedded(np.arange(len(self.labels_)))

    def embedded(self, rows: IntArray) -> FloatArray:
        """Rows of ``embedding_``, which as a whole takes much memory where there are many.

        Parameters
        ----------
        rows : ndarray of int64
            With one instance of a class, all of it.
        """
        group = self.disambiguator_.class_[rows]
        shares = self.disambiguator_.shares_of(rows)
        return self._embed(self._training_X[rows], shares, group, self._training_bag[rows])

    def _embed(
        self, X: FloatArray, posterior: FloatArray, group: IntArray, bag: IntArray
    ) -> FloatArray:
        points = np.hstack([self.feature_scale_ * X, self.posterior_weight * np.sqrt(posterior)])
        for number in np.flatnonzero(self.drawn if self.drawn is not None else []):
            own = np.flatnonzero(group == number)
            if own.size:
                bout = np.unique(bag[own], return_inverse=True)[1]
                points[own, : X.shape[1]] = drawn_together(
                    self._drawn_scale * X[own], bout, DRAWN_SHARE
                )
                points[own, X.shape[1] :] = 0.0
        return points

    def _counts(
        self, bags: Bags, group: IntArray, seed: int, least: dict[int, int], trees: Trees
    ) -> dict[int, int]:
        """Number of clusters of every class that has instances."""
        present = [int(name) for name in np.unique(group)]
        if self.clusters_per_class is not None:
            wanted = {-1: 1} | dict(enumerate(int(count) for count in self.clusters_per_class))
            return {name: max(wanted[name], least.get(name, 1)) for name in present}
        if self.n_clusters is None:
            return {name: max(2, least.get(name, 1)) for name in present}
        if self.n_clusters < len(present):
            raise ClusteringError(
                f"n_clusters={self.n_clusters} is below the {len(present)} classes (background "
                "included) that have instances, and ldc keeps each cluster within one class: use "
                f"n_clusters={len(present)} or more, or another method"
            )
        return share_clusters(self.embedded, group, self.n_clusters, seed, least, trees=trees)

    def _warn_of_fewer(self, n_found: int, counts: dict[int, int]) -> None:
        wanted = sum(counts.values())
        if self.n_clusters is not None and self.clusters_per_class is None:
            wanted = self.n_clusters
        if n_found < wanted:
            warnings.warn(
                f"only {n_found} of {wanted} clusters have instances, as some classes have too "
                "few different ones: use fewer clusters",
                ClusteringWarning,
                stacklevel=3,
            )

    def _check_parameters(self, bags: Bags) -> None:
        check_count("n_init", self.n_init)
        if self.n_clusters is not None:
            check_count("n_clusters", self.n_clusters)
        if self.clusters_per_class is not None:
            if len(self.clusters_per_class) != bags.n_classes:
                raise ClusteringError(
                    f"clusters_per_class must have one number for each of the {bags.n_classes} "
                    f"classes, not {len(self.clusters_per_class)}"
                )
            for count in self.clusters_per_class:
                check_count("clusters_per_class", count)
        check_number("posterior_weight", self.posterior_weight)
        if self.drawn is not None and len(self.drawn) != bags.n_classes:
            raise ClusteringError(
                f"drawn must have True or False for each of the {bags.n_classes} classes, not "
                f"{len(self.drawn)} of them"
            )
        for name in ("column_weights", "drawn_weights"):
            weights = getattr(self, name)
            if weights is None:
                continue
            if len(weights) != bags.n_features:
                raise ClusteringError(
                    f"{name} must have one number for each of the {bags.n_features} features, "
                    f"not {len(weights)}"
                )
            for weight in weights:
                check_number(name, weight)
        if bags.n_instances and self.n_clusters is not None:
            check_fewer_clusters(self.n_clusters, bags.n_instances)

    def _seeds(self) -> tuple[int, int]:
        check_seed(self.random_state)
        state = np.random.SeedSequence(seed_of(self.random_state)).generate_state(2)
        return int(state[0]), int(state[1])
