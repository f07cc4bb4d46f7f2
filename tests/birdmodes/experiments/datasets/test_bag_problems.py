"""Bags of a single class, to be grouped: what is kept, and which problems there are."""

from __future__ import annotations

from math import comb
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms import Bags
from birdmodes.errors import DatasetError
from birdmodes.experiments.datasets import (
    BAG_PROBLEMS,
    DATASETS,
    MIMLDataset,
    all_class_subsets,
    bag_problem,
    load_bag_problem,
    problem_from_dataset,
)
from birdmodes.experiments.datasets.bag_problem_table import CLASSES


def small() -> MIMLDataset:
    """Seven bags of four classes; an instance's feature is ten times its bag, and its place."""
    labels = np.zeros((7, 4), dtype=int)
    labels[[0, 1, 1, 3, 4, 5], [2, 0, 1, 0, 2, 3]] = 1
    labelled = [True, True, True, True, True, True, False]
    bag = [4, 0, 1, 3, 3, 2, 0, 6, 4]
    X = [[40], [0], [10], [30], [31], [20], [1], [60], [41]]
    bags = Bags(X, bag, labels, labelled, ["wren", "owl", "crow", "empty"])
    return MIMLDataset("field", bags, np.full(len(bag), -1))


def test_only_bags_of_one_class_that_have_instances_are_kept() -> None:
    # Bag 1 has two classes, bag 2 none, bag 5 no instance, bag 6 is not labelled.
    problem = problem_from_dataset(small())
    assert problem.name == "field"
    assert problem.bags.class_names == ("wren", "crow")
    assert problem.truth.tolist() == [1, 0, 1]
    assert problem.bags.X.ravel().tolist() == [40, 0, 30, 31, 1, 41]
    assert problem.bags.bag.tolist() == [2, 0, 1, 1, 0, 2]
    assert problem.bags.labels.astype(int).tolist() == [[0, 1], [1, 0], [0, 1]]
    assert problem.bags.labelled.all()


def test_classes_can_be_chosen_and_the_problem_named() -> None:
    dataset = small()
    bags = dataset.bags
    labels = bags.labels.copy()
    labels[2, 1] = True
    dataset = MIMLDataset("field", Bags(bags.X, bags.bag, labels, bags.labelled), dataset.y)
    problem = problem_from_dataset(dataset, ["2", "1"], "two")
    assert problem.name == "two"
    assert problem.bags.class_names == ("1", "2")
    assert problem.truth.tolist() == [1, 0, 1]
    assert problem.bags.X.ravel().tolist() == [40, 0, 20, 1, 41]


@pytest.mark.parametrize(
    ("classes", "message"),
    [
        (
            ["wren", "crwo"],
            r"field has no class 'crwo' \(did you mean 'crow'\?\): choose from wren",
        ),
        (["wren", "owl"], "field: no bag has the class 'owl' and no other"),
        (["wren", "empty"], "no bag has the class 'empty' and no other"),
        (["wren"], "field: a problem needs bags of two classes or more, .* bags of 1"),
        (["wren", "wren"], "bags of 1"),
        ([], "bags of 0"),
    ],
)
def test_classes_that_make_no_problem_are_refused(classes: list[str], message: str) -> None:
    with pytest.raises(DatasetError, match=message):
        problem_from_dataset(small(), classes)


@given(seed=st.integers(0, 2**32 - 1), n_bags=st.integers(1, 8))
def test_a_problem_is_made_of_the_single_label_bags(seed: int, n_bags: int) -> None:
    rng = np.random.default_rng(seed)
    bag = rng.integers(n_bags, size=rng.integers(1, 20))
    X = np.arange(len(bag), dtype=float)[:, None]
    bags = Bags(X, bag, rng.random((n_bags, 3)) < 0.4)
    wanted = {
        tuple(np.flatnonzero(bag == m).tolist()): names[0]
        for m in range(n_bags)
        if len(names := [str(c) for c in range(3) if bags.labels[m, c]]) == 1 and (bag == m).any()
    }
    dataset = MIMLDataset("any", bags, np.full(len(bag), -1))
    if len(set(wanted.values())) < 2:
        with pytest.raises(DatasetError, match="two classes or more"):
            problem_from_dataset(dataset)
        return
    problem = problem_from_dataset(dataset)
    found = {
        tuple(problem.bags.X[problem.bags.bag == m].ravel().astype(int).tolist()): (
            problem.bags.class_names[problem.truth[m]]
        )
        for m in range(problem.bags.n_bags)
    }
    assert list(found.items()) == list(wanted.items())


def test_every_problem_is_of_classes_of_a_set() -> None:
    for name, problem in BAG_PROBLEMS.items():
        assert problem.name == name
        assert set(problem.classes) <= set(CLASSES[problem.dataset])
        assert len(set(problem.classes)) == len(problem.classes) >= 2
        assert len(CLASSES[problem.dataset]) == DATASETS[problem.dataset].n_classes
        assert problem.why


def test_every_problem_is_documented() -> None:
    text = (Path(__file__).parents[4] / "docs" / "datasets.md").read_text(encoding="utf-8")
    lines = text.partition("## Bags to be grouped")[2].splitlines()
    for problem in BAG_PROBLEMS.values():
        (row,) = (line for line in lines if line.startswith(f"| `{problem.name}` | "))
        assert f"| `{problem.dataset}` | {', '.join(problem.classes)} |" in row
        assert row.endswith(f"| {problem.why} |")


def test_all_subsets_of_a_size_are_problems() -> None:
    scenes = all_class_subsets("natural-scene", 3)
    assert len(scenes) == comb(5, 3)
    assert len({problem.classes for problem in scenes}) == 10
    assert scenes[0].name == "natural-scene:desert+mountains+sea"
    assert {BAG_PROBLEMS[f"natural-scene-{n}"].classes for n in (1, 2, 3)} < {
        problem.classes for problem in scenes
    }
    assert len(all_class_subsets("reuters-miml", 4)) == comb(7, 4)
    assert len(all_class_subsets("natural-scene", 5)) == 1


def test_problems_that_do_not_exist_are_refused() -> None:
    with pytest.raises(DatasetError, match=r"'reuters-7' \(did you mean 'reuters-\d'"):
        bag_problem("reuters-7")
    with pytest.raises(DatasetError, match="choose one of musk1, musk2"):
        load_bag_problem("")
    for size in (1, 6, 0):
        with pytest.raises(DatasetError, match=f"ask for problems of 2 to 5, not {size}"):
            all_class_subsets("natural-scene", size)
    with pytest.raises(DatasetError, match="no bag problems are made of letter-frost"):
        all_class_subsets("letter-frost", 3)
    with pytest.raises(DatasetError, match="did you mean 'natural-scene'"):
        all_class_subsets("natural-scenes", 3)


def test_a_problem_is_loaded_by_name_or_entry(shared: Path) -> None:
    by_name = load_bag_problem("musk1", shared / "datasets")
    (entry,) = all_class_subsets("musk1", 2)
    by_entry = load_bag_problem(entry, shared / "datasets")
    assert (by_name.name, by_entry.name) == ("musk1", "musk1:non-musk+musk")
    np.testing.assert_array_equal(by_name.bags.X, by_entry.bags.X)
    np.testing.assert_array_equal(by_name.truth, by_entry.truth)
    assert np.bincount(by_name.truth).tolist() == [45, 47]
