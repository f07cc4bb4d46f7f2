from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from scipy.spatial.distance import cdist
from threadpoolctl import threadpool_limits

import algorithms.nearest as nearest
from algorithms.nearest import nearest_neighbours

Array = npt.NDArray[np.float64]


def cloud(seed: int, n: int = 700, d: int = 20) -> Array:
    return np.random.default_rng(seed).standard_normal((n, d))


def brute_force(X: Array, k: int) -> tuple[npt.NDArray[np.int64], Array]:
    """Sort all distances; ties stay in the order of the instances."""
    squared = cdist(X, X, "sqeuclidean")
    np.fill_diagonal(squared, np.inf)
    order = np.argsort(squared, axis=1, kind="stable")[:, :k]
    return order, np.take_along_axis(squared, order, axis=1)


def shapes() -> dict[str, Array]:
    """Instances that a comparison in float32 finds easy, hard and impossible."""
    X = cloud(0)
    outlier = X.copy()
    outlier[5] *= 1e12
    knot = X.copy()  # 300 instances closer to one another than a float32 tells, far from the mean
    knot[:300] = 40 + 1e-5 * X[:300]
    return {
        "a cloud": X,
        "few features": cloud(1, d=3),
        "few instances": cloud(2, n=40),
        "far from the origin": X + 1e5,
        "large numbers": 1e100 * X,
        "small numbers": 1e-100 * X,
        "an outlier": outlier,
        "a knot": knot,
        "more features than instances": cloud(3, n=300, d=400),
    }


@pytest.mark.parametrize("name", shapes())
def test_the_exact_search_finds_what_sorting_all_distances_does(name: str) -> None:
    X = shapes()[name]
    indices, squared = nearest_neighbours(X, 10, "exact", 0)
    expected, distances = brute_force(X, 10)
    assert (indices == expected).all()
    np.testing.assert_allclose(squared, distances, rtol=1e-10)


@pytest.mark.parametrize("k", [1, 40, 127, 128, 299])
def test_any_number_of_neighbours(k: int) -> None:
    X = cloud(4, n=300)
    assert (nearest_neighbours(X, k, "exact", 0)[0] == brute_force(X, k)[0]).all()


def test_identical_instances_are_neighbours_at_no_distance_lower_index_first() -> None:
    X = np.repeat(cloud(5, n=60), 8, axis=0)
    indices, squared = nearest_neighbours(X, 7, "exact", 0)
    copies = np.arange(480).reshape(60, 8)
    assert (squared == 0).all()
    for instance in (0, 3, 471, 479):
        others = [int(j) for j in copies[instance // 8] if j != instance]
        assert indices[instance].tolist() == others


def test_many_identical_instances_do_not_make_a_candidate_of_every_pair() -> None:
    X = np.repeat(cloud(6, n=2), 400, axis=0)
    screen = nearest._Screen.of(X, 5, nearest._exact(X, 14))
    owner, candidate = screen(slice(0, 100))
    assert len(owner) == len(candidate) == 1400
    assert (nearest_neighbours(X, 5, "exact", 0)[1] == 0).all()


def test_hardly_more_than_the_neighbours_of_a_cloud_are_screened_in() -> None:
    X = cloud(7, n=2000)
    screen = nearest._Screen.of(X, 10, nearest._exact(X, 19))
    owner, candidate = screen(slice(100, 400))
    counts = np.bincount(owner - 100, minlength=300)
    assert counts.min() >= 11
    assert counts.mean() < 14
    expected = brute_force(X, 10)[0]
    pairs = set(zip(owner.tolist(), candidate.tolist(), strict=True))
    assert all((i, int(j)) in pairs for i in range(100, 400) for j in expected[i])


def test_the_number_of_threads_does_not_matter() -> None:
    X = cloud(8, n=1500)
    results = []
    for threads in (1, 2, 4):
        with threadpool_limits(limits=threads):
            results.append(nearest_neighbours(X, 10, "exact", 0))
    for indices, squared in results[1:]:
        assert (indices == results[0][0]).all()
        assert (squared == results[0][1]).all()
