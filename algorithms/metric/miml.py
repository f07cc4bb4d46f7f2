"""A metric from bags with several labels, by discriminant analysis of their likeliest instances."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy.linalg import eigh

from algorithms.bags import Bags, BoolArray, FloatArray, IntArray
from algorithms.checks import check_count
from algorithms.errors import ClusteringError, ClusteringWarning
from algorithms.layout import SortedBags, sorted_bags
from algorithms.metric.base import MetricLearner, check_trainable
from algorithms.metric.class_rules import class_sums
from algorithms.metric.closest_pairs import first_minimum
from algorithms.metric.pair_products import PairProducts
from algorithms.threads import one_blas_thread

_RIDGE = 1e-3  # of the mean variance within classes


class MIML(MetricLearner):
    r"""The metric of Jin, Wang & Zhou, as far as it can be reconstructed.

    **This is a reconstruction**: the paper alternates between guessing which instance stands for
    which label of its bag, and discriminant analysis of these instances; how, is filled in here.
    In turn, until the guesses are those of an earlier round (mostly the last one, but a few labels
    may go to and fro for ever):

    1. each label of each bag is given the bag's instance that is nearest to the label's centre c_l
       in the metric so far; one instance may be given to several labels;
    2. c_l becomes the mean of the instances given to l;
    3. with the scatter within labels, :math:`S_w = \sum (x - c_l)(x - c_l)'`, and between them,
       :math:`S_b = \sum_l n_l (c_l - \bar c)(c_l - \bar c)'`, L becomes the generalised
       eigenvectors of (S_b, S_w + εI) with the largest eigenvalues, as many as there are labels
       less one, but no more than features; :math:`L'(S_w + εI)L = I`.

    At first the metric is Euclidean, and c_l the mean of all instances of bags with label l.

    Parameters
    ----------
    max_iter : int
        Most rounds; a :class:`~algorithms.errors.ClusteringWarning` tells if they do not do.

    Attributes
    ----------
    components_ : ndarray, shape (n_features, n_components)
        L.
    centres_ : ndarray, shape (n_classes, n_features)
        c_l; NaN for labels of no bag.
    n_iter_ : int
        Rounds taken.

    Notes
    -----
    ε is 0.001 times the mean variance, tr(S_w) / d. A round takes O(N C r + P d² + d³) operations
    for N instances, C labels and P pairs of a bag and a label. Nothing is random. Bags that are
    unlabelled, without labels or without instances are left out.

    References
    ----------
    Jin, Wang & Zhou, Learning a distance metric from multi-instance multi-label data, CVPR 2009.
    """

    def __init__(self, max_iter: int = 50) -> None:
        self.max_iter = max_iter

    def fit(self, bags: Bags, y: Any = None) -> Self:
        """Learn the metric from `bags`.

        Raises
        ------
        ClusteringError
            When `max_iter` is out of range, or fewer than two labels have instances.
        """
        self._accept(bags)
        check_trainable(bags)
        check_count("max_iter", self.max_iter)
        layout = sorted_bags(bags)
        candidates = _Candidates.of(layout, bags.labels[layout.bag_numbers])
        if len(np.unique(candidates.label)) < 2:
            raise ClusteringError(
                "miml tells labels apart, but fewer than two have instances: give bags with others"
            )
        # Sums over several threads differ in the last digits.
        with one_blas_thread():
            self._alternate(layout.X, candidates, bags.n_classes)
        return self

    def _alternate(self, X: FloatArray, candidates: _Candidates, n_classes: int) -> None:
        shift = X.mean(axis=0)  # digits are lost far from the origin
        centred = X - shift
        L = np.eye(X.shape[1])
        centres = _means(centred, candidates.row, candidates.label, n_classes)
        earlier: set[bytes] = set()
        for number in range(1, self.max_iter + 1):
            self.n_iter_ = number
            chosen = candidates.nearest(centred @ L, centres @ L)
            if chosen.tobytes() in earlier:
                break
            earlier.add(chosen.tobytes())
            row, label = candidates.row[chosen], candidates.label[chosen]
            centres = _means(centred, row, label, n_classes)
            L = _discriminant(centred[row], label, centres)
        else:
            warnings.warn(
                f"the metric still changed in round {self.max_iter} (max_iter), the last",
                ClusteringWarning,
                stacklevel=3,
            )
        self.components_, self.centres_ = L, centres + shift


@dataclass(frozen=True, eq=False)
class _Candidates:
    """Instances that may stand for a label of their bag.

    Attributes
    ----------
    row, label : ndarray of int64, shape (n_candidates,)
        Instance and label; the candidates of a bag and a label are consecutive.
    starts, sizes : ndarray of int64, shape (n_pairs,)
        Where the candidates of each pair of a bag and one of its labels are.
    products : PairProducts
        Inner products of candidates and centres.
    """

    row: IntArray
    label: IntArray
    starts: IntArray
    sizes: IntArray
    products: PairProducts

    @classmethod
    def of(cls, layout: SortedBags, labels: BoolArray) -> _Candidates:
        run, of_run = np.nonzero(labels)
        sizes = layout.sizes[run]
        starts = sizes.cumsum() - sizes
        place = np.arange(sizes.sum()) - np.repeat(starts, sizes)
        row = np.repeat(layout.starts[run], sizes) + place
        label = np.repeat(of_run, sizes).astype(np.int64)
        products = PairProducts.of(row, label, (len(layout.X), labels.shape[1]))
        return cls(row, label, starts, sizes, products)

    def nearest(self, Z: FloatArray, centres: FloatArray) -> IntArray:
        """Candidate of each pair that is nearest to the label's centre; of equals the first."""
        squares = np.einsum("ij,ij->i", Z, Z)
        # The squared length of the centre is the same for all candidates of a pair.
        squared = squares[self.row] - 2.0 * self.products(Z, centres)
        return first_minimum(squared, self.starts, self.sizes)


def _means(X: FloatArray, row: IntArray, label: IntArray, n_classes: int) -> FloatArray:
    """Mean of the rows given to each label, NaN where there are none."""
    sums = class_sums(X[row], label, n_classes)
    counts = np.bincount(label, minlength=n_classes).astype(np.float64)
    counts[counts == 0] = np.nan
    return sums / counts[:, None]


def _discriminant(X: FloatArray, label: IntArray, centres: FloatArray) -> FloatArray:
    """Leading generalised eigenvectors of the scatter between and within labels."""
    d = X.shape[1]
    counts = np.bincount(label)
    present = np.flatnonzero(counts)
    within = X - centres[label]
    between = (centres[present] - X.mean(axis=0)) * np.sqrt(counts[present])[:, None]
    S_w, S_b = within.T @ within, between.T @ between
    ridge = _RIDGE * np.trace(S_w) / d
    S_w[np.diag_indices(d)] += ridge if ridge > 0 else 1.0
    n_components = min(len(present) - 1, d)
    vectors: FloatArray = eigh(S_b, S_w, subset_by_index=[d - n_components, d - 1])[1]
    largest = np.abs(vectors).argmax(axis=0)
    vectors *= np.sign(vectors[largest, np.arange(n_components)])
    return np.ascontiguousarray(vectors[:, ::-1])
