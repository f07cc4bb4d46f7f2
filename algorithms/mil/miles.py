"""MILES: bags as similarities to instances, of which a sparse machine selects a few."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from algorithms.bags import Bags, BoolArray, FloatArray
from algorithms.bagwise.kernels import Kernel
from algorithms.checks import Seed, check_count, check_number
from algorithms.distances import bag_distances
from algorithms.layout import SortedBags
from algorithms.mil.base import BagAnnotator
from algorithms.mil.planes import Plane, TrainingRows, score_planes
from algorithms.mil.runs import as_bags, instances_as_bags


@dataclass(frozen=True, eq=False)
class Prototypes:
    """What bags are compared with.

    Attributes
    ----------
    instances : Bags
        A bag of each prototype.
    gamma : float
        1 / sigma².
    """

    instances: Bags
    gamma: float

    def embed(self, bags: SortedBags) -> FloatArray:
        """Compute the similarity of bags to prototypes, that of their nearest instance.

        Parameters
        ----------
        bags : SortedBags
            Bags.

        Returns
        -------
        ndarray, shape (n_filled, n_prototypes)
            0 to 1.
        """
        nearest = bag_distances(as_bags(bags), "min", self.instances)
        similar: FloatArray = np.exp(-self.gamma * nearest**2)
        return similar


class MILES(BagAnnotator[TrainingRows, Plane]):
    r"""Sparse support vector machine on similarities of bags to training instances.

    Bag B becomes the vector of :math:`\max_j \exp(-\|x_j - x^k\|^2 / \sigma^2)` over prototypes
    :math:`x^k`, which are all training instances, or some drawn at random where there are many. A
    linear machine with an L1 penalty then selects the prototypes that tell.

    Parameters
    ----------
    random_state : int or None
        Seed of the prototypes and of the solver; None takes a new one every time.
    C : float
        Price of errors.
    gamma : float, optional
        1 / sigma²; 1 over the median squared distance of two instances unless given.
    n_prototypes : int
        Most prototypes.

    Notes
    -----
    The machine has squared hinge loss, where the paper solves a linear program.

    References
    ----------
    Chen, Bi & Wang, MILES: multiple-instance learning via embedded instance selection, IEEE
    Transactions on Pattern Analysis and Machine Intelligence 28 (2006).
    """

    def __init__(
        self,
        *,
        random_state: Seed = 0,
        C: float = 1.0,
        gamma: float | None = None,
        n_prototypes: int = 2000,
    ) -> None:
        self.random_state = random_state
        self.C = C
        self.gamma = gamma
        self.n_prototypes = n_prototypes

    def _check_parameters(self) -> None:
        check_number("C", self.C, above=True)
        check_count("n_prototypes", self.n_prototypes)

    def _prepare(self, train: SortedBags, seed: int) -> TrainingRows:
        kernel = Kernel.settle(train.X, "rbf", gamma=self.gamma, degree=1, coef0=0.0, seed=seed)
        chosen = train.X
        if len(chosen) > self.n_prototypes:
            drawn = np.random.default_rng(seed).choice(len(train.X), self.n_prototypes, False)
            chosen = train.X[np.sort(drawn)]
        self._prototypes = Prototypes(instances_as_bags(chosen), kernel.gamma)
        return TrainingRows.of(self._prototypes.embed(train))

    def _fit_class(self, prepared: TrainingRows, positive: BoolArray, seed: int) -> Plane:
        return prepared.train(positive, self.C, sparse=True, seed=seed)

    def _score(self, bags: SortedBags, models: list[Plane]) -> FloatArray:
        return score_planes(self._prototypes.embed(bags), models)
