"""Ward's tree of a group of points: where its clusters start, and what each one saves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.cluster.hierarchy import linkage

from algorithms.bags import FloatArray, IntArray

MAX_POINTS = 3000
"""Larger groups have no tree: its memory grows with their square."""


@dataclass(frozen=True, eq=False)
class WardTree:
    """Ward's hierarchy.

    Attributes
    ----------
    merges : ndarray, shape (n - 1, 4)
        As scipy.cluster.hierarchy.linkage has them.
    inertia : ndarray, shape (n,)
        Sum of squared distances to the centres with 1, 2, ... n clusters.

    References
    ----------
    Ward, Hierarchical grouping to optimize an objective function, JASA 1963.
    """

    merges: FloatArray
    inertia: FloatArray

    @classmethod
    def of(cls, points: FloatArray) -> Self:
        """Build the tree of points, shape (n, d)."""
        if len(points) == 1:
            return cls(np.empty((0, 4)), np.zeros(1))
        merges = linkage(points, "ward")
        # Merging two clusters adds half the squared height to the inertia.
        after_merges = np.concatenate([[0.0], np.cumsum(merges[:, 2] ** 2 / 2)])
        return cls(merges, after_merges[::-1])

    def cut(self, k: int) -> IntArray:
        """Clusters, from 0, of each point when there are `k` of them."""
        n = len(self.inertia)
        root = list(range(2 * n - 1))  # a list, as single numbers are looked at
        for number, (one, other) in enumerate(self.merges[: n - k, :2].astype(int).tolist()):
            root[one] = root[other] = n + number
        # A node's parent has a higher number, so that parents are done before their children.
        for node in range(len(root) - 1, -1, -1):
            root[node] = root[root[node]]
        return np.unique(root[:n], return_inverse=True)[1].astype(np.int64)

    def centres(self, points: FloatArray, k: int) -> FloatArray:
        """Means of the `k` clusters, shape (k, d)."""
        labels = self.cut(k)
        return np.array([points[labels == name].mean(axis=0) for name in range(k)])


Trees = dict[int, WardTree | None]
"""The tree of each group, by its number; None for a group that is too large."""
