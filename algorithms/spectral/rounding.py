"""From eigenvectors to clusters: unit rows, k-means, and the instances that have no row."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from algorithms.bags import BoolArray, FloatArray, IntArray
from algorithms.errors import ClusteringWarning
from algorithms.spectral.seeding import plus_plus_starts
from algorithms.threads import one_thread

if TYPE_CHECKING:
    from sklearn.cluster import KMeans

SAMPLE_ROWS = 2000
"""Rows, at least, that the starts of k-means are tried on when there are many."""

SAMPLE_ROWS_PER_CLUSTER = 80
"""The same for every cluster."""

FINALISTS = 3
"""Starts, of those tried on a sample, that k-means goes on with on all rows."""

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
    """Group rows as :func:`kmeans_rows` does, and return their clusters alone."""
    return kmeans_rows(embedding, n_clusters, n_init, seed)[0]


def kmeans_rows(
    embedding: FloatArray, n_clusters: int, n_init: int, seed: int
) -> tuple[IntArray, FloatArray]:
    """Group rows with k-means: k-means++ starts, the best of `n_init` runs by inertia.

    Many rows are sampled first: above twice the larger of :data:`SAMPLE_ROWS` and
    :data:`SAMPLE_ROWS_PER_CLUSTER` per cluster, the `n_init` runs see a sample of that size, and
    only the :data:`FINALISTS` best of them go on, from the centres that they found, on all rows.
    That reaches the inertia of `n_init` runs on all rows at a fraction of the time.

    Runs on one thread, because sums over several come out in another order each time and a
    syllable half-way between two centres would change sides.

    Returns
    -------
    labels : ndarray of int64, shape (n_instances,)
        Cluster of each row, 0 .. n_clusters - 1: that of the nearest centre.
    centres : ndarray, shape (n_clusters, k)
        Their centres.
    """
    from sklearn.exceptions import ConvergenceWarning

    with one_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # said below, in this package's words
        sample_size = max(SAMPLE_ROWS, SAMPLE_ROWS_PER_CLUSTER * n_clusters)
        if len(embedding) <= 2 * sample_size:
            best = _kmeans(n_clusters, n_init, seed).fit(embedding)
        else:
            best = _kmeans_from_sample(embedding, n_clusters, n_init, seed, sample_size)
    labels = np.asarray(best.labels_, dtype=np.int64)
    n_found = len(np.unique(labels))
    if n_found < n_clusters:
        warnings.warn(
            f"only {n_found} of {n_clusters} clusters have instances, as many instances are "
            "alike: use fewer clusters",
            ClusteringWarning,
            stacklevel=2,
        )
    return labels, np.asarray(best.cluster_centers_, dtype=np.float64)


def _kmeans(
    n_clusters: int, n_init: int, seed: int, init: str | FloatArray = "k-means++"
) -> KMeans:
    from sklearn.cluster import KMeans  # slow to import, and ldc does without

    return KMeans(
        n_clusters=n_clusters,
        init=init,
        n_init=n_init,
        max_iter=300,
        algorithm="lloyd",
        random_state=seed,
    )


def _kmeans_from_sample(
    embedding: FloatArray, n_clusters: int, n_init: int, seed: int, sample_size: int
) -> KMeans:
    """Run k-means on a sample, and the best runs on."""
    rng = np.random.default_rng(seed)
    sample = embedding[np.sort(rng.choice(len(embedding), sample_size, replace=False))]
    seeds = np.random.SeedSequence(seed).generate_state(n_init).tolist()
    starts = plus_plus_starts(sample, n_clusters, seeds)
    runs = [_kmeans(n_clusters, 1, seed, init=sample[start]).fit(sample) for start in starts]
    runs.sort(key=lambda run: run.inertia_)
    finalists = [
        _kmeans(n_clusters, 1, seed, init=run.cluster_centers_).fit(embedding)
        for run in runs[:FINALISTS]
    ]
    return min(finalists, key=lambda run: run.inertia_)


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
    from sklearn.neighbors import NearestNeighbors

    finder = NearestNeighbors(n_neighbors=1).fit(X[placed])
    nearest = finder.kneighbors(X[~placed], return_distance=False)[:, 0]
    completed = labels.copy()
    completed[~placed] = labels[placed][nearest]
    return completed
