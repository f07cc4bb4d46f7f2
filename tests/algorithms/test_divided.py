from __future__ import annotations

import numpy as np
import pytest
from sklearn.cluster import KMeans

from algorithms.divided import inertias


def test_clusters_of_a_worked_line() -> None:
    # Mean 5.75: 33.0625 + 22.5625 + 18.0625 + 39.0625; then 0.5 and 11; then 0.5, 10 and 12.
    found = inertias(np.array([[[0.0], [1.0], [10.0], [12.0]]]), 3)
    np.testing.assert_allclose(found, [[112.75, 2.5, 0.5]])


@pytest.mark.parametrize("seed", range(3))
def test_as_good_as_an_independent_implementation(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((120, 4)) + 6 * np.eye(4)[rng.integers(0, 4, 120)]
    expected = [KMeans(k, n_init=10, random_state=0).fit(X).inertia_ for k in (1, 2, 3, 4)]
    found = inertias(X[None], 4)[0]
    assert found[[0, 3]] == pytest.approx([expected[0], expected[3]], rel=1e-6)
    # With fewer clusters than there are lumps, which of them are joined is a matter of luck.
    assert (found < 1.07 * np.array(expected)).all()


def test_every_set_is_clustered_as_if_alone() -> None:
    sets = np.random.default_rng(0).standard_normal((3, 50, 2))
    alone = [inertias(one[None], 5)[0] for one in sets]
    np.testing.assert_allclose(inertias(sets, 5), alone, rtol=1e-9)
    assert (np.diff(alone, axis=1) <= 1e-9).all()


def test_fewer_different_instances_than_clusters() -> None:
    X = np.repeat([[1.0, 2.0], [3.0, 4.0]], 4, axis=0)
    np.testing.assert_allclose(inertias(X[None], 4), [[16.0, 0.0, 0.0, 0.0]], atol=1e-9)
