"""CPM3C: maximum-margin clustering of instances by cutting planes; bags by majority."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any, Self

import numpy as np

from algorithms.bags import Bags, FloatArray, IntArray
from algorithms.bagwise.balanced_qp import BalancedQP
from algorithms.bagwise.instance_cuts import Contest, Cuts
from algorithms.bagwise.linear_scores import (
    Scaling,
    check_margin_options,
    random_starts,
    unit_length,
)
from algorithms.bagwise.voting import majority_vote
from algorithms.base import BagClusterer
from algorithms.checks import Seed, check_bagwise, check_fitted, check_new_bags
from algorithms.errors import ClusteringWarning
from algorithms.layout import SortedBags, sorted_bags
from algorithms.threads import one_thread

_MAX_STEPS = 100  # of CCCP in one round; it takes a few
_ROUNDING = 1e-9  # sums below this share of their terms' sizes are 0 but for rounding


class _Run:
    """The cutting planes from one start.

    Attributes
    ----------
    weights : ndarray, shape (k, d)
        Those of least objective so far.
    objective : float
        Their objective.
    n_empty : int
        Number of clusters that have no instance under them.
    cuts : Cuts
        The cuts so far.
    converged : bool
        Whether no cut is violated any more.
    """

    def __init__(self, X: FloatArray, start: FloatArray, *, C: float, balance: float) -> None:
        self._X, self._C = X, C
        self._qp = BalancedQP(_balance_vector(X), len(start), C, balance)
        self.cuts = Cuts(X, len(start))
        self.weights, self.objective, self.n_empty = start, np.inf, 0
        self.converged = False
        # Only the direction of a random start means anything. It is made so short that every
        # instance lacks margin, and the first cut is of them all.
        contest = Contest.of(X @ start.T)
        longest = float(contest.margin.max()) or 1.0
        self._contest = contest._replace(margin=0.5 * contest.margin / longest)

    def go(self, *, eps_cccp: float, eps_planes: float, max_rounds: int) -> Self:
        """Add cuts until none is violated, or there are `max_rounds`."""
        slack = 0.0
        while not self.converged and len(self.cuts) < max_rounds:
            self.cuts.add(self._contest)
            slack = self._descend(eps_cccp)
            self.converged = self._contest.mean_hinge <= slack + eps_planes
        return self

    def _descend(self, eps: float) -> float:
        """CCCP on the cuts that there are; gives the slack in the end."""
        previous = np.inf
        for _ in range(_MAX_STEPS):
            self._qp.replace_planes(*self.cuts.planes(self._contest.winner))
            solution = self._qp.solve()
            self._contest = Contest.of(self._X @ solution.weights.T)
            self._keep(solution.weights)
            if solution.objective >= (1.0 - eps) * previous:
                break
            previous = solution.objective
        return solution.slack

    def _keep(self, weights: FloatArray) -> None:
        objective = 0.5 * float((weights**2).sum()) + self._C * self._contest.mean_hinge
        if objective < self.objective:
            self.weights, self.objective = weights, objective
            self.n_empty = len(weights) - len(np.unique(self._contest.winner))


class CPM3C(BagClusterer):
    """Maximum-margin clustering of instances; the group of a bag is that of most of its instances.

    With w_1 .. w_k the weights and p*(i) the cluster in which instance i scores highest:

        minimise   1/2 sum ||w_p||^2 + C/n sum_i xi_i
        such that  w_p*(i)'x_i - w_r'x_i >= 1 - xi_i       for every i and every r other than p*(i)
                   |(w_p - w_q)' sum_i x_i| <= balance     for every p and q.

    In each round, at most `max_rounds` of them, the cut that is violated most is added, then CCCP:
    all cuts as planes with p* as it is, the quadratic program solved, p* anew, until the objective
    changes by less than `eps_cccp`. Nothing makes these rounds converge, so the weights of least
    objective of all that came up are kept.

    Parameters
    ----------
    n_clusters : int
        Number of groups k.
    random_state : int or None
        Seed; None takes a new one every time.
    C : float
        Weight of instances that lack margin; above 0.
    balance : float
        How much the scores of two clusters, summed over all instances, may differ; from 0.
    n_init : int
        Random starts. Of those in which no cluster is empty (of all, if there are none), the one of
        least objective is kept.
    scaling : {"center", "unit", "none"}
        What is done to the instances: shifted so that their mean is 0, which makes up for
        `balance`; brought to length 1 (all 0 stays 0); or nothing. No boundary has an offset, so
        without "center" it matters where 0 is.
    eps_cccp : float
        Relative change of the objective at which a round ends.
    eps_planes : float
        Violation, beyond the slack, that is let pass.
    max_rounds : int
        Most cuts of a run.

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n_bags,)
        Group of each bag; -1 for bags without instances. Where several clusters have as many of a
        bag's instances, the one with the largest sum of scores over all of the bag's instances.
    instance_labels_ : ndarray of int64, shape (n_instances,)
        Cluster p* of each instance.
    strength_ : ndarray, shape (n_bags,)
        Mean over the bag's instances of the score in the bag's group less the best other score;
        nan for bags without instances.
    coef_ : ndarray, shape (n_clusters, n_features)
        Weights, for instances scaled as those of the fit; 0 with one cluster.
    objective_ : float
        Objective of the kept run, with the slacks that the weights really need.
    run_objectives_ : ndarray, shape (n_init,)
        Objectives of all runs.
    n_cuts_ : int
        Number of cuts of the kept run.
    converged_ : bool
        Whether it ended because no cut was violated any more.

    References
    ----------
    Zhao, Wang & Zhang, Efficient multiclass maximum margin clustering, ICML 2008. As a baseline for
    bags, with at most 20 rounds: Zhang, Wang, Si & Li, Maximum margin multiple instance clustering,
    IEEE Transactions on Neural Networks 22 (2011), section 4.2.
    """

    labels_: IntArray
    instance_labels_: IntArray
    strength_: FloatArray
    coef_: FloatArray
    objective_: float
    run_objectives_: FloatArray
    n_cuts_: int
    converged_: bool

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        random_state: Seed = 0,
        C: float = 0.25,
        balance: float = 0.5,
        n_init: int = 5,
        scaling: Scaling = "center",
        eps_cccp: float = 0.01,
        eps_planes: float = 0.01,
        max_rounds: int = 20,
    ) -> None:
        self.n_clusters = n_clusters
        self.random_state = random_state
        self.C = C
        self.balance = balance
        self.n_init = n_init
        self.scaling = scaling
        self.eps_cccp = eps_cccp
        self.eps_planes = eps_planes
        self.max_rounds = max_rounds

    def fit(self, bags: Bags, y: Any = None) -> Self:
        """Group `bags`.

        Features of different units should be standardised first, with
        :func:`algorithms.preprocessing.standardize`.

        Parameters
        ----------
        bags : Bags
            Their labels play no part.

        Raises
        ------
        ClusteringError
            When parameters are out of range or do not fit the data.

        Warns
        -----
        ClusteringWarning
            When groups are left without a bag.
        """
        self._accept(bags)
        check_margin_options(self, ("n_init", "max_rounds"))
        check_bagwise(bags, self.n_clusters)
        layout = sorted_bags(bags)
        self._centre = layout.X.mean(axis=0) if self.scaling == "center" else 0.0
        # On one thread: sums split over several differ in their last bits.
        with one_thread():
            scaled = self._scaled(layout)
            self._fit_weights(scaled.X)
            self.labels_, clusters, self.strength_ = self._place(scaled)
        self.instance_labels_ = np.empty_like(clusters)
        self.instance_labels_[layout.order] = clusters
        empty = np.setdiff1d(np.arange(self.n_clusters), self.labels_)
        if len(empty):
            warnings.warn(
                f"{len(empty)} of {self.n_clusters} groups are without a bag: ask for fewer "
                "groups, or try another C, balance or random_state",
                ClusteringWarning,
                stacklevel=2,
            )
        return self

    def predict(self, bags: Bags) -> IntArray:
        """Put new bags into the groups of the fit.

        Parameters
        ----------
        bags : Bags
            New bags, their features on the scale of those of the fit.

        Returns
        -------
        ndarray of int64, shape (n_bags,)
            Groups; -1 for bags without instances.

        Raises
        ------
        ClusteringError
            When the number of features differs, or nothing has been fitted.
        """
        check_fitted(self)
        if not len(check_new_bags(bags, self.coef_.shape[1])):
            return np.full(bags.n_bags, -1, dtype=np.int64)
        with one_thread():
            return self._place(self._scaled(sorted_bags(bags)))[0]

    def _scaled(self, layout: SortedBags) -> SortedBags:
        X = layout.X - self._centre
        return replace(layout, X=unit_length(X) if self.scaling == "unit" else X)

    def _fit_weights(self, X: FloatArray) -> None:
        if self.n_clusters == 1:  # no margin to speak of
            self.coef_, self.objective_ = np.zeros((1, X.shape[1])), 0.0
            self.run_objectives_, self.n_cuts_, self.converged_ = np.zeros(1), 0, True
            return
        runs = [
            _Run(X, start, C=float(self.C), balance=float(self.balance)).go(
                eps_cccp=self.eps_cccp, eps_planes=self.eps_planes, max_rounds=self.max_rounds
            )
            for start in random_starts(
                self.random_state, self.n_init, (self.n_clusters, X.shape[1])
            )
        ]
        kept = min(runs, key=lambda run: (run.n_empty > 0, run.objective))
        self.coef_, self.objective_ = kept.weights, kept.objective
        self.run_objectives_ = np.array([run.objective for run in runs])
        self.n_cuts_, self.converged_ = len(kept.cuts), kept.converged

    def _place(self, layout: SortedBags) -> tuple[IntArray, IntArray, FloatArray]:
        """Group and strength of bags of which one has instances, and the cluster of instances."""
        scores = layout.X @ self.coef_.T
        clusters = scores.argmax(axis=1)
        groups, _ = majority_vote(layout, clusters, scores)
        own = groups[layout.run]
        rows = np.arange(len(scores))
        margins = scores[rows, own].copy()
        if self.n_clusters > 1:
            scores[rows, own] = -np.inf
            margins -= scores.max(axis=1)
        strength = np.add.reduceat(margins, layout.starts) / layout.sizes
        return layout.to_bags(groups, -1), clusters, layout.to_bags(strength, np.nan)


def _balance_vector(X: FloatArray) -> FloatArray:
    """Sum of all instances; 0 where only rounding keeps it from that."""
    total: FloatArray = X.sum(axis=0)
    total[np.abs(total) <= _ROUNDING * np.abs(X).sum(axis=0)] = 0.0
    return total
