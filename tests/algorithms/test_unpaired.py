from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import algorithms.constraints.unpaired as unpaired
from algorithms import Bags
from algorithms.constraints.operator import BagConstraints, Constraints
from algorithms.constraints.unpaired import unpaired_constraints
from algorithms.errors import ClusteringError

Array = npt.NDArray[np.float64]
CENTERINGS = pytest.mark.parametrize("centering", ["paper", "exact"])


def formed(constraints: Constraints, n: int) -> Array:
    return constraints @ np.eye(n)


def random_bags(seed: int) -> Bags:
    """Every bag has an instance; some are unlabelled, many hold one class, some are alike."""
    rng = np.random.default_rng(seed)
    bag = rng.permutation(np.concatenate([np.arange(10), rng.integers(0, 10, 15)]))
    labelled = rng.random(10) < 0.8
    labels = (rng.random((10, 3)) < 0.4) & labelled[:, None]
    return Bags(rng.standard_normal((25, 2)), bag, labels, labelled)


def masked(Q: Array, bags: Bags, *, unlabelled_too: bool) -> Array:
    """Q with 0 for must-links and cannot-links, entry by entry."""
    result = Q.copy()
    for p in range(bags.n_instances):
        for q in range(bags.n_instances):
            one, other = (set(np.flatnonzero(bags.labels[bags.bag[i]])) for i in (p, q))
            must = len(one) == 1 and one == other
            cannot = one and other and not one & other
            if must or cannot or (unlabelled_too and not (one and other)):
                result[p, q] = 0
    return result


def test_worked_example_as_published(worked_bags: Bags) -> None:
    multi = [0.5, 0.5, 0.5, 0.2, 0.2, 0, 0]
    expected = [[0, 0, 0, 0.5, 0.5, 0, 0]] * 3 + [multi] * 2 + [[0] * 7, [0] * 6 + [-0.3]]
    np.testing.assert_allclose(formed(unpaired_constraints(worked_bags), 7), expected, atol=1e-15)


def test_worked_example_with_exact_centering(worked_bags: Bags) -> None:
    multi = [0.2] * 5 + [0, 0]
    expected = [[0, 0, 0, 0.2, 0.2, 0, 0]] * 3 + [multi] * 2 + [[0] * 7] * 2
    exact = unpaired_constraints(worked_bags, centering="exact")
    np.testing.assert_allclose(formed(exact, 7), expected, atol=1e-15)


@settings(max_examples=30)
@given(
    st.integers(0, 10_000),
    st.sampled_from(["paper", "exact"]),
    st.sampled_from(["paper", "neutral"]),
)
def test_it_is_q_with_the_pairs_set_to_zero(
    algorithm_1: Callable[..., Any], seed: int, centering: str, unlabelled: str
) -> None:
    bags = random_bags(seed)
    if unlabelled == "paper":
        Q = algorithm_1(bags, k=2, alpha=1.0, centering=centering).Q
    else:
        full = BagConstraints.from_bags(bags, centering=centering, unlabelled=unlabelled)
        Q = formed(full, bags.n_instances)
    expected = masked(Q, bags, unlabelled_too=centering == "exact")
    operator = unpaired_constraints(bags, centering=centering, unlabelled=unlabelled)
    np.testing.assert_allclose(formed(operator, bags.n_instances), expected, atol=1e-12)
    vector = np.random.default_rng(seed).standard_normal(bags.n_instances)
    np.testing.assert_allclose(operator @ vector, expected @ vector, atol=1e-12)


@CENTERINGS
def test_new_instances_are_pulled_as_training_instances_of_such_a_bag(centering: str) -> None:
    bags = random_bags(3)
    Q = formed(unpaired_constraints(bags, centering=centering), bags.n_instances)
    sets = bags.labels[bags.bag]
    pulled = unpaired_constraints(bags, centering=centering).pull(sets, np.eye(bags.n_instances))
    if centering == "paper":  # a new instance is in no bag, so that none repels it
        mu = BagConstraints.from_bags(bags).mu
        several = sets.sum(axis=1) != 1
        Q = Q + mu * (bags.bag[:, None] == bags.bag) * several[:, None]
    np.testing.assert_allclose(pulled, Q, atol=1e-12)


@CENTERINGS
@pytest.mark.parametrize("unlabelled", ["paper", "neutral"])
def test_full_constraints_pull_new_instances_likewise(centering: str, unlabelled: str) -> None:
    bags = random_bags(4)
    full = BagConstraints.from_bags(bags, centering=centering, unlabelled=unlabelled)
    Q = formed(full, bags.n_instances)
    if centering == "paper":
        Q = Q + full.mu * (bags.bag[:, None] == bags.bag) * full.centred[bags.bag][:, None]
    known = bags.labelled[bags.bag] & bags.labels[bags.bag].any(axis=1)
    pulled = full.pull(bags.labels[bags.bag], np.eye(bags.n_instances))
    np.testing.assert_allclose(pulled[known], Q[known], atol=1e-12)


def test_no_classes_and_no_labels_leave_nothing() -> None:
    none = Bags(np.zeros((3, 1)), [0, 0, 1], np.zeros((2, 0)))
    unlabelled = Bags(np.zeros((3, 1)), [0, 0, 1], np.zeros((2, 2)), labelled=[0, 0])
    for bags in (none, unlabelled):
        for centering in ("paper", "exact"):
            operator = unpaired_constraints(bags, centering=centering)
            np.testing.assert_array_equal(formed(operator, 3), np.zeros((3, 3)))


def test_too_many_label_sets_for_exact_centering_are_told(
    monkeypatch: pytest.MonkeyPatch, worked_bags: Bags
) -> None:
    monkeypatch.setattr(unpaired, "MAX_LABEL_SETS", 3)
    message = r'up to 3 different label sets, not 4: use centering="paper"'
    with pytest.raises(ClusteringError, match=message):
        unpaired_constraints(worked_bags, centering="exact")


def test_many_bags_of_few_label_sets_need_no_matrix_of_bags() -> None:
    n = 200_000
    labels = np.array([[1, 0], [1, 1]], dtype=bool)[np.arange(n) % 2]
    bags = Bags(np.zeros((n, 1)), np.arange(n), labels)
    pulled = unpaired_constraints(bags, centering="exact") @ np.ones(n)
    # mu = (3/4)^2 + (1/4)^2; {0} with {0, 1}: 1/2, {0, 1} with itself: 1/2.
    np.testing.assert_allclose(pulled[:2], [n / 2 * (0.5 - 0.625), n * (0.5 - 0.625)])
