from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.svm import SVC

from algorithms import Bags
from algorithms.layout import sorted_bags
from algorithms.mil import mind
from algorithms.mil.mind import MInD, dissimilarities

Array = npt.NDArray[np.float64]
COMBINE: dict[str, Any] = {"meanmin": np.mean, "minmin": np.min, "maxmin": np.max}


def random_bags(seed: int, n_bags: int, *, least: int = 0) -> Bags:
    rng = np.random.default_rng(seed)
    bag = rng.permutation(np.repeat(np.arange(n_bags), rng.integers(least, 4, n_bags)))
    return Bags(rng.standard_normal((len(bag), 2)), bag, rng.random((n_bags, 2)) < 0.5)


def by_definition(bags: Bags, others: Bags, kind: str) -> Array:
    filled = np.flatnonzero(bags.sizes)
    return np.array(
        [
            [
                COMBINE[kind](
                    cdist(bags.X[bags.bag == i], others.X[others.bag == j], "sqeuclidean").min(1)
                )
                for j in range(others.n_bags)
            ]
            for i in filled
        ]
    ).reshape(len(filled), others.n_bags)


def test_dissimilarities_worked_by_hand() -> None:
    kind: Any
    # Squared, 0 and 4 are 1 and 4 from the nearest of 1 and 6, and 49 and 9 from 7; 7 is 1 from
    # the nearest of 1 and 6, and 9 from that of 0 and 4.
    A = Bags([[0.0], [4.0], [7.0]], [0, 0, 1], np.zeros((2, 0)))
    B = Bags([[1.0], [6.0]], [0, 0], np.zeros((1, 0)))
    runs = sorted_bags(A)
    for kind, to_A, to_B in (
        ("meanmin", [[0.0, 29.0], [9.0, 0.0]], [[2.5], [1.0]]),
        ("minmin", [[0.0, 9.0], [9.0, 0.0]], [[1.0], [1.0]]),
        ("maxmin", [[0.0, 49.0], [9.0, 0.0]], [[4.0], [1.0]]),
    ):
        np.testing.assert_allclose(dissimilarities(runs, A, kind), to_A)
        np.testing.assert_allclose(dissimilarities(runs, B, kind), to_B)


@pytest.mark.parametrize("block", [20, 1 << 23])
@pytest.mark.parametrize("kind", COMBINE)
@settings(max_examples=10)
@given(seed=st.integers(0, 1000))
def test_dissimilarities_are_those_of_every_pair(kind: Any, block: int, seed: int) -> None:
    bags, others = random_bags(seed, 6), random_bags(seed + 1, 5, least=1)
    if not bags.n_instances:
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mind, "_BLOCK_ENTRIES", block)
        found = dissimilarities(sorted_bags(bags), others, kind)
    np.testing.assert_allclose(found, by_definition(bags, others, kind), rtol=1e-8)


@pytest.mark.parametrize("kind", COMBINE)
def test_scores_are_those_of_a_linear_machine_on_scaled_dissimilarities(kind: Any) -> None:
    train, new = random_bags(0, 30, least=1), random_bags(1, 8, least=1)
    raw = by_definition(train, train, kind)
    scale = np.sqrt(((raw - raw.mean(axis=0)) ** 2).sum(axis=1).mean())
    found = MInD(dissimilarity=kind, C=5.0).fit(train).decision_function(new)
    for number in range(2):
        machine = SVC(kernel="linear", C=5.0, tol=1e-6).fit(raw / scale, train.labels[:, number])
        expected = machine.decision_function(by_definition(new, train, kind) / scale)
        np.testing.assert_allclose(found[:, number], expected, atol=0.02)


def test_unit_of_the_features_does_not_matter() -> None:
    train, new = random_bags(0, 30, least=1), random_bags(1, 8, least=1)
    expected = MInD().fit(train).decision_function(new)
    larger = Bags(1024.0 * train.X, train.bag, train.labels)
    found = MInD().fit(larger).decision_function(Bags(1024.0 * new.X, new.bag, new.labels))
    np.testing.assert_allclose(found, expected, rtol=1e-9)
