from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from birdmodes.errors import BirdmodesError, DatasetError
from birdmodes.experiments.data import Data, Source
from birdmodes.experiments.datasets import load_dataset
from birdmodes.experiments.datasets.catalogue import DATASETS
from birdmodes.experiments.papers.law import ANNOTATION, INSTANCE_ACCURACY
from birdmodes.experiments.work import folds
from birdmodes.experiments.work.folds import read_labelled, read_with_truth

Write = Callable[..., Path]


def test_names_stand_for_problems_each_once() -> None:
    assert ANNOTATION.problems.expand([]) == ["digits-words"]
    assert ANNOTATION.problems.expand(["corel5k-test", "all", "msrc-v2"]) == [
        "corel5k-test",
        "hja-birdsong",
        "msrc-v2",
        "natural-scene",
        "reuters-miml",
        "corel5k",
    ]
    assert "letter-frost" in INSTANCE_ACCURACY.problems.expand(["all"])
    for experiment in (ANNOTATION, INSTANCE_ACCURACY):
        assert set(experiment.problems.expand(["all"])) <= set(DATASETS)


def test_an_unknown_name_is_refused_with_the_nearest() -> None:
    with pytest.raises(DatasetError, match=r"no data set 'corel5k-tets'.*mean 'corel5k-test'"):
        ANNOTATION.problems.expand(["corel5k-tets"])


def test_the_built_in_problem_has_truth() -> None:
    problem = read_with_truth(Source("digits-words"))
    assert problem.name == "digits-words"
    assert problem.test is None
    assert np.array_equal(problem.truth, load_dataset("digits-words").y)  # type: ignore[arg-type]


def test_a_file_without_truth_is_no_matter_until_it_is_needed(write_bags_file: Write) -> None:
    path = write_bags_file(y=np.full(60, -1))
    problem = read_labelled(Source(path=path))
    assert problem.truth is None
    with pytest.raises(BirdmodesError, match=r"blobs\.npz: no instance has a known class"):
        read_with_truth(Source(path=path))


def test_one_bag_with_labels_is_too_few(write_bags_file: Write) -> None:
    labels = np.zeros((20, 3), dtype=np.uint8)
    labels[4, 1] = 1
    with pytest.raises(BirdmodesError, match=r"blobs\.npz: fewer than 2 bags"):
        read_labelled(Source(path=write_bags_file(bag_labels=labels)))
    labels[5, 2] = 1
    read_labelled(Source(path=write_bags_file("two.npz", bag_labels=labels)))


def test_the_fingerprint_is_of_all_figures(write_bags_file: Write) -> None:
    truth = np.zeros(60, dtype=np.int64)
    unlabelled = np.vstack([np.zeros((1, 3)), np.tile([1, 0, 1], (19, 1))])
    changed: list[dict[str, Any]] = [
        {},
        {},
        {"seed": 1},
        {"y": truth},
        {"bag_labels": unlabelled},
        {"bag_labels": unlabelled, "labelled": np.arange(20) > 0},
    ]
    prints = [
        read_labelled(Source(path=write_bags_file(f"{number}.npz", **changes))).fingerprint
        for number, changes in enumerate(changed)
    ]
    assert prints[0] == prints[1]
    assert len(set(prints)) == 5


def test_without_training_photographs_the_test_ones_are_marked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bags = load_dataset("digits-words").bags
    split = Data("corel5k", bags, test=np.arange(bags.n_bags) % 3 == 0)
    alone = Data("corel5k-test", bags, note="cannot be compared with the paper's")
    monkeypatch.setattr(folds, "load_test_photographs", lambda folder: alone)
    monkeypatch.setattr(folds, "load_photographs", lambda folder: split)
    for there in (False, True):
        monkeypatch.setattr(folds, "has_training_photographs", lambda folder, t=there: t)
        problem = read_labelled(Source("corel5k"))
        assert problem.name == ("corel5k" if there else "corel5k-test")
        assert (problem.test is split.test) == there
        assert read_labelled(Source("corel5k-test")) is alone


def test_the_shared_copy_has_the_test_photographs_only(shared: Path) -> None:
    problem = read_labelled(Source("corel5k", data_dir=shared / "datasets"))
    assert (problem.name, problem.bags.n_bags, problem.bags.n_classes) == ("corel5k-test", 444, 20)
    assert problem.bags.labels.any(axis=1).all()
    assert "cannot be compared with the paper's" in problem.note
