"""One task: from the split of one fold to what each way of telling instances is worth."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from algorithms.annotation_measures import MIN_ITEMS, category_accuracy, named_precision
from algorithms.bags import FloatArray, IntArray
from algorithms.errors import ClusteringError
from algorithms.metric.class_rules import allowed_classes, best_class
from birdmodes.experiments.held_out.features import can_be_shares, prepared
from birdmodes.experiments.held_out.learners import LEARNERS, Learner
from birdmodes.experiments.held_out.protocol import HeldOutTask
from birdmodes.experiments.held_out.splits import Split
from birdmodes.experiments.held_out.work import Stopwatch, run_fold, seed_of
from birdmodes.experiments.instance_accuracy.alphas import chosen_alpha, shares_in_label_sets
from birdmodes.experiments.instance_accuracy.entrants import MAJORITY
from birdmodes.experiments.instance_accuracy.ways import Way, frequency_ways, ways_of
from birdmodes.experiments.work import Outcome, Row

SETTING_COLUMNS = ("told", "means", "rule", "alpha", "candidates")
MEASURES = (
    "accuracy",
    "precision",
    "accuracy_all",
    "share_right",
    "share_in_bag",
    "alpha_used",
    "examples",
    "examples_right",
    "metric_seconds",
    "train_seconds",
)
"""Columns of figures.

``accuracy`` and ``precision`` are of the categories with at least five held-out instances,
``accuracy_all`` and ``share_right`` of all; ``share_in_bag`` is what alpha is chosen by.
``examples`` is the share of the training instances that mimlca took for examples of a class, and
``examples_right`` how many of these are of that class.
``metric_seconds`` is the time of learning the metric, ``train_seconds`` that of class means too.
"""

CHOSEN = "16, alpha chosen"
"""Rule 16 with the alpha that cross-validation of the training bags chooses."""

CANDIDATES = {"all": "any class", "bag": "those of the held-out bag's label set, which is told"}
"""Classes that an instance may be given."""


def run_accuracy_task(task: HeldOutTask) -> Outcome:
    """Work through a task; runs in a worker process."""
    return run_fold(task, _rows)


def _rows(task: HeldOutTask, split: Split) -> Iterator[Row]:
    if task.setting.entrant == MAJORITY:
        return frequency_rows(split)
    return evaluate_fold(split, LEARNERS[task.setting.entrant], seed_of(task))


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
        The columns of :data:`SETTING_COLUMNS` and :data:`MEASURES`; None where a figure has no
        meaning. Nothing at all from a learner that needs features from 0 where some are negative.
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
    found: dict[str, float | None] = dict.fromkeys(MEASURES[:4])
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
