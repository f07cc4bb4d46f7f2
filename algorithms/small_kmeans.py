"""k-means for a few hundred instances, hundreds of times over.

What finds the number of clusters makes some of small samples again and again. There scikit-learn's
`KMeans` spends most of its time before the first step; here all starts advance together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from algorithms.bags import FloatArray, IntArray

_MAX_STEPS = 100


@dataclass(frozen=True, eq=False)
class SmallKMeans:
    """A k-means clustering.

    Attributes
    ----------
    labels : ndarray of int64, shape (n_instances,)
        Cluster of each instance, that of the nearest centre.
    centres : ndarray, shape (k, n_features)
        Means of the clusters.
    inertia : float
        Sum of squared distances of the instances to their centres.
    """

    labels: IntArray
    centres: FloatArray
    inertia: float

    @classmethod
    def fit(cls, X: FloatArray, k: int, *, starts: int, seed: int) -> SmallKMeans:
        """Cluster instances: k-means++ starts, Lloyd's steps, the start of least inertia.

        Parameters
        ----------
        X : ndarray, shape (n_instances, n_features)
            At least one instance.
        k : int
            Number of clusters. With fewer different instances some stay empty.
        starts : int
            Number of starts.
        seed : int
            Seed.

        References
        ----------
        Arthur & Vassilvitskii, k-means++: the advantages of careful seeding, SODA 2007.
        """
        centres = _plus_plus(X, k, starts, np.random.default_rng(seed))
        labels = np.full((starts, len(X)), -1)
        for _ in range(_MAX_STEPS):
            nearest = _squared_distances(X, centres).argmin(axis=2)
            if (nearest == labels).all():
                break
            labels = nearest
            centres = _means(X, labels, centres)
        inertia = _squared_distances(X, centres).min(axis=2).sum(axis=1)
        best = int(inertia.argmin())
        return cls(labels[best].astype(np.int64), centres[best], float(inertia[best]))

    def predict(self, X: FloatArray) -> IntArray:
        """Cluster of the nearest centre, for each row of `X`."""
        nearest: IntArray = _squared_distances(X, self.centres[None])[0].argmin(axis=1)
        return nearest


def _plus_plus(X: FloatArray, k: int, starts: int, rng: np.random.Generator) -> FloatArray:
    """Draw centres, each with probability in proportion to the squared distance to those before.

    Returns
    -------
    ndarray, shape (starts, k, n_features)
    """
    centres = np.empty((starts, k, X.shape[1]))
    centres[:, 0] = X[rng.integers(len(X), size=starts)]
    distance = np.full((starts, len(X)), np.inf)
    for number in range(1, k):
        newest = _squared_distances(X, centres[:, number - 1 : number])[:, :, 0]
        distance = np.minimum(distance, newest)
        below = distance.cumsum(axis=1)
        drawn = rng.random((starts, 1)) * below[:, -1:]
        centres[:, number] = X[(below > drawn).argmax(axis=1)]
    return centres


def _squared_distances(X: FloatArray, centres: FloatArray) -> FloatArray:
    """Distances of all instances to the centres of all starts, (starts, n_instances, k)."""
    products = X @ centres.transpose(0, 2, 1)
    squared = (X**2).sum(axis=1)[:, None] - 2 * products + (centres**2).sum(axis=2)[:, None, :]
    distances: FloatArray = np.maximum(squared, 0.0)
    return distances


def _means(X: FloatArray, labels: IntArray, centres: FloatArray) -> FloatArray:
    """Means of the clusters of every start; an empty one keeps its centre."""
    member = (labels[:, :, None] == np.arange(centres.shape[1])).astype(np.float64)
    sizes = member.sum(axis=1)[:, :, None]
    sums = member.transpose(0, 2, 1) @ X
    means: FloatArray = np.where(sizes > 0, sums / np.maximum(sizes, 1), centres)
    return means
