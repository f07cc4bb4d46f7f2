"""Turning a classifier's scores into probabilities that hold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize, minimize_scalar
from scipy.special import expit, log_softmax, logit, softmax

from algorithms.bags import BoolArray, FloatArray, IntArray

_TEMPERATURES = (-4.0, 8.0)  # logarithms, between which the factor of the scores is sought
_SURE = 1e-6  # probabilities this near to 0 or 1 count as this far away


@dataclass(frozen=True)
class Calibration:
    """From scores of clusters to the probability that the best one is right.

    The scores times `factor` go through a softmax; the largest probability p then becomes
    1 / (1 + exp(-slope logit(p) - intercept)).

    Attributes
    ----------
    factor : float
        Inverse of the softmax's temperature.
    slope, intercept : float
        Of Platt's logistic curve; the slope is above 0, so the order stays.

    References
    ----------
    Guo, Pleiss, Sun & Weinberger, On calibration of modern neural networks, ICML 2017, section
    4.2, for the temperature; Platt, Probabilistic outputs for support vector machines, 1999,
    for the curve and for targets that stay away from 0 and 1.
    """

    factor: float
    slope: float
    intercept: float

    @classmethod
    def fit(cls, scores: FloatArray, true: IntArray) -> Calibration:
        """Learn from instances whose scores were made without them.

        Parameters
        ----------
        scores : ndarray, shape (n, n_clusters)
            -inf where a cluster is out of the question.
        true : ndarray of int64, shape (n,)
            The clusters they belong to.
        """
        factor = _factor(scores, true)
        share = cls(factor, 1.0, 0.0).largest(scores)
        evidence = logit(np.clip(share, _SURE, 1 - _SURE))
        return cls(factor, *logistic_curve(evidence, scores.argmax(axis=1) == true))

    def largest(self, scores: FloatArray) -> FloatArray:
        """Give the probability that the cluster of the largest score is right, shape (n,).

        0 where every cluster is out of the question.
        """
        possible = np.isfinite(scores).any(axis=1)
        found = np.zeros(len(scores))
        share = softmax(self.factor * scores[possible], axis=1).max(axis=1)
        evidence = logit(np.clip(share, _SURE, 1 - _SURE))
        found[possible] = expit(self.slope * evidence + self.intercept)
        return found


def _factor(scores: FloatArray, true: IntArray) -> float:
    """Find the factor under which the true clusters are most likely."""
    own = np.isfinite(scores[np.arange(len(true)), true])
    scores, true = scores[own], true[own]
    if not len(true):
        return 1.0

    def cost(logarithm: float) -> float:
        likely = log_softmax(np.exp(logarithm) * scores, axis=1)
        return -float(likely[np.arange(len(true)), true].mean())

    return float(np.exp(minimize_scalar(cost, bounds=_TEMPERATURES, method="bounded").x))


def logistic_curve(evidence: FloatArray, right: BoolArray) -> tuple[float, float]:
    """Fit the probability 1 / (1 + exp(-slope evidence - intercept)) of being right.

    Parameters
    ----------
    evidence : ndarray, shape (n,)
        What speaks for it.
    right : ndarray of bool, shape (n,)
        Who was right.

    Returns
    -------
    slope, intercept : float
        The slope is above 0.

    References
    ----------
    Platt (1999), see :class:`Calibration`.
    """
    n_right = int(right.sum())
    n_wrong = len(right) - n_right
    target = np.where(right, (n_right + 1) / (n_right + 2), 1 / (n_wrong + 2))

    def cost(curve: FloatArray) -> float:
        value = np.exp(curve[0]) * evidence + curve[1]
        return float((np.logaddexp(0.0, value) - target * value).mean())

    found = minimize(cost, np.zeros(2), method="Nelder-Mead").x
    return float(np.exp(found[0])), float(found[1])


def calibration_error(score: FloatArray, right: BoolArray, n_bins: int = 10) -> float:
    """Compute the expected calibration error: how far scores are from what they promise.

    Parameters
    ----------
    score : ndarray, shape (n,)
        Probabilities of being right.
    right : ndarray of bool, shape (n,)
        Who was right.
    n_bins : int
        The scores are put into so many bins of equal width.

    Returns
    -------
    float
        Mean over instances of | mean score - share right | in the instance's bin.

    References
    ----------
    Guo et al. (2017), equation (3).
    """
    place = np.clip((score * n_bins).astype(np.int64), 0, n_bins - 1)
    off = np.bincount(place, score, n_bins) - np.bincount(place, right, n_bins)
    return float(np.abs(off).sum() / max(1, len(score)))
