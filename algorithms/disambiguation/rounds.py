"""The rounds in which posteriors and what they predict of left-out bags settle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from algorithms.bags import BoolArray, FloatArray, IntArray
from algorithms.blocks.rows import Packed
from algorithms.blocks.runners import Arrays
from algorithms.disambiguation.leave_bag_out import LeaveBagOutRidge
from algorithms.disambiguation.occupancy import occupy
from algorithms.disambiguation.reliability import Belief, believe_all, judge_lists

LACKING_FROM_ROUND = 4
"""Lists may lack classes from this round on: before, predictions say too little of that."""


@dataclass(frozen=True, eq=False)
class Candidates:
    """What each of the instances of a block may be; the last class is background.

    Attributes
    ----------
    bag : ndarray of int64, shape (n,)
        Bag of each instance, from 0 in every block.
    may_be : ndarray of bool, shape (n, n_classes + 1)
        Classes that its bag's list, or what is known of the instance, leaves.
    may_join : ndarray of bool, shape (n, n_classes + 1)
        Classes that it may be of beyond, should its bag's list lack them.
    listed : ndarray of bool, shape (n_bags, n_classes)
        Label sets; empty rows for bags without one.
    """

    bag: IntArray
    may_be: BoolArray
    may_join: BoolArray
    listed: BoolArray

    @property
    def weighed(self) -> BoolArray:
        """Classes whose weight the bag's list decides, shape (n, n_classes)."""
        return np.asarray(self.listed[self.bag] | self.may_join[:, :-1])

    @property
    def open(self) -> BoolArray:
        """All classes that an instance may be of, shape (n, n_classes + 1)."""
        return np.asarray(self.may_be | self.may_join)

    def shares(self) -> FloatArray:
        """Equal shares for the candidates of each instance."""
        return np.asarray(self.may_be / self.may_be.sum(axis=1, keepdims=True), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Lists:
    """The bags of all blocks.

    Attributes
    ----------
    listed : ndarray of bool, shape (n_bags, n_classes)
        Label sets; empty rows for bags without one.
    judged : ndarray of bool, shape (n_bags,)
        Bags whose label sets are known and that have instances.
    confidence : ndarray, shape (n_bags, n_classes), or None
        How sure the lists are of their classes.
    """

    listed: BoolArray
    judged: BoolArray
    confidence: FloatArray | None = None


@dataclass(frozen=True, eq=False)
class Blocks:
    """Instances in blocks of whole bags.

    Attributes
    ----------
    rows : sequence of ndarray of int64
        Which instances are in each block.
    bags : sequence of ndarray of int64
        Number in `lists` of each bag of a block.
    candidates : sequence of Candidates
        Of each block.
    lists : Lists
        Of all bags.
    """

    rows: Sequence[IntArray]
    bags: Sequence[IntArray]
    candidates: Sequence[Candidates]
    lists: Lists


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
    """State after the last round, block by block.

    Attributes
    ----------
    sharpened : sequence of Packed, shape (n, n_classes + 1)
        Posteriors that the next round would learn from.
    chosen : sequence of Packed, shape (n, n_classes + 1)
        The same before sharpening.
    predicted : sequence
        What the other bags predict, as the runner keeps it: shape (n, n_classes + 1).
    belief : Belief
        How far lists are believed.
    """

    sharpened: Sequence[Packed]
    chosen: Sequence[Packed]
    predicted: Sequence[Any]
    belief: Belief


def settle(
    ridge: LeaveBagOutRidge,
    blocks: Blocks,
    start: Sequence[Packed],
    trust: Trust,
    n_rounds: int,
    *,
    handicap: Sequence[FloatArray] | None = None,
    warm: bool = False,
) -> Settled:
    """Repeat: predict every bag from the others, judge the lists, choose, sharpen.

    Parameters
    ----------
    ridge : LeaveBagOutRidge
        Of the instances at hand, in the same blocks.
    blocks : Blocks
        The instances and what they may be.
    start : sequence of Packed, shape (n, n_classes + 1)
        Posteriors of each block to begin with.
    trust : Trust
        How predictions and lists are weighed.
    n_rounds : int
        How often, at least once.
    handicap : sequence of ndarray, shape (n,), optional
        Taken from the prediction of background.
    warm : bool
        Whether `start` is the outcome of earlier rounds.
    """
    runner, posterior = ridge.runner, start
    belief = believe_all(blocks.lists.listed)
    less = [None] * len(blocks.bags) if handicap is None else handicap
    predicted: Sequence[Any] = ()
    for number in range(n_rounds):
        predicted = ()  # those of the round before are as large
        predicted = ridge.predict_left_out(posterior, mean_of(posterior))
        if trust.learns:
            lacking = warm or number >= LACKING_FROM_ROUND
            best = list(runner.results(_best_in_block, predicted, blocks.candidates))
            belief = _judge(best, blocks, belief, may_lack=lacking)
        columns = (predicted, blocks.candidates, *believed(belief, blocks.bags), less)
        found = list(runner.results(_next_of_block, *columns, shared=[trust]))
        posterior = [sharpened for _, sharpened in found]
    return Settled(posterior, [chosen for chosen, _ in found], predicted, belief)


def mean_of(posterior: Sequence[Packed]) -> FloatArray:
    """Mean over the rows of all blocks."""
    total = np.zeros(posterior[0].shape[1])
    for block in posterior:
        total += block.of_each_column()
    return np.asarray(total / sum(block.shape[0] for block in posterior), dtype=np.float64)


def believed(belief: Belief, bags: Sequence[IntArray]) -> tuple[list[FloatArray], list[FloatArray]]:
    """Weights and claims of the bags of each block."""
    return [belief.weight[own] for own in bags], [belief.claim[own] for own in bags]


def _best_in_block(made: Arrays, candidates: Candidates) -> FloatArray:
    return best_in_bags(made[0][:, :-1], candidates.bag, len(candidates.listed))


def _next_of_block(
    made: Arrays,
    candidates: Candidates,
    weight: FloatArray,
    claim: FloatArray,
    handicap: FloatArray | None,
    trust: Trust,
) -> tuple[Packed, Packed]:
    """Posteriors of the next round, and the same sharpened."""
    predicted = made[0]
    if handicap is not None:
        predicted = predicted.copy()
        predicted[:, -1] -= handicap
    chosen = choose(predicted, candidates, weight, claim, trust, trust.sharpness)
    return chosen, sharpen(chosen, trust.power)


def choose(
    predicted: FloatArray,
    candidates: Candidates,
    weight: FloatArray,
    claim: FloatArray,
    trust: Trust,
    sharpness: float,
) -> Packed:
    """Posteriors among the candidates of a block, every believed class of a bag occurring in it.

    Parameters
    ----------
    predicted : ndarray, shape (n, n_classes + 1)
        Of the instances.
    candidates : Candidates
        Theirs.
    weight, claim : ndarray, shape (n_bags, n_classes)
        Of the bags, see :class:`~algorithms.disambiguation.reliability.Belief`.
    trust : Trust
        How predictions and lists are weighed.
    sharpness : float
        How far predictions are trusted, whatever `trust` says of that.
    """
    # Few candidates have any weight, so that only these are looked at.
    weighed = np.zeros(predicted.shape, dtype=np.bool_)
    weighed[:, :-1] = candidates.weighed
    possible = candidates.open
    possible[:, :-1] &= (weight > 0)[candidates.bag] | ~weighed[:, :-1]
    place = np.flatnonzero(possible)
    scores = Packed(predicted.shape, place, sharpness * predicted.ravel()[place])
    by_list = np.flatnonzero(weighed.ravel()[place])
    row, column = np.divmod(place[by_list], predicted.shape[1])
    scores.values[by_list] += np.log(weight[candidates.bag[row], column])
    claims = np.zeros((len(candidates.listed), predicted.shape[1]))
    claims[:, :-1] = trust.occupancy * claim
    return occupy(_softmax_of_some(scores), candidates.bag, claims)


def softmax(scores: FloatArray) -> FloatArray:
    """Exp of scores, scaled so that each row sums to 1."""
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True), dtype=np.float64)


