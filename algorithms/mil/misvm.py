"""mi-SVM: a support vector machine of instances, whose labels in positive bags it finds itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from algorithms.bags import BoolArray, FloatArray
from algorithms.bagwise.kernel_features import KernelFeatures
from algorithms.bagwise.kernels import Kernel
from algorithms.checks import Seed, check_choice, check_count, check_number
from algorithms.layout import SortedBags
from algorithms.mil.base import BagAnnotator
from algorithms.mil.planes import Plane, TrainingRows, score_planes
from algorithms.mil.runs import first_largest


@dataclass(frozen=True, eq=False)
class _Instances:
    """The training instances as features of the kernel."""

    runs: SortedBags
    rows: TrainingRows


class MISVM(BagAnnotator[_Instances, Plane]):
    r"""Support vector machine of instances, relabelled until it agrees with itself.

    At first every instance of a positive bag is positive. A machine is trained on all instances;
    those of positive bags are relabelled by it, and where that leaves a positive bag without a
    positive instance, its instance of largest score is one. Repeated until nothing changes. The
    score of a bag is the largest of its instances.

    Parameters
    ----------
    random_state : int or None
        Seed of the landmarks; None takes a new one every time.
    C : float
        Price of errors.
    kernel : {"rbf", "linear"}
        Kernel of instances.
    gamma : float, optional
        Of the kernel exp(-gamma ||x - y||²); 1 over the median squared distance of two instances
        unless given.
    n_landmarks : int
        With more instances than this the kernel "rbf" is expanded in so many, drawn at random
        (Nyström); else it is exact.
    max_iter : int
        Most rounds of relabelling; with thousands of instances it goes on changing a few for long.

    Notes
    -----
    The machine has squared hinge loss, where the paper's is linear: on explicit features of the
    kernel, shared by all classes, that has a fast solver without randomness.

    References
    ----------
    Andrews, Tsochantaridis & Hofmann, Support vector machines for multiple-instance learning,
    NIPS 2002 (mi-SVM).
    """

    def __init__(
        self,
        *,
        random_state: Seed = 0,
        C: float = 1.0,
        kernel: Literal["rbf", "linear"] = "rbf",
        gamma: float | None = None,
        n_landmarks: int = 300,
        max_iter: int = 20,
    ) -> None:
        self.random_state = random_state
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.n_landmarks = n_landmarks
        self.max_iter = max_iter

    def _check_parameters(self) -> None:
        check_number("C", self.C, above=True)
        check_choice("kernel", self.kernel, ("rbf", "linear"))
        check_count("n_landmarks", self.n_landmarks)
        check_count("max_iter", self.max_iter)

    def _prepare(self, train: SortedBags, seed: int) -> _Instances:
        kernel = Kernel.settle(
            train.X, self.kernel, gamma=self.gamma, degree=1, coef0=0.0, seed=seed
        )
        landmarks = train.X
        if len(landmarks) > self.n_landmarks:
            drawn = np.random.default_rng(seed).choice(len(train.X), self.n_landmarks, False)
            landmarks = train.X[np.sort(drawn)]
        self._features, _ = KernelFeatures.fit_transform(
            landmarks, kernel, seed=seed, max_exact=len(landmarks)
        )
        return _Instances(train, TrainingRows.of(self._features.transform(train.X)))

    def _fit_class(self, prepared: _Instances, positive: BoolArray, seed: int) -> Plane:
        labels = positive[prepared.runs.run]
        for _ in range(self.max_iter):
            plane = prepared.rows.train(labels, self.C)
            scores = score_planes(prepared.rows.features, [plane])[:, 0]
            previous, labels = labels, relabelled(scores, positive, prepared.runs)
            if np.array_equal(labels, previous):
                break
        return plane

    def _score(self, bags: SortedBags, models: list[Plane]) -> FloatArray:
        scores = score_planes(self._features.transform(bags.X), models)
        best: FloatArray = np.maximum.reduceat(scores, bags.starts, axis=0)
        return best


def relabelled(scores: FloatArray, positive: BoolArray, runs: SortedBags) -> BoolArray:
    """Label the instances of positive bags by their scores, one of each positive at least.

    Parameters
    ----------
    scores : ndarray, shape (n_instances,)
        Score of each row of ``runs.X``.
    positive : ndarray of bool, shape (n_filled,)
        Which runs are positive.
    runs : SortedBags
        Where the bags are.

    Returns
    -------
    ndarray of bool, shape (n_instances,)
        True above 0 in positive bags, and for the largest score of each; False in negative bags.
    """
    labels = (scores > 0) & positive[runs.run]
    labels[first_largest(scores, runs)[positive]] = True
    return labels
