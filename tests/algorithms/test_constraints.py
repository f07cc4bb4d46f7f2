from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms import Bags
from algorithms.constraints.operator import BagConstraints

Array = npt.NDArray[np.float64]


def formed(constraints: BagConstraints) -> Array:
    return constraints @ np.eye(len(constraints.bag))


def random_bags(seed: int, n: int = 25, m: int = 8, c: int = 4) -> Bags:
    """Every bag has at least one instance; some are unlabelled, some labelled with no class."""
    rng = np.random.default_rng(seed)
    bag = rng.permutation(np.concatenate([np.arange(m), rng.integers(0, m, n - m)]))
    labelled = rng.random(m) < 0.8
    labels = (rng.random((m, c)) < 0.4) & labelled[:, None]
    return Bags(rng.standard_normal((n, 2)), bag, labels, labelled)


PAPER = np.array(
    [
        [0.7, 0.7, 1, 0.5, 0.5, 0, 0],
        [0.7, 0.7, 1, 0.5, 0.5, 0, 0],
        [1, 1, 0.7, 0.5, 0.5, 0, 0],
        [0.5, 0.5, 0.5, 0.2, 0.2, 0, 0],
        [0.5, 0.5, 0.5, 0.2, 0.2, 0, 0],
        [0, 0, 0, 0, 0, 0.7, 0],
        [0, 0, 0, 0, 0, 0, -0.3],
    ]
)
EXACT = np.array(
    [
        [0.7, 0.7, 0.7, 0.2, 0.2, -0.3, -0.3],
        [0.7, 0.7, 0.7, 0.2, 0.2, -0.3, -0.3],
        [0.7, 0.7, 0.7, 0.2, 0.2, -0.3, -0.3],
        [0.2, 0.2, 0.2, 0.2, 0.2, -0.3, -0.3],
        [0.2, 0.2, 0.2, 0.2, 0.2, -0.3, -0.3],
        [-0.3, -0.3, -0.3, -0.3, -0.3, 0.7, -0.3],
        [-0.3, -0.3, -0.3, -0.3, -0.3, -0.3, -0.3],
    ]
)


def test_worked_example_as_published(worked_bags: Bags) -> None:
    constraints = BagConstraints.from_bags(worked_bags)
    assert constraints.mu == pytest.approx(0.3)
    np.testing.assert_allclose(formed(constraints), PAPER, atol=1e-15)


def test_worked_example_with_exact_centering(worked_bags: Bags) -> None:
    constraints = BagConstraints.from_bags(worked_bags, centering="exact")
    np.testing.assert_allclose(formed(constraints), EXACT, atol=1e-15)


@pytest.mark.parametrize("centering", ["paper", "exact"])
def test_neutral_unlabelled_bags_take_no_part(worked_bags: Bags, centering: str) -> None:
    Q = formed(
        BagConstraints.from_bags(
            worked_bags,
            centering=centering,
            unlabelled="neutral",
        )
    )
    expected = (PAPER if centering == "paper" else EXACT).copy()
    expected[6, :] = expected[:, 6] = 0
    np.testing.assert_allclose(Q, expected, atol=1e-15)


def test_a_bag_labelled_with_no_class_is_not_an_unlabelled_one() -> None:
    data = [[0.0], [1.0], [2.0]], [0, 1, 1], [[1], [0]]
    known = BagConstraints.from_bags(Bags(*data), unlabelled="neutral")
    unknown = BagConstraints.from_bags(Bags(*data, labelled=[1, 0]), unlabelled="neutral")
    # mu = (1/2)^2: the labelled bag repels its instances, the unlabelled one leaves them alone.
    assert formed(known)[1, 2] == pytest.approx(-0.25)
    assert formed(unknown)[1, 2] == 0


def test_unlabelled_bags_count_in_mu_and_empty_bags_do_not() -> None:
    X, bag = [[0.0], [1.0]], [0, 1]
    unlabelled = Bags(X, bag, [[1], [0]], labelled=[1, 0])
    with_empty = Bags(X, bag, [[1], [0], [1]], labelled=[1, 0, 1])
    assert BagConstraints.from_bags(unlabelled).mu == pytest.approx(0.25)
    assert BagConstraints.from_bags(with_empty).mu == pytest.approx(0.25)


def test_empty_bags_change_nothing(worked_bags: Bags) -> None:
    spread = np.array([1, 3, 4, 6, 7])
    labels = np.ones((9, 3), dtype=bool)
    labels[spread] = worked_bags.labels
    labelled = np.ones(9, dtype=bool)
    labelled[spread] = worked_bags.labelled
    padded = Bags(worked_bags.X, spread[worked_bags.bag], labels, labelled)
    for centering in ("paper", "exact"):
        np.testing.assert_allclose(
            formed(BagConstraints.from_bags(padded, centering=centering)),
            PAPER if centering == "paper" else EXACT,
            atol=1e-15,
        )


