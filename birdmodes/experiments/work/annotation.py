"""The methods that annotate bags: metrics within citation-knn, and classifiers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Literal

import numpy as np

from algorithms.annotation_measures import ANNOTATION_MEASURES
from algorithms.bags import Bags, FloatArray
from birdmodes.experiments.tasks import Row, Stopwatch, Task
from birdmodes.experiments.work.folds import Features, Split, prepared, rows_of_fold
from birdmodes.experiments.work.learners import LEARNERS
from birdmodes.experiments.work.tables import listed

Family = Literal["trivial", "metric", "distances to classes", "classifier"]

NEIGHBOURS = 20
"""References and citers, as in the paper."""

BagDistance = Literal["min", "max"]
BAG_DISTANCES: tuple[BagDistance, ...] = ("min", "max")
"""Minimal (the paper's) and maximal Hausdorff distance of bags."""


@dataclass(frozen=True, eq=False)
class Ranking:
    """What a method says of the test bags.

    Attributes
    ----------
    distance : str
        Distance of bags that it went by; empty if it has none.
    scores : ndarray, shape (n_test_bags, n_classes)
        Larger is more likely.
    train_seconds, annotate_seconds : float
        Processor time. What `CitationKNN` prepares of the training bags counts as annotation:
        training is learning the metric, as in the paper.
    """

    distance: str
    scores: FloatArray
    train_seconds: float
    annotate_seconds: float


@dataclass(frozen=True)
class AnnotationEntrant:
    """A method.

    Attributes
    ----------
    name : str
        What tables call it.
    family : str
        "metric" for those that are used within citation-knn.
    import_path : str
        ``"module:class"`` of a classifier; the others are known by their name.
    options : mapping
        Parameters of a classifier that differ from its defaults.
    """

    name: str
    family: Family
    import_path: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)

    def rankings(self, split: Split, seed: int) -> Iterator[Ranking]:
        """Learn from the training bags and score the test bags.

        Parameters
        ----------
        split : Split
            Features as published.
        seed : int
            Same seed, same scores.

        Yields
        ------
        Ranking
            One, or of a metric one for each distance of bags.

        Raises
        ------
        ClusteringError
            When the method refuses the training bags.
        """
        learner = LEARNERS.get(self.name)
        features: Features = "standardized" if learner is None else learner.features
        train, test = prepared(split.train, split.test, features)
        if self.family == "trivial":
            yield _by_frequency(train, test)
        elif self.family == "metric":
            yield from _by_citation(self.name, train, test, seed)
        elif self.family == "classifier":
            yield self._by_classifier(train, test, seed)
        else:
            with Stopwatch() as training:
                model = LEARNERS[self.name].fit(train, None, seed)
            with Stopwatch() as annotating:
                scores = model.bag_scores(test)
            yield Ranking("", scores, training.seconds, annotating.seconds)

    def _by_classifier(self, train: Bags, test: Bags, seed: int) -> Ranking:
        module, _, attribute = self.import_path.partition(":")
        make = getattr(import_module(module), attribute)
        with Stopwatch() as training:
            model = make(random_state=seed, **self.options).fit(train)
        with Stopwatch() as annotating:
            scores = model.decision_function(test)
        return Ranking("", scores, training.seconds, annotating.seconds)


def _by_frequency(train: Bags, test: Bags) -> Ranking:
    """Rank classes by the number of training bags that have them, all test bags alike."""
    counts = train.labels.sum(axis=0).astype(np.float64)
    return Ranking("", np.tile(counts, (test.n_bags, 1)), 0.0, 0.0)


def _by_citation(name: str, train: Bags, test: Bags, seed: int) -> Iterator[Ranking]:
    """Learn a metric once, and annotate by citation-knn with every distance of bags."""
    from algorithms.metric.citation_knn import CitationKNN

    with Stopwatch() as training:
        metric = LEARNERS[name].fit(train, None, seed)
    for distance in BAG_DISTANCES:
        with Stopwatch() as annotating:
            neighbours = CitationKNN(
                metric, distance=distance, n_references=NEIGHBOURS, n_citers=NEIGHBOURS
            )
            scores = neighbours.fit(train).decision_function(test)
        yield Ranking(distance, scores, training.seconds, annotating.seconds)


ENTRANTS: dict[str, AnnotationEntrant] = {
    fields["name"]: AnnotationEntrant(**fields) for fields in listed("annotation")
}
"""In the order of the tables."""


def work(task: Task) -> list[Row]:
    """Give the rows of a task."""
    return rows_of_fold(annotation_rows, task)


def annotation_rows(method: str, split: Split, seed: int) -> Iterator[Row]:
    """Score the rankings of one method by the labels that the test bags had."""
    for ranking in ENTRANTS[method].rankings(split, seed):
        yield {
            "distance": ranking.distance,
            **{
                name: measure(split.test_labels, ranking.scores)
                for name, measure in ANNOTATION_MEASURES.items()
            },
            "test_bags": int(split.test_labels.any(axis=1).sum()),
            "train_seconds": ranking.train_seconds,
            "annotate_seconds": ranking.annotate_seconds,
        }
