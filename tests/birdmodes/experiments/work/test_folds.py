from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms.bags import Bags
from birdmodes.errors import BirdmodesError
from birdmodes.experiments.data import Data
from birdmodes.experiments.papers.law import ANNOTATION, settings_of
from birdmodes.experiments.tasks import Setting
from birdmodes.experiments.work.folds import fold_numbers, folds_of, split_at


def problem_of(seed: int = 0, n_bags: int = 30, **changes: object) -> Data:
    """Bags of 0 to 4 instances, each instance with a feature that nothing else has."""
    rng = np.random.default_rng(seed)
    bag = np.repeat(np.arange(n_bags), rng.integers(0, 5, n_bags))
    labels = rng.random((n_bags, 3)) < 0.4
    labelled = rng.random(n_bags) < 0.8
    labels &= labelled[:, None]
    labels[0], labelled[0] = True, True
    bags = Bags(np.arange(len(bag), dtype=float)[:, None], bag, labels, labelled)
    fields = {"bags": bags, "truth": rng.integers(-1, 3, len(bag)), **changes}
    return Data("some", **fields)  # type: ignore[arg-type]


@settings(max_examples=20)
@given(seed=st.integers(0, 99))
def test_folds_share_no_bag_and_leave_every_labelled_bag_out_once(seed: int) -> None:
    problem = problem_of(seed)
    folds = folds_of(problem, 4, 0)
    assert set(folds[problem.bags.labelled]) == {0, 1, 2, 3}
    assert (folds[~problem.bags.labelled] == -1).all()
    tested = []
    for fold in range(4):
        split = split_at(problem, folds == fold)
        here, there = split.train.X[:, 0], split.test.X[:, 0]
        assert not set(here) & set(there)
        assert sorted([*here, *there]) == problem.bags.X[:, 0].tolist()
        assert split.train.n_bags + split.test.n_bags == problem.bags.n_bags
        tested += there.tolist()
    assert len(tested) == len(set(tested)) == problem.bags.labelled[problem.bags.bag].sum()


@settings(max_examples=20)
@given(seed=st.integers(0, 99))
def test_every_class_is_spread_over_the_folds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    single = np.eye(3, dtype=np.bool_)[rng.integers(0, 3, 40)]
    bags = Bags(np.zeros((40, 1)), np.arange(40), single)
    folds = folds_of(Data("some", bags), 4, 0)
    for column in single.T:
        counts = np.bincount(folds[column], minlength=4)
        assert counts.max() - counts.min() <= 1


def test_test_bags_have_no_labels_and_keep_their_order() -> None:
    problem = problem_of()
    left_out = np.zeros(30, dtype=np.bool_)
    left_out[[0, 7, 20]] = True
    split = split_at(problem, left_out)
    assert not split.test.labels.any()
    assert not split.test.labelled.any()
    assert np.array_equal(split.test_labels, problem.bags.labels[[0, 7, 20]])
    assert np.array_equal(split.test.sizes, problem.bags.sizes[[0, 7, 20]])
    assert split.test_truth is not None
    assert split.train_truth is not None
    assert problem.truth is not None
    assert np.array_equal(split.test_truth, problem.truth[split.test.X[:, 0].astype(int)])
    assert np.array_equal(split.train_truth, problem.truth[split.train.X[:, 0].astype(int)])


def test_a_published_split_is_one_fold() -> None:
    test = np.arange(30) % 5 == 0
    problem = problem_of(test=test)
    assert np.array_equal(folds_of(problem, 4, 0), np.where(test, 0, -1))
    assert fold_numbers(problem, 4, 0) == [0]
    assert split_at(problem, test).test.n_bags == 6
    with pytest.raises(BirdmodesError, match="some: no bag is left out"):
        split_at(problem, np.zeros(30, dtype=np.bool_))


def test_folds_depend_on_the_seed_and_the_name() -> None:
    problem = problem_of()
    one = folds_of(problem, 4, 0)
    assert np.array_equal(one, folds_of(problem, 4, 0))
    assert not np.array_equal(one, folds_of(problem, 4, 1))
    assert not np.array_equal(one, folds_of(replace(problem, name="other"), 4, 0))


def test_settings_are_all_pairs_of_method_and_fold() -> None:
    protocol = ANNOTATION.protocol("annotation", folds=4)
    problem = replace(problem_of(), name="birds")
    found = [each for name in ("miml", "mimlca") for each in settings_of(problem, name, protocol)]
    assert len({setting.key for setting in found}) == 8
    names = {"dataset": "birds", "experiment": "annotation", "entrant": "mimlca"}
    assert found[5] == Setting(**names, fold=1)
    assert ANNOTATION.title(found[5]) == "birds, mimlca"
    assert ANNOTATION.protocol("annotation").folds == 5
    assert ANNOTATION.protocol("annotation", True).as_dict() == {
        "experiment": "annotation",
        "folds": 3,
        "seed": 0,
    }
