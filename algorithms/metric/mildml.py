"""MildML: bags that share a label should hold a pair of near instances, other bags none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import coo_array
from scipy.special import expit, log_expit

from algorithms.bags import Bags, BoolArray, FloatArray
from algorithms.checks import Seed, check_count, check_seed, seed_of
from algorithms.errors import ClusteringError
from algorithms.layout import SortedBags, sorted_bags
from algorithms.metric.base import MetricLearner, check_trainable
from algorithms.metric.closest_pairs import AllBagPairs, Closest, SomeBagPairs
from algorithms.threads import one_blas_thread

_MOST_COMPONENTS = 32


class MildML(MetricLearner):
    r"""Logistic discriminant metric learning from pairs of bags.

    The probability that two bags share a label is :math:`p = \sigma(b - d)`, d being the smallest
    squared distance :math:`\|L'(u - v)\|^2` of instances u of one bag and v of the other. L and the
    bias b minimise

    .. math:: F = -2 \Big[ \frac{1}{n_p} \sum_+ \log p + \frac{1}{n_n} \sum_- \log (1 - p) \Big]
              - \frac{N}{n_p} \log \sigma(b)

    with sums over the n_p pairs of bags that share a label and the n_n that do not; the last term
    pairs every one of the N instances with itself. The nearest instances are looked for anew
    whenever F is evaluated. L-BFGS takes the place of the paper's conjugate gradients.

    Parameters
    ----------
    n_components : int, optional
        Columns of L; 32 unless told, or the number of features if that is less.
    random_state : int or None
        Seed of the starts (L orthonormal, b between 0 and 1) and of the samples of pairs.
    n_init : int
        Number of starts; the one of least F is kept.
    max_iter : int
        Steps of L-BFGS.
    max_bags : int
        With more bags than this, every start takes a sample of the pairs of bags.
    n_pairs : int
        Number of pairs in a sample that share a label, and of those that do not.

    Attributes
    ----------
    components_ : ndarray, shape (n_features, n_components)
        L.
    bias_ : float
        b: squared distances below it speak for a shared label.
    objective_ : float
        F; as estimated from its sample, if there is one.
    n_iter_ : int
        Steps taken.

    Notes
    -----
    O(N² n_components) operations for an evaluation of F and its gradient, or about
    n_pairs s² n_components for bags of s instances with samples; memory for all pairs of bags, or
    for those of the sample. For a kernel, give the rows of
    the Gram matrix as instances. Bags that are unlabelled or without instances are left out.

    References
    ----------
    Guillaumin, Verbeek & Schmid, Multiple instance metric learning from automatically labeled bags
    of faces, ECCV 2010.
    """

    def __init__(
        self,
        n_components: int | None = None,
        *,
        random_state: Seed = 0,
        n_init: int = 1,
        max_iter: int = 100,
        max_bags: int = 1500,
        n_pairs: int = 5000,
    ) -> None:
        self.n_components = n_components
        self.random_state = random_state
        self.n_init = n_init
        self.max_iter = max_iter
        self.max_bags = max_bags
        self.n_pairs = n_pairs

    def fit(self, bags: Bags, y: Any = None) -> Self:
        """Learn the metric from `bags`.

        Raises
        ------
        ClusteringError
            When a parameter is out of range, or when no two bags share a label, or all do.
        """
        self._accept(bags)
        self._check_parameters(bags)
        kept = sorted_bags(_labelled(bags))
        if kept.n_filled < 2:
            raise ClusteringError(
                "mildml compares pairs of bags, but there are no two labelled bags with instances"
            )
        labels = bags.labels[kept.bag_numbers]
        starts = np.random.default_rng(seed_of(self.random_state)).spawn(self.n_init)
        # Sums over several threads differ in the last digits.
        with one_blas_thread():
            runs = [self._run(kept, labels, rng) for rng in starts]
        best = min(runs, key=lambda run: run.objective)
        self.components_, self.bias_ = best.L, best.b
        self.objective_, self.n_iter_ = best.objective, best.n_iter
        return self

    def _check_parameters(self, bags: Bags) -> None:
        check_trainable(bags)
        check_seed(self.random_state)
        for name in ("n_init", "max_iter", "max_bags", "n_pairs"):
            check_count(name, getattr(self, name))
        if self.n_components is not None:
            check_count("n_components", self.n_components)
            if self.n_components > bags.n_features:
                raise ClusteringError(
                    f"n_components={self.n_components}: ask for at most the number of features, "
                    f"{bags.n_features}"
                )

    def _run(self, bags: SortedBags, labels: BoolArray, rng: np.random.Generator) -> _Run:
        pairs: AllBagPairs | SomeBagPairs
        if bags.n_filled > self.max_bags:
            pairs = SomeBagPairs(bags, labels, self.n_pairs, rng)
        else:
            pairs = AllBagPairs(bags, labels)
        objective = Objective.of(pairs)
        d = bags.X.shape[1]
        r = min(d, _MOST_COMPONENTS) if self.n_components is None else self.n_components
        L = np.linalg.qr(rng.standard_normal((d, r)))[0]
        start = np.append(L, rng.random())
        found = minimize(
            objective, start, jac=True, method="L-BFGS-B", options={"maxiter": self.max_iter}
        )
        return _Run(found.x[:-1].reshape(d, r), float(found.x[-1]), float(found.fun), found.nit)


@dataclass(frozen=True, eq=False)
class Objective:
    """F and its gradient, as a function of L and b.

    Attributes
    ----------
    pairs : AllBagPairs or SomeBagPairs
        The pairs of bags.
    X : ndarray, shape (n_instances, n_features)
        The instances, less their mean.
    n_positive, n_negative : int
        Numbers of the pairs that share a label, and that do not.
    """

    pairs: AllBagPairs | SomeBagPairs
    X: FloatArray
    n_positive: int
    n_negative: int

    @classmethod
    def of(cls, pairs: AllBagPairs | SomeBagPairs) -> Objective:
        """Prepare the objective.

        Raises
        ------
        ClusteringError
            When no two bags share a label, or all do.
        """
        n_positive = int(pairs.positive.sum())
        n_negative = len(pairs.positive) - n_positive
        for n, which in ((n_positive, "share a label"), (n_negative, "have no label in common")):
            if not n:
                raise ClusteringError(
                    f"mildml compares pairs of bags, but no two labelled bags {which}: give more "
                    "bags, of which some do"
                )
        return cls(pairs, pairs.X - pairs.X.mean(axis=0), n_positive, n_negative)

    def __call__(self, parameters: FloatArray) -> tuple[float, FloatArray]:
        """Evaluate F.

        Parameters
        ----------
        parameters : ndarray, shape (n_features * n_components + 1,)
            L, row after row, and b.

        Returns
        -------
        value : float
        gradient : ndarray, shape (n_features * n_components + 1,)
        """
        L, b = parameters[:-1].reshape(self.X.shape[1], -1), parameters[-1]
        Z = self.X @ L
        closest = self.pairs.closest(Z)
        # log p of positive pairs and log(1 - p) of the others, and what they fall short of.
        margin = np.where(self.pairs.positive, b - closest.squared, closest.squared - b)
        weight = np.where(self.pairs.positive, 2.0 / self.n_positive, -2.0 / self.n_negative)
        of_itself = len(self.X) / self.pairs.n_sharing
        value = -(np.abs(weight) * log_expit(margin)).sum() - of_itself * log_expit(b)
        slope = weight * expit(-margin)  # dF / d squared
        gradient = 2.0 * self.X.T @ _laplacian_product(closest, slope, Z)
        of_b = -slope.sum() - of_itself * expit(-b)
        return float(value), np.append(gradient, of_b)


@dataclass(frozen=True, eq=False)
class _Run:
    """What one start came to."""

    L: FloatArray
    b: float
    objective: float
    n_iter: int


def _laplacian_product(closest: Closest, weight: FloatArray, Z: FloatArray) -> FloatArray:
    """Sum over pairs (u, v) of weight (e_u - e_v)(e_u - e_v)'Z, without forming differences."""
    n = len(Z)
    graph = coo_array((weight, (closest.one, closest.two)), shape=(n, n)).tocsr()
    degree = np.bincount(closest.one, weight, n) + np.bincount(closest.two, weight, n)
    product: FloatArray = degree[:, None] * Z - graph @ Z - graph.T @ Z
    return product


def _labelled(bags: Bags) -> Bags:
    """Keep the instances of labelled bags."""
    rows = bags.labelled[bags.bag]
    return Bags(bags.X[rows], bags.bag[rows], bags.labels, bags.labelled, bags.class_names)
