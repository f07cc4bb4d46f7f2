from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.cluster import KMeans

from algorithms.small_kmeans import SmallKMeans


def test_clusters_of_a_worked_line() -> None:
    X = np.array([[0.0], [1.0], [10.0], [12.0]])
    found = SmallKMeans.fit(X, 2, starts=3, seed=0)
    order = np.argsort(found.centres[:, 0])
    np.testing.assert_allclose(found.centres[order, 0], [0.5, 11.0])
    assert list(np.argsort(order)[found.labels]) == [0, 0, 1, 1]
    assert found.inertia == pytest.approx(0.25 + 0.25 + 1 + 1)
    assert list(np.argsort(order)[found.predict(np.array([[5.0], [6.0]]))]) == [0, 1]


def test_one_cluster_is_the_mean() -> None:
    X = np.random.default_rng(0).standard_normal((20, 3))
    found = SmallKMeans.fit(X, 1, starts=1, seed=0)
    np.testing.assert_allclose(found.centres[0], X.mean(axis=0))
    assert found.inertia == pytest.approx(20 * X.var(axis=0).sum())


@pytest.mark.parametrize("seed", range(3))
def test_as_good_as_an_independent_implementation(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((120, 4)) + 6 * np.eye(4)[rng.integers(0, 4, 120)]
    expected = KMeans(4, n_init=10, random_state=0).fit(X).inertia_
    assert SmallKMeans.fit(X, 4, starts=5, seed=seed).inertia == pytest.approx(expected, rel=1e-6)


def test_fewer_different_instances_than_clusters() -> None:
    X = np.repeat([[1.0, 2.0], [3.0, 4.0]], 4, axis=0)
    found = SmallKMeans.fit(X, 3, starts=2, seed=0)
    assert found.inertia == pytest.approx(0)
    assert len(np.unique(found.labels)) == 2


@settings(max_examples=40)
@given(
    arrays(
        np.float64, st.tuples(st.integers(1, 15), st.integers(1, 3)), elements=st.integers(-9, 9)
    ),
    st.integers(1, 4),
    st.integers(0, 5),
)
def test_every_instance_is_with_its_nearest_centre(X: np.ndarray, k: int, seed: int) -> None:
    found = SmallKMeans.fit(X, k, starts=2, seed=seed)
    distance = ((X[:, None] - found.centres[None]) ** 2).sum(axis=2)
    own = distance[np.arange(len(X)), found.labels]
    np.testing.assert_allclose(own, distance.min(axis=1), atol=1e-9)
    assert found.inertia == pytest.approx(own.sum(), abs=1e-8)
    for cluster in np.unique(found.labels):
        np.testing.assert_allclose(
            found.centres[cluster], X[found.labels == cluster].mean(axis=0), atol=1e-9
        )
    again = SmallKMeans.fit(X, k, starts=2, seed=seed)
    np.testing.assert_array_equal(found.labels, again.labels)
