"""The cuts of maximum-margin clustering of instances, which no plane can hold for good.

A cut says of some instances that each should score higher in its own cluster than in a certain
rival, by 1 or the slack:

    mean over i of c_i (max_p w_p'x_i - w_r(i)'x_i)  >=  mean of c_i - xi,        c_i in {0, 1}.

The maximum makes that not convex in W. With p fixed to the best cluster p*(i) of the moment it is
a plane, <W, A> >= b - xi, and has to be drawn anew whenever the best clusters have changed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algorithms.bags import BoolArray, FloatArray, IntArray


class Contest(NamedTuple):
    """What instances score.

    Attributes
    ----------
    winner : ndarray of int64, shape (n_instances,)
        p*, the cluster in which each instance scores highest; the lowest of several.
    rival : ndarray of int64, shape (n_instances,)
        r*, the next one.
    margin : ndarray, shape (n_instances,)
        How much higher it scores in the first, from 0.
    """

    winner: IntArray
    rival: IntArray
    margin: FloatArray

    @classmethod
    def of(cls, scores: FloatArray) -> Contest:
        """Find the two best clusters of each row of scores, of two or more columns."""
        rows = np.arange(len(scores))
        winner = scores.argmax(axis=1)
        others = scores.copy()
        others[rows, winner] = -np.inf
        rival = others.argmax(axis=1)
        return cls(winner, rival, scores[rows, winner] - scores[rows, rival])

    @property
    def mean_hinge(self) -> float:
        """Mean of what the margins lack to 1: the violation of the most violated cut."""
        return float(np.maximum(0.0, 1.0 - self.margin).mean())


class Cuts:
    """A growing list of cuts.

    Parameters
    ----------
    X : ndarray, shape (n_instances, n_features)
        Instances.
    n_clusters : int
        Number of clusters, from 2.

    References
    ----------
    Zhao, Wang & Zhang, Efficient multiclass maximum margin clustering, ICML 2008.
    """

    def __init__(self, X: FloatArray, n_clusters: int) -> None:
        self._X = X
        self._k = n_clusters
        self._members = np.empty((0, len(X)), dtype=np.bool_)  # c_i of every cut
        # What rivals put into every plane, which never changes.
        self._against = np.empty((0, n_clusters, X.shape[1]))
        # What winners put into the planes that were drawn last, and who they were.
        self._in_favour: FloatArray | None = None
        self._winner = np.empty(0, dtype=np.int64)

    def __len__(self) -> int:
        return len(self._members)

    def add(self, contest: Contest) -> None:
        """Add the cut that is violated most: all instances that lack margin, against their rivals.

        Parameters
        ----------
        contest : Contest
            What the instances score now.
        """
        members = (contest.margin < 1.0)[None]
        self._members = np.concatenate([self._members, members])
        against = self._sums(members, contest.rival, np.arange(len(self._X)))
        self._against = np.concatenate([self._against, against])
        self._in_favour = None

    def planes(self, winner: IntArray) -> tuple[FloatArray, FloatArray]:
        """Draw the planes of all cuts.

        Parameters
        ----------
        winner : ndarray of int64, shape (n_instances,)
            Best cluster of each instance now, p*.

        Returns
        -------
        planes : ndarray, shape (n_cuts, n_clusters, n_features)
            A: row p is 1/n times the sum of c_i ([p = p*(i)] - [p = r(i)]) x_i.
        offsets : ndarray, shape (n_cuts,)
            b, the mean of c_i.
        """
        if self._in_favour is None:
            everyone = np.arange(len(self._X))
            self._in_favour = self._sums(self._members, winner, everyone)
        else:  # in one step of CCCP only few change
            changed = np.flatnonzero(winner != self._winner)
            self._in_favour += self._sums(self._members, winner, changed)
            self._in_favour -= self._sums(self._members, self._winner, changed)
        self._winner = winner
        planes = (self._in_favour - self._against) / len(self._X)
        return planes, self._members.mean(axis=1)

    def _sums(self, members: BoolArray, cluster: IntArray, rows: IntArray) -> FloatArray:
        """Sum those of some rows that are in each set and cluster, shape (n_sets, k, d)."""
        rows = rows[np.argsort(cluster[rows], kind="stable")]
        ends = np.searchsorted(cluster[rows], np.arange(self._k + 1))
        chosen, X = members[:, rows].astype(np.float64), self._X[rows]
        runs = [slice(ends[p], ends[p + 1]) for p in range(self._k)]
        return np.stack([chosen[:, run] @ X[run] for run in runs], axis=1)
