"""Starting centres for many runs of k-means on the same rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from algorithms.bags import FloatArray, IntArray


def plus_plus_starts(rows: FloatArray, n_clusters: int, seeds: Sequence[int]) -> IntArray:
    """Draw the starting centres of several runs by greedy k-means++.

    Each further centre is the best of 2 + log K rows drawn with probabilities in proportion to
    their squared distances from the centres so far: the one that lowers these the most. The same
    rows as by ``sklearn.cluster.kmeans_plusplus`` on centred rows, which takes three times as long
    because it draws for one run after the other.

    Parameters
    ----------
    rows : ndarray, shape (n, d)
        Rows to start from, at least one.
    n_clusters : int
        Number of centres, K.
    seeds : sequence of int
        Seed of every run, 0 to 2^32 - 1.

    Returns
    -------
    ndarray of int64, shape (n_runs, n_clusters)
        The rows that are centres.

    References
    ----------
    Arthur & Vassilvitskii, k-means++: the advantages of careful seeding, SODA 2007; the greedy
    form is in section 7.
    """
    n, n_runs = len(rows), len(seeds)
    n_trials = 2 + int(np.log(n_clusters))
    # The old generator, because KMeans draws from it too.
    rngs = [np.random.RandomState(seed) for seed in seeds]
    centred = rows - rows.mean(axis=0)
    squares = np.einsum("ij,ij->i", centred, centred)
    chosen = np.empty((n_runs, n_clusters), dtype=np.int64)
    chosen[:, 0] = [rng.choice(n, p=np.full(n, 1.0 / n)) for rng in rngs]
    closest = _squared_distances(centred, squares, chosen[:, 0])
    potential = closest.sum(axis=1)
    every = np.arange(n_runs)
    for number in range(1, n_clusters):
        drawn = np.array([rng.uniform(size=n_trials) for rng in rngs]) * potential[:, None]
        below = closest.cumsum(axis=1)
        trials = np.array([below[run].searchsorted(drawn[run]) for run in every])
        np.minimum(trials, n - 1, out=trials)  # rounding may lead beyond the last row
        distances = _squared_distances(centred, squares, trials.ravel())
        distances = distances.reshape(n_runs, n_trials, n)
        np.minimum(distances, closest[:, None], out=distances)
        potentials = distances.sum(axis=2)
        best = potentials.argmin(axis=1)
        potential, closest = potentials[every, best], distances[every, best]
        chosen[:, number] = trials[every, best]
    return chosen


def _squared_distances(rows: FloatArray, squares: FloatArray, some: IntArray) -> FloatArray:
    """Distances of some rows from all rows, shape (n_some, n)."""
    distances: FloatArray = (-2.0 * rows[some]) @ rows.T
    distances += squares[some, None]
    distances += squares
    return np.maximum(distances, 0.0, out=distances)
