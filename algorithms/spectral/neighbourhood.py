"""Affinities of new instances to the training ones, and how unlike them they are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from algorithms.bags import FloatArray, IntArray
from algorithms.graph import Affinity, SparseMatrix
from algorithms.spectral.extension import Edges

NOVELTY_AFFINITY = 1e-6
"""A new instance whose largest affinity is below this is like nothing in the training data."""

CALIBRATION_QUANTILE = 0.99
"""This share of the training instances, each against the others, has a rejection score <= 1/2."""

_SCALE_FACTOR = 2.0  # the affinity's; see algorithms.graph
_BLOCK_ENTRIES = 1 << 22  # largest temporary array, in float64 entries: 32 MB
_TINY_SIGMA = float(np.sqrt(np.finfo(np.float64).tiny))
_SMALLEST_REACH = 1e-12


@dataclass(frozen=True, eq=False)
class Neighbourhood:
    """Training instances and their local scales, to which new instances have affinities.

    w(x, p) = exp(-||x - x_p||^2 / (2 sigma_x sigma_p)), sigma_x being the distance from x to its
    t-th nearest training instance. A new instance that coincides with a training one is taken for
    that instance, which does not count among its own neighbours: it gets the affinities it had.

    Attributes
    ----------
    X : ndarray, shape (n_instances, n_features)
        Training instances.
    sigma : ndarray, shape (n_instances,)
        Their local scales.
    t : int
        Neighbour that gives a local scale.
    n_neighbors : int or None
        New instances have affinities to so many nearest training instances; None: to all.
    reach : float
        Distance (see :meth:`remoteness`) from the other training instances that
        :data:`CALIBRATION_QUANTILE` of the training instances do not exceed.
    """

    X: FloatArray
    sigma: FloatArray
    t: int
    n_neighbors: int | None
    reach: float

    @classmethod
    def of_training(
        cls, X: FloatArray, affinity: Affinity, *, t: int, n_neighbors: int
    ) -> Neighbourhood:
        """Remember the training instances `X` and calibrate on their own graph."""
        apart = np.minimum(_apart_in_training(affinity), -np.log(NOVELTY_AFFINITY))
        reach = max(float(np.quantile(apart, CALIBRATION_QUANTILE)), _SMALLEST_REACH)
        return cls(X, affinity.sigma, t, n_neighbors if affinity.kind == "knn" else None, reach)

    def blocks(self, X_new: FloatArray) -> Iterator[tuple[slice, Edges]]:
        """Compute the affinities of new instances, some rows at a time so that memory stays small.

        Parameters
        ----------
        X_new : ndarray, shape (n_new, n_features)
            New instances.

        Yields
        ------
        rows : slice
            Which of them.
        edges : ndarray or csr_array, shape (len(rows), n_instances)
            Their affinities.
        """
        for rows, found, squared in self._distances(X_new):
            if found is None:
                yield rows, self._dense_edges(squared)
            else:
                yield rows, self._sparse_edges(found, squared)

    def remoteness(self, X_new: FloatArray) -> FloatArray:
        """Distance of new instances from the nearest training one, in terms of its local scale.

        Returns
        -------
        ndarray, shape (n_new,)
            min_p ||x - x_p||^2 / (2 sigma_p^2). Unlike the affinity, this leaves out the new
            instance's own local scale, which is large wherever it is far from everything.
        """
        remote = np.empty(len(X_new))
        for rows, found, squared in self._distances(X_new):
            sigma = self.sigma if found is None else self.sigma[found]
            with np.errstate(over="ignore"):
                remote[rows] = (squared / (_SCALE_FACTOR * sigma**2)).min(axis=1)
        return remote

    def rejection_score(self, X_new: FloatArray) -> FloatArray:
        """Turn remoteness into a score from 0, like the training instances, to 1.

        1 - 2^(-remoteness / reach): 1/2 where :data:`CALIBRATION_QUANTILE` of the training
        instances are nearer to another one.
        """
        with np.errstate(over="ignore"):
            return 1.0 - np.exp2(-self.remoteness(X_new) / self.reach)

    def _distances(self, X_new: FloatArray) -> Iterator[tuple[slice, IntArray | None, FloatArray]]:
        """Squared distances to all, or to the nearest with their indices, nearest first."""
        n, n_features = self.X.shape
        finder = self._finder()
        width = n if finder is None else (finder.n_neighbors + 1) * n_features
        step = max(1, _BLOCK_ENTRIES // width)
        for start in range(0, len(X_new), step):
            rows = slice(start, min(start + step, len(X_new)))
            if finder is None:
                yield rows, None, cdist(X_new[rows], self.X, "sqeuclidean")
                continue
            found = np.asarray(finder.kneighbors(X_new[rows], return_distance=False), np.int64)
            # Fast searches expand the square and lose what distinguishes near-duplicates.
            with np.errstate(over="ignore"):
                squared = ((self.X[found] - X_new[rows, None, :]) ** 2).sum(axis=2)
            order = np.argsort(squared, axis=1, kind="stable")
            nearest = np.take_along_axis(found, order, axis=1)
            yield rows, nearest, np.take_along_axis(squared, order, axis=1)

    def _finder(self) -> Any:
        """Return a search for nearest training instances, or None where all are used."""
        if self.n_neighbors is None:
            return None
        from sklearn.neighbors import NearestNeighbors

        # One more, because an instance seen in training finds itself.
        return NearestNeighbors(n_neighbors=min(self.n_neighbors + 1, len(self.X))).fit(self.X)

    def _dense_edges(self, squared: FloatArray) -> FloatArray:
        seen = (squared == 0).any(axis=1)
        own, new = self._scale_positions()
        nth = np.partition(squared, (new, own), axis=1)
        sigma = self._local_scale(np.where(seen, nth[:, own], nth[:, new]))
        return self._kernel(squared, np.multiply.outer(sigma, self.sigma))

    def _sparse_edges(self, found: IntArray, squared: FloatArray) -> SparseMatrix:
        seen = squared[:, 0] == 0
        own, new = self._scale_positions()
        sigma = self._local_scale(np.where(seen, squared[:, own], squared[:, new]))
        weights = self._kernel(squared, sigma[:, None] * self.sigma[found])
        if self.n_neighbors is not None and found.shape[1] > self.n_neighbors:
            weights[~seen, -1] = 0.0  # the one more was not needed
        pointers = np.arange(0, found.size + 1, found.shape[1])
        shape = (len(found), len(self.X))
        edges = sp.csr_array((weights.ravel(), found.ravel(), pointers), shape=shape)
        return cast(SparseMatrix, edges)

    def _scale_positions(self) -> tuple[int, int]:
        """Where the distance that gives sigma is in a sorted row: seen instances, new ones."""
        n = len(self.X)
        return min(self.t, n - 1), min(self.t, n) - 1

    def _local_scale(self, nth_squared: FloatArray) -> FloatArray:
        floor = max(1e-10 * float(np.median(self.sigma)), _TINY_SIGMA)
        return np.maximum(np.sqrt(nth_squared), floor)

    def _kernel(self, squared: FloatArray, products: FloatArray) -> FloatArray:
        # An instance so far away that distances overflow is like nothing.
        with np.errstate(over="ignore", invalid="ignore"):
            weights = np.exp(-squared / (_SCALE_FACTOR * products))
        return cast(FloatArray, np.nan_to_num(weights, copy=False, nan=0.0))


def strongest_affinity(edges: Edges) -> tuple[FloatArray, IntArray]:
    """Find the largest affinity in every row, and to which training instance it is."""
    if isinstance(edges, np.ndarray):
        nearest = edges.argmax(axis=1)
        strongest = np.take_along_axis(edges, nearest[:, None], axis=1)[:, 0]
    else:
        nearest = np.asarray(edges.argmax(axis=1)).ravel()
        strongest = edges.max(axis=1).toarray().ravel()
    return strongest, nearest.astype(np.int64)


def _apart_in_training(affinity: Affinity) -> FloatArray:
    """Remoteness of every training instance from the others, shape (n_instances,).

    Read off the graph: -log W_pq = d^2 / (2 sigma_p sigma_q), times sigma_p / sigma_q.
    """
    W, sigma = affinity.W, affinity.sigma
    n = len(sigma)
    apart = np.full(n, np.inf)
    if not isinstance(W, np.ndarray):
        edges = W.tocoo()
        other = (edges.row != edges.col) & (edges.data > 0)
        rows, columns = edges.row[other], edges.col[other]
        remote = -np.log(edges.data[other]) * sigma[rows] / sigma[columns]
        np.minimum.at(apart, rows, remote)
        return apart
    step = max(1, _BLOCK_ENTRIES // n)
    for start in range(0, n, step):
        block = W[start : start + step].copy()
        own = np.arange(len(block))
        block[own, start + own] = 0.0
        with np.errstate(divide="ignore"):
            remote = -np.log(block) / sigma
        apart[start : start + step] = remote.min(axis=1) * sigma[start : start + step]
    return apart
