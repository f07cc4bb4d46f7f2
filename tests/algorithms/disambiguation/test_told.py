"""What is told of posteriors."""

from __future__ import annotations

import numpy as np

from algorithms.disambiguation.told import DOUBT, with_doubt


def test_doubt_goes_to_what_the_list_says():
    heard = np.array([[0.9, 0.1, 0.0], [1.0, 0.0, 0.0]])
    by_list = np.array([[0.75, 0.25, 0.0], [1.0, 0.0, 0.0]])
    told = with_doubt(heard, by_list, np.array([[True], [True]]))
    np.testing.assert_allclose(told[0], [0.9 - 0.15 * DOUBT, 0.1 + 0.15 * DOUBT, 0.0])
    np.testing.assert_array_equal(told[1], [1.0, 0.0, 0.0])


def test_without_a_list_nothing_is_doubted():
    heard, equal = np.array([[0.9, 0.1]]), np.array([[0.5, 0.5]])
    np.testing.assert_array_equal(with_doubt(heard, equal, np.array([[False]])), heard)
