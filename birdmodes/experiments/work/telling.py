"""What each way of telling the instances of left-out bags is worth."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from algorithms.annotation_measures import MIN_ITEMS, category_accuracy, named_precision
from algorithms.bags import Bags, FloatArray, IntArray
from algorithms.errors import ClusteringError
from algorithms.folds import choose_bags, make_folds
from algorithms.metric.class_rules import allowed_classes, best_class
from birdmodes.experiments.tables import rows_with
from birdmodes.experiments.tasks import Row, Stopwatch, Task
from birdmodes.experiments.work.folds import Split, can_be_shares, prepared, rows_of_fold
from birdmodes.experiments.work.learners import LEARNERS, Learner
from birdmodes.experiments.work.ways import ALPHAS, Way, frequency_ways, ways_of

INNER_FOLDS = 3
MOST_INNER_INSTANCES = 1000
"""Training instances of the kernel form in an inner fold at most, so that choosing takes less time
than learning."""


def shares_in_label_sets(
    learner: Learner, train: Bags, truth: IntArray | None, seed: int
) -> dict[float, float]:
    """Tell for each alpha how many left-out instances are given a class that their bag has.

    The training bags are cross-validated among themselves, the label sets of those left out being
    told to nobody but this count. It needs no instance of known class, so that a user could do the
    same.

    Parameters
    ----------
    learner : Learner
        One with rule 16.
    train : Bags
        Training bags, features prepared.
    truth : ndarray of int64, shape (n_instances,), or None
        For learners that need the classes of instances.
    seed : int
        Of folds and learner.

    Returns
    -------
    dict
        Share for each of :data:`~birdmodes.experiments.work.ways.ALPHAS`.
    """
    if learner.most_instances is not None:
        most = min(learner.most_instances, MOST_INNER_INSTANCES)
        learner = replace(learner, most_instances=most)
    every_bag = np.arange(train.n_bags)
    fold = make_folds(train.labels, train.labelled, every_bag, INNER_FOLDS, seed)
    inside = dict.fromkeys(ALPHAS, 0)
    for number in np.unique(fold[fold >= 0]):
        left_out = fold == number
        of_left = left_out[train.bag]
        rest = choose_bags(train, ~left_out)
        known = None if truth is None else truth[~of_left]
        fitted = learner.fit(rest, known, seed)
        labels = train.labels[train.bag[of_left]]
        for way in ways_of(learner, fitted, rest, known, seed):
            if way.alpha is not None:
                category = best_class(way.scores(train.X[of_left]))
                hits = labels[np.arange(len(labels)), category] & (category >= 0)
                inside[way.alpha] += int(hits.sum())
    scored = int((train.sizes * train.labels.any(axis=1)).sum())
    return {alpha: count / max(1, scored) for alpha, count in inside.items()}


def chosen_alpha(shares: dict[float, float]) -> float:
    """Give the alpha of the largest share; of equal ones the least."""
    return max(shares, key=lambda alpha: (shares[alpha], -alpha))


MAJORITY = "majority"
"""Always says the most frequent class; what any method should beat."""

ENTRANTS: tuple[str, ...] = (MAJORITY, *LEARNERS)
"""In the order of the tables."""

FIGURES = ("accuracy", "precision", "accuracy_all", "share_right")
"""Columns of figures of the classes that are given to instances."""

CHOSEN = "16, alpha chosen"
"""Rule 16 with the alpha that cross-validation of the training bags chooses."""


def work(task: Task) -> list[Row]:
    """Give the rows of a task."""
    return rows_of_fold(accuracy_rows, task)


def accuracy_rows(method: str, split: Split, seed: int) -> Iterator[Row]:
    """Figures of every way of telling instances that a method offers."""
    if method == MAJORITY:
        return frequency_rows(split)
    return evaluate_fold(split, LEARNERS[method], seed)


def frequency_rows(split: Split) -> Iterator[Row]:
    """Figures of naming the most frequent class always."""
    for way in frequency_ways(split.train, split.train_truth):
        yield from _rows_of_way(way, split, split.test.X, 0.0, {})


def evaluate_fold(split: Split, learner: Learner, seed: int) -> Iterator[Row]:
    """Learn from the training bags, and tell the instances of the others in every way.

    Parameters
    ----------
    split : Split
        Features as published. The labels of the test bags are looked at after all is learned, and
        only for the rows whose ``candidates`` say so.
    learner : Learner
        Learns the metric.
    seed : int
        Same seed, same rows but for the times.

    Yields
    ------
    dict
        Columns of the experiment; None where a figure has no meaning. Nothing at all from a learner
        that needs features from 0 where some are negative.
    """
    if learner.features == "shares" and not (
        can_be_shares(split.train.X) and can_be_shares(split.test.X)
    ):
        return
    train, test = prepared(split.train, split.test, learner.features)
    truth = split.train_truth
    with Stopwatch() as watch:
        fitted = learner.fit(train, truth, seed)
    shares: dict[float, float] = {}
    if learner.class_model == "axes":
        shares = shares_in_label_sets(learner, train, truth, seed)
    examples = _examples(learner, fitted, truth)
    for way in ways_of(learner, fitted, train, truth, seed):
        rows = [
            {**row, **examples} for row in _rows_of_way(way, split, test.X, watch.seconds, shares)
        ]
        yield from rows
        if way.alpha is not None and way.alpha == chosen_alpha(shares):
            yield from ({**row, "rule": CHOSEN, "alpha": None} for row in rows)


def measures(truth: IntArray, category: IntArray) -> dict[str, float | None]:
    """Figures of the classes given to instances, None where no category has instances enough.

    Parameters
    ----------
    truth, category : ndarray of int64, shape (n,)
        True classes, -1 for unknown, and those given, -1 for none.
    """
    known = truth[truth >= 0]
    most = int(np.bincount(known).max()) if len(known) else 0
    frequent = most >= MIN_ITEMS
    found: dict[str, float | None] = dict.fromkeys(FIGURES)
    if frequent:
        found["accuracy"] = category_accuracy(truth, category)
        found["precision"] = named_precision(truth, category)
    if most:
        found["accuracy_all"] = category_accuracy(truth, category, min_test=0)
        found["share_right"] = float((truth == category)[truth >= 0].mean())
    return found


def _examples(learner: Learner, fitted: Any, truth: IntArray | None) -> dict[str, float]:
    """Share of examples and of right ones, of a learner that assigns all training bags."""
    if truth is None or learner.most_instances is not None or not hasattr(fitted, "assigned_"):
        return {}
    assigned = fitted.assigned_
    right = (assigned == truth)[(assigned >= 0) & (truth >= 0)]
    return {
        "examples": float((assigned >= 0).mean()),
        "examples_right": float(right.mean()) if len(right) else 0.0,
    }


def _rows_of_way(
    way: Way, split: Split, X: FloatArray, seconds: float, shares: dict[float, float]
) -> Iterator[Row]:
    """One row with all classes as candidates, and one with those of the bag."""
    if split.test_truth is None:
        raise ClusteringError("no instance has a known class, so nothing can be scored")
    scores = way.scores(X)
    of_bag = split.test_labels[split.test.bag]
    for candidates, labels in (("all", None), ("bag", of_bag)):
        allowed = allowed_classes(labels, scores.shape)
        category = best_class(np.where(allowed, scores, -np.inf))
        yield {
            "told": way.told,
            "means": way.means,
            "rule": way.rule,
            "alpha": way.alpha,
            "candidates": candidates,
            **measures(split.test_truth, category),
            "share_in_bag": None if way.alpha is None else shares[way.alpha],
            "alpha_used": way.alpha,
            "examples": None,
            "examples_right": None,
            "metric_seconds": seconds,
            "train_seconds": seconds + way.seconds,
        }


def with_rule_16(methods: Iterable[str]) -> list[str]:
    """Give those that have an axis for each class, in the order of the tables."""
    present = set(methods) - {MAJORITY}
    return [name for name in ENTRANTS if name in present and LEARNERS[name].class_model == "axes"]


PLAIN_RULES = ("15", "class-to-bag", "frequency")
"""Rules without alpha: nearest means, and what stands for them."""


def alpha_rows(table: pd.DataFrame, method: str, candidates: str = "all") -> pd.DataFrame:
    """Keep the rows of rule 16 of one method, with each fixed alpha."""
    return rows_with(table, {"rule": ["16"], "method": [method], "candidates": [candidates]})


def form_of(method: str) -> str:
    """Tell "linear" from "kernel" learners."""
    return "linear" if LEARNERS[method].most_instances is None else "kernel"
