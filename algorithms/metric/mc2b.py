"""M-C2B: for every class a metric by which its instances are near to the bags that have it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy.linalg import eigh
from scipy.sparse import csr_array
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from algorithms.bags import Bags, BoolArray, FloatArray, IntArray
from algorithms.checks import Seed, check_count, check_fitted, check_new_bags, check_seed, seed_of
from algorithms.errors import ClusteringError
from algorithms.layout import SortedBags, sorted_bags
from algorithms.metric.base import MetricLearner, check_trainable
from algorithms.metric.closest_pairs import nearest_in_bags

_SETTLED = 1e-4  # share by which the ratio must fall in a step
_SMALL = 1e-6  # of the mean distance, added where it is divided by
_BLOCK_ENTRIES = 1 << 20


class MC2B(MetricLearner):
    r"""Class-to-bag distances, each class with a metric of its own.

    **This is a reconstruction** of the method of Wang, Nie & Huang from its description. The
    distance of class l to bag i is the sum of :math:`\|W_l'(x - n_i(x))\|` over the instances x of
    bags with label l, n_i(x) being the instance of bag i nearest to x by the Euclidean distance;
    the terms are distances, not their squares. Each W_l, of orthonormal columns, makes the sum of
    these distances to bags with the label small against that to bags without it. With the terms
    weighted by 1 / (2 ‖W'δ‖ + ε), W becomes the eigenvectors of :math:`S_+ - λ S_-` with the
    smallest eigenvalues, λ being the ratio so far and S the weighted scatters of the differences δ,
    in turn until the ratio falls no more by a ten-thousandth of itself. A step by which it rises is
    taken back: unlike squared distances, these do not guarantee that it falls.

    Parameters
    ----------
    n_components : int, optional
        Columns of each W_l; half the number of features unless told. With all of them every W is
        as good as any other.
    random_state : int or None
        Seed of the samples of bags.
    max_bags : int
        Most bags with the label, and most without it, that each class learns from; of more a
        sample is drawn.
    max_iter : int
        Most steps for each class.

    Attributes
    ----------
    class_components_ : ndarray, shape (n_classes, n_features, n_components)
        W_l; zeros for classes that all labelled bags have, or none.
    ratios_ : list of ndarray
        Of each class the ratio before the first step (all features) and after each; empty for
        classes that all labelled bags have, or none.
    n_iter_ : int
        Most steps of a class.
    components_ : ndarray, shape (n_features, n_features)
        For where a single metric is asked for: its squared distance is the mean over classes of
        those by W_l.

    Notes
    -----
    A step takes O(n m r + (n M + m) d + d³) operations for the n instances of at most `max_bags`
    bags with the label, and the m instances of the M bags compared with. Bags that are unlabelled
    or without instances are left out.

    References
    ----------
    Wang, Nie & Huang, Robust and discriminative distance for multi-instance learning, CVPR 2012.
    """

    def __init__(
        self,
        n_components: int | None = None,
        *,
        random_state: Seed = 0,
        max_bags: int = 200,
        max_iter: int = 50,
    ) -> None:
        self.n_components = n_components
        self.random_state = random_state
        self.max_bags = max_bags
        self.max_iter = max_iter

    def fit(self, bags: Bags, y: Any = None) -> Self:
        """Learn the metrics from `bags`.

        Raises
        ------
        ClusteringError
            When a parameter is out of range, or no class is in some labelled bags and not in others
            (with instances).
        """
        self._accept(bags)
        n_components = self._check_parameters(bags)
        layout = sorted_bags(bags)
        labelled = bags.labelled[layout.bag_numbers]
        labels = bags.labels[layout.bag_numbers]
        seeds = np.random.default_rng(seed_of(self.random_state)).spawn(bags.n_classes)
        self._everywhere = labels[labelled].all(axis=0)
        self._examples: list[FloatArray] = []
        self.ratios_: list[FloatArray] = []
        self.class_components_ = np.zeros((bags.n_classes, bags.n_features, n_components))
        # Sums over several threads differ in the last digits.
        with threadpool_limits(limits=1, user_api="blas"):
            for number, rng in enumerate(seeds):
                having = np.flatnonzero(labelled & labels[:, number])
                lacking = np.flatnonzero(labelled & ~labels[:, number])
                self._learn_class(number, layout, having, lacking, rng)
            if not any(map(len, self.ratios_)):
                raise ClusteringError(
                    "mc2b compares bags with and without a class, but no class is in some labelled "
                    "bags with instances and not in others: give more bags"
                )
            self.n_iter_ = max(map(len, self.ratios_)) - 1
            self.components_ = self._mean_metric()
        return self

    def bag_scores(self, bags: Bags) -> FloatArray:
        """Score how likely each bag has each class.

        Parameters
        ----------
        bags : Bags
            Bags to annotate, of the features of the fit. Their labels play no part.

        Returns
        -------
        ndarray, shape (n_bags, n_classes)
            Minus the mean distance of the class's instances to the bag; 0, the most there can be,
            for classes that all labelled bags had, and -inf for those that none had. -inf for bags
            without instances.

        Raises
        ------
        ClusteringError
            When nothing has been fitted, or the features are not those of the fit.
        """
        check_fitted(self, "components_")
        check_new_bags(bags, len(self.components_))
        layout = sorted_bags(bags)
        scores = np.where(self._everywhere, 0.0, -np.inf) + np.zeros((layout.n_filled, 1))
        with threadpool_limits(limits=1, user_api="blas"):
            for number, examples in enumerate(self._examples):
                if len(examples) and layout.n_filled:
                    side = _Side.of(examples, layout)
                    W = self.class_components_[number]
                    scores[:, number] = -side.distances(W).mean(axis=0)
        return layout.to_bags(scores, -np.inf)

    def _check_parameters(self, bags: Bags) -> int:
        check_trainable(bags)
        check_seed(self.random_state)
        check_count("max_bags", self.max_bags)
        check_count("max_iter", self.max_iter)
        if self.n_components is None:
            return max(1, bags.n_features // 2)
        check_count("n_components", self.n_components)
        if self.n_components > bags.n_features:
            raise ClusteringError(
                f"n_components={self.n_components}: ask for at most the number of features, "
                f"{bags.n_features}"
            )
        return self.n_components

    def _learn_class(
        self,
        number: int,
        layout: SortedBags,
        having: IntArray,
        lacking: IntArray,
        rng: np.random.Generator,
    ) -> None:
        if not len(having) or not len(lacking):
            self._examples.append(np.empty((0, layout.X.shape[1])))
            self.ratios_.append(np.empty(0))
            return
        near = _only(layout, _sample(having, self.max_bags, rng))
        far = _only(layout, _sample(lacking, self.max_bags, rng))
        n_components = self.class_components_.shape[2]
        W, ratios = _learn(
            _Side.of(near.X, near), _Side.of(near.X, far), n_components, self.max_iter
        )
        self.class_components_[number] = W
        self.ratios_.append(ratios)
        self._examples.append(near.X)

    def _mean_metric(self) -> FloatArray:
        learned = self.class_components_[[len(r) > 0 for r in self.ratios_]]
        M = np.einsum("cir,cjr->ij", learned, learned) / len(learned)
        values, vectors = np.linalg.eigh(M)
        root: FloatArray = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
        return root


@dataclass(frozen=True, eq=False)
class _Side:
    """Differences between the instances of a class and those nearest to them in some bags.

    Attributes
    ----------
    examples : ndarray, shape (n, n_features)
        Instances of the class.
    X : ndarray, shape (m, n_features)
        Instances of the bags.
    nearest : ndarray of int64, shape (n, n_bags)
        Of each bag the row of `X` that is nearest.
    """

    examples: FloatArray
    X: FloatArray
    nearest: IntArray

    @classmethod
    def of(cls, examples: FloatArray, bags: SortedBags) -> _Side:
        centre = bags.X.mean(axis=0)  # digits are lost far from the origin
        return cls(examples - centre, bags.X - centre, nearest_in_bags(examples, bags))

    def distances(self, W: FloatArray) -> FloatArray:
        """Length of every difference as W maps it, shape (n, n_bags)."""
        one, two = self.examples @ W, self.X @ W
        squares = np.einsum("ij,ij->i", two, two)
        squared = np.empty(self.nearest.shape)
        step = max(1, _BLOCK_ENTRIES // len(two))
        for start in range(0, len(one), step):
            rows = slice(start, start + step)
            between = squares - 2.0 * one[rows] @ two.T
            squared[rows] = np.take_along_axis(between, self.nearest[rows], axis=1)
        squared += np.einsum("ij,ij->i", one, one)[:, None]
        lengths: FloatArray = np.sqrt(np.maximum(squared, 0.0))
        return lengths

    def scatter(self, weight: FloatArray) -> FloatArray:
        """Sum of the weighted outer products of the differences, shape (d, d)."""
        n, n_bags = self.nearest.shape
        starts = np.arange(n + 1) * n_bags
        graph = csr_array((weight.ravel(), self.nearest.ravel(), starts), shape=(n, len(self.X)))
        of_row, of_column = weight.sum(axis=1), graph.sum(axis=0)
        cross = self.examples.T @ (graph @ self.X)
        scatter: FloatArray = (
            (self.examples.T * of_row) @ self.examples
            + (self.X.T * of_column) @ self.X
            - cross
            - cross.T
        )
        return scatter


def _learn(
    near: _Side, far: _Side, n_components: int, max_iter: int
) -> tuple[FloatArray, FloatArray]:
    """Find W, and the ratios on the way there."""
    d = near.X.shape[1]
    W: FloatArray = np.eye(d)
    lengths = near.distances(W), far.distances(W)
    small = _SMALL * lengths[1].mean() or 1.0  # all the same if all bags are equal
    ratios = [_ratio(*lengths)]
    best: FloatArray = W[:, :n_components]
    for number in range(max_iter):
        S_near, S_far = (
            side.scatter(1.0 / (2.0 * length + small))
            for side, length in zip((near, far), lengths, strict=True)
        )
        W = eigh(S_near - ratios[-1] * S_far, subset_by_index=[0, n_components - 1])[1]
        lengths = near.distances(W), far.distances(W)
        ratio = _ratio(*lengths)
        if number and ratio >= ratios[-1]:
            break
        best = W
        ratios.append(ratio)
        if number and ratios[-2] - ratio < _SETTLED * ratios[-2]:
            break
    largest = np.abs(best).argmax(axis=0)
    return best * np.sign(best[largest, np.arange(n_components)]), np.array(ratios)


def _ratio(near: FloatArray, far: FloatArray) -> float:
    total = float(far.sum())
    return float(near.sum()) / total if total > 0 else 1.0


def _sample(numbers: IntArray, most: int, rng: np.random.Generator) -> IntArray:
    """At most so many of the numbers, in their order."""
    if len(numbers) <= most:
        return numbers
    return np.sort(rng.choice(numbers, most, replace=False))


def _only(layout: SortedBags, runs: IntArray) -> SortedBags:
    """Keep some of the bags."""
    kept: BoolArray = np.zeros(layout.n_filled, dtype=np.bool_)
    kept[runs] = True
    rows = kept[layout.run]
    sizes = layout.sizes[runs]
    starts = sizes.cumsum() - sizes
    numbers = layout.bag_numbers[runs]
    return SortedBags(layout.X[rows], layout.order[rows], starts, sizes, numbers, layout.n_bags)
