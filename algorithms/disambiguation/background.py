"""Which instances are of no class: sounds that occur whatever the lists say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Self

import numpy as np
from scipy.special import logit
from sklearn.isotonic import isotonic_regression

from algorithms.bags import BoolArray, FloatArray, IntArray
from algorithms.disambiguation.leave_bag_out import Coordinates, LeaveBagOutRidge
from algorithms.disambiguation.reliability import FEWEST_UNLISTED
from algorithms.disambiguation.rounds import Candidates, Trust, centred, settle, softmax

BackgroundChoice = Literal["off", "cautious", "eager"]

RARE_BAGS, COMMON_BAGS = 20, 60
"""A class in so few bags is rare, one in so many common; there are degrees between."""


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
        be right to be named; see :meth:`Background.without_support`.
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
    flagged : ndarray of bool, shape (n,)
        Which of the instances of labelled bags are background.
    probability : ndarray, shape (n,)
        Probability that they are.
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
        candidates: Candidates,
        may_be: BoolArray,
        trust: Trust,
        n_rounds: int,
        choice: str,
    ) -> Self:
        """Look for background among the instances of labelled bags.

        Parameters
        ----------
        ridge : LeaveBagOutRidge
            Of these instances.
        candidates : Candidates
            What they may be, background aside.
        may_be : ndarray of bool, shape (n, n_classes + 1)
            The same with background, where what is known of an instance does not exclude it.
        trust : Trust
            How predictions and lists are weighed.
        n_rounds : int
            Rounds.
        choice : {"cautious", "eager"}
            A key of `RULES`.
        """
        rule = RULES[choice]
        n_bags_of = candidates.listed[candidates.judged].sum(axis=0)
        scale = np.log(COMMON_BAGS / RARE_BAGS)
        rarity = np.clip(np.log(COMMON_BAGS / np.maximum(n_bags_of, 1)) / scale, 0.0, 1.0)
        odds = rule.common_odds + (rule.rare_odds - rule.common_odds) * rarity
        odds[int(candidates.judged.sum()) - n_bags_of < FEWEST_UNLISTED] = np.inf
        with_background = Candidates(
            candidates.bag,
            may_be,
            np.zeros(may_be.shape, dtype=np.bool_),
            candidates.listed,
            candidates.judged,
        )
        literal = Trust(trust.sharpness, trust.power, trust.occupancy, learns=False)
        handicap = rule.handicap * _rarest(may_be, rarity)
        found = settle(
            ridge,
            with_background,
            with_background.shares(),
            literal,
            n_rounds,
            handicap=handicap,
        )
        flagged = _decide(found.chosen, odds)
        coefficients = ridge.coefficients(centred(found.sharpened))
        probability = found.chosen[:, -1]
        return cls(rule, rarity, odds, coefficients, trust.sharpness, flagged, probability)

    def of_all(
        self, labelled: BoolArray, coordinates: Coordinates, may_be: BoolArray
    ) -> tuple[BoolArray, FloatArray]:
        """Tell of all instances, those of unlabelled bags too, which are background.

        Parameters
        ----------
        labelled : ndarray of bool, shape (n,)
            Those it was found among.
        coordinates : ndarray, shape (n, n_landmarks)
            Of all.
        may_be : ndarray of bool, shape (n, n_classes + 1)
            Candidates of all.

        Returns
        -------
        flagged : ndarray of bool, shape (n,)
            Which are background.
        probability : ndarray, shape (n,)
            How probably each is.
        """
        flagged, probability = np.zeros(len(labelled), dtype=np.bool_), np.zeros(len(labelled))
        flagged[labelled], probability[labelled] = self.flagged, self.probability
        if not labelled.all():
            others = self.judge(coordinates[~labelled], may_be[~labelled])
            flagged[~labelled], probability[~labelled] = others
        return flagged, probability

    def without_support(
        self,
        predicted: FloatArray,
        coordinates: Coordinates,
        of_labelled: FloatArray,
        candidates: Candidates,
        may_be: BoolArray,
    ) -> BoolArray:
        """Tell which instances of bags without a list have no class to speak of.

        No list leaves such an instance a few classes. It is background where that is predicted
        before all classes, or where the prediction of its best class is so low that among
        instances of bags with a list, each predicted from the other bags, the best of all classes
        would too seldom be in the list: less than `support` oftener than it is in any list. Where
        that is so of all predictions, nothing can be told by them.

        Parameters
        ----------
        predicted : ndarray, shape (n, n_classes + 1)
            What labelled bags predict of the instances, background aside.
        coordinates : ndarray, shape (n, n_landmarks)
            Of the instances.
        of_labelled : ndarray, shape (n_labelled, n_classes + 1)
            What the other bags predict of the instances of labelled bags.
        candidates : Candidates
            Of the latter.
        may_be : ndarray of bool, shape (n, n_classes + 1)
            Candidates of the former.

        Returns
        -------
        ndarray of bool, shape (n,)
        """
        heard = np.asarray(candidates.listed.any(axis=0))
        example_best, example_score = _best(of_labelled, heard)
        with_list = candidates.judged & candidates.listed.any(axis=1)
        used = with_list[candidates.bag] & np.isfinite(self.odds[example_best])
        chance = candidates.listed[with_list].mean(axis=0)[example_best[used]]
        right = candidates.listed[candidates.bag[used], example_best[used]]
        beyond_chance = (right - chance) / (1 - chance)
        best, score = _best(predicted, may_be[:, :-1])
        low = score < _least_score(example_score[used], beyond_chance, self.rule.support)
        alone = coordinates @ self.coefficients
        noise = alone[:, -1] > _best(alone, may_be[:, :-1])[1]
        return np.asarray(np.isfinite(self.odds[best]) & (low | noise), dtype=np.bool_)

    def judge(self, coordinates: Coordinates, may_be: BoolArray) -> tuple[BoolArray, FloatArray]:
        """Tell which other instances are background, and how probably.

        Parameters
        ----------
        coordinates : ndarray, shape (n, n_landmarks)
            Theirs.
        may_be : ndarray of bool, shape (n, n_classes + 1)
            Their candidates.
        """
        predicted = coordinates @ self.coefficients
        predicted[:, -1] -= self.rule.handicap * _rarest(may_be, self.rarity)
        chosen = softmax(np.where(may_be, self.sharpness * predicted, -np.inf))
        return _decide(chosen, self.odds), chosen[:, -1]


def _best(predicted: FloatArray, may_be: BoolArray) -> tuple[IntArray, FloatArray]:
    """Class of the largest prediction, and that; background aside."""
    of_classes = np.where(may_be, predicted[:, :-1], -np.inf)
    return of_classes.argmax(axis=1), of_classes.max(axis=1)


def _least_score(score: FloatArray, beyond_chance: FloatArray, support: float) -> float:
    """Prediction from which on the best class has so much support; -inf if none has."""
    if not len(score):
        return -np.inf
    order = np.argsort(score, kind="stable")
    enough = np.flatnonzero(isotonic_regression(beyond_chance[order]) >= support)
    return float(score[order[enough[0]]]) if enough.size else -np.inf


def _rarest(may_be: BoolArray, rarity: FloatArray) -> FloatArray:
    """Rarity of the rarest candidate; of the commonest where any class is one."""
    classes = may_be[:, :-1]
    of_all = classes.all(axis=1)
    rarest = np.where(classes, rarity, 0.0).max(axis=1, initial=0.0)
    return np.asarray(np.where(of_all, rarity.min(initial=1.0), rarest), dtype=np.float64)


def _decide(chosen: FloatArray, odds: FloatArray) -> BoolArray:
    best: IntArray = chosen[:, :-1].argmax(axis=1)
    return np.asarray(logit(np.clip(chosen[:, -1], 1e-12, 1 - 1e-12)) > odds[best])
