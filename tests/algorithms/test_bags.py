from __future__ import annotations

import copy
import dataclasses
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse

from algorithms import Bags
from algorithms.bags import Known
from algorithms.errors import BagsError, ClusteringError


def good() -> dict[str, Any]:
    return {
        "X": [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]],
        "bag": [0, 2, 0],
        "labels": [[True, False], [False, False], [True, True]],
        "labelled": [True, False, True],
        "class_names": ["wren", "creeper"],
    }


def test_arrays_are_kept_with_their_types() -> None:
    bags = Bags(**good())
    assert bags.X.dtype == np.float64
    assert bags.bag.dtype == np.int64
    assert bags.labels.dtype == np.bool_
    assert bags.labelled.dtype == np.bool_
    assert (bags.n_instances, bags.n_features, bags.n_bags, bags.n_classes) == (3, 2, 3, 2)
    assert bags.class_names == ("wren", "creeper")


def test_sizes_count_instances_and_include_empty_bags() -> None:
    assert Bags(**good()).sizes.tolist() == [2, 0, 1]


def test_bags_cannot_be_changed() -> None:
    bags = Bags(**good())
    with pytest.raises(dataclasses.FrozenInstanceError):
        bags.X = np.zeros((1, 1))
    for array in (bags.X, bags.bag, bags.labels, bags.labelled):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


@pytest.mark.parametrize("again", [copy.deepcopy, lambda bags: pickle.loads(pickle.dumps(bags))])  # noqa: S301
def test_copies_and_bags_of_another_process_cannot_be_changed_either(
    again: Callable[[Bags], Bags],
) -> None:
    known = Known(np.ones((3, 3), dtype=bool), np.full(3, -1))
    bags = again(Bags(**good(), known=known))
    assert bags.sizes.tolist() == [2, 0, 1]
    assert bags.known is not None
    for array in (bags.X, bags.bag, bags.labels, bags.labelled, bags.known.may_be, bags.known.mode):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_later_changes_of_the_input_do_not_reach_the_bags() -> None:
    X, labels = np.zeros((1, 1)), np.zeros((1, 1), dtype=bool)
    bags = Bags(X, np.array([0]), labels)
    X[0, 0], labels[0, 0] = 7, True
    assert bags.X[0, 0] == 0
    assert not bags.labels[0, 0]


def test_bags_are_labelled_and_classes_numbered_unless_told() -> None:
    bags = Bags([[1.0]], [0], [[0, 0]])
    assert bags.labelled.tolist() == [True]
    assert bags.class_names == ("0", "1")


def test_labels_may_be_zeros_and_ones() -> None:
    for one in (1, 1.0, np.uint8(1)):
        assert Bags([[1.0]], [0], np.array([[one, 0]])).labels.tolist() == [[True, False]]


def test_no_instances_at_all_are_legal() -> None:
    bags = Bags(np.zeros((0, 38)), [], [[True], [False]])
    assert (bags.n_instances, bags.n_features) == (0, 38)
    assert bags.sizes.tolist() == [0, 0]


def test_no_bags_at_all_are_legal() -> None:
    assert Bags(np.zeros((0, 2)), [], np.zeros((0, 3))).n_bags == 0


def test_no_classes_are_legal() -> None:
    assert Bags([[1.0]], [0], np.zeros((1, 0))).class_names == ()


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_value_that_is_not_finite_is_named_by_row_and_column(value: float) -> None:
    data = good()
    data["X"][1][1] = value
    with pytest.raises(BagsError, match=r"row 1, column 1 \(1 such"):
        Bags(**data)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"X": [0.0, 1.0, 2.0]}, "two dimensions"),
        ({"X": [["a", "b"]] * 3}, "table of numbers"),
        ({"X": [[1.0], [2.0, 3.0], [4.0]]}, "table of numbers"),
        ({"X": np.zeros((3, 0))}, "no columns"),
        ({"bag": [0, 1]}, "2 entries but X has 3 rows"),
        ({"bag": [0, 3, 0]}, r"instance 1 is in bag 3.*0 to 2"),
        ({"bag": [0, 1, -1]}, r"instance 2 is in bag -1"),
        ({"bag": [0.0, 1.0, 1.5]}, "whole numbers"),
        ({"bag": [[0], [1], [2]]}, "whole numbers"),
        ({"labels": [True, False, True]}, "two dimensions"),
        ({"labels": [[1, 0], [0, 2], [1, 1]]}, "but holds 2"),
        ({"labels": [[1, 0], [0, np.nan], [1, 1]]}, "but holds nan"),
        ({"labels": [["wren", ""]] * 3}, "bag 0 has the label ''"),
        ({"labels": np.full((3, 2), 1j)}, "but holds 1j"),
        ({"X": np.zeros((3, 2)) + 1j}, "complex numbers"),
        ({"X": scipy.sparse.csr_array(np.eye(3))}, r"sparse matrix.*X\.toarray\(\)"),
        ({"X": np.ma.masked_array(np.eye(3), np.eye(3) > 0)}, "masked in places"),
        ({"labels": [[1, 0], [0], [1, 1]]}, "different lengths"),
        ({"labelled": [True, False]}, "each of the 3 bags"),
        ({"labelled": [True, 3, True]}, "labelled must hold"),
        ({"labelled": [False, False, True]}, "bag 0 is marked as unlabelled but has labels"),
        ({"class_names": ["wren"]}, "1 names but labels has 2 columns"),
        ({"class_names": ["wren", "wren"]}, "'wren' occurs twice"),
        ({"class_names": "ab"}, "not one string"),
    ],
)
def test_a_mistake_is_told_in_one_line(change: dict[str, Any], message: str) -> None:
    with pytest.raises(BagsError, match=message) as raised:
        Bags(**{**good(), **change})
    assert "\n" not in str(raised.value)
    assert isinstance(raised.value, ClusteringError)


def test_a_bag_id_without_any_bag_is_an_error() -> None:
    with pytest.raises(BagsError, match="no rows"):
        Bags([[1.0]], [0], np.zeros((0, 1)))


def test_the_representation_tells_the_sizes() -> None:
    assert repr(Bags(**good())) == (
        "Bags(3 instances of 2 features in 3 bags, 2 of them labelled with 2 classes)"
    )


def test_weights_go_with_their_bags() -> None:
    weights = [[0.5, 1.0], [0.25, 0.0], [0.0, 0.0]]
    bags = Bags([[0.0], [1.0]], [0, 1], [[1, 1], [1, 0], [0, 0]], weights=weights)
    assert bags[[1, 0]].weights.tolist() == [[0.25, 0.0], [0.5, 1.0]]
    assert bags.with_features([[0.0, 1.0], [2.0, 3.0]]).weights.tolist() == weights
