"""The minimax kernel: bags by the least and the largest value of each feature."""

from __future__ import annotations

import numpy as np

from algorithms.bags import BoolArray, FloatArray
from algorithms.bagwise.kernels import Kernel
from algorithms.checks import Seed, check_count, check_number
from algorithms.layout import SortedBags
from algorithms.mil.base import BagAnnotator
from algorithms.mil.planes import Plane, kernel_plane, score_planes


class MIKernel(BagAnnotator[FloatArray, Plane]):
    r"""Support vector machine of bags with the minimax kernel.

    With s(B) the least and the largest value of every feature among the instances of B, the kernel
    is :math:`(\gamma \langle s(B), s(B') \rangle + 1)^p`.

    Parameters
    ----------
    random_state : int or None
        For the sake of the contract: nothing here is random.
    C : float
        Price of errors.
    degree : int
        p.
    gamma : float, optional
        1, as in the paper, suits features from 0 to 1; unless given, 1 over the mean squared length
        of s(B), so that the unit of the features does not matter.

    References
    ----------
    Gärtner, Flach, Kowalczyk & Smola, Multi-instance kernels, ICML 2002, section 4 (the minimax
    kernel, a statistic kernel).
    """

    def __init__(
        self,
        *,
        random_state: Seed = 0,
        C: float = 1.0,
        degree: int = 3,
        gamma: float | None = None,
    ) -> None:
        self.random_state = random_state
        self.C = C
        self.degree = degree
        self.gamma = gamma

    def _check_parameters(self) -> None:
        check_number("C", self.C, above=True)
        check_count("degree", self.degree)

    def _prepare(self, train: SortedBags, seed: int) -> FloatArray:
        self._train = minimax(train)
        self._kernel = Kernel.settle(
            self._train, "poly", gamma=self.gamma, degree=self.degree, coef0=1.0, seed=seed
        )
        return self._kernel(self._train, self._train)

    def _fit_class(self, prepared: FloatArray, positive: BoolArray, seed: int) -> Plane:
        return kernel_plane(prepared, positive, self.C)

    def _score(self, bags: SortedBags, models: list[Plane]) -> FloatArray:
        return score_planes(self._kernel(minimax(bags), self._train), models)


def minimax(bags: SortedBags) -> FloatArray:
    """Compute the least and the largest value of every feature in every bag.

    Parameters
    ----------
    bags : SortedBags
        Bags.

    Returns
    -------
    ndarray, shape (n_filled, 2 * n_features)
        First the least values.
    """
    least = np.minimum.reduceat(bags.X, bags.starts, axis=0)
    return np.hstack([least, np.maximum.reduceat(bags.X, bags.starts, axis=0)])
