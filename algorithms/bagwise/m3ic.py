"""M3IC-MBM: maximum-margin clustering of bags by the witness of each."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any, Self

import numpy as np

from algorithms.bags import Bags, BoolArray, FloatArray, IntArray
from algorithms.bagwise.linear_scores import (
    Scaling,
    check_margin_options,
    random_starts,
    unit_length,
)
from algorithms.bagwise.margins import (
    MarginRun,
    MarginSettings,
    best_run,
    find_witnesses,
    maximise_margins,
)
from algorithms.base import BagClusterer
from algorithms.checks import Seed, check_bagwise, check_fitted, check_new_bags
from algorithms.errors import ClusteringWarning
from algorithms.layout import SortedBags, sorted_bags
from algorithms.threads import one_thread


class M3IC(BagClusterer):
    """Maximum-margin clustering of bags, each judged by the instance that tells most about it.

    Every group has a weight vector. The witness of a bag is the instance for which one group scores
    most above the mean of the others; that group gets the bag. Weights are sought that are short
    and leave few bags whose witness is ahead by less than 1 (:mod:`algorithms.bagwise.margins`),
    while no two groups' scores, summed over the means of all bags, differ by more than `balance`.
    From each of `n_init` random starts the objective J is lowered step by step (CCCP, and cutting
    planes within a step); the run of least J is kept.

    Parameters
    ----------
    n_clusters : int
        Number of groups k.
    random_state : int or None
        Seed; None takes a new one every time.
    C : float
        Weight of bags that lack margin against the length of the weights; above 0. If it is small,
        groups may stay empty.
    balance : float
        l, from 0. As it bounds sums over bags, it weighs less the fewer they are.
    n_init : int
        Random starts. Of the runs with the fewest empty groups the one of least J is kept.
    scaling : {"center", "unit", "none"}
        What is done to the instances: shifted so that the means of the bags have the mean 0, which
        takes the place of `balance`; brought to length 1 (all 0 stays 0), with which C should be 8
        or more; or nothing. No boundary has an offset, so with "none" it matters where 0 is.
    eps_cccp : float
        A step that lowers J by no more than this share is the last.
    eps_planes : float
        How exactly a step is solved: to `eps_planes` in the mean of what bags lack in margin, but
        always to a tenth of `eps_cccp` in J, or an unfinished step would pass for the last one.
    max_iter, max_planes : int
        Most steps of a run, and most planes in a step.

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n_bags,)
        Group of each bag; -1 for bags without instances.
    witnesses_ : ndarray of int64, shape (n_bags,)
        Row in ``Bags.X`` of the witness of each bag, the first of several; -1 for bags without
        instances.
    strength_ : ndarray, shape (n_bags,)
        Margin: how far the witness' group is ahead of the mean of the others. nan for bags without
        instances.
    coef_ : ndarray, shape (n_clusters, n_features)
        Weights, for instances scaled as those of the fit; they sum to 0 over the groups. 0 for
        features that are constant, which are left out.
    objective_ : float
        J of the kept run.
    objectives_ : ndarray, shape (n_steps,)
        J after each of its steps; it never rises.
    run_objectives_ : ndarray, shape (n_init,)
        J of all runs.
    run_labels_ : ndarray of int64, shape (n_init, n_bags)
        Groups of all runs.
    n_iter_ : int
        Number of its steps.
    n_planes_ : int
        Cutting planes of the kept run, in all its steps.
    converged_ : bool
        Whether it stopped because J hardly fell any more.

    Notes
    -----
    With one group there is no margin: every bag is in group 0, its first instance is the witness,
    and strengths, weights and J are 0.

    References
    ----------
    Zhang, Wang, Si & Li, Maximum margin multiple instance clustering with applications to image and
    text clustering, IEEE Transactions on Neural Networks 22 (2011), equations (14) to (31) and
    Table 1.
    """

    labels_: IntArray
    witnesses_: IntArray
    strength_: FloatArray
    coef_: FloatArray
    objective_: float
    objectives_: FloatArray
    run_objectives_: FloatArray
    run_labels_: IntArray
    n_iter_: int
    n_planes_: int
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
        max_iter: int = 100,
        max_planes: int = 200,
    ) -> None:
        self.n_clusters = n_clusters
        self.random_state = random_state
        self.C = C
        self.balance = balance
        self.n_init = n_init
        self.scaling = scaling
        self.eps_cccp = eps_cccp
        self.eps_planes = eps_planes
        self.max_iter = max_iter
        self.max_planes = max_planes

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
            When groups are left without a bag, or J was still falling after `max_iter` steps.
        """
        self._accept(bags)
        check_margin_options(self, ("n_init", "max_iter", "max_planes"))
        check_bagwise(bags, self.n_clusters)
        return self._fit_sorted(sorted_bags(bags))

    def _fit_sorted(self, layout: SortedBags) -> Self:
        n_features = layout.X.shape[1]
        self._varies: BoolArray = _varying(layout.X)
        self._centre = _centre(layout) if self.scaling == "center" else np.zeros(n_features)
        if self.n_clusters == 1:
            return self._fit_one_group(layout)
        # On one thread: sums split over several differ in their last bits.
        with one_thread():
            scaled = self._scaled(layout)
            starts = self._starts(scaled.X.shape[1])
            runs = [maximise_margins(scaled, start, self._settings()) for start in starts]
        kept = runs[best_run(runs)]
        self.coef_ = np.zeros((self.n_clusters, n_features))
        self.coef_[:, self._varies] = kept.weights
        self.labels_ = layout.to_bags(kept.witnesses.groups, -1)
        self.witnesses_ = layout.to_bags(layout.order[kept.witnesses.rows], -1)
        self.strength_ = layout.to_bags(kept.witnesses.margins, np.nan)
        self.objectives_, self.objective_ = kept.objectives, float(kept.objectives[-1])
        self.n_iter_ = len(kept.objectives)
        self.n_planes_, self.converged_ = kept.n_planes, kept.converged
        self.run_objectives_ = np.array([run.objectives[-1] for run in runs])
        self.run_labels_ = np.array([layout.to_bags(run.witnesses.groups, -1) for run in runs])
        self._warn(kept)
        return self

    def predict(self, bags: Bags) -> IntArray:
        """Put new bags into the groups of the fit, each by its own witness.

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
        filled = check_new_bags(bags, self.coef_.shape[1])
        if not len(filled) or len(self.coef_) == 1:
            return np.where(bags.sizes > 0, 0, -1).astype(np.int64)
        layout = sorted_bags(bags)
        with one_thread():
            witnesses = find_witnesses(self._scaled(layout), self.coef_[:, self._varies])
        return layout.to_bags(witnesses.groups, -1)

    def _starts(self, n_features: int) -> list[FloatArray]:
        """W_0 of every run, shape (n_clusters, n_features) each; constant features left out."""
        return random_starts(self.random_state, self.n_init, (self.n_clusters, n_features))

    def _scaled(self, layout: SortedBags) -> SortedBags:
        X = layout.X - self._centre
        # Feature by feature in memory: sums over the instances of a bag are several times as fast.
        X = np.asfortranarray(X if self._varies.all() else X[:, self._varies])
        return replace(layout, X=unit_length(X) if self.scaling == "unit" else X)

    def _settings(self) -> MarginSettings:
        return MarginSettings(
            float(self.C),
            float(self.balance),
            self.eps_cccp,
            self.eps_planes,
            self.max_iter,
            self.max_planes,
        )

    def _fit_one_group(self, layout: SortedBags) -> Self:
        self.labels_ = layout.to_bags(np.zeros(layout.n_filled, dtype=np.int64), -1)
        self.witnesses_ = layout.to_bags(layout.order[layout.starts], -1)
        self.strength_ = layout.to_bags(np.zeros(layout.n_filled), np.nan)
        self.coef_ = np.zeros((1, layout.X.shape[1]))
        self.objectives_, self.objective_ = np.empty(0), 0.0
        self.run_objectives_ = np.zeros(self.n_init)
        self.run_labels_ = np.tile(self.labels_, (self.n_init, 1))
        self.n_iter_, self.n_planes_, self.converged_ = 0, 0, True
        return self

    def _warn(self, kept: MarginRun) -> None:
        if kept.n_empty:
            warnings.warn(
                f"{kept.n_empty} of {self.n_clusters} groups are without a bag: ask for fewer "
                "groups, or raise C",
                ClusteringWarning,
                stacklevel=4,
            )
        if not kept.converged:
            warnings.warn(
                f"the objective was still falling after {self.max_iter} steps: raise max_iter",
                ClusteringWarning,
                stacklevel=4,
            )


def _centre(layout: SortedBags) -> FloatArray:
    """Mean of the means of the bags."""
    centre: FloatArray = layout.means.mean(axis=0)
    return centre


def _varying(X: FloatArray) -> BoolArray:
    """Tell which features are not the same everywhere."""
    varies: BoolArray = X[0] != X[-1]
    same = np.flatnonzero(~varies)
    varies[same] = (X[:, same] != X[0, same]).any(axis=0)
    return varies
