"""From what methods say to probabilities that hold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import expit, logit

from algorithms.bags import Bags, BoolArray, FloatArray, IntArray
from algorithms.placement.calibration import logistic_curve

_POWERS = (-4.0, 0.0)  # logarithms, between which the power of posteriors is sought
_SURE = 1e-6  # probabilities this near to 0 or 1 count as this far away
_NO_BACKGROUND = 1e-9
_DOUBTFUL = 0.01  # evidence of all syllables like nothing learned from, at most: decides ties
_TRACE = np.log(0.01)  # evidence of a hundredth of a syllable


@dataclass(frozen=True)
class AnswerCalibration:
    r"""What to make of the answers of an annotator.

    *Syllables.* Every probability, that of background too, is raised to `power` and scaled to a sum
    of 1. The power is the one under which the label sets are most likely: that a syllable is of
    one of its bag's species, or background. It needs no truth about syllables.

    *Bags.* A species is absent if no syllable is of it: with s = -sum log(1 - p) over the
    syllables of the bag, p being the answers as they are, the probability of presence is
    1 / (1 + exp(-slope log(s) - intercept)). Of a method for whole bags the score's logit stands in
    the place of log(s). Syllables that are like nothing learned from are next to no evidence.

    Attributes
    ----------
    of_syllables : bool
        Whether answers are about syllables.
    power : float
        1, or less where the method was too sure. Never above: a few recordings in which all is
        right do not make all that follows certain.
    slope, intercept : float
        Of the logistic curve, one for all species; the slope is above 0, so the order stays.

    References
    ----------
    Guo, Pleiss, Sun & Weinberger, On calibration of modern neural networks, ICML 2017, section
    4.2, for the temperature, which is 1 / power; Cour, Sapp & Taskar, Learning from partial
    labels, JMLR 2011, for likelihoods of label sets; Platt, Probabilistic outputs for support
    vector machines, 1999, for the curve.
    """

    of_syllables: bool
    power: float
    slope: float
    intercept: float

    @classmethod
    def fit(
        cls,
        answer: FloatArray,
        bags: Bags,
        *,
        of_syllables: bool,
        learned: BoolArray | None = None,
        like: BoolArray | None = None,
    ) -> AnswerCalibration:
        """Learn from answers about bags that the annotator had not seen.

        Parameters
        ----------
        answer : ndarray
            From `birdmodes.annotate.methods.Annotator.answer`.
        bags : Bags
            What it is about; all labelled.
        of_syllables : bool
            Whether it is about the instances.
        learned : ndarray of bool, shape (n_bags, n_classes), optional
            Which species the annotator of each bag had heard of. The curve is not learned from the
            others: that they were missed says nothing of those that can be found.
        like : ndarray of bool, shape (n_instances,), optional
            Which syllables are like some that were learned from. Default: all.
        """
        rows = slice(None) if like is None else like
        power = _power(answer[rows], bags.labels[bags.bag[rows]]) if of_syllables else 1.0
        plain = cls(of_syllables, power, 1.0, 0.0)
        evidence = plain.evidence(answer, bags.bag, bags.n_bags, like)
        if of_syllables:
            # Where species are told apart without doubt, absent ones leave no trace of evidence at
            # all, and a curve through these would take the faintest likeness for presence.
            evidence = np.maximum(evidence, _TRACE)
        pairs = np.ones_like(bags.labels) if learned is None else learned
        return cls(of_syllables, power, *logistic_curve(evidence[pairs], bags.labels[pairs]))

    def posterior(self, answer: FloatArray) -> FloatArray:
        """Give the probabilities of syllables; answers about bags stay as they are."""
        return _raised(answer, self.power)[:, :-1] if self.of_syllables else answer

    def presence(
        self, answer: FloatArray, bag: IntArray, n_bags: int, like: BoolArray | None = None
    ) -> FloatArray:
        """Give the probability that each species is in each bag, shape (n_bags, n_classes).

        Parameters
        ----------
        answer : ndarray
            From `birdmodes.annotate.methods.Annotator.answer`.
        bag : ndarray of int64, shape (n_instances,)
            Bag of each instance.
        n_bags : int
            Number of bags.
        like : ndarray of bool, shape (n_instances,), optional
            As for `fit`.
        """
        value = self.slope * self.evidence(answer, bag, n_bags, like) + self.intercept
        return np.asarray(expit(value), dtype=np.float64)

    def evidence(
        self, answer: FloatArray, bag: IntArray, n_bags: int, like: BoolArray | None = None
    ) -> FloatArray:
        """What speaks for each species in each bag, as `presence`; larger is more likely."""
        if not self.of_syllables:
            return np.asarray(logit(np.clip(answer, _SURE, 1 - _SURE)), dtype=np.float64)
        unlikely = -np.log1p(-np.minimum(answer, 1 - _SURE))
        like = np.ones(len(answer), dtype=np.bool_) if like is None else like
        total, doubtful = np.zeros((2, n_bags, answer.shape[1]))
        np.add.at(total, bag[like], unlikely[like])
        np.add.at(doubtful, bag[~like], unlikely[~like])
        total -= _DOUBTFUL * np.expm1(-doubtful)
        return np.asarray(np.log(np.maximum(total, _SURE)), dtype=np.float64)


def _power(answer: FloatArray, label_set: BoolArray) -> float:
    background = _rest(answer) > _NO_BACKGROUND
    possible = np.column_stack([label_set, np.full(len(answer), background.any())])
    # Where all that is possible was out of the question whatever the power, nothing is told.
    told = (np.column_stack([answer, background]) * possible).any(axis=1)
    answer, possible = answer[told], possible[told]
    if not len(answer):
        return 1.0

    def cost(logarithm: float) -> float:
        share = (_raised(answer, float(np.exp(logarithm))) * possible).sum(axis=1)
        return -float(np.log(np.maximum(share, _SURE)).mean())

    return float(np.exp(minimize_scalar(cost, bounds=_POWERS, method="bounded").x))


def _rest(answer: FloatArray) -> FloatArray:
    return np.asarray(np.clip(1.0 - answer.sum(axis=1), 0.0, 1.0), dtype=np.float64)


def _raised(answer: FloatArray, power: float) -> FloatArray:
    """Probabilities, and that of background, to a power; rows sum to 1."""
    rest = _rest(answer)
    whole = np.column_stack([answer, np.where(rest > _NO_BACKGROUND, rest, 0.0)]) ** power
    total = whole.sum(axis=1, keepdims=True)
    return np.asarray(whole / np.where(total > 0, total, 1.0), dtype=np.float64)
