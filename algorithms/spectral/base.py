"""What the spectral clusterers share: one fit, into which a method puts its own matrix."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
from scipy.spatial.distance import cdist

from algorithms.bags import Bags, BoolArray, FloatArray, IntArray
from algorithms.base import InstanceClusterer
from algorithms.checks import (
    Seed,
    check_choice,
    check_count,
    check_fewer_clusters,
    check_fitted,
    check_new_features,
    check_seed,
    seed_of,
)
from algorithms.errors import ClusteringError
from algorithms.graph import Affinity, GraphKind, build_affinity
from algorithms.spectral.embedding import SpectralEmbedding
from algorithms.spectral.extension import Extension
from algorithms.spectral.neighbourhood import (
    NOVELTY_AFFINITY,
    Neighbourhood,
    strongest_affinity,
)
from algorithms.spectral.problem import SpectralProblem
from algorithms.spectral.rounding import unit_rows
from algorithms.threads import one_thread


class SpectralClusterer(InstanceClusterer):
    """Affinity graph, leading eigenvectors, unit rows, k-means.

    A method supplies :meth:`_problem`, the matrix whose eigenvectors are taken.

    Parameters
    ----------
    n_clusters : int
        Number of clusters K, below the number of instances. No default suits all data; this one
        is scikit-learn's.
    random_state : int or None
        Seed; None takes a new one every time.
    graph : {"auto", "dense", "knn"}
        Affinity graph: complete, of nearest neighbours, or complete up to 6000 instances.
    n_neighbors : int
        Neighbours of each instance in a "knn" graph; more than `t`.
    t : int
        The local scale of an instance is the distance to its t-th neighbour.
    n_init : int
        Starts of the k-means that turns eigenvectors into clusters.
    neighbours : {"exact", "approximate"}
        How neighbours are searched; "approximate" needs pynndescent.
    """

    goes_by_distances = True

    labels_: IntArray
    embedding_: FloatArray
    eigenvalues_: FloatArray
    alpha_effective_: float
    rho_: float
    graph_: GraphKind
    centres_: FloatArray
    extension_: Extension
    neighbourhood_: Neighbourhood
    n_classes_: int

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        random_state: Seed = 0,
        graph: Literal["auto", "dense", "knn"] = "auto",
        n_neighbors: int = 10,
        t: int = 7,
        n_init: int = 20,
        neighbours: Literal["exact", "approximate"] = "exact",
    ) -> None:
        self.n_clusters = n_clusters
        self.random_state = random_state
        self.graph = graph
        self.n_neighbors = n_neighbors
        self.t = t
        self.n_init = n_init
        self.neighbours = neighbours

    @abstractmethod
    def _problem(self, bags: Bags, affinity: Affinity) -> SpectralProblem:
        """Set up the method's eigenproblem on a graph of the instances of `bags`."""

    def fit(self, bags: Bags, y: Any = None, *, affinity: Affinity | None = None) -> Self:
        """Cluster the instances of `bags`, whose features are used as they are.

        Features of different units should be standardised first, with
        :func:`algorithms.preprocessing.standardize`.

        Parameters
        ----------
        bags : Bags
            Instances and the label sets of their bags.
        affinity : Affinity, optional
            Graph of these instances, from :func:`algorithms.graph.build_affinity`, which is built
            here unless given. Given one, `graph`, `n_neighbors`, `t` and `neighbours` play no part
            in the fit; :meth:`predict` needs the `n_neighbors` and `t` that it was built with.

        Raises
        ------
        ClusteringError
            When parameters are out of range or do not fit the data.
        """
        self._accept(bags)
        graph_seed, start_seed, kmeans_seed = self._checked_seeds()
        graph, problem, embedding = self._solve(bags, affinity, graph_seed, start_seed)
        rounding = embedding.round(self.n_clusters, n_init=self.n_init, seed=kmeans_seed)
        self.labels_, self.embedding_ = rounding.labels, rounding.rows
        self.eigenvalues_ = embedding.eigenvalues
        self.graph_, self.rho_, self.alpha_effective_ = graph.kind, graph.rho, problem.alpha
        self.centres_ = rounding.centres
        self.extension_ = problem.extension(embedding.eigenvalues, embedding.vectors)
        self.neighbourhood_ = Neighbourhood.of_training(
            bags.X, graph, t=self.t, n_neighbors=self.n_neighbors
        )
        self.n_classes_ = bags.n_classes
        return self

    def predict(self, X: npt.ArrayLike | Bags, candidates: npt.ArrayLike | None = None) -> IntArray:
        """Give new instances the clusters of the fit.

        A new instance is placed among the eigenvectors by its affinities to the training
        instances (see the method's extension), scaled to unit length and given the nearest centre
        of k-means. Training instances get their own cluster back on a dense graph; on a sparse
        one nearly always, because a new instance only sees its own nearest neighbours.

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
            Clusters; -1 for an instance whose largest affinity is below
            :data:`~algorithms.spectral.neighbourhood.NOVELTY_AFFINITY`: it is like nothing seen.

        Raises
        ------
        ClusteringError
            When the arrays do not fit the training data, or nothing has been fitted.
        """
        X, candidates = self._instances(X, candidates)
        features = self._check_new(X)
        sets = None if candidates is None else self._check_candidates(candidates, len(features))
        labels = np.empty(len(features), dtype=np.int64)
        # On one thread, as the fit: sums split over several differ in their last bits.
        with one_thread():
            for rows, edges in self.neighbourhood_.blocks(features):
                strongest, nearest = strongest_affinity(edges)
                some = None if sets is None else sets[rows]
                unit, placed = unit_rows(self.extension_.coordinates(edges, some))
                closest = cdist(unit, self.centres_).argmin(axis=1)
                found = np.where(placed, closest, self.labels_[nearest])
                labels[rows] = np.where(strongest < NOVELTY_AFFINITY, -1, found)
        return labels

    def rejection_score(self, X: npt.ArrayLike) -> FloatArray:
        """Tell how unlike the training instances new ones are.

        1 - 2^(-r / r_99), r being the distance from the nearest training instance p as
        ||x - x_p||^2 / (2 sigma_p^2), sigma_p its local scale, and r_99 what 99 % of the training
        instances, each against the others, do not exceed. So 0 is an instance that was in the
        training data, and above 1/2 is what lies farther out than almost any of them.

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
            As :meth:`predict`.
        """
        features = self._check_new(X)
        return self.neighbourhood_.rejection_score(features)

    def embed(self, bags: Bags, *, affinity: Affinity | None = None) -> SpectralEmbedding:
        """Compute the `n_clusters` leading eigenvectors only; nothing is stored.

        :meth:`fit` is this, rounded by :meth:`SpectralEmbedding.cluster` with a seed of its own.
        Parameters and errors are those of :meth:`fit`.
        """
        graph_seed, start_seed, _ = self._checked_seeds()
        return self._solve(bags, affinity, graph_seed, start_seed)[2]

    def _solve(
        self, bags: Bags, affinity: Affinity | None, graph_seed: int, start_seed: int
    ) -> tuple[Affinity, SpectralProblem, SpectralEmbedding]:
        self._check_size(bags.n_instances)
        if affinity is None:
            affinity = build_affinity(
                bags.X,
                graph=self.graph,
                n_neighbors=self.n_neighbors,
                t=self.t,
                neighbours=self.neighbours,
                seed=graph_seed,
            )
        elif affinity.n_instances != bags.n_instances:
            raise ClusteringError(
                f"the affinity is of {affinity.n_instances} instances but the bags hold "
                f"{bags.n_instances}: build it from the features of these bags"
            )
        problem = self._problem(bags, affinity)
        eigenvalues, vectors = problem.solve(self.n_clusters, start_seed)
        return affinity, problem, SpectralEmbedding(eigenvalues, vectors, bags.X)

    def _check_parameters(self) -> None:
        for name in ("n_clusters", "t", "n_init", "n_neighbors"):
            check_count(name, getattr(self, name))
        check_choice("graph", self.graph, ("auto", "dense", "knn"))
        check_choice("neighbours", self.neighbours, ("exact", "approximate"))
        check_seed(self.random_state)

    def _check_size(self, n_instances: int) -> None:
        if n_instances == 0:
            raise ClusteringError("there are no instances to cluster")
        check_fewer_clusters(self.n_clusters, n_instances)

    def _check_new(self, X: npt.ArrayLike) -> FloatArray:
        check_fitted(self, "neighbourhood_")
        return check_new_features(X, self.neighbourhood_.X.shape[1])

    def _check_candidates(self, candidates: npt.ArrayLike, n: int) -> BoolArray:
        sets = np.asarray(candidates)
        if sets.shape != (n, self.n_classes_) or not np.isin(sets, (0, 1)).all():
            raise ClusteringError(
                f"candidates must hold True and False in {n} rows, one per new instance, and "
                f"{self.n_classes_} columns, one per class, but has shape {sets.shape}"
            )
        return sets.astype(np.bool_)

    def _checked_seeds(self) -> tuple[int, int, int]:
        """Check parameters; seeds of graph, eigenvectors and k-means, none shifting another."""
        self._check_parameters()
        state = np.random.SeedSequence(seed_of(self.random_state)).generate_state(3)
        return int(state[0]), int(state[1]), int(state[2])
