"""Which instances are of no class: sounds that occur whatever the lists say."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, Self

import numpy as np
from scipy.optimize import isotonic_regression
from scipy.special import logit

from algorithms.bags import BoolArray, FloatArray, IntArray
from algorithms.blocks.rows import Packed
from algorithms.blocks.runners import Arrays
from algorithms.disambiguation.leave_bag_out import LeaveBagOutRidge
from algorithms.disambiguation.reliability import FEWEST_UNLISTED
from algorithms.disambiguation.rounds import (
    Blocks,
    Candidates,
    Lists,
    Settled,
    Trust,
    mean_of,
    settle,
    softmax,
)

BackgroundChoice = Literal["off", "cautious", "eager"]

RARE_BAGS, COMMON_BAGS = 20, 60
"""A class in so few bags is rare, one in so many common; there are degrees between."""

MANY_BAGS = 600
"""Of more bags, a class that is weak has to be in as large a part to be common."""

WEAK, STRONG = 0.1, 0.3
"""Predictions that a tenth of the instances of a weak, or of a strong class exceeds."""


@dataclass(frozen=True)
class BackgroundRule:
    """When an instance is background.

    Attributes
    ----------
    handicap : float
        Taken from the prediction of background in bags that list a rare class.
    rare_odds, common_odds : float
        Log odds that background must have where the best of the bag's classes is rare, or common.
    support : float
        In bags without a list: how much oftener than by chance the best class of an instance must
        be right to be named; see :meth:`Background.least_score`.
    """

    handicap: float
    rare_odds: float
    common_odds: float
    support: float


RULES = {
    "cautious": BackgroundRule(0.12, 4.2, -1.3, 0.25),
    "eager": BackgroundRule(0.04, 0.0, -0.7, 0.4),
}


@dataclass(frozen=True, eq=False)
class Background:
    """Background as a candidate beside the classes of every list.

    A pass of its own over the instances of labelled bags, in which background need not occur and
    lists are taken at their word. As predictions are relative to the mean, what occurs whatever
    the lists say is explained best by background; so, by mistake, is what belongs to a class that
    the other bags hardly know. Hence background has a handicap where a listed class is rare, and
    is believed there only when there is next to no doubt.

    Attributes
    ----------
    rule : BackgroundRule
        How much is asked.
    rarity : ndarray, shape (n_classes,)
        From 1, rare, to 0, common.
    odds : ndarray, shape (n_classes,)
        Log odds that background must have against each class as the best; infinite for a class
        that is in nearly all lists, from which nothing can tell background.
    coefficients : ndarray, shape (n_landmarks, n_classes + 1)
        Of the regression that found it.
    sharpness : float
        How far predictions are trusted.
    flagged : ndarray of bool, shape (n_instances,)
        Which of the instances of labelled bags are background; False for the others.
    probability : ndarray, shape (n_instances,)
        Probability that they are; 0 for the others.
    """

    rule: BackgroundRule
    rarity: FloatArray
    odds: FloatArray
    coefficients: FloatArray
    sharpness: float
    flagged: BoolArray
    probability: FloatArray

    @classmethod
    def find(
        cls,
        ridge: LeaveBagOutRidge,
        blocks: Blocks,
        may_be: BoolArray,
        trust: Trust,
        n_rounds: int,
        choice: str,
        without: Settled,
    ) -> Self:
        """Look for background among the instances of labelled bags.

        Parameters
        ----------
        ridge : LeaveBagOutRidge
            Of these instances.
        blocks : Blocks
            The same, and what they may be, background aside.
        may_be : ndarray of bool, shape (n_instances, n_classes + 1)
            The same with background, where what is known of an instance does not exclude it; of
            instances of unlabelled bags too.
        trust : Trust
            How predictions and lists are weighed.
        n_rounds : int
            Rounds.
        choice : {"cautious", "eager"}
            A key of `RULES`.
        without : Settled
            Where rounds without background have ended.
        """
        rule, lists = RULES[choice], blocks.lists
        n_bags_of = lists.listed[lists.judged].sum(axis=0)
        scores = ridge.runner.results(_own_score, without.predicted, without.chosen)
        reach = _reach(list(scores), len(n_bags_of))
        rarity = rarity_of_classes(n_bags_of, int(lists.judged.sum()), reach)
        odds = rule.common_odds + (rule.rare_odds - rule.common_odds) * rarity
        odds[int(lists.judged.sum()) - n_bags_of < FEWEST_UNLISTED] = np.inf
        candidates = [
            Candidates(
                own.bag, may_be[rows], np.broadcast_to(np.False_, own.may_be.shape), own.listed
            )
            for own, rows in zip(blocks.candidates, blocks.rows, strict=True)
        ]
        literal = Trust(trust.sharpness, trust.power, trust.occupancy, learns=False)
        found = settle(
            ridge,
            replace(blocks, candidates=candidates),
            [Packed.of(own.shares()) for own in candidates],
            literal,
            n_rounds,
            handicap=[rule.handicap * _rarest(own.may_be, rarity) for own in candidates],
        )
        flagged, probability = np.zeros(len(may_be), dtype=np.bool_), np.zeros(len(may_be))
        for rows, packed in zip(blocks.rows, found.chosen, strict=True):
            chosen = packed.table()
            flagged[rows], probability[rows] = _decide(chosen, odds), chosen[:, -1]
        coefficients = ridge.coefficients(found.sharpened, mean_of(found.sharpened))
        return cls(rule, rarity, odds, coefficients, trust.sharpness, flagged, probability)

    def least_score(self, best: IntArray, score: FloatArray, bag: IntArray, lists: Lists) -> float:
        """Find the prediction from which on the best class of an instance is to be believed.

        Among instances of bags with a list, each predicted from the other bags, the best of all
        classes is less often in the list the lower its prediction. From the one found on, it is
        there by `support` oftener than the class is in any list. Where that is so of no
        prediction, nothing can be told by them: -inf.

        Parameters
        ----------
        best : ndarray of int64, shape (n_labelled,)
            Of the classes that are in any list, the one of the largest prediction by the other
            bags, for each instance of labelled bags.
        score : ndarray, shape (n_labelled,)
            That prediction.
        bag : ndarray of int64, shape (n_labelled,)
            Their bags.
        lists : Lists
            Of these bags.
        """
        with_list = lists.judged & lists.listed.any(axis=1)
        used = with_list[bag] & np.isfinite(self.odds[best])
        chance = lists.listed[with_list].mean(axis=0)[best[used]]
        right = lists.listed[bag[used], best[used]]
        return _least_score(score[used], (right - chance) / (1 - chance), self.rule.support)

    def without_support(
        self, predicted: FloatArray, of_none: FloatArray, may_be: BoolArray, least: float
    ) -> BoolArray:
        """Tell which instances of bags without a list have no class to speak of.

        No list leaves such an instance a few classes. It is background where that is predicted
        before all classes, or where the prediction of its best class is too low.

        Parameters
        ----------
        predicted : ndarray, shape (n, n_classes + 1)
            What labelled bags predict of the instances, background aside.
        of_none : ndarray, shape (n, n_classes + 1)
            Their coordinates times `coefficients`.
        may_be : ndarray of bool, shape (n, n_classes + 1)
            Their candidates, background aside.
        least : float
            What is high enough, from :meth:`least_score`.

        Returns
        -------
        ndarray of bool, shape (n,)
        """
        best, score = best_class(predicted, may_be[:, :-1])
        noise = of_none[:, -1] > best_class(of_none, may_be[:, :-1])[1]
        return np.asarray(np.isfinite(self.odds[best]) & ((score < least) | noise), dtype=np.bool_)

    def decide(self, predicted: FloatArray, may_be: BoolArray) -> tuple[BoolArray, FloatArray]:
        """Tell which other instances are background, and how probably.

        Parameters
        ----------
        predicted : ndarray, shape (n, n_classes + 1)
            Their coordinates times `coefficients`.
        may_be : ndarray of bool, shape (n, n_classes + 1)
            Their candidates.
        """
        predicted = predicted.copy()
        predicted[:, -1] -= self.rule.handicap * _rarest(may_be, self.rarity)
        chosen = softmax(np.where(may_be, self.sharpness * predicted, -np.inf))
        return _decide(chosen, self.odds), chosen[:, -1]


def best_class(predicted: FloatArray, may_be: BoolArray) -> tuple[IntArray, FloatArray]:
    """Class of the largest prediction, and that; background aside."""
    of_classes = np.where(may_be, predicted[:, :-1], -np.inf)
    return of_classes.argmax(axis=1), of_classes.max(axis=1)


def rarity_of_classes(n_bags_of: IntArray, n_bags: int, reach: FloatArray) -> FloatArray:
    """How little other bags know of each class: from 1, rare, to 0, common.

    By the number of its bags. Of many bags, a class in a small part may have many and be rare yet:
    a regression in so many landmarks predicts little of it. Where that shows in its predictions,
    its part counts as it would among `MANY_BAGS`.

    Parameters
    ----------
    n_bags_of : ndarray of int64, shape (n_classes,)
        Bags that list each class.
    n_bags : int
        Bags that have a list.
    reach : ndarray, shape (n_classes,)
        Prediction that a tenth of the instances of each class exceeds.

    Returns
    -------
    ndarray, shape (n_classes,)
    """

    def below(common: float) -> FloatArray:
        part = np.log(common / np.maximum(n_bags_of, 1)) / np.log(COMMON_BAGS / RARE_BAGS)
        return np.asarray(np.clip(part, 0.0, 1.0), dtype=np.float64)

    weak = np.clip((STRONG - reach) / (STRONG - WEAK), 0.0, 1.0)
    of_part = below(COMMON_BAGS * max(1.0, n_bags / MANY_BAGS))
    return np.asarray(np.maximum(below(COMMON_BAGS), np.minimum(of_part, weak)), dtype=np.float64)


def _least_score(score: FloatArray, beyond_chance: FloatArray, support: float) -> float:
    """Prediction from which on the best class has so much support; -inf if none has."""
    if not len(score):
        return -np.inf
    order = np.argsort(score, kind="stable")
    enough = np.flatnonzero(isotonic_regression(beyond_chance[order]).x >= support)
    return float(score[order[enough[0]]]) if enough.size else -np.inf


def _own_score(made: Arrays, chosen: Packed) -> tuple[IntArray, FloatArray]:
    """Class of each instance of a block, background aside, and its prediction."""
    own: IntArray = chosen.table()[:, :-1].argmax(axis=1)
    return own, made[0][np.arange(len(own)), own]


def _reach(own_scores: list[tuple[IntArray, FloatArray]], n_classes: int) -> FloatArray:
    """Prediction that a tenth of the instances of each class exceeds; 0 without any."""
    own, score = (np.concatenate(parts) for parts in zip(*own_scores, strict=True))
    reach = np.zeros(n_classes)
    for number in np.unique(own):
        reach[number] = np.quantile(score[own == number], 0.9)
    return reach


def _rarest(may_be: BoolArray, rarity: FloatArray) -> FloatArray:
    """Rarity of the rarest candidate; of the commonest where any class is one."""
    classes = may_be[:, :-1]
    of_all = classes.all(axis=1)
    rarest = np.where(classes, rarity, 0.0).max(axis=1, initial=0.0)
    return np.asarray(np.where(of_all, rarity.min(initial=1.0), rarest), dtype=np.float64)


def _decide(chosen: FloatArray, odds: FloatArray) -> BoolArray:
    best: IntArray = chosen[:, :-1].argmax(axis=1)
    return np.asarray(logit(np.clip(chosen[:, -1], 1e-12, 1 - 1e-12)) > odds[best])
