"""One task: a method learned from the training bags ranks the classes of the test bags."""

from __future__ import annotations

from collections.abc import Iterator

from algorithms.annotation_measures import ANNOTATION_MEASURES
from birdmodes.experiments.annotation.entrants import ENTRANTS
from birdmodes.experiments.held_out.protocol import HeldOutTask
from birdmodes.experiments.held_out.splits import Split
from birdmodes.experiments.held_out.work import run_fold, seed_of
from birdmodes.experiments.work import Outcome, Row

SETTING_COLUMNS = ("distance",)
MEASURES = (*ANNOTATION_MEASURES, "test_bags", "train_seconds", "annotate_seconds")
"""Columns of figures; ``test_bags`` is the number of test bags that have a label."""


def run_annotation_task(task: HeldOutTask) -> Outcome:
    """Work through a task; runs in a worker process."""
    return run_fold(task, annotation_rows)


def annotation_rows(task: HeldOutTask, split: Split) -> Iterator[Row]:
    """Score the rankings of one method by the labels that the test bags had."""
    for ranking in ENTRANTS[task.setting.entrant].rankings(split, seed_of(task)):
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
