"""MILBoost: small trees of instances, boosted until a noisy-or of each bag fits its label."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize_scalar
from scipy.special import log_expit

from algorithms.bags import BoolArray, FloatArray
from algorithms.checks import Seed, check_count
from algorithms.layout import SortedBags
from algorithms.mil.base import BagAnnotator

_LARGEST_STEP = 10.0  # where everything is told apart, the likelihood grows with any step
_SMALLEST_STEP = 1e-6
_SMALLEST_WEIGHT = 1e-9  # below this, every bag is fitted
_LEAST_LOG = -np.finfo(np.float64).tiny  # log(1 - p) of bags that are impossible to all digits


@dataclass(frozen=True, eq=False)
class _Instances:
    """The training instances, also as the trees take them."""

    runs: SortedBags
    X: npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Committee:
    """Trees that vote 1 or -1 for instances.

    Attributes
    ----------
    start : float
        Score of an instance before any vote.
    trees : list
        Fitted trees.
    steps : list of float
        What the vote of each counts.
    """

    start: float
    trees: list[Any]
    steps: list[float]

    def score(self, X: npt.NDArray[np.float32]) -> FloatArray:
        """Score instances.

        Parameters
        ----------
        X : ndarray of float32, shape (n, n_features)
            Instances.

        Returns
        -------
        ndarray, shape (n,)
            Log odds.
        """
        scores = np.full(len(X), self.start)
        for tree, step in zip(self.trees, self.steps, strict=True):
            scores += step * _votes(tree, X)
        return scores


class MILBoost(BagAnnotator[_Instances, Committee]):
    r"""Boosting of instance classifiers under the noisy-or of their bags.

    An instance of score h is positive with probability :math:`p_j = 1 / (1 + e^{-h_j})`, its bag if
    any instance is, :math:`p = 1 - \prod_j (1 - p_j)`. Every round weights the instances by the
    slope of the log likelihood in their scores, :math:`p_j (1 - p) / p` in positive and
    :math:`-p_j` in negative bags, fits a tree that votes 1 or -1 to the weighted signs, and adds as
    much of its vote as is best for the likelihood. The score of a bag is its log odds.

    Parameters
    ----------
    random_state : int or None
        Seed of the trees, which choose at random between equal splits; None takes a new one every
        time.
    n_rounds : int
        Most trees; fewer when every bag is fitted or no tree helps.
    max_depth : int
        Depth of the trees; 1 for stumps.

    Notes
    -----
    Scores start from the constant that is best for the likelihood, where the weights of positive
    and negative bags are equal; the first trees would else do nothing but find it.

    References
    ----------
    Viola, Platt & Zhang, Multiple instance boosting for object detection, NIPS 2005, section 2.
    """

    def __init__(self, *, random_state: Seed = 0, n_rounds: int = 100, max_depth: int = 1) -> None:
        self.random_state = random_state
        self.n_rounds = n_rounds
        self.max_depth = max_depth

    def _check_parameters(self) -> None:
        check_count("n_rounds", self.n_rounds)
        check_count("max_depth", self.max_depth)

    def _prepare(self, train: SortedBags, seed: int) -> _Instances:
        return _Instances(train, train.X.astype(np.float32))

    def _fit_class(self, prepared: _Instances, positive: BoolArray, seed: int) -> Committee:
        from sklearn.tree import DecisionTreeClassifier

        runs = prepared.runs
        in_positive = positive[runs.run]
        nothing, everywhere = np.zeros(len(runs.X)), np.ones(len(runs.X))
        committee = Committee(
            _best_step(nothing, everywhere, positive, runs, least=-_LARGEST_STEP), [], []
        )
        scores = nothing + committee.start
        for tree_seed in np.random.default_rng(seed).integers(1 << 31, size=self.n_rounds):
            weights = np.abs(log_likelihood(scores, positive, runs)[1])
            if weights.max() < _SMALLEST_WEIGHT:
                break
            tree = DecisionTreeClassifier(max_depth=self.max_depth, random_state=int(tree_seed))
            tree.fit(prepared.X, in_positive, sample_weight=weights / weights.mean())
            votes = _votes(tree, prepared.X)
            step = _best_step(scores, votes, positive, runs)
            if step < _SMALLEST_STEP:
                break
            scores += step * votes
            committee.trees.append(tree)
            committee.steps.append(step)
        return committee

    def _score(self, bags: SortedBags, models: list[Committee]) -> FloatArray:
        X = bags.X.astype(np.float32)
        return np.column_stack([noisy_or(committee.score(X), bags) for committee in models])


def noisy_or(scores: FloatArray, runs: SortedBags) -> FloatArray:
    """Compute the log odds of bags in which any instance makes the bag positive.

    Parameters
    ----------
    scores : ndarray, shape (n_instances,)
        Log odds of every instance.
    runs : SortedBags
        Where the bags are.

    Returns
    -------
    ndarray, shape (n_filled,)
        log(p / (1 - p)).
    """
    log_positive, log_negative = _log_probabilities(scores, runs)
    return log_positive - log_negative


def log_likelihood(
    scores: FloatArray, positive: BoolArray, runs: SortedBags
) -> tuple[float, FloatArray]:
    """Compute the log likelihood of the labels of bags, and its slope in every score.

    Parameters
    ----------
    scores : ndarray, shape (n_instances,)
        Log odds of every instance.
    positive : ndarray of bool, shape (n_filled,)
        Labels.
    runs : SortedBags
        Where the bags are.

    Returns
    -------
    value : float
    slope : ndarray, shape (n_instances,)
        From 0 in positive bags, up to 0 in negative ones.
    """
    log_positive, log_negative = _log_probabilities(scores, runs)
    factor = np.where(positive, np.exp(log_negative - log_positive), -1.0)
    slope = np.exp(log_expit(scores)) * factor[runs.run]
    return float(np.where(positive, log_positive, log_negative).sum()), slope


def _log_probabilities(scores: FloatArray, runs: SortedBags) -> tuple[FloatArray, FloatArray]:
    """Logarithms of the probability that each bag is positive, and that it is negative."""
    log_negative = np.minimum(np.add.reduceat(log_expit(-scores), runs.starts), _LEAST_LOG)
    return np.log(-np.expm1(log_negative)), log_negative


def _best_step(
    scores: FloatArray,
    direction: FloatArray,
    positive: BoolArray,
    runs: SortedBags,
    *,
    least: float = 0.0,
) -> float:
    """How far to go in a direction for the largest likelihood."""

    def loss(step: float) -> float:
        log_positive, log_negative = _log_probabilities(scores + step * direction, runs)
        return -float(np.where(positive, log_positive, log_negative).sum())

    return float(minimize_scalar(loss, bounds=(least, _LARGEST_STEP), method="bounded").x)


def _votes(tree: Any, X: npt.NDArray[np.float32]) -> FloatArray:
    votes: FloatArray = np.where(tree.predict(X, check_input=False), 1.0, -1.0)
    return votes
