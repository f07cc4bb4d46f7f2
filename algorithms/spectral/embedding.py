"""Eigenvectors of a data set, which can be rounded to clusters more than once."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from algorithms.bags import BoolArray, FloatArray, IntArray
from algorithms.errors import ClusteringError, ClusteringWarning
from algorithms.spectral.rounding import kmeans_rows, place_leftovers, unit_rows


@dataclass(frozen=True, eq=False)
class Rounding:
    """Clusters, and where they lie in the space of unit rows.

    Attributes
    ----------
    labels : ndarray of int64, shape (n_instances,)
        Cluster of each instance, 0 .. n_clusters - 1.
    rows : ndarray, shape (n_instances, n_clusters)
        Unit rows of the eigenvectors; zeros where an instance has none.
    centres : ndarray, shape (n_clusters, n_clusters)
        Centres of k-means among the unit rows.
    """

    labels: IntArray
    rows: FloatArray
    centres: FloatArray


@dataclass(frozen=True, eq=False)
class SpectralEmbedding:
    """Leading eigenvectors of the instances of a data set.

    The eigenvectors cost the most; rounding them again, for fewer clusters or with another seed,
    is cheap.

    Attributes
    ----------
    eigenvalues : ndarray, shape (k,)
        In falling order.
    vectors : ndarray, shape (n_instances, k)
        Eigenvectors, as columns.
    X : ndarray, shape (n_instances, n_features)
        Features; an instance without affinities follows the nearest one that has some.
    """

    eigenvalues: FloatArray
    vectors: FloatArray
    X: FloatArray

    def cluster(self, n_clusters: int, *, n_init: int, seed: int) -> IntArray:
        """Group the instances by their rows in the first `n_clusters` eigenvectors.

        Parameters
        ----------
        n_clusters : int
            1 to k.
        n_init : int
            Starts of k-means.
        seed : int
            Seed of k-means.

        Returns
        -------
        ndarray of int64, shape (n_instances,)
            Cluster of each instance, 0 .. n_clusters - 1.

        Raises
        ------
        ClusteringError
            When there are fewer eigenvectors than clusters.
        """
        return self.round(n_clusters, n_init=n_init, seed=seed).labels

    def round(self, n_clusters: int, *, n_init: int, seed: int) -> Rounding:
        """Do what :meth:`cluster` does, and keep the unit rows and the centres too."""
        n_vectors = len(self.eigenvalues)
        if not 1 <= n_clusters <= n_vectors:
            raise ClusteringError(
                f"{n_vectors} eigenvectors give 1 to {n_vectors} clusters, not {n_clusters}: "
                "embed with a larger n_clusters"
            )
        rows, placed = unit_rows(self.vectors[:, :n_clusters])
        labels = np.full(len(rows), -1, dtype=np.int64)
        labels[placed], centres = kmeans_rows(rows[placed], n_clusters, n_init, seed)
        if not placed.all():
            labels = place_leftovers(self.X, labels, placed)
            _warn_of_leftovers(placed)
        return Rounding(labels, rows, centres)


def _warn_of_leftovers(placed: BoolArray) -> None:
    warnings.warn(
        f"{int((~placed).sum())} instances have no affinity to any cluster and took that "
        "of their nearest neighbour: they may be outliers",
        ClusteringWarning,
        stacklevel=4,
    )
