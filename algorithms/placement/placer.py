"""Place new instances in the clusters of a clustering, whatever method made it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular
from scipy.spatial.distance import cdist

from algorithms.bags import BoolArray, FloatArray, IntArray, check_features
from algorithms.blocks.rows import Packed, blocks_of_bags
from algorithms.blocks.runners import Here
from algorithms.disambiguation.kernel import LandmarkKernel
from algorithms.disambiguation.leave_bag_out import LeaveBagOutRidge
from algorithms.errors import ClusteringError
from algorithms.placement.calibration import Calibration
from algorithms.threads import one_blas_thread

GAMMA = 1.0
RIDGE = 0.3
N_LANDMARKS = 1000
NOVELTY_QUANTILE = 0.99
"""This share of the training instances lies within `Placer.reach` of those of other groups."""

_BLOCK_ROWS = 4096
_SMALLEST_REACH = 1e-12


@dataclass(frozen=True, eq=False)
class Places:
    """Where instances were placed; an entry of each array per instance.

    Attributes
    ----------
    cluster, second : ndarray of int64
        The best cluster and the next best; -1 where there is none.
    score : ndarray
        Probability that `cluster` is right, if the instance is like the training ones.
    remoteness : ndarray
        Squared distance from the nearest training landmark, in terms of the reach; above 1 for
        what is unlike all that the clustering was made of.
    """

    cluster: IntArray
    second: IntArray
    score: FloatArray
    remoteness: FloatArray


@dataclass(frozen=True, eq=False)
class Placer:
    """Kernel ridge regression on the clusters of the training instances.

    Each cluster is a target that is 1 for its instances and 0 for the others. What the regression
    predicts for an instance becomes a probability by a :class:`Calibration` that was learned from
    predictions for groups (recordings) that the regression had not seen. An instance is placed by
    itself: the arithmetic of a row is the same whatever rows there are beside it.

    Attributes
    ----------
    kernel : LandmarkKernel
        The kernel, and the training instances that stand for all.
    weights : ndarray, shape (n_landmarks, n_clusters)
        Scores are k(x, landmarks) weights.
    calibration, restricted : Calibration
        Of the scores of all clusters, and of those among which a label set leaves fewer.
    reach : float
        See `NOVELTY_QUANTILE`.
    left_out, left_out_restricted : Places
        Where the training instances come to lie when their group is left out: among all clusters,
        and among those that their label sets leave.

    References
    ----------
    Saunders, Gammerman & Vovk, Ridge regression learning algorithm in dual variables, ICML 1998.
    """

    kernel: LandmarkKernel
    weights: FloatArray
    calibration: Calibration
    restricted: Calibration
    reach: float
    left_out: Places
    left_out_restricted: Places

    @classmethod
    def fit(
        cls,
        X: FloatArray,
        cluster: IntArray,
        group: IntArray,
        allowed: BoolArray | None = None,
        *,
        n_landmarks: int = N_LANDMARKS,
    ) -> Placer:
        """Learn the clusters of training instances.

        Parameters
        ----------
        X : ndarray, shape (n, n_features)
            Standardised features.
        cluster : ndarray of int64, shape (n,)
            Their clusters, numbered from 0 without gaps.
        group : ndarray of int64, shape (n,)
            What is left out together: instances of one recording are more alike than a new
            recording will be.
        allowed : ndarray of bool, shape (n, n_clusters), optional
            Clusters that the label set of an instance's bag leaves; by default all.
        n_landmarks : int
            Training instances that the kernel is taken with.

        Raises
        ------
        ClusteringError
            When there are not two groups, or the arrays do not fit each other.
        """
        X = check_features(X)
        if not len(X) == len(cluster) == len(group):
            raise ClusteringError("X, cluster and group must have one row per instance")
        if len(np.unique(group)) < 2:
            raise ClusteringError("placing new instances needs at least two groups to learn from")
        n_clusters = int(cluster.max()) + 1
        # One thread, so that the last digits do not depend on how many cores there are.
        with one_blas_thread():
            kernel = LandmarkKernel.fit(
                X, gamma=GAMMA, n_landmarks=n_landmarks, use_ranks=True, seed=0
            )
            rows, runner = blocks_of_bags(group), Here()
            coordinates = runner.make(lambda own: (kernel.transform(X[own]),), rows)
            ridge = LeaveBagOutRidge.fit(coordinates, [group[own] for own in rows], RIDGE, runner)
            targets = [Packed.of(np.eye(n_clusters)[cluster[own]]) for own in rows]
            as_they_are = np.zeros(n_clusters)
            weights = solve_triangular(
                kernel.root, ridge.coefficients(targets, as_they_are), lower=True, trans="T"
            )
            scores = np.empty((len(X), n_clusters))
            predicted = ridge.predict_left_out(targets, as_they_are)
            for own, (block,) in zip(rows, runner.results(tuple, predicted), strict=True):
                scores[own] = block
        everything = np.ones(scores.shape, dtype=np.bool_)
        if allowed is None:
            allowed = everything
        nearest = _nearest_of_others(kernel, X, group)
        near = nearest[np.isfinite(nearest)]
        reach = max(float(np.quantile(near, NOVELTY_QUANTILE)), _SMALLEST_REACH)
        calibration, restricted = _calibrate(scores, cluster, allowed)
        left_out = [
            _choose(scores, choice, calibration, restricted, nearest / reach)
            for choice in (everything, allowed)
        ]
        return cls(kernel, weights, calibration, restricted, reach, *left_out)

    def place(self, X: FloatArray, allowed: BoolArray | None = None) -> Places:
        """Place new instances.

        Parameters
        ----------
        X : ndarray, shape (n, n_features)
            Features, standardised as the training instances were.
        allowed : ndarray of bool, shape (n, n_clusters), optional
            Clusters that what is known of an instance leaves; by default all.

        Returns
        -------
        Places
            In blocks, so that memory stays small.
        """
        X = check_features(X)
        if allowed is None:
            # a view of one row's size
            allowed = np.broadcast_to(np.True_, (len(X), self.weights.shape[1]))
        parts = [self._place_block(X[rows], allowed[rows]) for rows in _blocks(len(X))]
        if not parts:
            none, nothing = np.empty(0, dtype=np.int64), np.empty(0)
            return Places(none, none, nothing, nothing)
        return Places(
            np.concatenate([part.cluster for part in parts]),
            np.concatenate([part.second for part in parts]),
            np.concatenate([part.score for part in parts]),
            np.concatenate([part.remoteness for part in parts]),
        )

    def _place_block(self, X: FloatArray, allowed: BoolArray) -> Places:
        squared = cdist(self.kernel.scaled(X), self.kernel.landmarks, "sqeuclidean")
        similar = np.exp(-self.kernel.gamma * squared)
        # A product for each row by itself: in a product of whole matrices the last digits of a
        # row depend on the rows beside it.
        with one_blas_thread():
            scores = np.matmul(similar[:, None, :], self.weights)[:, 0]
        remoteness = squared.min(axis=1) / self.reach
        return _choose(scores, allowed, self.calibration, self.restricted, remoteness)


def _blocks(n_rows: int) -> Iterator[slice]:
    for start in range(0, n_rows, _BLOCK_ROWS):
        yield slice(start, min(start + _BLOCK_ROWS, n_rows))


def _calibrate(
    scores: FloatArray, cluster: IntArray, allowed: BoolArray
) -> tuple[Calibration, Calibration]:
    """Calibrate the scores of all clusters, and those of the clusters that labels leave."""
    calibration = Calibration.fit(scores, cluster)
    fewer = ~allowed.all(axis=1) & allowed.any(axis=1)
    if not fewer.any():
        return calibration, calibration
    left = np.where(allowed[fewer], scores[fewer], -np.inf)
    return calibration, Calibration.fit(left, cluster[fewer])


def _choose(
    scores: FloatArray,
    allowed: BoolArray,
    calibration: Calibration,
    restricted: Calibration,
    remoteness: FloatArray,
) -> Places:
    """Take the allowed cluster of the largest score."""
    rows = np.arange(len(scores))
    left = np.where(allowed, scores, -np.inf)
    fewer = ~allowed.all(axis=1)
    score = np.empty(len(scores))
    score[~fewer] = calibration.largest(left[~fewer])
    score[fewer] = restricted.largest(left[fewer])
    cluster = _best(left)
    left[rows, cluster] = -np.inf
    return Places(cluster, _best(left), score, remoteness)


def _best(scores: FloatArray) -> IntArray:
    best = scores.argmax(axis=1)
    possible = np.isfinite(scores[np.arange(len(scores)), best])
    return np.where(possible, best, -1).astype(np.int64)


def _nearest_of_others(kernel: LandmarkKernel, X: FloatArray, group: IntArray) -> FloatArray:
    """Squared distance of training instances from the nearest landmark of another group.

    Infinite for the instances of the group that holds all landmarks, if there is such a group.
    """
    nearest = np.empty(len(X))
    for rows in _blocks(len(X)):
        squared = cdist(kernel.scaled(X[rows]), kernel.landmarks, "sqeuclidean")
        squared[group[rows, None] == group[kernel.rows]] = np.inf
        nearest[rows] = squared.min(axis=1)
    return nearest
