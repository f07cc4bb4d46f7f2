"""Bags whose bags and classes are given by name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from algorithms import Bags
from algorithms.errors import BagsError

X = np.arange(4.0)[:, None]


def test_names_of_bags_are_numbered_as_they_appear_first() -> None:
    bags = Bags(X, ["dusk", "dawn", "dusk", "noon"], [[1, 0], [0, 1], [0, 0]])
    assert bags.bag.tolist() == [0, 1, 0, 2]
    assert bags.bag_names == ("dusk", "dawn", "noon")
    assert bags.labels.tolist() == [[True, False], [False, True], [False, False]]


@pytest.mark.parametrize("kind", [list, np.array, pd.Series, pd.Categorical])
def test_names_may_come_in_any_list(kind: Any) -> None:
    bags = Bags(X, kind(["b", "a", "b", "b"]), [["x"], []])
    assert bags.bag.tolist() == [0, 1, 0, 0]


def test_classes_are_the_names_in_the_label_sets_sorted() -> None:
    bags = Bags(X, [0, 1, 2, 2], [["wren", "robin"], set(), {"creeper"}])
    assert bags.class_names == ("creeper", "robin", "wren")
    assert bags.labels.astype(int).tolist() == [[0, 1, 1], [0, 0, 0], [1, 0, 0]]
    assert bags.labelled.all()
    assert bags.bag_names is None


def test_a_label_set_that_is_none_is_not_known_an_empty_one_is() -> None:
    bags = Bags(X, [0, 1, 2, 2], [None, [], ("wren",)])
    assert bags.labelled.tolist() == [False, True, True]
    assert bags.labels.tolist() == [[False], [False], [True]]


def test_a_mapping_may_have_bags_without_instances_which_come_last() -> None:
    labels = {"night": ["owl"], "dawn": ["wren"], "dusk": None}
    bags = Bags(X, ["dusk", "dawn", "dawn", "dusk"], labels)
    assert bags.bag_names == ("dusk", "dawn", "night")
    assert bags.sizes.tolist() == [2, 2, 0]
    assert bags.labels.tolist() == [[False, False], [False, True], [True, False]]
    assert bags.labelled.tolist() == [False, True, True]


def test_a_series_is_read_by_its_index_whatever_the_order() -> None:
    table = pd.DataFrame({"bag": ["b", "a", "b"], "species": ["wren", "robin", "owl"]})
    bags = Bags(X, ["b", "a", "a", "b"], table.groupby("bag")["species"].agg(list))
    assert bags.bag_names == ("b", "a")
    assert bags.class_names == ("owl", "robin", "wren")
    assert bags.labels.astype(int).tolist() == [[1, 0, 1], [0, 1, 0]]


def test_numbers_stay_as_they_are_where_a_mapping_has_a_label_set_for_each() -> None:
    bags = Bags(X, [1, 1, 0, 2], {0: ["a"], 1: ["b"], 2: []})
    assert bags.bag.tolist() == [1, 1, 0, 2]
    assert bags.labels.tolist() == [[True, False], [False, True], [False, False]]


def test_other_numbers_are_names_in_a_mapping() -> None:
    bags = Bags(X, np.array([17, 4, 4, 17]), {4: ["a"], 17: ["b"]})
    assert bags.bag.tolist() == [0, 1, 1, 0]
    assert bags.bag_names == ("17", "4")
    assert bags.labels.tolist() == [[False, True], [True, False]]


def test_class_names_give_the_order_and_may_have_more() -> None:
    bags = Bags(X, [0, 1, 2, 2], [["b"], ["a"], []], class_names=["b", "c", "a"])
    assert bags.class_names == ("b", "c", "a")
    assert bags.labels.astype(int).tolist() == [[1, 0, 0], [0, 0, 1], [0, 0, 0]]


def test_bags_with_numbers_can_be_given_names() -> None:
    bags = Bags(X, [0, 1, 1, 0], [[1], [0]], bag_names=["dawn", "dusk"])
    assert bags.bag_names == ("dawn", "dusk")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"bag": ["a", "b", None, "b"]}, "instance 2 has None for a bag"),
        ({"bag": ["a", "b", 3, "b"]}, "instance 2 has 3 for a bag"),
        ({"bag": ["a", "b", "b", "c"]}, "labels has 2 rows but bag names 3 bags, 'a' first"),
        ({"labels": ["wren", "robin"]}, "the labels of bag 0 are 'wren': give a list of names"),
        ({"labels": [["wren"], np.nan]}, "the labels of bag 1 are nan"),
        ({"labels": [["wren"], ["robin", 3]]}, "bag 1 has the label 3"),
        ({"labels": {0: ["wren"], 2: []}}, "no entry for bag 1"),
        ({"labels": pd.Series([["a"], ["b"]], index=[1, 1])}, "names a bag twice"),
        ({"labels": [["wren"], ["owl"]], "class_names": ["wren"]}, "bag 1 has the label 'owl'"),
        ({"labels": [["wren"], None], "labelled": [True, True]}, "bag 1 is marked as labelled"),
        ({"bag_names": ["dawn"]}, "bag_names has 1 names but labels has 2 rows"),
        ({"bag_names": ["dawn", "dawn"]}, "bag name 'dawn' occurs twice"),
    ],
)
def test_a_mistake_is_told_in_one_line(arguments: dict[str, Any], message: str) -> None:
    good: dict[str, Any] = {"bag": [0, 1, 1, 0], "labels": [["wren"], []]}
    with pytest.raises(BagsError, match=message) as raised:
        Bags(X, **{**good, **arguments})
    assert "\n" not in str(raised.value)
