"""The eigenproblem of a method on given data, and what bridges a graph that falls apart."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from algorithms.bags import FloatArray, IntArray
from algorithms.constraints.pairs import Cliques
from algorithms.errors import ClusteringWarning
from algorithms.graph import SparseMatrix
from algorithms.spectral.extension import Extension

_UNIFORM_SHARE = 0.1  # tau over the mean degree, when a graph has too many components


class SpectralProblem(ABC):
    """A symmetric matrix over the instances, whose leading eigenvectors are wanted."""

    @property
    def alpha(self) -> float:
        """Weight of the bag constraints in it; 0 where there are none."""
        return 0.0

    @abstractmethod
    def solve(self, k: int, seed: int) -> tuple[FloatArray, FloatArray]:
        """Find the `k` largest eigenvalues, shape (k,), and eigenvectors (n_instances, k)."""

    @abstractmethod
    def extension(self, eigenvalues: FloatArray, vectors: FloatArray) -> Extension:
        """Return what places new instances among the eigenvectors that :meth:`solve` found."""


@dataclass(frozen=True, eq=False)
class Bridging:
    """A graph's degrees and parts, after weak edges were added where it falls into too many.

    Attributes
    ----------
    degrees : ndarray, shape (n_instances,)
        With the added weights.
    uniform : float
        The weight added to every pair; 0 for a graph of few enough parts.
    part : ndarray of int64, shape (n_instances,)
        Part of each instance, numbered from 0; 0 everywhere in a bridged graph.
    """

    degrees: FloatArray
    uniform: float
    part: IntArray

    @property
    def added(self) -> float:
        """What the weights added to every pair sum to in a degree."""
        return self.uniform * len(self.degrees)


def bridge(degrees: FloatArray, part: IntArray, n_clusters: int) -> Bridging:
    """Add a small weight to all pairs where a graph has more parts than clusters.

    The leading eigenvectors of such a graph are an arbitrary slice of the indicators of its parts.

    Parameters
    ----------
    degrees : ndarray, shape (n_instances,)
        Degrees of the graph.
    part : ndarray of int64, shape (n_instances,)
        Part of each instance, numbered from 0.
    n_clusters : int
        Number of clusters.

    Warns
    -----
    ClusteringWarning
        When weights are added.

    References
    ----------
    Amini, Chen, Bickel & Levina, Pseudo-likelihood methods for community detection in large sparse
    networks, Annals of Statistics 2013: tau / n added to every pair, tau a share of the mean
    degree.
    """
    n_parts = int(part.max()) + 1
    if n_parts <= n_clusters:
        return Bridging(degrees, 0.0, part)
    tau = _UNIFORM_SHARE * float(degrees.mean())
    warnings.warn(
        f"the graph falls into {n_parts} parts, more than the {n_clusters} "
        "clusters, and was bridged weakly: use more clusters or a larger n_neighbors",
        ClusteringWarning,
        stacklevel=2,
    )
    return Bridging(degrees + tau, tau / len(degrees), np.zeros_like(part))


def joined_parts(part: IntArray, membership: SparseMatrix) -> IntArray:
    """Join the parts of a graph that sets of instances reach.

    Parameters
    ----------
    part : ndarray of int64, shape (n_instances,)
        Part of each instance, numbered from 0.
    membership : csr_array, shape (n_instances, n_sets)
        Not 0 where an instance is in a set: all parts with an instance in the set become one.

    Returns
    -------
    ndarray of int64, shape (n_instances,)
        Part of each instance, numbered from 0.
    """
    n_parts = int(part.max()) + 1
    if n_parts == 1:
        return part
    n_instances, n_sets = membership.shape
    indicator = csr_array(
        (np.ones(n_instances), (part, np.arange(n_instances))), shape=(n_parts, n_instances)
    )
    parts, sets = (indicator @ membership).nonzero()
    n_nodes = n_parts + n_sets
    edges = csr_array((np.ones(len(parts)), (parts, n_parts + sets)), shape=(n_nodes, n_nodes))
    joined = connected_components(edges, directed=False)[1][:n_parts]
    return np.unique(joined, return_inverse=True)[1].astype(np.int64)[part]


def clique_membership(cliques: Cliques) -> SparseMatrix:
    """Indicator of cliques, for :func:`joined_parts`."""
    inside = np.flatnonzero(cliques.group >= 0)
    shape = (len(cliques.group), cliques.n_groups)
    return csr_array((np.ones(len(inside)), (inside, cliques.group[inside])), shape=shape)


def inverse_root(degrees: FloatArray) -> FloatArray:
    """1 / sqrt(d), and 0 where the degree d is 0."""
    with np.errstate(divide="ignore"):
        return np.where(degrees > 0, 1.0 / np.sqrt(degrees), 0.0)
