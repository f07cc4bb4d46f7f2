"""MIMLCA: a metric in closed form, from the label sets of bags."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy.spatial.distance import cdist

from algorithms.bags import Bags, FloatArray, IntArray
from algorithms.base import InstanceClusterer
from algorithms.checks import Seed, check_choice, check_count, seed_of
from algorithms.disambiguation.splitting import share_clusters, split_groups
from algorithms.errors import ClusteringError, ClusteringWarning
from algorithms.layout import sorted_bags
from algorithms.metric.base import MetricLearner, check_trainable
from algorithms.metric.class_rules import (
    ClassRules,
    Rule,
    Unassigned,
    allowed_classes,
    class_means,
)
from algorithms.metric.gaussian_classes import GaussianClasses
from algorithms.metric.mlca import closed_form
from algorithms.metric.thin_svd import ThinSVD, check_truncation
from algorithms.metric.weak_kmeans import (
    Start,
    WeakKMeans,
    WeakKMeansOptions,
    assigned_again,
    check_labels,
    warn_of_full_rank,
)
from algorithms.threads import one_blas_thread

_SPLIT_STARTS = 20  # of each k-means within a class


class MIMLCA(MetricLearner, ClassRules, InstanceClusterer):
    r"""Metric learning from label sets of bags: first which instance is of which label, then MLCA.

    With U the left singular vectors of the features X, a k-means on the rows of U that may give an
    instance only a label of its bag finds an example of each label in each bag. The metric is that
    of :class:`~algorithms.metric.mlca.MLCA` on the examples: M = X^+ H H^+ (X^+)', H being their
    class indicators. No matrix of all pairs is ever formed: time is linear in the number of
    instances and quadratic in that of features.

    As a clusterer it gives every instance a class, from its bag's label set. With more clusters
    than classes each class is split further by k-means on the features themselves: the learned
    space is made to hide what tells the modes of a class apart.

    Parameters
    ----------
    n_clusters : int or None
        Number of clusters. None, or as many as classes that all have instances: the classes are the
        clusters. More than classes with instances: each further one goes where it lowers the
        k-means inertia most.
    random_state : int or None
        Seed of random starts and of k-means; None takes a new one every time.
    clusters_per_class : sequence of int or None
        Number of clusters of each class, in the order of the bags' classes, instead of
        `n_clusters`.
    init : {"candidates", "random"}
        Start. "candidates": the centre of a class is the mean of all instances of all bags that
        have its label. "random": a random assignment, as published.
    n_init : int
        Starts; those after the first are random under "candidates" too. That of least sum of
        squares is kept.
    max_per_label : int or None
        Most instances of a label in a bag. 1 is the published method, for objects that a bag holds
        once. None sets no limit, so that every instance of a labelled bag is an example: right for
        birds, which sing more than one syllable, and what ``birdmodes cluster`` takes unless told.
    center : bool
        Whether features are centred first. The published method does not.
    rcond : float or None
        Singular values up to this share of the largest count as 0; None takes what rounding can
        cause. In U all directions that are kept weigh the same, even those of tiny variance.
    variance : float or None
        Keep only the directions that hold this share of the sum of squares, such as 0.999.
    max_iter : int
        Most iterations of a start.
    rounds : int
        Further rounds: in the learned space the same k-means goes on from the classes found, and
        the metric is learned anew of what it finds. 0 is the published method.
    alpha : float
        Weight of the class means' lengths in the rule "penalised".
    rule : {"penalised", "nearest"}
        How ``predict`` and ``class_scores`` decide: equation 16 or 15 of the paper.
    unassigned : {"nearest", "none"}
        What becomes of an instance that is no example: the class of its bag's label set whose mean
        is nearest in the learned space, or no class, -1. Without a known label set any class may be
        nearest; in a bag known to hold no class it stays -1.

    Attributes
    ----------
    components_ : ndarray, shape (n_features, n_classes)
        The map L; a column is 0 for a class without examples.
    labels_ : ndarray of int64, shape (n_instances,)
        Cluster of each instance, -1 for none.
    class_of_cluster_ : ndarray of int64, shape (n_clusters + 1,)
        Class of each cluster; one more entry, -1, so that it may be indexed with ``labels_``.
    assigned_ : ndarray of int64, shape (n_instances,)
        Class of each example, -1 for the other instances.
    posterior_ : ndarray, shape (n_instances, n_classes)
        What :meth:`class_probabilities` says of the instances, given their bags' label sets. Too
        sure of itself, as the classes were chosen to lie apart.
    class_means_, competes_, mean_
        See :class:`~algorithms.metric.mlca.MLCA`, of the examples.
    objective_path_ : ndarray
        Sum of squared distances in U after each assignment of the start that was kept.
    n_iter_ : int
        Number of assignments of that start.
    start_objectives_ : ndarray, shape (n_init,)
        The last one of each start.

    References
    ----------
    Law, Yu, Urtasun, Zemel & Xing, Efficient multiple instance metric learning using weakly
    supervised data, CVPR 2017, Algorithm 1. `max_per_label`, `variance`, `rounds` and more clusters
    than classes are this package's own.
    """

    labels_: IntArray
    class_of_cluster_: IntArray
    assigned_: IntArray
    posterior_: FloatArray
    objective_path_: FloatArray
    n_iter_: int
    start_objectives_: FloatArray

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        random_state: Seed = 0,
        clusters_per_class: Sequence[int] | None = None,
        init: Start = "candidates",
        n_init: int = 1,
        max_per_label: int | None = 1,
        center: bool = False,
        rcond: float | None = None,
        variance: float | None = None,
        max_iter: int = 1000,
        rounds: int = 0,
        alpha: float = 0.5,
        rule: Rule = "penalised",
        unassigned: Unassigned = "nearest",
    ) -> None:
        self.n_clusters = n_clusters
        self.random_state = random_state
        self.clusters_per_class = clusters_per_class
        self.init = init
        self.n_init = n_init
        self.max_per_label = max_per_label
        self.center = center
        self.rcond = rcond
        self.variance = variance
        self.max_iter = max_iter
        self.rounds = rounds
        self.alpha = alpha
        self.rule = rule
        self.unassigned = unassigned

    def fit(self, bags: Bags, y: Any = None) -> Self:
        """Learn the metric from the labels of `bags`, and give each instance its cluster.

        Bags without labels take part in U only.

        Raises
        ------
        ClusteringError
            When parameters are out of range or do not fit the data, or no bag that has instances
            has a label.

        Warns
        -----
        ClusteringWarning
            When iterations ran out, fewer clusters were found than asked for, or there are as many
            directions as different instances, so that any assignment is as good as another.
        """
        self._accept(bags)
        self._check_parameters(bags)
        # On one thread: sums split over several differ in their last bits.
        with one_blas_thread():
            self._learn(bags)
            self._classify(bags)
        return self

    def _map(self, features: FloatArray) -> FloatArray:
        return np.asarray((features - self.mean_) @ self.components_)

    def class_probabilities(
        self, X: npt.ArrayLike, candidates: npt.ArrayLike | None = None
    ) -> FloatArray:
        """Probability of each class, if classes are normal in the learned space, of one shape.

        Parameters
        ----------
        X : array_like, shape (n, n_features)
            Instances, old or new.
        candidates : array_like of bool, shape (n, n_classes), optional
            Classes that each may be of, all False where that is not known.

        Returns
        -------
        ndarray, shape (n, n_classes)
            Rows sum to 1, or are 0 where no candidate has examples.

        Raises
        ------
        ClusteringError
            When the arrays do not fit the training data, or nothing has been fitted.
        """
        points = (self._check_new(X) - self.mean_) @ self._short_map
        allowed = allowed_classes(candidates, (len(points), len(self.competes_)))
        return self._gaussian.probabilities(points, allowed)

    def predict(self, X: npt.ArrayLike | Bags, candidates: npt.ArrayLike | None = None) -> IntArray:
        """Give instances the clusters of the fit: the class by the rule, then the nearest centre.

        Parameters
        ----------
        X : array_like, shape (n, n_features), or Bags
            Instances; of bags, candidates are what their labels say.
        candidates : array_like of bool, shape (n, n_classes), optional
            See :meth:`predict_classes`.

        Returns
        -------
        ndarray of int64, shape (n,)
            Clusters, which are the classes unless these were split; -1 where no candidate has
            examples.

        Raises
        ------
        ClusteringError
            When the arrays do not fit the training data, or nothing has been fitted.
        """
        features, candidates = self._instances(X, candidates)
        category = self.predict_classes(features, candidates)
        if self.centres_ is None:
            return category
        squared = cdist(self._check_new(features), self.centres_, "sqeuclidean")
        elsewhere = category[:, None] != self.class_of_cluster_[:-1]
        squared[elsewhere] = np.inf
        return np.where(elsewhere.all(axis=1), -1, squared.argmin(axis=1)).astype(np.int64)

    def _learn(self, bags: Bags) -> None:
        layout = sorted_bags(bags)
        mean = bags.X.mean(axis=0) if self.center else np.zeros(bags.n_features)
        X = layout.X - mean if self.center else layout.X
        points = ThinSVD.of(X, rcond=self.rcond, variance=self.variance).left(X)
        warn_of_full_rank(X, points.shape[1])
        options = self._options()
        found = WeakKMeans.fit(points, layout, bags.labels, options)
        category, components = found.category, self._closed_form(X, found.category, bags.n_classes)
        for _ in range(self.rounds):
            before = category
            category = assigned_again(X @ components, layout, bags.labels, before, options)
            if (category == before).all():
                break
            components = self._closed_form(X, category, bags.n_classes)
        self.mean_, self.components_ = mean, components
        learned = X @ components
        self.class_means_ = class_means(learned, category, bags.n_classes)
        self.competes_ = np.bincount(category + 1, minlength=bags.n_classes + 1)[1:] > 0
        self.assigned_ = np.empty(bags.n_instances, dtype=np.int64)
        self.assigned_[layout.order] = category
        self.objective_path_, self.n_iter_ = found.objectives, len(found.objectives)
        self.start_objectives_ = found.start_objectives

    def _closed_form(self, X: FloatArray, category: IntArray, n_classes: int) -> FloatArray:
        """Learn the map of the examples."""
        examples = category >= 0
        return closed_form(
            X[examples], category[examples], n_classes, rcond=self.rcond, variance=self.variance
        )

    def _classify(self, bags: Bags) -> None:
        """Say of every instance to which class and cluster it belongs."""
        self._short_map = _shortest(self.components_)
        points = (bags.X - self.mean_) @ self._short_map
        means = class_means(points, self.assigned_, bags.n_classes)
        self._split(bags, self._complete(self.assigned_, points, means, bags))
        examples = self.assigned_ >= 0
        self._gaussian = GaussianClasses.fit(
            points[examples], self.assigned_[examples], bags.n_classes
        )
        allowed = (bags.labels | ~bags.labelled[:, None])[bags.bag]
        self.posterior_ = self._gaussian.probabilities(points, allowed)

    def _split(self, bags: Bags, category: IntArray) -> None:
        """Turn classes into clusters."""
        self.centres_: FloatArray | None = None
        counts = self._counts(bags, category)
        if counts is None:
            self.labels_ = category
            self.class_of_cluster_ = np.append(np.arange(bags.n_classes), -1)
            return
        of_class = np.flatnonzero(category >= 0)
        labels, class_of_cluster, self.centres_ = split_groups(
            bags.X[of_class],
            category[of_class],
            counts,
            _SPLIT_STARTS,
            self._split_seed(),
            from_tree=False,
        )
        self.labels_ = np.full(bags.n_instances, -1, dtype=np.int64)
        self.labels_[of_class] = labels
        self.class_of_cluster_ = np.append(class_of_cluster, -1)
        wanted = self.n_clusters if self.clusters_per_class is None else None
        if wanted is not None and len(class_of_cluster) < wanted:
            warnings.warn(
                f"only {len(class_of_cluster)} of {wanted} clusters have instances, as some "
                "classes have too few different ones: use fewer clusters",
                ClusteringWarning,
                stacklevel=3,
            )

    def _counts(self, bags: Bags, category: IntArray) -> dict[int, int] | None:
        """Number of clusters of every class that has instances; None for one each."""
        present = np.unique(category[category >= 0]).tolist()
        if self.clusters_per_class is not None:
            return {name: int(self.clusters_per_class[name]) for name in present}
        if self.n_clusters is None or self.n_clusters == bags.n_classes == len(present):
            return None
        if self.n_clusters < len(present):
            raise ClusteringError(
                f"n_clusters={self.n_clusters} is below the {len(present)} classes that have "
                "instances, and mimlca keeps each cluster within one class: use "
                f"n_clusters={len(present)} or more, or another method"
            )
        of_class = category >= 0
        return share_clusters(
            bags.X[of_class],
            category[of_class],
            self.n_clusters,
            self._split_seed(),
            from_tree=False,
        )

    def _options(self) -> WeakKMeansOptions:
        return WeakKMeansOptions(
            init=self.init,
            n_init=self.n_init,
            max_per_label=self.max_per_label,
            max_iter=self.max_iter,
            random_state=self.random_state,
            rounds=self.rounds,
        )

    def _split_seed(self) -> int:
        return int(np.random.SeedSequence(seed_of(self.random_state)).generate_state(1)[0])

    def _check_parameters(self, bags: Bags) -> None:
        check_trainable(bags)
        check_labels(bags)
        self._options().check()
        check_truncation(self.rcond, self.variance)
        check_choice("unassigned", self.unassigned, ("nearest", "none"))
        self._check_rule()
        n_clusters: Any = self.n_clusters
        if n_clusters is not None:
            check_count("n_clusters", n_clusters)
        if self.clusters_per_class is not None:
            if len(self.clusters_per_class) != bags.n_classes:
                raise ClusteringError(
                    f"clusters_per_class must have one number for each of the {bags.n_classes} "
                    f"classes, not {len(self.clusters_per_class)}"
                )
            for count in self.clusters_per_class:
                check_count("clusters_per_class", count)


def _shortest(components: FloatArray) -> FloatArray:
    """Find a map of no more axes than features, under which distances are the same."""
    if components.shape[1] <= len(components):
        return components
    return np.asarray(np.linalg.qr(components.T, mode="r"), dtype=np.float64).T
