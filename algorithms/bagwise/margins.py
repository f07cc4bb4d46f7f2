"""Maximum-margin clustering of bags by the witness of each, from one start.

    minimise   J(W) = 1/2 ||W||^2 + C/n sum_i max(0, 1 - f(W, i))
    such that  |(w_p - w_q)'m| <= l  for every two clusters, m the sum of the bags' means

The margin f(W, i) of a bag is convex in W, so J is not. A step of CCCP holds the witness and the
cluster of every bag as they are at W_t, which makes the margins linear and none larger, and so J
convex and nowhere smaller, and the same at W_t.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from algorithms.bags import FloatArray, IntArray
from algorithms.bagwise.cutting_planes import CuttingPlanes, LinearHinges
from algorithms.layout import SortedBags

_NO_LENGTH = 1e-10  # of m, as a share of the sum of the lengths of what it is the sum of
_WITHIN = 0.1  # a step solved no better than `eps_cccp` of J could pass for the last one


@dataclass(frozen=True, eq=False)
class Witnesses:
    """The instance of each bag that tells most about it.

    Attributes
    ----------
    rows : ndarray of int64, shape (n,)
        Its row among the sorted instances; the first of those that tell as much.
    groups : ndarray of int64, shape (n,)
        Cluster of the bag: that which scores the witness highest, the lowest number of several.
    margins : ndarray, shape (n,)
        f(W, i) = k/(k-1) max_j (max_p w_p'x_ij - mean_p w_p'x_ij): how far the witness' cluster is
        ahead of the mean of the others.
    """

    rows: IntArray
    groups: IntArray
    margins: FloatArray


def find_witnesses(bags: SortedBags, weights: FloatArray) -> Witnesses:
    """Find the witness of every bag.

    Parameters
    ----------
    bags : SortedBags
    weights : ndarray, shape (k, d)
        W, with k from 2.
    """
    k = len(weights)
    scores = centred(weights) @ bags.X.T
    lead = scores.max(axis=0)  # over the mean of the scores, which is 0
    most = np.maximum.reduceat(lead, bags.starts)
    equal = np.flatnonzero(lead == np.repeat(most, bags.sizes))
    rows = equal[np.searchsorted(equal, bags.starts)]
    return Witnesses(rows, scores[:, rows].argmax(axis=0), k / (k - 1) * most)


def centred(weights: FloatArray) -> FloatArray:
    """Make the rows sum to 0, which changes no difference of scores."""
    moved: FloatArray = weights - weights.mean(axis=0)
    return moved


def balance_vector(bags: SortedBags) -> FloatArray:
    """m, the sum of the means of the bags; 0 where only rounding keeps it from that."""
    total: FloatArray = bags.means.sum(axis=0)
    if np.linalg.norm(total) <= _NO_LENGTH * np.linalg.norm(bags.means, axis=1).sum():
        return np.zeros_like(total)
    return total


@dataclass(frozen=True)
class MarginSettings:
    """What the objective weighs, and when to stop.

    Attributes
    ----------
    C, balance : float
        C above 0 and l from 0.
    eps_cccp : float
        A step that lowers J by no more than this share is the last.
    eps_planes : float
        How far a step's mean of hinges may be from the least; J by a tenth of `eps_cccp` at most.
    max_iter, max_planes : int
        Most steps, and most planes in one.
    """

    C: float
    balance: float
    eps_cccp: float = 0.01
    eps_planes: float = 0.01
    max_iter: int = 100
    max_planes: int = 200


@dataclass(frozen=True, eq=False)
class MarginRun:
    """What one start led to.

    Attributes
    ----------
    weights : ndarray, shape (k, d)
        W; its rows sum to 0.
    witnesses : Witnesses
        At W.
    objectives : ndarray, shape (n_steps,)
        J after every step; it does not rise.
    n_planes : int
        Planes of all steps.
    converged : bool
        Whether it stopped because J hardly fell.
    """

    weights: FloatArray
    witnesses: Witnesses
    objectives: FloatArray
    n_planes: int
    converged: bool

    @property
    def n_empty(self) -> int:
        """Number of clusters without bags."""
        return len(self.weights) - len(np.unique(self.witnesses.groups))


def maximise_margins(bags: SortedBags, start: FloatArray, settings: MarginSettings) -> MarginRun:
    """Lower J by CCCP.

    Parameters
    ----------
    bags : SortedBags
    start : ndarray, shape (k, d)
        W_0; only its direction matters.
    settings : MarginSettings

    Returns
    -------
    MarginRun

    References
    ----------
    Zhang, Wang, Si & Li (2011), Table 1, with J infinite before the first step. There a step starts
    from 0 and its planes are good to eps2 whatever J is, so that J may rise; here it starts from
    the last W, and goes down from there.
    """
    C, k = settings.C, len(start)
    planes = CuttingPlanes(balance_vector(bags), C, settings.balance, settings.max_planes)
    witnesses = find_witnesses(bags, start)
    weights, objective = np.zeros(start.shape), C  # J(0)
    objectives: list[float] = []
    converged = False
    while not converged and len(objectives) < settings.max_iter:
        hinges = LinearHinges(bags.X[witnesses.rows], witnesses.groups, k)
        tolerance = min(C * settings.eps_planes, _WITHIN * settings.eps_cccp * objective)
        weights = planes.minimise(hinges, weights, tolerance)
        witnesses = find_witnesses(bags, weights)
        before = objective
        objective = 0.5 * float((weights**2).sum())
        objective += C * float(np.maximum(0.0, 1.0 - witnesses.margins).mean())
        converged = bool(objectives) and before - objective <= settings.eps_cccp * before
        objectives.append(objective)
    return MarginRun(weights, witnesses, np.array(objectives), planes.n_planes, converged)


def best_run(runs: list[MarginRun]) -> int:
    """Number of the run with the fewest empty clusters, of these the one with the least J."""
    return min(range(len(runs)), key=lambda i: (runs[i].n_empty, runs[i].objectives[-1]))
