"""EM for mixtures of concepts, whatever the concepts are."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np

from algorithms.bags import FloatArray, IntArray
from algorithms.errors import ClusteringWarning
from algorithms.spectral.rounding import kmeans_rows

TOLERANCE = 1e-3
"""EM has settled when the mean log likelihood of an instance gains less than this."""

MAX_ITER = 200
"""Largest number of EM steps from one start."""


class InstanceMixture(Protocol):
    """A mixture of concepts."""

    @property
    def weights(self) -> FloatArray:
        """Share of the instances that each concept makes, shape (n_concepts,); they sum to 1."""

    @property
    def n_parameters(self) -> int:
        """Number of free parameters, for BIC."""

    def log_densities(self, X: FloatArray) -> FloatArray:
        """Log density of every instance under every concept, shape (n, n_concepts)."""


Mixture = TypeVar("Mixture", bound=InstanceMixture)


class EMSteps(Protocol[Mixture]):
    """The two steps of EM for one kind of mixture and the instances it is fitted to."""

    @property
    def space(self) -> FloatArray:
        """The instances as k-means should see them, shape (n_instances, n_dimensions)."""

    def maximize(self, posterior: FloatArray) -> Mixture:
        """Best mixture, given the probability of each concept for each instance."""

    def joint(self, mixture: Mixture) -> FloatArray:
        """Log of concept share times density, shape (n_instances, n_concepts); a new array."""


@dataclass(frozen=True, eq=False)
class Climb(Generic[Mixture]):
    """What EM found from one start.

    Attributes
    ----------
    mixture : InstanceMixture
        The mixture.
    posterior : ndarray, shape (n_instances, n_concepts)
        Probability of each concept for each instance, given that mixture.
    log_likelihood : float
        Mean log likelihood of an instance.
    """

    mixture: Mixture
    posterior: FloatArray
    log_likelihood: float

    @property
    def bic(self) -> float:
        """Bayesian information criterion; the smaller the better.

        References
        ----------
        Schwarz, Estimating the dimension of a model, Annals of Statistics 6, 1978.
        """
        n = len(self.posterior)
        return self.mixture.n_parameters * float(np.log(n)) - 2 * n * self.log_likelihood


def climb(steps: EMSteps[Mixture], posterior: FloatArray, tolerance: float) -> Climb[Mixture]:
    """Run EM from a first guess of the instances' concepts.

    Parameters
    ----------
    steps : EMSteps
        The two steps.
    posterior : ndarray, shape (n_instances, n_concepts)
        Probability of each concept for each instance.
    tolerance : float
        Stop when the mean log likelihood of an instance gains less than this.

    Returns
    -------
    Climb
    """
    reached = -np.inf
    for _ in range(MAX_ITER):
        mixture = steps.maximize(posterior)
        before = reached
        posterior, reached = _to_posterior(steps.joint(mixture))
        if reached - before < tolerance:
            break
    return Climb(mixture, posterior, reached)


def best_climb(steps: EMSteps[Mixture], n_concepts: int, seeds: Sequence[int]) -> Climb[Mixture]:
    """Run EM from one k-means clustering for each seed; the largest likelihood is kept.

    With fewer different instances than `n_concepts` there will be fewer concepts.
    """
    starts = (kmeans_start(steps.space, n_concepts, seed) for seed in seeds)
    climbs = [climb(steps, one_hot(start), TOLERANCE) for start in starts]
    return max(climbs, key=lambda run: run.log_likelihood)


def kmeans_start(X: FloatArray, n_clusters: int, seed: int, n_init: int = 1) -> IntArray:
    """Cluster of each row of `X` by k-means, numbered without gaps."""
    if n_clusters == 1 or not X.shape[1]:
        return np.zeros(len(X), dtype=np.int64)
    with warnings.catch_warnings():
        # of clusters that stay empty; what comes of them is told by the callers
        warnings.simplefilter("ignore", ClusteringWarning)
        labels, _ = kmeans_rows(X, n_clusters, n_init, seed)
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)


def one_hot(labels: IntArray, n_clusters: int = 0) -> FloatArray:
    """Give each item probability 1 of its cluster, shape (n, max(n_clusters, clusters))."""
    certain: FloatArray = np.eye(max(n_clusters, int(labels.max()) + 1))[labels]
    return certain


def _to_posterior(joint: FloatArray) -> tuple[FloatArray, float]:
    """Turn joint log densities, in place, into posteriors; give the mean log likelihood too."""
    peak = joint.max(axis=1, keepdims=True)
    joint -= peak
    np.exp(joint, out=joint)
    total = joint.sum(axis=1, keepdims=True)
    joint /= total
    return joint, float((np.log(total) + peak).mean())
