"""From a learned metric to the class of an instance: whose class means, and by which rule.

A metric alone names nothing. The means of the classes are those that the learner itself has, or
come from the label sets of the training bags, or from the true classes of the training instances.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy.spatial.distance import cdist

from algorithms.bags import Bags, BoolArray, FloatArray, IntArray
from algorithms.errors import ClusteringError
from algorithms.layout import sorted_bags
from algorithms.metric.class_rules import class_means
from algorithms.metric.weak_kmeans import WeakKMeans, WeakKMeansOptions, check_labels
from birdmodes.experiments.tasks import Stopwatch
from birdmodes.experiments.work.learners import Learner
from birdmodes.experiments.work.tables import texts

ALPHAS: tuple[float, ...] = (0.0, 0.2, 0.25, 0.5, 1.0, 1.2)
"""Values of alpha in rule 16, those of the paper's Table 3."""

Told = Literal["instances", "bags", "both"]
TOLD = texts("told")
"""What is told of the training bags."""

Means = Literal["own", "one per label", "no limit", "instances"]
MEANS = texts("means")
"""Where class means come from."""

_LIMITS: dict[Means, int | None] = {"one per label": 1, "no limit": None}
_MAX_ITER = 1000

Scores = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True, eq=False)
class Way:
    """A way to tell the class of an instance.

    Attributes
    ----------
    told : str
        What it knows of the training bags; a key of :data:`TOLD`.
    means : str
        Whose class means; a key of :data:`MEANS`.
    rule : str
        "15" (nearest mean) or "16" of Law et al.; "class-to-bag" of mc2b; "frequency".
    alpha : float or None
        Of rule 16.
    scores : callable
        From instances to a score of each class, larger being likelier, -inf for never.
    seconds : float
        Processor time that it took to learn it, once the metric was there.
    """

    told: Told
    means: Means
    rule: str
    alpha: float | None
    scores: Scores
    seconds: float = 0.0


def ways_of(
    learner: Learner, fitted: Any, train: Bags, truth: IntArray | None, seed: int
) -> Iterator[Way]:
    """List the ways that a fitted learner offers.

    Parameters
    ----------
    learner : Learner
        What it is.
    fitted : MetricLearner or MIMLCAKernel
        Fitted to `train`.
    train : Bags
        Training bags, features prepared.
    truth : ndarray of int64, shape (n_instances,), or None
        Classes of the training instances, -1 for unknown.
    seed : int
        Of k-means.
    """
    if learner.class_model == "axes":
        told: Told = "instances" if learner.learns_from == "instances" else "bags"
        yield Way(told, "own", "15", None, _with_rule(fitted, "nearest"))
        for alpha in ALPHAS:
            yield Way(told, "own", "16", alpha, _with_rule(fitted, "penalised", alpha))
    elif learner.class_model == "centres":
        centres = fitted.centres_
        found = ~np.isnan(centres).any(axis=1)
        means = fitted.transform(np.where(found[:, None], centres, 0.0))
        yield Way("bags", "own", "15", None, nearest_mean(fitted, means, found))
    elif learner.class_model == "bag scores":
        yield Way("bags", "own", "class-to-bag", None, _as_single_bags(fitted, train.n_classes))
    if learner.class_model != "axes":
        yield from _by_kmeans(fitted, train, seed)
    if truth is not None and learner.learns_from != "instances":
        with Stopwatch() as watch:
            scores = _by_true_means(fitted, train, truth)
        told = "both" if learner.learns_from == "bags" else "instances"
        yield Way(told, "instances", "15", None, scores, watch.seconds)


def frequency_ways(train: Bags, truth: IntArray | None) -> Iterator[Way]:
    """List the ways that look at no features: the most frequent class, or label of bags."""
    of_bags = train.labels[train.sizes > 0].sum(axis=0)
    yield Way("bags", "own", "frequency", None, _constant(of_bags))
    if truth is not None:
        of_instances = np.bincount(truth[truth >= 0], minlength=train.n_classes)
        yield Way("instances", "instances", "frequency", None, _constant(of_instances))


def nearest_mean(fitted: Any, means: FloatArray, competes: BoolArray) -> Scores:
    """Score classes by the squared distance of their means in the learned space, rule 15.

    Parameters
    ----------
    fitted : MetricLearner or MIMLCAKernel
        Has ``transform``.
    means : ndarray, shape (n_classes, n_components)
        In the learned space.
    competes : ndarray of bool, shape (n_classes,)
        Classes that have a mean.
    """

    def scores(X: FloatArray) -> FloatArray:
        squared: FloatArray = cdist(fitted.transform(X), means, "sqeuclidean")
        return np.where(competes, -squared, -np.inf)

    return scores


def weak_means(
    points: FloatArray, bags: Bags, max_per_label: int | None, seed: int
) -> tuple[FloatArray, BoolArray]:
    """Find class means in any space by the weakly supervised k-means of mimlca.

    Parameters
    ----------
    points : ndarray, shape (n_instances, d)
        The bags' instances in that space.
    bags : Bags
        Their label sets.
    max_per_label : int or None
        Most instances of a label in a bag.
    seed : int
        Of random starts; the one start from the means of all candidates has none.

    Returns
    -------
    means : ndarray, shape (n_classes, d)
        0 for a class that was assigned nothing.
    competes : ndarray of bool, shape (n_classes,)
        Classes that were assigned something.

    References
    ----------
    Law et al. (2017), Algorithm 1, steps 3 to 9; there in the space of left singular vectors.
    """
    check_labels(bags)
    layout = sorted_bags(bags)
    ordered = points[layout.order]
    options = WeakKMeansOptions("candidates", 1, max_per_label, _MAX_ITER, seed)
    category = WeakKMeans.fit(ordered, layout, bags.labels, options).category
    return _means_of(ordered, category, bags.n_classes)


def _means_of(
    points: FloatArray, category: IntArray, n_classes: int
) -> tuple[FloatArray, BoolArray]:
    known = category >= 0
    means = class_means(points[known], category[known], n_classes)
    return means, np.bincount(category[known], minlength=n_classes) > 0


def _by_kmeans(fitted: Any, train: Bags, seed: int) -> Iterator[Way]:
    points = fitted.transform(train.X)
    for name, limit in _LIMITS.items():
        with Stopwatch() as watch:
            means, competes = weak_means(points, train, limit, seed)
        scores = nearest_mean(fitted, means, competes)
        yield Way("bags", name, "15", None, scores, watch.seconds)


def _by_true_means(fitted: Any, train: Bags, truth: IntArray) -> Scores:
    if not (truth >= 0).any():
        raise ClusteringError(
            "no training instance has a known class: use a set that tells those of more"
        )
    means, competes = _means_of(fitted.transform(train.X), truth, train.n_classes)
    return nearest_mean(fitted, means, competes)


def _with_rule(fitted: Any, rule: str, alpha: float = 0.0) -> Scores:
    scores: Scores = copy(fitted).set_params(rule=rule, alpha=alpha).class_scores
    return scores


def _as_single_bags(fitted: Any, n_classes: int) -> Scores:
    """Score each instance as a bag of its own: mc2b tells bags only."""

    def scores(X: FloatArray) -> FloatArray:
        empty = np.zeros((len(X), n_classes), dtype=np.bool_)
        found: FloatArray = fitted.bag_scores(Bags(X, np.arange(len(X)), empty))
        return found

    return scores


def _constant(counts: IntArray) -> Scores:
    of_class = np.where(counts > 0, counts.astype(np.float64), -np.inf)
    return lambda X: np.tile(of_class, (len(X), 1))