def _softmax_of_some(scores: Packed) -> Packed:
    """As `softmax`, where all other scores are -inf."""
    row = scores.row
    first = np.flatnonzero(np.diff(row, prepend=-1))
    largest = np.full(scores.shape[0], -np.inf)
    largest[row[first]] = np.maximum.reduceat(scores.values, first)
    weights = np.exp(scores.values - largest[row])
    return replace(scores, values=weights / np.bincount(row, weights)[row])


def sharpen(posterior: Packed, power: float) -> Packed:
    """Posteriors to a power, scaled so that each row sums to 1."""
    sharp, row = posterior.values**power, posterior.row
    return replace(posterior, values=sharp / np.bincount(row, sharp)[row])


def best_in_bags(predicted: FloatArray, bag: IntArray, n_bags: int) -> FloatArray:
    """Largest value of each class in each bag, shape (n_bags, n_classes); -inf without any."""
    best = np.full((n_bags, predicted.shape[1]), -np.inf)
    if len(bag):
        if (np.diff(bag) < 0).any():  # in blocks, bags come one after the other
            order = np.argsort(bag, kind="stable")
            bag, predicted = bag[order], predicted[order]
        first = np.flatnonzero(np.diff(bag, prepend=-1))
        best[bag[first]] = np.maximum.reduceat(predicted, first, axis=0)
    return best


def _judge(
    best_of_blocks: Sequence[FloatArray], blocks: Blocks, before: Belief, *, may_lack: bool
) -> Belief:
    """Belief in the lists of judged bags; the others have no list to believe."""
    rows, confidence = blocks.lists.judged, blocks.lists.confidence
    best = np.full(blocks.lists.listed.shape, -np.inf)
    for own, of_block in zip(blocks.bags, best_of_blocks, strict=True):
        best[own] = of_block
    found = judge_lists(
        best[rows],
        blocks.lists.listed[rows],
        before.unlisted[rows],
        None if confidence is None else confidence[rows],
        may_lack=may_lack,
    )
    weight, claim, unlisted = (np.zeros(best.shape) for _ in range(3))
    weight[rows], claim[rows], unlisted[rows] = found.weight, found.claim, found.unlisted
    return Belief(found.present, found.missing, weight, claim, unlisted)
