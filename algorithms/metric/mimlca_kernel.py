"""MIMLCA with a kernel: a metric of features that are never written down."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt

from algorithms.bags import Bags, FloatArray, IntArray
from algorithms.bagwise.kernels import Kernel, KernelFunction, KernelName
from algorithms.checks import (
    Seed,
    check_choice,
    check_fitted,
    check_new_features,
    check_number,
    seed_of,
)
from algorithms.errors import ClusteringError
from algorithms.layout import sorted_bags
from algorithms.metric.base import SpaceLearner, check_trainable
from algorithms.metric.class_rules import (
    ClassRules,
    Rule,
    Unassigned,
    class_means,
    class_sums,
)
from algorithms.metric.thin_svd import check_truncation, n_largest
from algorithms.metric.weak_kmeans import (
    Start,
    WeakKMeans,
    WeakKMeansOptions,
    assigned_again,
    check_labels,
    warn_of_full_rank,
)
from algorithms.threads import one_blas_thread

MAX_INSTANCES = 20_000
"""With more instances the kernel matrix would not fit into the memory of usual machines."""

_BLOCK_ENTRIES = 1 << 22  # largest kernel matrix of new instances, in float64 entries: 32 MB


class MIMLCAKernel(SpaceLearner, ClassRules):
    r"""MIMLCA in the feature space of a kernel.

    With K the kernel matrix of all instances, U holds its eigenvectors, and the rest is as in
    :class:`~algorithms.metric.mimlca.MIMLCA`: L'phi(x) = J'K_a^+ k_a(x), K_a being the kernel of
    the examples and k_a(x) theirs with x. Under the linear kernel it is the same method. Time grows
    with the cube of the number of instances and memory with its square.

    A kernel such as "rbf" has hardly an eigenvalue of 0, so U is nearly all of space, in which any
    two instances are equally far apart: at full rank every assignment is as good as another, of
    which a warning tells. `variance` leaves the telling directions only; `ridge`, which has a part
    in the metric and not in U, does not help there.

    Parameters
    ----------
    kernel : {"rbf", "chi2", "poly", "linear"} or callable
        See :class:`~algorithms.bagwise.kernels.Kernel`. "chi2" is the paper's for histograms, with
        ``gamma=1``.
    gamma : float or None
        Width of the kernel; None takes what suits the data.
    degree, coef0
        Of "poly".
    random_state : int or None
        Seed.
    rcond : float or None
        Eigenvalues of kernel matrices up to this share of the largest count as 0; None takes what
        rounding can cause.
    variance : float or None
        Keep only the directions that hold this share of the sum of K's eigenvalues, for U.
    ridge : float
        K_a^+ becomes (K_a + lambda I)^-1, lambda being `ridge` times the mean of K_a's diagonal.
    alpha : float
        Weight of the class means' lengths in the rule "penalised".
    init, n_init, max_per_label, max_iter, rounds, rule, unassigned
        See :class:`~algorithms.metric.mimlca.MIMLCA`.

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n_instances,)
        Class of each instance, -1 for none.
    assigned_, class_means_, competes_, objective_path_, n_iter_, start_objectives_
        See :class:`~algorithms.metric.mimlca.MIMLCA`.
    kernel_ : Kernel
        The kernel, its parameters settled.
    examples_ : ndarray, shape (n_examples, n_features)
        Instances that were assigned a label.
    coefficients_ : ndarray, shape (n_examples, n_classes)
        K_a^+ J.

    References
    ----------
    Law, Yu, Urtasun, Zemel & Xing, Efficient multiple instance metric learning using weakly
    supervised data, CVPR 2017, section 3.4; how new instances are mapped was derived here.
    """

    labels_: IntArray
    assigned_: IntArray
    objective_path_: FloatArray
    n_iter_: int
    start_objectives_: FloatArray
    kernel_: Kernel
    examples_: FloatArray
    coefficients_: FloatArray

    def __init__(
        self,
        *,
        kernel: KernelName | KernelFunction = "rbf",
        gamma: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        random_state: Seed = 0,
        init: Start = "candidates",
        n_init: int = 1,
        max_per_label: int | None = 1,
        rcond: float | None = None,
        variance: float | None = None,
        ridge: float = 0.0,
        max_iter: int = 1000,
        rounds: int = 0,
        alpha: float = 0.25,
        rule: Rule = "penalised",
        unassigned: Unassigned = "nearest",
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.random_state = random_state
        self.init = init
        self.n_init = n_init
        self.max_per_label = max_per_label
        self.rcond = rcond
        self.variance = variance
        self.ridge = ridge
        self.max_iter = max_iter
        self.rounds = rounds
        self.alpha = alpha
        self.rule = rule
        self.unassigned = unassigned

    def fit(self, bags: Bags, y: Any = None) -> Self:
        """Learn the metric from the labels of `bags`, and give each instance its class.

        Raises
        ------
        ClusteringError
            When parameters are out of range, there are more than :data:`MAX_INSTANCES` instances,
            the kernel is not symmetric, or no bag that has instances has a label.

        Warns
        -----
        ClusteringWarning
            When iterations ran out, or the kernel matrix has full rank and `variance` leaves it so.
        """
        self._accept(bags)
        options = self._check_parameters(bags)
        layout = sorted_bags(bags)
        self.kernel_ = Kernel.settle(
            layout.X,
            self.kernel,
            gamma=self.gamma,
            degree=self.degree,
            coef0=self.coef0,
            seed=int(np.random.SeedSequence(seed_of(self.random_state)).generate_state(1)[0]),
        )
        # On one thread: sums split over several differ in their last bits.
        with one_blas_thread():
            K = self.kernel_(layout.X, layout.X)
            _check_symmetric(K)
            _, points = _spectrum(K, self.rcond, self.variance)
            warn_of_full_rank(layout.X, points.shape[1])
            found = WeakKMeans.fit(points, layout, bags.labels, options)
            category = found.category
            mapped = self._learn(K, category, layout.X, bags.n_classes)
            for _ in range(self.rounds):
                before = category
                category = assigned_again(mapped, layout, bags.labels, before, options)
                if (category == before).all():
                    break
                mapped = self._learn(K, category, layout.X, bags.n_classes)
        learned = np.empty_like(mapped)
        learned[layout.order] = mapped
        self.assigned_ = np.empty(bags.n_instances, dtype=np.int64)
        self.assigned_[layout.order] = category
        self.class_means_ = class_means(learned, self.assigned_, bags.n_classes)
        self.competes_ = np.bincount(category + 1, minlength=bags.n_classes + 1)[1:] > 0
        self.objective_path_, self.n_iter_ = found.objectives, len(found.objectives)
        self.start_objectives_ = found.start_objectives
        self.labels_ = self._complete(self.assigned_, learned, self.class_means_, bags)
        return self

    def _map(self, features: FloatArray) -> FloatArray:
        mapped = np.empty((len(features), self.coefficients_.shape[1]))
        step = max(1, _BLOCK_ENTRIES // len(self.examples_))
        for start in range(0, len(features), step):
            rows = slice(start, start + step)
            mapped[rows] = self.kernel_(features[rows], self.examples_) @ self.coefficients_
        return mapped

    def _check_new(self, X: npt.ArrayLike) -> FloatArray:
        check_fitted(self, "coefficients_")
        return check_new_features(X, self.examples_.shape[1])

    def predict(self, X: npt.ArrayLike | Bags, candidates: npt.ArrayLike | None = None) -> IntArray:
        """Class of each instance; see :meth:`~algorithms.metric.mimlca.MIMLCA.predict`."""
        return self.predict_classes(*self._instances(X, candidates))

    def _learn(
        self, K: FloatArray, category: IntArray, X: FloatArray, n_classes: int
    ) -> FloatArray:
        """Learn the metric of the examples, and map all instances."""
        examples = np.flatnonzero(category >= 0)
        self.examples_ = X[examples]
        of_examples = K[np.ix_(examples, examples)]
        self.coefficients_ = self._solve(of_examples, category[examples], n_classes)
        return np.asarray(K[:, examples] @ self.coefficients_)

    def _solve(self, K: FloatArray, category: IntArray, n_classes: int) -> FloatArray:
        """K^+ J."""
        values, vectors = _spectrum(K, self.rcond, None)
        sizes = np.bincount(category, minlength=n_classes)
        indicators = class_sums(vectors, category, n_classes).T / np.sqrt(np.maximum(sizes, 1))
        penalty = self.ridge * float(np.trace(K)) / len(K)
        coefficients: FloatArray = vectors @ (indicators / (values + penalty)[:, None])
        return coefficients

    def _check_parameters(self, bags: Bags) -> WeakKMeansOptions:
        check_trainable(bags)
        check_labels(bags)
        if bags.n_instances > MAX_INSTANCES:
            raise ClusteringError(
                f"{bags.n_instances} instances are too many for a kernel, which compares all pairs "
                f"of them: give at most {MAX_INSTANCES}, or use the linear form, mimlca"
            )
        options = WeakKMeansOptions(
            init=self.init,
            n_init=self.n_init,
            max_per_label=self.max_per_label,
            max_iter=self.max_iter,
            random_state=self.random_state,
            rounds=self.rounds,
        )
        options.check()
        check_truncation(self.rcond, self.variance)
        check_number("ridge", self.ridge)
        check_choice("unassigned", self.unassigned, ("nearest", "none"))
        self._check_rule()
        return options


def _spectrum(
    K: FloatArray, rcond: float | None, variance: float | None
) -> tuple[FloatArray, FloatArray]:
    """Eigenvalues that count, falling, and their vectors; negative ones do not."""
    values, vectors = np.linalg.eigh(K)
    values, vectors = values[::-1], vectors[:, ::-1]
    if rcond is None:
        rcond = len(K) * float(np.finfo(np.float64).eps)
    kept = int((values > rcond * max(float(values[0]), 0.0)).sum())
    if variance is not None and kept:
        kept = n_largest(values[:kept], variance)
    return values[:kept], vectors[:, :kept]


def _check_symmetric(K: FloatArray) -> None:
    if not np.allclose(K, K.T, rtol=1e-8, atol=1e-8 * float(np.abs(K).max())):
        raise ClusteringError(
            "the kernel is not symmetric: k(A, B) must be the transpose of k(B, A)"
        )