def test_when_all_bags_share_one_label_exact_constraints_vanish() -> None:
    bags = Bags(np.zeros((4, 1)), [0, 0, 1, 2], [[1], [1], [1]])
    paper = BagConstraints.from_bags(bags)
    assert paper.mu == pytest.approx(1)
    different_bag = bags.bag[:, None] != bags.bag[None, :]
    np.testing.assert_allclose(formed(paper), different_bag, atol=1e-15)
    exact = BagConstraints.from_bags(bags, centering="exact")
    np.testing.assert_allclose(formed(exact), 0, atol=1e-15)


def test_exact_centering_is_what_the_papers_penalty_adds_up_to() -> None:
    """Brute force over all M^4 quadruples of bags, for a random Z.

    (1 / 2M^2) sum_ijrs (L_ij - L_rs)(A_ij - A_rs) = tr(Z' Q* Z), with L the label similarity of
    two bags and A_ij = b_i' Z Z' b_j.
    """
    bags = random_bags(3, n=12, m=5, c=3)
    Z = np.random.default_rng(0).standard_normal((bags.n_instances, 2))
    sums = np.array([Z[bags.bag == m].sum(axis=0) for m in range(bags.n_bags)])
    A = sums @ sums.T
    weights = bags.labels / np.maximum(bags.labels.sum(axis=1), 1)[:, None]
    L = weights @ weights.T
    M = range(bags.n_bags)
    penalty = sum(
        (L[i, j] - L[r, s]) * (A[i, j] - A[r, s]) for i, j, r, s in product(M, M, M, M)
    ) / (2 * bags.n_bags**2)
    exact = formed(BagConstraints.from_bags(bags, centering="exact"))
    paper = formed(BagConstraints.from_bags(bags, centering="paper"))
    assert np.trace(Z.T @ exact @ Z) == pytest.approx(penalty, rel=1e-10)
    assert np.trace(Z.T @ paper @ Z) != pytest.approx(penalty, rel=1e-3)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000))
def test_the_two_centerings_differ_by_mu_across_bags(seed: int) -> None:
    bags = random_bags(seed)
    paper = BagConstraints.from_bags(bags, centering="paper")
    exact = BagConstraints.from_bags(bags, centering="exact")
    across = bags.bag[:, None] != bags.bag[None, :]
    np.testing.assert_allclose(formed(paper) - formed(exact), paper.mu * across, atol=1e-12)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(["paper", "exact"]))
def test_the_operator_equals_the_formed_matrix(
    algorithm_1: Callable[..., object], seed: int, centering: str
) -> None:
    bags = random_bags(seed)
    literal = algorithm_1(bags, k=2, alpha=1.0, centering=centering)
    operator = BagConstraints.from_bags(bags, centering=centering)
    vectors = np.random.default_rng(seed).standard_normal((bags.n_instances, 3))
    np.testing.assert_allclose(operator @ vectors, literal.Q @ vectors, atol=1e-12)
    np.testing.assert_allclose(operator @ vectors[:, 1], (operator @ vectors)[:, 1], atol=1e-12)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(["paper", "neutral"]))
def test_numbering_of_bags_and_classes_does_not_matter(seed: int, unlabelled: str) -> None:
    bags = random_bags(seed)
    rng = np.random.default_rng(seed)
    new_bag, new_class = rng.permutation(bags.n_bags), rng.permutation(bags.n_classes)
    old_of_new = np.argsort(new_bag)
    renumbered = Bags(
        bags.X,
        new_bag[bags.bag],
        bags.labels[old_of_new][:, new_class],
        bags.labelled[old_of_new],
    )
    for centering in ("paper", "exact"):
        one, other = (
            BagConstraints.from_bags(b, centering=centering, unlabelled=unlabelled)
            for b in (bags, renumbered)
        )
        np.testing.assert_allclose(formed(one), formed(other), atol=1e-14)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000))
def test_q_is_symmetric(seed: int) -> None:
    for centering, unlabelled in product(("paper", "exact"), ("paper", "neutral")):
        Q = formed(
            BagConstraints.from_bags(
                random_bags(seed),
                centering=centering,
                unlabelled=unlabelled,
            )
        )
        np.testing.assert_allclose(Q, Q.T, atol=1e-14)


def test_a_million_instances_need_no_matrix() -> None:
    n, m = 1_000_000, 1000
    bags = Bags(np.zeros((n, 1)), np.arange(n) % m, np.eye(4, dtype=bool)[np.arange(m) % 4])
    ones = BagConstraints.from_bags(bags) @ np.ones(n)
    # Row sums: 1000 instances in each of the 250 bags of the class, less mu = 1/4 in the own bag.
    np.testing.assert_allclose(ones, 250_000 - 0.25 * 1000)
