"""Annotation of bags by the bags that are near them, and by those that they are near to."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from algorithms.bags import Bags, BoolArray, FloatArray
from algorithms.base import BagEstimator
from algorithms.checks import check_choice, check_count, check_fitted, check_new_bags
from algorithms.distances import bag_distances
from algorithms.errors import ClusteringError

CiterPool = Literal["train", "test"]
_TABLE_ENTRIES = 1 << 22  # distances of new bags to training bags at a time: 32 MB
_SAME = 2.0**30  # distances are right to about 1e-10; what differs by less than this part is a tie


class CitationKNN(BagEstimator):
    r"""Labels of a bag from its nearest training bags and from those that count it as near.

    *References* of a new bag E are the R training bags nearest to it, *citers* those training bags
    B for which E is among the C bags nearest to B. Every reference and every citer gives one vote
    to each of its labels. Both numbers are clipped to the number of bags there are; of bags equally
    far, the earlier ones are nearer, and E, added to the training bags, is the last.

    Parameters
    ----------
    metric : object with ``transform``, optional
        The distance of instances is that of what ``transform`` makes of them, as of a
        :class:`~algorithms.metric.base.MetricLearner`; Euclidean unless given. A learner that has
        not been fitted is copied, and the copy fitted to the bags of :meth:`fit`.
    distance : {"min", "max"}
        Minimal or maximal Hausdorff distance of bags (:func:`~algorithms.distances.bag_distances`).
    n_references, n_citers : int
        R and C.
    citer_pool : {"train", "test"}
        Among which bags E has to be near to B: the training bags other than B, and E (as defined by
        Wang & Zucker); or all bags given to one call (as the authors' program of Law et al. does),
        which makes the answer for a bag depend on the others asked about.
    n_jobs : int
        Number of threads, -1 for as many as there are processors; the result is the same.

    Attributes
    ----------
    metric_ : object or None
        What transforms instances.

    Notes
    -----
    O(N² d) operations for N training instances of d features, and memory for a table of distances
    of all pairs of training bags; new bags are compared with them some at a time. Training bags
    that are unlabelled or without instances are left out; one labelled with no class is a neighbour
    that votes for nothing.

    References
    ----------
    Wang & Zucker, Solving the multiple-instance problem: a lazy learning approach, ICML 2000. Law,
    Yu, Urtasun, Zemel & Xing, Efficient multiple instance metric learning using weakly supervised
    data, CVPR 2017, section 4.2 (as a way to rank labels; R = C = 20).
    """

    def __init__(
        self,
        metric: Any = None,
        *,
        distance: Literal["min", "max"] = "min",
        n_references: int = 20,
        n_citers: int = 20,
        citer_pool: CiterPool = "train",
        n_jobs: int = 1,
    ) -> None:
        self.metric = metric
        self.distance = distance
        self.n_references = n_references
        self.n_citers = n_citers
        self.citer_pool = citer_pool
        self.n_jobs = n_jobs

    def fit(self, bags: Bags, y: Any = None) -> Self:
        """Learn the metric, unless it has been, and how near each training bag has its neighbours.

        Parameters
        ----------
        bags : Bags
            Training bags, with label sets.

        Returns
        -------
        CitationKNN
            The estimator itself.

        Raises
        ------
        ClusteringError
            When a parameter is out of range, no labelled bag has instances, or the metric cannot be
            learned.
        """
        self._accept(bags)
        self._check_parameters()
        kept = np.flatnonzero(bags.labelled & (bags.sizes > 0))
        if not len(kept):
            raise ClusteringError(
                "there are no labelled bags with instances to learn from: give at least one"
            )
        self.metric_ = _fitted(self.metric, bags)
        self._train = _only(self._transformed(bags), kept)
        self._reach = self._distance_of_last_neighbour()
        return self

    def decision_function(self, bags: Bags) -> FloatArray:
        """Count the votes for every class.

        Parameters
        ----------
        bags : Bags
            Bags to annotate, of the features of the fit. Their labels play no part.

        Returns
        -------
        ndarray, shape (n_bags, n_classes)
            Number of references with the class plus number of citers with it; 0 for bags without
            instances.

        Raises
        ------
        ClusteringError
            When nothing has been fitted, or the features are not those of the fit.
        """
        return self._votes(bags)[0]

    def vote_share(self, bags: Bags) -> FloatArray:
        """Share of the votes that each class gets: those of :meth:`decision_function`, over voters.

        Returns
        -------
        ndarray, shape (n_bags, n_classes)
            0 to 1. A row need not sum to 1, as a voter may have several labels.
        """
        votes, n_voters = self._votes(bags)
        return votes / np.maximum(n_voters, 1)[:, None]

    def predict(self, bags: Bags) -> BoolArray:
        """Give a bag the classes that more than half of its references and citers have.

        Returns
        -------
        ndarray of bool, shape (n_bags, n_classes)
            No class for bags without instances.
        """
        predicted: BoolArray = self.vote_share(bags) > 0.5
        return predicted

    def _check_parameters(self) -> None:
        check_choice("distance", self.distance, ("min", "max"))
        check_choice("citer_pool", self.citer_pool, ("train", "test"))
        check_count("n_references", self.n_references)
        check_count("n_citers", self.n_citers, minimum=0)

    def _transformed(self, bags: Bags) -> Bags:
        if self.metric_ is None or not bags.n_instances:
            return bags
        return bags.with_features(self.metric_.transform(bags.X))

    def _distance_of_last_neighbour(self) -> FloatArray:
        """Distance from each training bag to its C-th nearest other one; inf if there are fewer."""
        n_bags = self._train.n_bags
        if self.citer_pool == "test" or self.n_citers >= n_bags:
            return np.full(n_bags, np.inf)
        if not self.n_citers:
            return np.zeros(n_bags)
        between = bag_distances(self._train, self.distance, n_jobs=self.n_jobs)
        np.fill_diagonal(between, np.inf)
        between.partition(self.n_citers - 1, axis=1)
        return _rounded(between[:, self.n_citers - 1])

    def _votes(self, bags: Bags) -> tuple[FloatArray, FloatArray]:
        """Votes for each class, shape (n_bags, n_classes), and the number of voters, (n_bags,)."""
        check_fitted(self, "_train")
        check_new_bags(bags, self.n_features_in_)
        votes, n_voters = np.zeros((bags.n_bags, self._train.n_classes)), np.zeros(bags.n_bags)
        filled = np.flatnonzero(bags.sizes > 0)
        transformed = self._transformed(bags)
        # Among new bags, who cites whom is decided for all of them together.
        most = _TABLE_ENTRIES // self._train.n_bags if self.citer_pool == "train" else len(filled)
        step = max(1, most)
        for start in range(0, len(filled), step):
            some = filled[start : start + step]
            new = _only(transformed, some)
            far = _rounded(bag_distances(new, self.distance, self._train, n_jobs=self.n_jobs))
            voters = self._references(far).astype(np.float64) + self._citers(far)
            votes[some], n_voters[some] = voters @ self._train.labels, voters.sum(axis=1)
        return votes, n_voters

    def _references(self, far: FloatArray) -> BoolArray:
        return _first_in_order(far, self.n_references)

    def _citers(self, far: FloatArray) -> BoolArray:
        if self.citer_pool == "test":
            return _first_in_order(far.T, self.n_citers).T
        return np.asarray(far < self._reach)


def _fitted(metric: Any, bags: Bags) -> Any:
    if metric is None:
        return None
    if not hasattr(metric, "transform"):
        raise ClusteringError(
            f"metric must have a method transform, as the learners of algorithms.metric do, "
            f"not {metric!r}"
        )
    if not hasattr(metric, "fit"):
        return metric
    try:
        check_is_fitted(metric)
    except NotFittedError:
        return clone(metric).fit(bags)
    return metric


def _only(bags: Bags, numbers: npt.NDArray[np.intp]) -> Bags:
    """Keep some bags, numbered anew in the order of `numbers`."""
    new_number = np.full(bags.n_bags, -1)
    new_number[numbers] = np.arange(len(numbers))
    rows = new_number[bags.bag] >= 0
    return Bags(
        bags.X[rows],
        new_number[bags.bag[rows]],
        bags.labels[numbers],
        bags.labelled[numbers],
        bags.class_names,
    )


def _rounded(distances: FloatArray) -> FloatArray:
    """Round to so many digits as distances are right to, so that equal ones tie."""
    fraction, exponent = np.frexp(distances)
    rounded: FloatArray = np.ldexp(np.rint(fraction * _SAME) / _SAME, exponent)
    return rounded


def _first_in_order(distances: FloatArray, n: int) -> BoolArray:
    """Mark the `n` smallest of every row, of equal ones the first."""
    if n >= distances.shape[1]:
        return np.ones(distances.shape, dtype=np.bool_)
    if not n:
        return np.zeros(distances.shape, dtype=np.bool_)
    last = np.partition(distances, n - 1, axis=1)[:, n - 1 : n]
    nearer, as_far = distances < last, distances == last
    room = n - nearer.sum(axis=1, keepdims=True)
    marked: BoolArray = nearer | (as_far & (as_far.cumsum(axis=1) <= room))
    return marked
