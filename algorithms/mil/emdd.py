"""EM-DD: a point that every positive bag comes near to, and negative bags stay away from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from algorithms.bags import BoolArray, FloatArray, IntArray
from algorithms.checks import Seed, check_count, check_number
from algorithms.layout import SortedBags
from algorithms.mil.base import BagAnnotator
from algorithms.mil.runs import first_largest

_LOG_2 = float(np.log(2.0))
_LEAST_SQUARED = 1e-10  # nearer to the concept than this a negative instance is as wrong as can be
_LEAST_GAIN = 1e-6  # share by which a round must lower the objective


@dataclass(frozen=True, eq=False)
class Concept:
    """What makes a bag positive: an instance near to a point.

    Attributes
    ----------
    point : ndarray, shape (n_features,)
        h.
    scales : ndarray, shape (n_features,)
        s, how much each feature counts.
    """

    point: FloatArray
    scales: FloatArray

    def squared_distance(self, X: FloatArray) -> FloatArray:
        """Compute -log p of instances.

        Parameters
        ----------
        X : ndarray, shape (n, n_features)
            Instances.

        Returns
        -------
        ndarray, shape (n,)
        """
        difference = (X - self.point) * self.scales
        squared: FloatArray = np.einsum("ij,ij->i", difference, difference)
        return squared


class EMDD(BagAnnotator[SortedBags, Concept]):
    r"""Diverse density by expectation and maximisation.

    An instance is of the concept (h, s) with probability :math:`p(x) = \exp(-\sum_f s_f^2 (x_f -
    h_f)^2)`, and so is a bag by its likeliest instance. From every start, in turn, the likeliest
    instance of each bag is found and :math:`-\sum_i \log(1 - |t_i - p(x_i)|)`, with t 1 for
    positive bags and 0 for others, minimised over h and s for these instances (L-BFGS), as long as
    that makes it smaller with the likeliest instances found anew. The best concept of all starts is
    kept. The score of a bag is log(2p) of its likeliest instance.

    Parameters
    ----------
    random_state : int or None
        Seed of the choice of starts; None takes a new one every time.
    n_start_bags : int
        Positive bags, drawn at random, whose instances are the starts for h.
    max_starts : int
        Most starts; of more instances so many are drawn at random.
    scale : float, optional
        Start for every s; 1 / sqrt(number of features) unless given, for standardised features.
    max_iter : int
        Most rounds from each start.

    References
    ----------
    Zhang & Goldman, EM-DD: an improved multiple-instance learning technique, NIPS 2001. Maron &
    Lozano-Pérez, A framework for multiple-instance learning, NIPS 1998 (diverse density).
    """

    def __init__(
        self,
        *,
        random_state: Seed = 0,
        n_start_bags: int = 3,
        max_starts: int = 30,
        scale: float | None = None,
        max_iter: int = 20,
    ) -> None:
        self.random_state = random_state
        self.n_start_bags = n_start_bags
        self.max_starts = max_starts
        self.scale = scale
        self.max_iter = max_iter

    def _check_parameters(self) -> None:
        for name in ("n_start_bags", "max_starts", "max_iter"):
            check_count(name, getattr(self, name))
        if self.scale is not None:
            check_number("scale", self.scale, above=True)

    def _prepare(self, train: SortedBags, seed: int) -> SortedBags:
        return train

    def _fit_class(self, prepared: SortedBags, positive: BoolArray, seed: int) -> Concept:
        d = prepared.X.shape[1]
        scales = np.full(d, d**-0.5 if self.scale is None else self.scale)
        best, least = Concept(prepared.X[0], scales), np.inf
        for row in self._starts(prepared, positive, seed):
            concept, value = self._climb(Concept(prepared.X[row], scales), prepared, positive)
            if value < least:
                best, least = concept, value
        return best

    def _starts(self, runs: SortedBags, positive: BoolArray, seed: int) -> IntArray:
        rng = np.random.default_rng(seed)
        numbers = np.flatnonzero(positive)
        chosen = np.zeros(runs.n_filled, dtype=np.bool_)
        chosen[rng.choice(numbers, min(self.n_start_bags, len(numbers)), replace=False)] = True
        rows = np.flatnonzero(chosen[runs.run]).astype(np.int64)
        if len(rows) > self.max_starts:
            rows = np.sort(rng.choice(rows, self.max_starts, replace=False))
        return rows

    def _climb(
        self, start: Concept, runs: SortedBags, positive: BoolArray
    ) -> tuple[Concept, float]:
        """Improve a concept, and tell what the objective comes to."""
        best = start
        nearest = runs.X[first_largest(-best.squared_distance(runs.X), runs)]
        least = _value(best, nearest, positive)
        for _ in range(self.max_iter):
            concept = _maximised(best, nearest, positive)
            nearest = runs.X[first_largest(-concept.squared_distance(runs.X), runs)]
            value = _value(concept, nearest, positive)
            gain = least - value
            if gain > 0:
                best, least = concept, value
            if gain <= _LEAST_GAIN * least:
                break
        return best, least

    def _score(self, bags: SortedBags, models: list[Concept]) -> FloatArray:
        squared = np.column_stack([concept.squared_distance(bags.X) for concept in models])
        nearest: FloatArray = np.minimum.reduceat(squared, bags.starts, axis=0)
        return _LOG_2 - nearest


def negative_log_likelihood(
    parameters: FloatArray, X: FloatArray, positive: BoolArray
) -> tuple[float, FloatArray]:
    """Compute what EM-DD minimises, and its gradient.

    Parameters
    ----------
    parameters : ndarray, shape (2 * n_features,)
        h, then s.
    X : ndarray, shape (n_bags, n_features)
        The instance that stands for each bag.
    positive : ndarray of bool, shape (n_bags,)
        Labels.

    Returns
    -------
    value : float
    gradient : ndarray, shape (2 * n_features,)
    """
    point, scales = np.split(parameters, 2)
    difference = X - point
    squared_differences = difference**2
    squared = np.maximum(squared_differences @ scales**2, _LEAST_SQUARED)
    values = np.where(positive, squared, -np.log(-np.expm1(-squared)))
    with np.errstate(over="ignore"):  # far from the concept the slope is 0
        slope = np.where(positive, 1.0, -1.0 / np.expm1(squared))
    of_point = -2.0 * scales**2 * (slope @ difference)
    of_scales = 2.0 * scales * (slope @ squared_differences)
    return float(values.sum()), np.concatenate([of_point, of_scales])


def _value(concept: Concept, X: FloatArray, positive: BoolArray) -> float:
    parameters = np.concatenate([concept.point, concept.scales])
    return negative_log_likelihood(parameters, X, positive)[0]


def _maximised(concept: Concept, X: FloatArray, positive: BoolArray) -> Concept:
    start = np.concatenate([concept.point, concept.scales])
    found = minimize(
        negative_log_likelihood, start, args=(X, positive), jac=True, method="L-BFGS-B",
        options={"maxiter": 100},
    )  # fmt: skip
    point, scales = np.split(found.x, 2)
    return Concept(point, scales)
