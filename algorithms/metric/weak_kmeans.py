"""k-means that label sets of bags guide: a centre for every class, an assignment in every bag."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from algorithms.bags import Bags, BoolArray, FloatArray, IntArray
from algorithms.checks import Seed, check_choice, check_count, check_seed, seed_of
from algorithms.errors import ClusteringError, ClusteringWarning
from algorithms.layout import SortedBags
from algorithms.metric.assignment import BagAssignment
from algorithms.metric.class_rules import class_means, class_sums

Start = Literal["candidates", "random"]

_MOST_REPEATS = 10  # how often the same instance may come, in the mean, for full rank to be seen


@dataclass(frozen=True)
class WeakKMeansOptions:
    """How to go about it; see :class:`~algorithms.metric.mimlca.MIMLCA`.

    Attributes
    ----------
    init : {"candidates", "random"}
        Start.
    n_init : int
        Number of starts.
    max_per_label : int or None
        Most instances of a label in a bag.
    max_iter : int
        Most iterations.
    random_state : int or None
        Seed.
    rounds : int
        Further rounds of learning, each from another k-means in the learned space.
    """

    init: Start
    n_init: int
    max_per_label: int | None
    max_iter: int
    random_state: Seed
    rounds: int = 0

    def check(self) -> None:
        """Raise :class:`~algorithms.errors.ClusteringError` when one is out of range."""
        check_choice("init", self.init, ("candidates", "random"))
        check_count("n_init", self.n_init)
        check_count("max_iter", self.max_iter)
        check_count("rounds", self.rounds, minimum=0)
        check_seed(self.random_state)
        limit: Any = self.max_per_label
        if limit is not None:
            check_count("max_per_label", limit)


@dataclass(frozen=True, eq=False)
class WeakKMeans:
    r"""Which instances of each bag are examples of which of its labels, found by k-means.

    In turn, every bag's instances are assigned to its labels so that the sum of squared distances
    to the labels' centres is least (:class:`~algorithms.metric.assignment.BagAssignment`), and
    every centre becomes the mean of what it was assigned. Neither can raise the sum. A class that
    is assigned nothing keeps its centre.

    Attributes
    ----------
    category : ndarray of int64, shape (n_instances,)
        Class of each row of the layout, -1 for none.
    objectives : ndarray, shape (n_iter,)
        Sum of squared distances after each assignment; it never rises. The last one is the value
        of the paper's equation 12, unless iterations ran out.
    start_objectives : ndarray, shape (n_init,)
        The last one of every start. The first start of the least was kept.

    References
    ----------
    Law, Yu, Urtasun, Zemel & Xing (2017), Algorithm 1, steps 3 to 9.
    """

    category: IntArray
    objectives: FloatArray
    start_objectives: FloatArray

    @classmethod
    def fit(
        cls, points: FloatArray, layout: SortedBags, labels: BoolArray, options: WeakKMeansOptions
    ) -> WeakKMeans:
        """Cluster points.

        Parameters
        ----------
        points : ndarray, shape (n_instances, d)
            Rows of the layout, in the space where distances are taken.
        layout : SortedBags
            The bags.
        labels : ndarray of bool, shape (n_bags, n_classes)
            Their label sets.
        options : WeakKMeansOptions
            Checked.

        Warns
        -----
        ClusteringWarning
            When iterations ran out.
        """
        plan = BagAssignment.of(layout, labels, options.max_per_label)
        seeds = np.random.default_rng(seed_of(options.random_state)).spawn(options.n_init)
        n_classes, d = labels.shape[1], points.shape[1]
        runs = []
        for number, rng in enumerate(seeds):
            if options.init == "candidates" and number == 0:
                centres = candidate_means(points, layout, labels)
            else:
                assigned = plan.categories(plan.solve(rng.random(len(plan.row))))
                centres = _means_of_assigned(points, assigned, np.zeros((n_classes, d)))
            runs.append(_descend(points, plan, centres, options.max_iter))
        last = np.array([objectives[-1] for _, objectives, _ in runs])
        category, objectives, settled = runs[int(last.argmin())]
        if not settled:
            warnings.warn(
                f"the assignments still changed after {options.max_iter} iterations: use a larger "
                "max_iter",
                ClusteringWarning,
                stacklevel=3,
            )
        return cls(category, np.array(objectives), last)


def assigned_again(
    points: FloatArray,
    layout: SortedBags,
    labels: BoolArray,
    category: IntArray,
    options: WeakKMeansOptions,
) -> IntArray:
    """Go on with the same k-means from an assignment, in another space.

    Parameters
    ----------
    points : ndarray, shape (n_instances, d)
        Rows of the layout, in the other space.
    layout, labels, options
        See :meth:`WeakKMeans.fit`.
    category : ndarray of int64, shape (n_instances,)
        Class of each row so far, -1 for none. Centres start at the means of the classes there.

    Returns
    -------
    ndarray of int64, shape (n_instances,)
        Class of each row, -1 for none.
    """
    plan = BagAssignment.of(layout, labels, options.max_per_label)
    centres = _means_of_assigned(points, category, candidate_means(points, layout, labels))
    return _descend(points, plan, centres, options.max_iter)[0]


def warn_of_full_rank(X: FloatArray, rank: int) -> None:
    """Tell when left singular vectors leave k-means nothing to go by.

    With as many directions as there are different instances, every instance is as far from every
    other, and the sum of squares depends on how many are assigned only: the number of classes less.

    Parameters
    ----------
    X : ndarray, shape (n_instances, n_features)
        The instances.
    rank : int
        Directions that are kept.

    Warns
    -----
    ClusteringWarning
        If so.
    """
    # Only where it may be so, as comparing all instances takes time.
    if rank * _MOST_REPEATS >= len(X) and rank >= len(np.unique(X, axis=0)):
        warnings.warn(
            f"{rank} directions for {rank} different instances: in them every instance is as far "
            "from every other, so that which are examples of which label is chance; keep fewer "
            "with variance, such as 0.9",
            ClusteringWarning,
            stacklevel=4,
        )


def check_labels(bags: Bags) -> None:
    """Raise :class:`ClusteringError` unless a bag that has instances has a label.

    Parameters
    ----------
    bags : Bags
        What a method that learns from label sets is to be fitted to.
    """
    if not bags.labels[bags.sizes > 0].any():
        raise ClusteringError(
            "no bag that has instances has a label, and the labels of bags are what the metric is "
            "learned from: label some bags, or use a method that needs none, such as sp"
        )


def candidate_means(points: FloatArray, layout: SortedBags, labels: BoolArray) -> FloatArray:
    """Mean, for every class, of all instances of all bags that have its label.

    Parameters
    ----------
    points, layout, labels
        See :meth:`WeakKMeans.fit`.

    Returns
    -------
    ndarray, shape (n_classes, d)
        0 for a class that no bag has.
    """
    sets = labels[layout.bag_numbers].astype(np.float64)
    sums = sets.T @ class_sums(points, layout.run, layout.n_filled)
    means: FloatArray = sums / np.maximum(layout.sizes @ sets, 1.0)[:, None]
    return means


def _descend(
    points: FloatArray, plan: BagAssignment, centres: FloatArray, max_iter: int
) -> tuple[IntArray, list[float], bool]:
    """One start: assignment, objectives, and whether it came to rest."""
    category = np.full(len(points), -1, dtype=np.int64)
    objectives: list[float] = []
    squares = np.einsum("ij,ij->i", points, points)[plan.row]
    for _ in range(max_iter):
        costs = plan.squared_distances(points, centres, squares)
        chosen = plan.solve(costs, category if objectives else None)
        before, category = category, plan.categories(chosen)
        objectives.append(float(costs[chosen].sum()))
        # Among equally good assignments it could go round for ever.
        at_rest = len(objectives) > 1 and objectives[-1] >= objectives[-2]
        if at_rest or (category == before).all():
            return category, objectives, True
        centres = _means_of_assigned(points, category, centres)
    return category, objectives, False


def _means_of_assigned(points: FloatArray, category: IntArray, centres: FloatArray) -> FloatArray:
    """Means of the classes; one without instances keeps its centre."""
    means: FloatArray = class_means(points, category, len(centres))
    empty = np.bincount(category + 1, minlength=len(centres) + 1)[1:] == 0
    means[empty] = centres[empty]
    return means
