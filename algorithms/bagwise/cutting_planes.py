"""A convex step of maximum-margin clustering of bags, solved by cutting planes.

    minimise   1/2 ||W||^2 + C/n sum_i max(0, 1 - <W, G_i>)
    such that  |(w_p - w_q)'m| <= l  for every two clusters

The mean of the hinges is the largest of linear functions of W: for each set of bags, the sum of
1 - <W, G_i> over it, divided by n. They are the planes, few of which matter.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from algorithms.bags import BoolArray, FloatArray, IntArray
from algorithms.bagwise.balanced_qp import BalancedQP

_PRESSING = 1e-6  # planes with a smaller share of C are dropped
_AHEAD = 0.1  # part of the way from the best W to the program's at which the next plane touches
_LEAST_GAP = 1e-8  # share of C; the program's solver is about as exact


class LinearHinges:
    """The hinges of bags whose witness and cluster stay as they are.

    G_i has k/(k-1) ([p = u] - 1/k) x in row p, x being the witness and u the cluster. As the rows
    of every W sum to 0 here, <W, G_i> = k/(k-1) w_u'x. Bags are held in the order of their
    clusters, so that every product is one of matrices.

    Parameters
    ----------
    witnesses : ndarray, shape (n, d)
        The witness of each bag.
    groups : ndarray of int64, shape (n,)
        Its cluster, 0 .. k - 1.
    k : int
        Number of clusters, from 2.
    """

    def __init__(self, witnesses: FloatArray, groups: IntArray, k: int) -> None:
        self._order = np.argsort(groups, kind="stable")
        self._X = witnesses[self._order]
        ends = np.searchsorted(groups[self._order], np.arange(k + 1))
        self._runs = [slice(ends[p], ends[p + 1]) for p in range(k)]
        self._factor = k / (k - 1)

    def losses(self, weights: FloatArray) -> FloatArray:
        """1 - <W, G_i> of every bag, shape (n,); the hinges are these where above 0."""
        scores = np.empty(len(self._order))
        for p, run in enumerate(self._runs):
            scores[run] = self._X[run] @ weights[p]
        losses = np.empty(len(scores))
        losses[self._order] = 1.0 - self._factor * scores
        return losses

    def planes(self, sets: BoolArray) -> tuple[FloatArray, FloatArray]:
        """Planes of sets of bags.

        Parameters
        ----------
        sets : ndarray of bool, shape (n_sets, n)
            The bags in each set.

        Returns
        -------
        planes : ndarray, shape (n_sets, k, d)
            The sum of G_i over the set, divided by n.
        offsets : ndarray, shape (n_sets,)
            The set's share of all bags.
        """
        n = len(self._order)
        members = sets[:, self._order].astype(np.float64)
        sums = np.stack([members[:, run] @ self._X[run] for run in self._runs], axis=1)
        planes = (self._factor / n) * (sums - sums.mean(axis=1, keepdims=True))
        return planes, members.sum(axis=1) / n


@dataclass(frozen=True, eq=False)
class Point:
    """A matrix of weights, and what the bags lose by it.

    Attributes
    ----------
    weights : ndarray, shape (k, d)
        W.
    losses : ndarray, shape (n,)
        1 - <W, G_i> of every bag.
    """

    weights: FloatArray
    losses: FloatArray

    def objective(self, C: float) -> float:
        """1/2 ||W||^2 + C times the mean of the hinges."""
        hinges = np.maximum(self.losses, 0.0)
        return 0.5 * float((self.weights**2).sum()) + C * float(hinges.mean())

    def towards(self, other: Point, share: float) -> Point:
        """Go a share of the way to another point."""
        return Point(
            self.weights + share * (other.weights - self.weights),
            self.losses + share * (other.losses - self.losses),
        )


class CuttingPlanes:
    """Solver of one convex step after another, each from the planes that mattered in the last.

    Two things are added to the published algorithm, which take nothing from what it finds: planes
    that no longer press are dropped, and, as in Franc & Sonnenburg, the best W so far moves to the
    lowest point on the way to the program's, near which the next plane touches. Without them two
    to three times as many planes are needed, and each program is larger.

    Parameters
    ----------
    balance_vector : ndarray, shape (d,)
        m.
    C, balance : float
        C above 0 and l from 0.
    max_planes : int
        Most programs solved in a step.

    Attributes
    ----------
    n_planes : int
        Planes found so far, in all steps.

    References
    ----------
    Joachims, Training linear SVMs in linear time, KDD 2006; Zhang, Wang, Si & Li (2011), section
    III-C. Franc & Sonnenburg, Optimized cutting plane algorithm for large-scale risk minimization,
    JMLR 10, 2009.
    """

    def __init__(
        self, balance_vector: FloatArray, C: float, balance: float, max_planes: int
    ) -> None:
        self._balance_vector, self._C, self._balance = balance_vector, C, balance
        self._max_planes = max_planes
        self._sets: BoolArray | None = None  # of the planes that pressed in the last step
        self.n_planes = 0

    def minimise(self, hinges: LinearHinges, weights: FloatArray, tolerance: float) -> FloatArray:
        """Solve one step.

        Parameters
        ----------
        hinges : LinearHinges
        weights : ndarray, shape (k, d)
            Where to start; W must keep the balance, and its rows sum to 0.
        tolerance : float
            By how much the objective may exceed the least.

        Returns
        -------
        ndarray, shape (k, d)
            W, of which the objective is nowhere above that of the start. Its rows sum to 0.
        """
        C, tolerance = self._C, max(tolerance, _LEAST_GAP * self._C)
        best = Point(weights, hinges.losses(weights))
        sets = np.atleast_2d(best.losses > 0) if self._sets is None else self._sets
        program = BalancedQP(self._balance_vector, len(weights), C, self._balance)
        program.add_planes(*hinges.planes(sets))
        self.n_planes += self._sets is None
        below = -np.inf
        for _ in range(self._max_planes):
            solution = program.solve()
            target = Point(solution.weights, hinges.losses(solution.weights))
            best = best.towards(target, lowest_share(best, target, C))
            kept = solution.multipliers > _PRESSING * C
            if best.objective(C) - solution.objective <= tolerance:
                break
            # A plane that touches at the program's own W always raises what the program finds.
            ahead = _AHEAD if solution.objective > below else 1.0
            below = solution.objective
            touched = best.towards(target, ahead).losses > 0
            program.keep_planes(kept)
            program.add_planes(*hinges.planes(touched[None]))
            self.n_planes += 1
            sets, kept = np.vstack([sets[kept], touched]), np.append(kept[kept], True)
        self._sets = sets[kept]
        return best.weights


def lowest_share(start: Point, end: Point, C: float) -> float:
    """Find the share of the way from one point to another after which the objective is least.

    Its slope rises with the way, and by C/n times |slope of the loss| where a loss passes 0.

    Parameters
    ----------
    start, end : Point
    C : float
        Weight of the mean of the hinges.

    Returns
    -------
    float
        0 to 1.
    """
    way, slopes = end.weights - start.weights, end.losses - start.losses
    curvature, n = float((way**2).sum()), len(slopes)
    crossing = np.flatnonzero(start.losses * end.losses < 0)
    shares = -start.losses[crossing] / slopes[crossing]
    order = np.argsort(shares)
    shares = np.concatenate([[0.0], shares[order], [1.0]])
    lossy = np.where(start.losses == 0, end.losses, start.losses) > 0
    first = float((start.weights * way).sum()) + C / n * float(slopes[lossy].sum())
    jumps = C / n * np.abs(slopes[crossing[order]])
    rising = first + np.concatenate([[0.0], jumps.cumsum()])  # slope after each, way left out
    turn = int(np.searchsorted(rising + shares[1:] * curvature, 0.0))
    if turn == len(rising):
        return 1.0
    if curvature == 0:
        return float(shares[turn])
    return float(np.clip(-rising[turn] / curvature, shares[turn], shares[turn + 1]))
