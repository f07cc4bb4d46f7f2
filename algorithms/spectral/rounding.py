"""From eigenvectors to clusters: unit rows, k-means, and the instances that have no row."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.neighbors import NearestNeighbors
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from algorithms.bags import BoolArray, FloatArray, IntArray
from algorithms.errors import ClusteringWarning

_SMALLEST_NORM = 1e-12


def unit_rows(vectors: FloatArray) -> tuple[FloatArray, BoolArray]:
    """Scale every row to unit length.

    Parameters
    ----------
    vectors : ndarray, shape (n_instances, k)
        Eigenvectors as columns.

    Returns
    -------
    embedding : ndarray, shape (n_instances, k)
        Unit rows; zeros where a row has no length.
    placed : ndarray of bool, shape (n_instances,)
        False for those rows.
    """
    norms = np.linalg.norm(vectors, axis=1)
    placed = norms > _SMALLEST_NORM
    embedding = np.zeros_like(vectors)
    embedding[placed] = vectors[placed] / norms[placed, None]
    return embedding, placed


def cluster_rows(embedding: FloatArray, n_clusters: int, n_init: int, seed: int) -> IntArray:
    """Group rows with k-means: k-means++ starts, the best of `n_init` runs by inertia.

    Runs on one thread, because sums over several come out in another order each time and a
    syllable half-way between two centres would change sides.

    Returns
    -------
    ndarray of int64, shape (n_instances,)
        Cluster of each row, 0 .. n_clusters - 1.
    """
    kmeans = KMeans(
        n_clusters=n_clusters,
        init="k-means++",
        n_init=n_init,
        max_iter=300,
        algorithm="lloyd",
        random_state=seed,
    )
    with threadpool_limits(limits=1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # said below, in this package's words
        labels = np.asarray(kmeans.fit_predict(embedding), dtype=np.int64)
    n_found = len(np.unique(labels))
    if n_found < n_clusters:
        warnings.warn(
            f"only {n_found} of {n_clusters} clusters have instances, as many instances are "
            "alike: use fewer clusters",
            ClusteringWarning,
            stacklevel=2,
        )
    return labels


def place_leftovers(X: FloatArray, labels: IntArray, placed: BoolArray) -> IntArray:
    """Give every instance that is not placed the cluster of the nearest one that is.

    Parameters
    ----------
    X : ndarray, shape (n_instances, n_features)
        Features.
    labels : ndarray of int64, shape (n_instances,)
        Clusters; those of instances not placed are ignored.
    placed : ndarray of bool, shape (n_instances,)
        At least one of them True.

    Returns
    -------
    ndarray of int64, shape (n_instances,)
    """
    finder = NearestNeighbors(n_neighbors=1).fit(X[placed])
    nearest = finder.kneighbors(X[~placed], return_distance=False)[:, 0]
    completed = labels.copy()
    completed[~placed] = labels[placed][nearest]
    return completed
