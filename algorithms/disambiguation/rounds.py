"""The rounds in which posteriors and what they predict of left-out bags settle."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from algorithms.bags import BoolArray, FloatArray, IntArray
from algorithms.disambiguation.leave_bag_out import LeaveBagOutRidge
from algorithms.disambiguation.occupancy import occupy
from algorithms.disambiguation.reliability import Belief, believe_all, judge_lists

LACKING_FROM_ROUND = 4
"""Lists may lack classes from this round on: before, predictions say too little of that."""


@dataclass(frozen=True, eq=False)
class Candidates:
    """What each of the instances at hand may be; the last class is background.

    Attributes
    ----------
    bag : ndarray of int64, shape (n,)
        Bag of each instance.
    may_be : ndarray of bool, shape (n, n_classes + 1)
        Classes that its bag's list, or what is known of the instance, leaves.
    may_join : ndarray of bool, shape (n, n_classes + 1)
        Classes that it may be of beyond, should its bag's list lack them.
    listed : ndarray of bool, shape (n_bags, n_classes)
        Label sets; empty rows for bags without one.
    judged : ndarray of bool, shape (n_bags,)
        Bags whose label sets are known and that have instances.
    confidence : ndarray, shape (n_bags, n_classes), or None
        How sure the lists are of their classes.
    """

    bag: IntArray
    may_be: BoolArray
    may_join: BoolArray
    listed: BoolArray
    judged: BoolArray
    confidence: FloatArray | None = None

    @cached_property
    def weighed(self) -> BoolArray:
        """Classes whose weight the bag's list decides, shape (n, n_classes)."""
        return np.asarray(self.listed[self.bag] | self.may_join[:, :-1])

    @cached_property
    def open(self) -> BoolArray:
        """All classes that an instance may be of, shape (n, n_classes + 1)."""
        return np.asarray(self.may_be | self.may_join)

    def shares(self) -> FloatArray:
        """Equal shares for the candidates of each instance."""
        return np.asarray(self.may_be / self.may_be.sum(axis=1, keepdims=True), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Trust:
    """How predictions and lists are weighed; see `LabelDisambiguator` for the meanings."""

    sharpness: float
    power: float
    occupancy: float
    learns: bool
    """Whether it is judged how far lists can be believed, or they are taken at their word."""


@dataclass(frozen=True, eq=False)
class Settled:
    """State after the last round.

    Attributes
    ----------
    sharpened : ndarray, shape (n, n_classes + 1)
        Posteriors that the next round would learn from.
    chosen : ndarray, shape (n, n_classes + 1)
        The same before sharpening.
    predicted : ndarray, shape (n, n_classes + 1)
        What the other bags predict.
    belief : Belief
        How far lists are believed.
    """

    sharpened: FloatArray
    chosen: FloatArray
    predicted: FloatArray
    belief: Belief


def settle(
    ridge: LeaveBagOutRidge,
    candidates: Candidates,
    start: FloatArray,
    trust: Trust,
    n_rounds: int,
    *,
    handicap: FloatArray | None = None,
    warm: bool = False,
) -> Settled:
    """Repeat: predict every bag from the others, judge the lists, choose, sharpen.

    Parameters
    ----------
    ridge : LeaveBagOutRidge
        Of the instances at hand.
    candidates : Candidates
        Theirs.
    start : ndarray, shape (n, n_classes + 1)
        Posteriors to begin with.
    trust : Trust
        How predictions and lists are weighed.
    n_rounds : int
        How often, at least once.
    handicap : ndarray, shape (n,), optional
        Taken from the prediction of background.
    warm : bool
        Whether `start` is the outcome of earlier rounds.
    """
    posterior = start
    belief = believe_all(candidates.listed)
    for number in range(n_rounds):
        predicted = ridge.predict_left_out(centred(posterior))
        if handicap is not None:
            predicted[:, -1] -= handicap
        if trust.learns:
            lacking = warm or number >= LACKING_FROM_ROUND
            belief = _judge(predicted, candidates, belief, may_lack=lacking)
        chosen = choose(predicted, candidates, belief, trust, trust.sharpness)
        posterior = sharpen(chosen, trust.power)
    return Settled(posterior, chosen, predicted, belief)


def choose(
    predicted: FloatArray, candidates: Candidates, belief: Belief, trust: Trust, sharpness: float
) -> FloatArray:
    """Posteriors among the candidates, with every believed class of a bag occurring in it."""
    bag = candidates.bag
    with np.errstate(divide="ignore"):
        weight = np.log(belief.weight)[bag]
    scores = sharpness * predicted
    scores[:, :-1] += np.where(candidates.weighed, weight, 0.0)
    scores[~candidates.open] = -np.inf
    claims = np.zeros((len(candidates.listed), candidates.may_be.shape[1]))
    claims[:, :-1] = trust.occupancy * belief.claim
    return occupy(softmax(scores), bag, claims)


def softmax(scores: FloatArray) -> FloatArray:
    """Exp of scores, scaled so that each row sums to 1."""
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True), dtype=np.float64)


def sharpen(posterior: FloatArray, power: float) -> FloatArray:
    """Posteriors to a power, scaled so that each row sums to 1."""
    sharp = np.zeros(posterior.shape)  # most are 0, whose power need not be found
    np.power(posterior, power, out=sharp, where=posterior > 0)
    return np.asarray(sharp / sharp.sum(axis=1, keepdims=True), dtype=np.float64)


def centred(posterior: FloatArray) -> FloatArray:
    """Posteriors less their mean."""
    return np.asarray(posterior - posterior.mean(axis=0), dtype=np.float64)


def best_in_bags(predicted: FloatArray, bag: IntArray, n_bags: int) -> FloatArray:
    """Largest value of each class in each bag, shape (n_bags, n_classes); -inf without any."""
    best = np.full((n_bags, predicted.shape[1]), -np.inf)
    if len(bag):
        order = np.argsort(bag, kind="stable")
        first = np.flatnonzero(np.r_[True, np.diff(bag[order]) > 0])
        best[bag[order[first]]] = np.maximum.reduceat(predicted[order], first, axis=0)
    return best


def _judge(
    predicted: FloatArray, candidates: Candidates, before: Belief, *, may_lack: bool
) -> Belief:
    """Belief in the lists of judged bags; the others have no list to believe."""
    rows, confidence = candidates.judged, candidates.confidence
    best = best_in_bags(predicted[:, :-1], candidates.bag, len(rows))
    found = judge_lists(
        best[rows],
        candidates.listed[rows],
        before.unlisted[rows],
        None if confidence is None else confidence[rows],
        may_lack=may_lack,
    )
    weight, claim, unlisted = (np.zeros(best.shape) for _ in range(3))
    weight[rows], claim[rows], unlisted[rows] = found.weight, found.claim, found.unlisted
    return Belief(found.present, found.missing, weight, claim, unlisted)
