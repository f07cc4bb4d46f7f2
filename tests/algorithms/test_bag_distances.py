from __future__ import annotations

from random import Random

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.distance import directed_hausdorff

from algorithms import Bags
from algorithms.distances import bag_distances
from algorithms.errors import ClusteringError

Array = npt.NDArray[np.float64]
KINDS = ("min", "max", "average", "smd")


def bags_of(*bags: list[list[float]] | Array) -> Bags:
    bag = np.repeat(np.arange(len(bags)), [len(members) for members in bags])
    X = np.vstack([np.reshape(members, (len(members), -1)) for members in bags if len(members)])
    return Bags(X, bag, np.zeros((len(bags), 0)))


def random_bags(seed: int, n_bags: int = 12, d: int = 4, largest: int = 6) -> Bags:
    """Bags of 0 to some instances, in no order."""
    rng = np.random.default_rng(seed)
    bag = np.repeat(np.arange(n_bags), rng.integers(0, largest + 1, n_bags))
    rng.shuffle(bag)
    return Bags(rng.standard_normal((len(bag), d)), bag, np.zeros((n_bags, 0)))


def literal(bags: Bags, other: Bags, kind: str) -> Array:
    """The definitions, one pair of instances at a time, in extended precision."""
    found = np.full((bags.n_bags, other.n_bags), np.inf)
    for m in range(bags.n_bags):
        for n in range(other.n_bags):
            A, B = bags.X[bags.bag == m], other.X[other.bag == n]
            if not len(A) or not len(B):
                continue
            D = np.array(
                [[np.sqrt(np.sum((x - y).astype(np.longdouble) ** 2)) for y in B] for x in A]
            )
            a, b = D.min(axis=1), D.min(axis=0)
            found[m, n] = {
                "min": D.min(),
                "max": max(a.max(), b.max()),
                "average": (a.sum() + b.sum()) / (len(A) + len(B)),
                "smd": (a.sum() + b.sum()) / 2,
            }[kind]
    return found


@pytest.mark.parametrize(
    ("kind", "expected"), [("min", 1), ("max", 3), ("average", 1.4), ("smd", 3.5)]
)
def test_worked_pair(kind: str, expected: float) -> None:
    bags = bags_of([[0, 0], [1, 0]], [[0, 1], [4, 0], [1, 1]])
    np.testing.assert_allclose(
        bag_distances(bags, kind), [[0, expected], [expected, 0]], rtol=1e-12, atol=0
    )


def test_sum_of_minimum_distances_over_both_sizes_is_the_average() -> None:
    bags = bags_of([[0, 0], [1, 0]], [[0, 1], [4, 0], [1, 1]])
    assert bag_distances(bags, "smd", normalize="cardinality")[0, 1] == pytest.approx(1.4)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_as_defined(kind: str, seed: int) -> None:
    bags, other = random_bags(seed), random_bags(seed + 100, n_bags=7)
    np.testing.assert_allclose(bag_distances(bags, kind), literal(bags, bags, kind), rtol=1e-12)
    np.testing.assert_allclose(
        bag_distances(bags, kind, other), literal(bags, other, kind), rtol=1e-12
    )


def test_maximal_distance_as_scipy_has_it() -> None:
    bags = random_bags(5, n_bags=8)
    found = bag_distances(bags, "max")
    for m, n in zip(*np.nonzero(np.isfinite(found)), strict=True):
        A, B = bags.X[bags.bag == m], bags.X[bags.bag == n]
        expected = max(directed_hausdorff(A, B)[0], directed_hausdorff(B, A)[0])
        assert found[m, n] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("spread", [1.0, 1e-5])
