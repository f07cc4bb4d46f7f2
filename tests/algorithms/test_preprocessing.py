from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.preprocessing import StandardScaler

from algorithms.errors import BagsError
from algorithms.preprocessing import standardize
from algorithms.preprocessing.standardizer import Standardizer


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 1000), st.floats(-100, 100), st.floats(0.01, 100))
def test_agrees_with_an_independent_implementation(seed: int, shift: float, scale: float) -> None:
    X = shift + scale * np.random.default_rng(seed).standard_normal((20, 3))
    np.testing.assert_allclose(standardize(X), StandardScaler().fit_transform(X), atol=1e-8)


def test_worked_column() -> None:
    # mean 2, population variance 2/3
    expected = [[-np.sqrt(1.5)], [0], [np.sqrt(1.5)]]
    np.testing.assert_allclose(standardize([[1], [2], [3]]), expected, atol=1e-15)


def test_constant_columns_become_zero() -> None:
    # 0.1 added up is not 3 times 0.1: a computed deviation would not be exactly 0.
    X = [[0.1, 1.0], [0.1, 2.0], [0.1, 4.0]]
    standardized = standardize(X)
    assert (standardized[:, 0] == 0).all()
    assert standardized[:, 1].std() == pytest.approx(1)


@pytest.mark.parametrize("size", [1e-300, 1e300])
def test_extreme_sizes_neither_vanish_nor_overflow(size: float) -> None:
    standardized = standardize(size * np.array([[1.0], [0.5], [-1.0]]))
    assert standardized.std() == pytest.approx(1)


def test_no_rows_stay_no_rows() -> None:
    assert standardize(np.zeros((0, 4))).shape == (0, 4)


def test_a_missing_value_is_not_taken_for_a_constant() -> None:
    with pytest.raises(BagsError, match="row 1, column 0"):
        standardize([[1.0], [np.nan]])


def test_the_input_is_left_alone() -> None:
    X = np.array([[1.0], [2.0]])
    standardize(X)
    assert X.tolist() == [[1.0], [2.0]]


def test_new_instances_are_standardised_as_those_learned_from() -> None:
    rng = np.random.default_rng(0)
    old, new = rng.standard_normal((9, 3)) * [1, 5, 0.1], rng.standard_normal((4, 3))
    expected = StandardScaler().fit(old).transform(new)
    np.testing.assert_allclose(Standardizer().fit(old).transform(new), expected)


def test_what_did_not_vary_tells_nothing_of_new_instances() -> None:
    scale = Standardizer().fit(np.array([[0.1, 1.0], [0.1, 3.0], [0.1, 5.0]]))
    np.testing.assert_array_equal(scale.transform(np.array([[7.0, 3.0]])), [[0.0, 0.0]])
