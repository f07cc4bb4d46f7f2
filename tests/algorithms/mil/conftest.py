"""Bags for the tests of the classifiers of bags."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from algorithms import Bags


@pytest.fixture(scope="session")
def witness_bags() -> Callable[..., Bags]:
    """Make bags on a ring around the origin; bags of class 0 have one instance at the origin.

    Those of class 1 have one at (5, 0) and one at (-5, 0), so that means tell neither class.
    """

    def make(seed: int, n_bags: int = 60) -> Bags:
        rng = np.random.default_rng(seed)
        labels = rng.random((n_bags, 2)) < 0.5
        sizes = rng.integers(4, 7, n_bags)
        parts = []
        for (at_origin, far), size in zip(labels, sizes, strict=True):
            angle = rng.uniform(0, 2 * np.pi, size)
            X = 2.0 * np.column_stack([np.cos(angle), np.sin(angle)])
            X -= X.mean(axis=0) * 0.5
            X[0] = 0.0 if at_origin else X[0]
            X[1:3] = [[5.0, 0.0], [-5.0, 0.0]] if far else X[1:3]
            parts.append(X + 0.1 * rng.standard_normal((size, 2)))
        return Bags(np.vstack(parts), np.repeat(np.arange(n_bags), sizes), labels)

    return make
