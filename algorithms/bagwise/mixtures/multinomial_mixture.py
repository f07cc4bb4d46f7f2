"""Concepts of counts, such as words of a document: a mixture of multinomials over all instances."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.special import gammaln

from algorithms.bags import FloatArray
from algorithms.errors import ClusteringError

SMOOTHING = 0.01
"""Added to every concept's count of every feature, so that none has probability 0."""


@dataclass(frozen=True, eq=False)
class MultinomialConcepts:
    """A mixture of multinomial distributions, one for each concept.

    Attributes
    ----------
    weights : ndarray, shape (n_concepts,)
        Share of each concept.
    shares : ndarray, shape (n_concepts, n_features)
        Probability of each feature in each concept; the rows sum to 1.
    """

    weights: FloatArray
    shares: FloatArray

    @property
    def n_parameters(self) -> int:
        """Number of free parameters."""
        n_concepts, n_features = self.shares.shape
        return int(n_concepts - 1 + n_concepts * (n_features - 1))

    def log_densities(self, X: FloatArray) -> FloatArray:
        """Log probability of every instance under every concept, shape (n, n_concepts).

        The multinomial coefficient is in it; for counts that are not whole it is that of the
        gamma function.

        Raises
        ------
        ClusteringError
            When `X` holds a negative number; the message names row and column.
        """
        return MultinomialSteps(X).log_densities(self)


class MultinomialSteps:
    """EM for a mixture of multinomials, whose shares are smoothed.

    Parameters
    ----------
    X : ndarray, shape (n_instances, n_features)
        Counts.

    Raises
    ------
    ClusteringError
        When `X` holds a negative number; the message names row and column.

    References
    ----------
    Nigam, McCallum, Thrun & Mitchell, Text classification from labeled and unlabeled documents
    using EM, Machine Learning 39, 2000, for the mixture and the smoothing.
    """

    def __init__(self, X: FloatArray) -> None:
        _check_counts(X)
        totals = X.sum(axis=1)
        self._counts = csr_array(X)  # term counts are mostly zero
        self._coefficients = gammaln(totals + 1) - gammaln(X + 1).sum(axis=1)
        # proportions, so that k-means takes long and short instances alike
        self.space: FloatArray = X / np.where(totals > 0, totals, 1.0)[:, None]

    def maximize(self, posterior: FloatArray) -> MultinomialConcepts:
        """Best mixture, given the probability of each concept for each instance."""
        expected = np.asarray(self._counts.T @ posterior).T + SMOOTHING
        weights = posterior.sum(axis=0) + np.finfo(np.float64).eps
        return MultinomialConcepts(
            weights / weights.sum(), expected / expected.sum(axis=1, keepdims=True)
        )

    def log_densities(self, mixture: MultinomialConcepts) -> FloatArray:
        """Log probability of every instance under every concept, (n_instances, n_concepts)."""
        log_densities: FloatArray = self._counts @ np.log(mixture.shares).T
        log_densities += self._coefficients[:, None]
        return log_densities

    def joint(self, mixture: MultinomialConcepts) -> FloatArray:
        """Log of concept share times probability, shape (n_instances, n_concepts)."""
        joint = self.log_densities(mixture)
        joint += np.log(mixture.weights)
        return joint


def _check_counts(X: FloatArray) -> None:
    negative = np.argwhere(X < 0)
    if len(negative):
        row, column = (int(i) for i in negative[0])
        raise ClusteringError(
            f"the multinomial instance model needs counts, but X holds {X[row, column]:g} in row "
            f"{row}, column {column}: give counts that are not standardised, or choose diag or full"
        )
