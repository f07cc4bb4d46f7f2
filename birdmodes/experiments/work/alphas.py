"""The weight of rule 16, chosen without the class of any instance."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from algorithms.bags import Bags, BoolArray, FloatArray, IntArray
from algorithms.folds import choose_bags, make_folds
from algorithms.metric.class_rules import best_class
from birdmodes.experiments.work.learners import Learner
from birdmodes.experiments.work.ways import ALPHAS, ways_of

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
    inside = np.zeros(len(ALPHAS))
    for number in np.unique(fold[fold >= 0]):
        inside += _inside(learner, train, truth, fold == number, seed)
    scored = int((train.sizes * train.labels.any(axis=1)).sum())
    return dict(zip(ALPHAS, (inside / max(1, scored)).tolist(), strict=True))


def chosen_alpha(shares: dict[float, float]) -> float:
    """Give the alpha of the largest share; of equal ones the least."""
    return max(shares, key=lambda alpha: (shares[alpha], -alpha))


def _inside(
    learner: Learner, train: Bags, truth: IntArray | None, left_out: BoolArray, seed: int
) -> FloatArray:
    """Count, for each alpha, instances of the bags left out whose class is among their labels."""
    of_left = left_out[train.bag]
    rest = choose_bags(train, ~left_out)
    known = None if truth is None else truth[~of_left]
    fitted = learner.fit(rest, known, seed)
    X, labels = train.X[of_left], train.labels[train.bag[of_left]]
    counts = {
        way.alpha: _hits(way.scores(X), labels)
        for way in ways_of(learner, fitted, rest, known, seed)
        if way.rule == "16"
    }
    return np.array([counts[alpha] for alpha in ALPHAS], dtype=np.float64)


def _hits(scores: FloatArray, labels: BoolArray) -> int:
    category = best_class(scores)
    return int((labels[np.arange(len(labels)), category] & (category >= 0)).sum())
