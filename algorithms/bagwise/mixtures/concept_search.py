"""How many concepts there are, and the mixture of them."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from algorithms.bags import FloatArray
from algorithms.bagwise.mixtures.instance_mixture import choose_covariance, gaussian_steps
from algorithms.bagwise.mixtures.mixture_em import (
    TOLERANCE,
    EMSteps,
    InstanceMixture,
    best_climb,
    climb,
    kmeans_start,
    one_hot,
)
from algorithms.bagwise.mixtures.multinomial_mixture import MultinomialSteps
from algorithms.errors import ClusteringError, ClusteringWarning

InstanceModel = Literal["diag", "full", "multinomial"]

MOST_CONCEPTS = 20
"""Largest number of concepts that is tried."""

INSTANCES_PER_CONCEPT = 5
"""Instances for each concept, at least, while the number is searched for. With fewer the
likelihood grows without limit, a concept closing in on each instance, and BIC is misled."""

_SEARCH_TOLERANCE = 10 * TOLERANCE  # numbers of concepts differ in likelihood by far more


@dataclass(frozen=True, eq=False)
class Concepts:
    """A mixture of concepts, and how it was come by.

    Attributes
    ----------
    mixture : InstanceMixture
        The mixture.
    model : {"diag", "full", "multinomial"}
        Its kind.
    bic : dict of int to float
        Bayesian information criterion for each number tried; empty when the number was given.
    """

    mixture: InstanceMixture
    model: InstanceModel
    bic: dict[int, float] = field(default_factory=dict)

    @property
    def n_concepts(self) -> int:
        """Number of concepts."""
        return len(self.mixture.weights)


def find_concepts(
    X: FloatArray,
    *,
    model: Literal["auto", "diag", "full", "multinomial"],
    n_concepts: int | None,
    seeds: Sequence[int],
) -> Concepts:
    """Fit a mixture of concepts to instances.

    Parameters
    ----------
    X : ndarray, shape (n_instances, n_features)
        Instances, at least one.
    model : {"auto", "diag", "full", "multinomial"}
        Gaussians with variances or covariances, or counts; "auto" takes covariances when there
        are 10 instances for each feature that varies and each concept (of the most that are
        tried), and variances otherwise.
    n_concepts : int or None
        Number of concepts; None takes the one of least BIC (:func:`search_number`).
    seeds : sequence of int
        A seed for each start.

    Returns
    -------
    Concepts

    Raises
    ------
    ClusteringError
        When there are fewer instances than concepts, or counts are negative.
    """
    if n_concepts is not None and n_concepts > len(X):
        plural = "instances" if len(X) > 1 else "instance"
        raise ClusteringError(
            f"n_concepts={n_concepts}: ask for at most {len(X)}, as there are {len(X)} {plural}"
        )
    most = n_concepts or min(MOST_CONCEPTS, max(2, len(X) // INSTANCES_PER_CONCEPT), len(X))
    if model == "auto":
        n_varying = int((X.max(axis=0) > X.min(axis=0)).sum())
        model = choose_covariance(len(X), n_varying, most)
    steps: EMSteps[Any] = (
        MultinomialSteps(X) if model == "multinomial" else gaussian_steps(X, model)
    )
    bic = {} if n_concepts else search_number(steps, most, seeds[0])
    wanted = n_concepts or min(bic, key=lambda number: bic[number])
    found = Concepts(best_climb(steps, wanted, seeds).mixture, model, bic)
    _warn(found, n_concepts)
    return found


def search_number(steps: EMSteps[Any], most: int, seed: int) -> dict[int, float]:
    """Tell the BIC of every number of concepts from 2 (or 1, if that is the most) to `most`.

    The largest mixture starts from k-means; each smaller one from the one before, with two
    concepts made one, those that k-means would lose least by. So all share one start, and need
    few steps each.

    Parameters
    ----------
    steps : EMSteps
        The two steps of EM.
    most : int
        Largest number of concepts. With fewer different instances it is less.
    seed : int
        Seed of k-means.

    Returns
    -------
    dict of int to float
        BIC by number of concepts.
    """
    posterior = one_hot(kmeans_start(steps.space, most, seed))
    bic: dict[int, float] = {}
    while True:
        run = climb(steps, posterior, _SEARCH_TOLERANCE)
        number = posterior.shape[1]
        bic[number] = run.bic
        if number <= 2:
            return dict(sorted(bic.items()))
        posterior = merge_two(run.posterior, steps.space)


def merge_two(posterior: FloatArray, space: FloatArray) -> FloatArray:
    """Make one concept of the two whose merging adds least to the squared distances in `space`.

    Parameters
    ----------
    posterior : ndarray, shape (n_instances, n_concepts)
        Probability of each concept, two at least, for each instance.
    space : ndarray, shape (n_instances, n_dimensions)
        Where distances are taken.

    Returns
    -------
    ndarray, shape (n_instances, n_concepts - 1)

    References
    ----------
    Ward, Hierarchical grouping to optimize an objective function, JASA 58, 1963.
    """
    totals = posterior.sum(axis=0) + np.finfo(np.float64).eps
    centres = posterior.T @ space / totals[:, None]
    norms = (centres**2).sum(axis=1)
    squared = norms[:, None] + norms - 2 * centres @ centres.T
    cost = np.maximum(squared, 0.0) * np.multiply.outer(totals, totals)
    cost /= np.add.outer(totals, totals)
    cost[np.tril_indices(len(cost))] = np.inf
    kept, gone = np.unravel_index(int(cost.argmin()), cost.shape)
    merged = np.delete(posterior, gone, axis=1)
    merged[:, kept] += posterior[:, gone]
    return merged


def _warn(found: Concepts, n_concepts: int | None) -> None:
    if n_concepts is not None and found.n_concepts < n_concepts:
        warnings.warn(
            f"there are {found.n_concepts} concepts instead of {n_concepts}, as many instances "
            "are alike",
            ClusteringWarning,
            stacklevel=4,
        )
    if n_concepts is None and found.n_concepts == MOST_CONCEPTS:
        warnings.warn(
            f"BIC still falls at {MOST_CONCEPTS} concepts, the most that are tried: more may "
            "describe the instances better; give n_concepts to use another number",
            ClusteringWarning,
            stacklevel=4,
        )
