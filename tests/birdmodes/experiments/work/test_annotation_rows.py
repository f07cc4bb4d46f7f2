"""What one fold of one method gives, against figures worked out in other ways."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import coverage_error, label_ranking_average_precision_score

from algorithms.bags import Bags, FloatArray
from algorithms.errors import ClusteringError
from birdmodes.experiments.data import Data, Source
from birdmodes.experiments.papers.law import ANNOTATION
from birdmodes.experiments.tasks import Outcome, Setting, Task, run_task
from birdmodes.experiments.work.annotation import (
    BAG_DISTANCES,
    ENTRANTS,
    annotation_rows,
    work,
)
from birdmodes.experiments.work.folds import (
    Split,
    folds_of,
    read_labelled,
    seed_of,
    split_at,
    split_of,
)

Write = Callable[..., Path]
PROTOCOL = ANNOTATION.protocol("annotation", folds=3)
QUICK = [name for name in ENTRANTS if name not in ("emdd", "milboost", "mildml")]


def task_of(path: Path, method: str) -> Task:
    setting = Setting(dataset=path.stem, experiment="annotation", entrant=method, fold=1)
    return Task(setting, Source(path=path), PROTOCOL)


def outcome_of(path: Path, method: str) -> Outcome:
    return run_task(work, task_of(path, method))


def scores_of(method: str, split: Split) -> list[FloatArray]:
    return [ranking.scores for ranking in ENTRANTS[method].rankings(split, seed=5)]


@pytest.fixture
def blobs(write_bags_file: Write) -> Data:
    return read_labelled(Source(path=write_bags_file()))


@pytest.mark.parametrize("method", ["mi-kernel", "misvm", "euclidean", "mc2b"])
def test_figures_are_those_of_scikit_learn(method: str, write_bags_file: Write) -> None:
    path = write_bags_file()
    outcome = outcome_of(path, method)
    assert not outcome.failure
    task = task_of(path, method)
    split = split_of(task)
    rankings = list(ENTRANTS[method].rankings(split, seed_of(task)))
    assert len(rankings) == len(outcome.rows) == (2 if method == "euclidean" else 1)
    for row, ranking in zip(outcome.rows, rankings, strict=True):
        # Ranks without ties, in the order of the classes, as scikit-learn splits no ties.
        order = np.argsort(-ranking.scores, axis=1, kind="stable")
        ranks = np.argsort(order, axis=1)
        labels = split.test_labels
        assert row["one_error"] == round(1 - labels[np.arange(len(labels)), order[:, 0]].mean(), 5)
        assert row["coverage"] == round(coverage_error(labels, -ranks) - 1, 5)
        expected = label_ranking_average_precision_score(labels, -ranks)
        assert row["average_precision"] == round(expected, 5)
        assert row["test_bags"] == len(labels)


@pytest.mark.parametrize("method", [*QUICK, "mildml"])
def test_labels_of_left_out_bags_reach_no_method(method: str, blobs: Data) -> None:
    left_out = folds_of(blobs, 3, 0) == 1
    bags = blobs.bags
    scrambled = bags.labels.copy()
    scrambled[left_out] = ~scrambled[left_out]
    other = replace(blobs, bags=Bags(bags.X, bags.bag, scrambled, class_names=bags.class_names))
    told, not_told = (scores_of(method, split_at(each, left_out)) for each in (blobs, other))
    assert len(told) == len(not_told)
    for one, two in zip(told, not_told, strict=True):
        np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("method", ["euclidean", "mimlca", "mi-kernel", "mind-meanmin", "mc2b"])
def test_features_are_scaled_by_the_training_bags(method: str, blobs: Data) -> None:
    left_out = folds_of(blobs, 3, 0) == 1
    scale, shift = np.array([1, 30, 0.25, 8]), np.array([0, -4, 60, 1])
    bags = blobs.bags
    other = replace(blobs, bags=Bags(bags.X * scale + shift, bags.bag, bags.labels))
    for one, two in zip(
        scores_of(method, split_at(blobs, left_out)),
        scores_of(method, split_at(other, left_out)),
        strict=True,
    ):
        np.testing.assert_allclose(one, two, atol=1e-6)


@pytest.mark.parametrize("method", QUICK)
def test_a_bag_is_annotated_alike_whatever_else_is_asked(method: str, blobs: Data) -> None:
    split = split_at(blobs, folds_of(blobs, 3, 0) == 1)
    few = np.arange(split.test.n_bags) < 3
    rows = few[split.test.bag]
    test = Bags(
        split.test.X[rows],
        split.test.bag[rows],
        split.test.labels[few],
        split.test.labelled[few],
        split.test.class_names,
    )
    alone = replace(split, test=test, test_labels=split.test_labels[few])
    for one, two in zip(scores_of(method, split), scores_of(method, alone), strict=True):
        np.testing.assert_allclose(one[few], two, atol=1e-9)


def test_frequency_counts_training_bags(blobs: Data) -> None:
    labels = blobs.bags.labels.copy()
    labelled = np.ones(20, dtype=np.bool_)
    labels[0], labelled[0] = False, False
    bags = Bags(blobs.bags.X, blobs.bags.bag, labels, labelled)
    left_out = np.arange(20) >= 15
    (scores,) = scores_of("frequency", split_at(replace(blobs, bags=bags), left_out))
    expected = [sum(labels[m, c] for m in range(1, 15)) for c in range(3)]
    assert scores.tolist() == [expected] * 5


@pytest.mark.parametrize("method", QUICK)
def test_a_class_of_left_out_bags_alone_comes_last(method: str, blobs: Data) -> None:
    left_out = folds_of(blobs, 3, 0) == 1
    labels = np.hstack([blobs.bags.labels, left_out[:, None]])
    bags = Bags(blobs.bags.X, blobs.bags.bag, labels)
    for scores in scores_of(method, split_at(replace(blobs, bags=bags), left_out)):
        assert not np.isnan(scores).any()
        assert (np.argsort(-scores, axis=1, kind="stable")[:, -1] == 3).all()


def test_bags_without_labels_are_not_scored(write_bags_file: Write) -> None:
    labels = np.zeros((20, 3), dtype=np.uint8)
    labels[:14] = np.eye(3, dtype=np.uint8)[np.arange(14) % 3]
    path = write_bags_file("some.npz", bag_labels=labels)
    folds = folds_of(read_labelled(Source(path=path)), 3, 0)
    outcome = outcome_of(path, "mi-kernel")
    assert outcome.rows[0]["test_bags"] == (folds[:14] == 1).sum() < (folds == 1).sum()


def test_a_method_that_refuses_says_why(write_bags_file: Write) -> None:
    same = np.ones((20, 3), dtype=np.uint8)
    outcome = outcome_of(write_bags_file(bag_labels=same), "mildml")
    assert not outcome.rows
    assert "label" in outcome.failure
    split = split_of(task_of(write_bags_file(bag_labels=same), "mildml"))
    with pytest.raises(ClusteringError):
        list(ENTRANTS["mildml"].rankings(split, 0))


def test_metrics_are_learned_once_for_both_distances(write_bags_file: Write) -> None:
    outcome = outcome_of(write_bags_file(), "mimlca")
    assert [row["distance"] for row in outcome.rows] == list(BAG_DISTANCES)
    assert len({row["train_seconds"] for row in outcome.rows}) == 1
    assert outcome.rows[0]["train_seconds"] > 0
    one = outcome_of(write_bags_file(), "frequency")
    assert (one.rows[0]["train_seconds"], one.rows[0]["distance"]) == (0, "")


def test_rows_are_the_same_for_the_same_task(write_bags_file: Write) -> None:
    task = task_of(write_bags_file(), "misvm")
    split = split_of(task)
    one, two = ({**row} for _ in range(2) for row in annotation_rows("misvm", split, 5))
    for row in (one, two):
        row.pop("train_seconds"), row.pop("annotate_seconds")
    assert one == two
