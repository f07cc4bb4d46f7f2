from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import false_discovery_control, hypergeom

from algorithms.disambiguation.chance import false_discovery_rates, hypergeometric_tail


def test_tails_agree_with_those_of_scipy_on_both_sides_of_the_mean() -> None:
    rng = np.random.default_rng(3)
    n = 400
    first, second = rng.integers(0, n + 1, (2, 600))
    lowest = np.maximum(0, first + second - n)
    common = rng.integers(lowest, np.minimum(first, second) + 1)
    ours = hypergeometric_tail(common, n, first, second)
    theirs = hypergeom.sf(common - 1, n, first, second)
    np.testing.assert_allclose(ours, theirs, rtol=1e-8, atol=1e-300)
    assert (common * n <= first * second).sum() > 100


def test_a_pair_by_hand() -> None:
    # 2 of 4 bags have the one, 2 the other: both in 2 with 1/6, in 1 with 4/6, in none with 1/6.
    found = hypergeometric_tail([0, 1, 2], 4, [2, 2, 2], [2, 2, 2])
    assert found == pytest.approx([1, 5 / 6, 1 / 6])


def test_tails_of_many_bags_keep_their_digits() -> None:
    found = hypergeometric_tail([60, 10], 200_000, [500, 500], [4_000, 4_000])
    expected = hypergeom.sf([59, 9], 200_000, 500, 4_000)
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_rates_are_those_of_benjamini_and_hochberg() -> None:
    p = np.random.default_rng(0).random((7, 5)) ** 2
    p[2] = p[3]
    expected = false_discovery_control(p, axis=None).reshape(7, 5)
    np.testing.assert_allclose(false_discovery_rates(p), expected)
    assert false_discovery_rates(np.ones((0, 3))).shape == (0, 3)