def test_an_offset_far_larger_than_the_distances_costs_no_digits(kind: str, spread: float) -> None:
    bags = random_bags(1)
    moved = Bags(1e6 + spread * bags.X, bags.bag, bags.labels)
    np.testing.assert_allclose(
        bag_distances(moved, kind), literal(moved, moved, kind), rtol=1e-9, atol=0
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("spread", [1e-3, 1e-1, 10.0])
def test_near_duplicates_far_from_the_mean_are_told_apart(kind: str, spread: float) -> None:
    """Half of the pairs, or a single one, lie too close for a product of matrices to tell."""
    rng = np.random.default_rng(0)
    near = np.repeat([[-1e4, 3e4], [2e4, 1e4]], 20, axis=0) + spread * rng.standard_normal((40, 2))
    half = Bags(near, np.arange(40) % 10, np.zeros((10, 0)))
    far = 1e4 * rng.standard_normal((40, 2))
    single = Bags(np.vstack([near[:2], far]), np.arange(42) % 21, np.zeros((21, 0)))
    for bags in (half, single):
        np.testing.assert_allclose(
            bag_distances(bags, kind), literal(bags, bags, kind), rtol=1e-9, atol=0
        )


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_features_of_any_magnitude(scale: float) -> None:
    bags = random_bags(2, n_bags=5)
    scaled = Bags(scale * bags.X, bags.bag, bags.labels)
    np.testing.assert_allclose(
        bag_distances(scaled, "average") / scale, bag_distances(bags, "average"), rtol=1e-9
    )


@pytest.mark.parametrize("kind", KINDS)
def test_symmetric_and_zero_to_itself(kind: str) -> None:
    bags = random_bags(3, n_bags=30, d=25)
    found = bag_distances(bags, kind)
    np.testing.assert_array_equal(found, found.T)
    np.testing.assert_array_equal(np.diag(found), np.where(bags.sizes > 0, 0.0, np.inf))
    assert not np.isnan(found).any()


@pytest.mark.parametrize("kind", KINDS)
def test_bags_of_the_same_instances_are_at_distance_zero(kind: str) -> None:
    members = 0.1 + np.random.default_rng(4).standard_normal((4, 7)) / 3
    bags = bags_of(members, members[::-1], members[[0, 1, 2, 3, 3]], 5 + members)
    found = bag_distances(bags, kind)
    np.testing.assert_array_equal(found[:3, :3], 0.0)
    assert (found[3, :3] > 1).all()
    np.testing.assert_array_equal(bag_distances(bags, kind, bags)[:3, :3], 0.0)


def test_minimal_distance_is_zero_for_a_shared_instance() -> None:
    bags = bags_of([[0.1, 0.2], [5.3, 5.1]], [[9.7, 0.4], [0.1, 0.2]])
    assert bag_distances(bags, "min")[0, 1] == 0
    assert bag_distances(bags, "max")[0, 1] > 5


def test_bags_without_instances_are_infinitely_far() -> None:
    bags = Bags(np.ones((2, 1)), [1, 3], np.zeros((5, 0)))
    expected = np.full((5, 5), np.inf)
    expected[np.ix_([1, 3], [1, 3])] = 0
    np.testing.assert_array_equal(bag_distances(bags, "average"), expected)
    nothing = Bags(np.zeros((0, 1)), [], np.zeros((2, 0)))
    np.testing.assert_array_equal(bag_distances(bags, "max", nothing), np.full((5, 2), np.inf))
    np.testing.assert_array_equal(bag_distances(nothing, "max"), np.full((2, 2), np.inf))


@pytest.mark.parametrize("kind", KINDS)
def test_same_bits_on_any_number_of_threads(kind: str) -> None:
    bags, other = random_bags(6, n_bags=40, d=11), random_bags(7, d=11)
    once = bag_distances(bags, kind, block_bytes=2000)
    compared = bag_distances(bags, kind, other, block_bytes=2000)
    for n_jobs in (2, 3, -1):
        again = bag_distances(bags, kind, n_jobs=n_jobs, block_bytes=2000)
        np.testing.assert_array_equal(once, again)
        again = bag_distances(bags, kind, other, n_jobs=n_jobs, block_bytes=2000)
        np.testing.assert_array_equal(compared, again)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("block_bytes", [1, 8 * 7, 8 * 300])
def test_blocks_may_split_bags(kind: str, block_bytes: int) -> None:
    bags, other = random_bags(8, 6, largest=9), random_bags(9, 6, largest=9)
    found = bag_distances(bags, kind, other, block_bytes=block_bytes)
    np.testing.assert_allclose(found, literal(bags, other, kind), rtol=1e-12)
    within = bag_distances(bags, kind, block_bytes=block_bytes)
    np.testing.assert_allclose(within, literal(bags, bags, kind), rtol=1e-12)


@settings(max_examples=25, deadline=None)
@given(
    arrays(
        np.float64, st.tuples(st.integers(1, 12), st.integers(1, 3)), elements=st.integers(-9, 9)
    ),
    st.randoms(use_true_random=False),
    st.sampled_from(KINDS),
)
def test_order_of_instances_and_numbers_of_bags_do_not_matter(
    X: Array, random: Random, kind: str
) -> None:
    bag = [random.randrange(4) for _ in X]
    rows = random.sample(range(len(X)), len(X))
    renamed = np.array(random.sample(range(4), 4))
    found = bag_distances(Bags(X, bag, np.zeros((4, 0))), kind)
    again = bag_distances(Bags(X[rows], renamed[bag][rows], np.zeros((4, 0))), kind)
    np.testing.assert_allclose(again[np.ix_(renamed, renamed)], found, rtol=1e-9, atol=1e-12)


def test_wrong_parameters_are_refused() -> None:
    bags = random_bags(0)
    with pytest.raises(ClusteringError, match="kind must be one of min, max, average, smd"):
        bag_distances(bags, "mean")  # type: ignore[arg-type]
    with pytest.raises(ClusteringError, match="normalize must be one of"):
        bag_distances(bags, "smd", normalize="none")  # type: ignore[arg-type]
    for n_jobs in (0, -2, 1.5):
        with pytest.raises(ClusteringError, match="n_jobs must be a whole number"):
            bag_distances(bags, "min", n_jobs=n_jobs)  # type: ignore[arg-type]
    with pytest.raises(ClusteringError, match="block_bytes"):
        bag_distances(bags, "min", block_bytes=0)
    with pytest.raises(ClusteringError, match="have 4 features and those to compare with 3"):
        bag_distances(bags, "min", random_bags(0, d=3))
