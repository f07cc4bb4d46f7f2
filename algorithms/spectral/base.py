"""What the spectral clusterers share: one fit, into which a method puts its own matrix."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from numbers import Integral
from typing import Any, Literal, Self

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from algorithms.bags import Bags, FloatArray, IntArray
from algorithms.base import InstanceClusterer
from algorithms.constraints import BagConstraints
from algorithms.errors import ClusteringError, ClusteringWarning
from algorithms.graph import Affinity, GraphKind, build_affinity, component_labels
from algorithms.spectral.eigen import NormalisedOperator, leading_eigenvectors
from algorithms.spectral.rounding import cluster_rows, place_leftovers, unit_rows

_UNIFORM_SHARE = 0.1  # tau over the mean degree, when a graph has too many components


class SpectralClusterer(InstanceClusterer):
    """Affinity graph, leading eigenvectors, unit rows, k-means.

    A method supplies :meth:`_constraints`, the bag constraints that join the affinities, and
    their weight.

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

    labels_: IntArray
    embedding_: FloatArray
    eigenvalues_: FloatArray
    alpha_effective_: float
    rho_: float
    graph_: GraphKind

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        random_state: int | None = 0,
        graph: Literal["auto", "dense", "knn"] = "auto",
        n_neighbors: int = 30,
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
    def _constraints(self, bags: Bags) -> tuple[BagConstraints | None, float]:
        """Return the bag constraints and their weight alpha on a dense graph."""

    def fit(self, bags: Bags) -> Self:
        """Cluster the instances of `bags`, whose features are used as they are.

        Features of different units should be standardised first, with
        :func:`algorithms.preprocessing.standardize`.

        Raises
        ------
        ClusteringError
            When parameters are out of range or do not fit the data.
        """
        self._check_parameters()
        self._check_size(bags.n_instances)
        graph_seed, start_seed, kmeans_seed = self._child_seeds()
        affinity = build_affinity(
            bags.X,
            graph=self.graph,
            n_neighbors=self.n_neighbors,
            t=self.t,
            neighbours=self.neighbours,
            seed=graph_seed,
        )
        operator = self._operator(bags, affinity)
        eigenvalues, vectors = leading_eigenvectors(operator, self.n_clusters, start_seed)
        embedding, placed = unit_rows(vectors)
        labels = np.full(bags.n_instances, -1, dtype=np.int64)
        labels[placed] = cluster_rows(embedding[placed], self.n_clusters, self.n_init, kmeans_seed)
        if not placed.all():
            labels = place_leftovers(bags.X, labels, placed)
            _warn(
                f"{int((~placed).sum())} instances have no affinity to any cluster and took that "
                "of their nearest neighbour: they may be outliers"
            )
        self.labels_, self.embedding_, self.eigenvalues_ = labels, embedding, eigenvalues
        self.graph_, self.rho_, self.alpha_effective_ = affinity.kind, affinity.rho, operator.alpha
        return self

    def _operator(self, bags: Bags, affinity: Affinity) -> NormalisedOperator:
        """Build the matrix whose eigenvectors are taken.

        A sparse graph has smaller degrees than the dense one that alpha was tuned on, so alpha
        shrinks with them.
        """
        constraints, alpha = self._constraints(bags)
        alpha_effective = alpha * affinity.rho
        if alpha_effective == 0:
            constraints = None
        degrees = affinity.degrees()
        uniform = 0.0
        n_components = _n_components(bags, affinity, linked_by_labels=constraints is not None)
        if n_components > self.n_clusters:
            tau = _UNIFORM_SHARE * float(degrees.mean())
            uniform = tau / len(degrees)
            degrees = degrees + tau
            _warn(
                f"the graph falls into {n_components} parts, more than the {self.n_clusters} "
                "clusters, and was bridged weakly: use more clusters or a larger n_neighbors"
            )
        with np.errstate(divide="ignore"):
            inverse_root = np.where(degrees > 0, 1.0 / np.sqrt(degrees), 0.0)
        return NormalisedOperator(affinity.W, inverse_root, uniform, constraints, alpha_effective)

    def _check_parameters(self) -> None:
        for name in ("n_clusters", "t", "n_init", "n_neighbors"):
            value: Any = getattr(self, name)
            if not is_whole_number(value) or value < 1:
                raise ClusteringError(f"{name} must be a whole number from 1, not {value!r}")
        check_choice("graph", self.graph, ("auto", "dense", "knn"))
        check_choice("neighbours", self.neighbours, ("exact", "approximate"))
        seed: Any = self.random_state
        if seed is not None and (not is_whole_number(seed) or seed < 0):
            raise ClusteringError(f"random_state must be a whole number from 0, not {seed!r}")

    def _check_size(self, n_instances: int) -> None:
        if n_instances == 0:
            raise ClusteringError("there are no instances to cluster")
        if self.n_clusters > 1 and self.n_clusters >= n_instances:
            raise ClusteringError(
                f"n_clusters={self.n_clusters} must be below the number of instances, "
                f"{n_instances}: ask for fewer clusters or give more instances"
            )

    def _child_seeds(self) -> tuple[int, int, int]:
        """Seeds of the graph, the eigenvectors and k-means, so that none shifts another."""
        state = np.random.SeedSequence(self.random_state).generate_state(3)
        return int(state[0]), int(state[1]), int(state[2])


def is_whole_number(value: Any) -> bool:
    """Tell whether `value` is a Python or numpy integer; True and False are not meant as one."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def check_choice(name: str, value: Any, choices: tuple[str, ...]) -> None:
    """Raise :class:`ClusteringError` unless `value` is one of `choices`."""
    if value not in choices:
        raise ClusteringError(f"{name} must be one of {', '.join(choices)}, not {value!r}")


def _n_components(bags: Bags, affinity: Affinity, *, linked_by_labels: bool) -> int:
    """Count the parts that neither affinities nor, where they are used, shared labels join."""
    component = component_labels(affinity)
    n_parts = int(component.max()) + 1
    if n_parts == 1 or not linked_by_labels:
        return n_parts
    # A graph of parts and classes: a class joins all parts that have an instance in its bags.
    part_in_bag = csr_array(
        (np.ones(len(component)), (component, bags.bag)), shape=(n_parts, bags.n_bags)
    )
    joined = part_in_bag @ csr_array(bags.labels.astype(np.float64))
    parts, classes = joined.nonzero()
    n_nodes = n_parts + bags.n_classes
    edges = csr_array((np.ones(len(parts)), (parts, n_parts + classes)), shape=(n_nodes, n_nodes))
    node = connected_components(edges, directed=False)[1]
    return len(np.unique(node[:n_parts]))


def _warn(message: str) -> None:
    warnings.warn(message, ClusteringWarning, stacklevel=3)
