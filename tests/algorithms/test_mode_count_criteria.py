from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from algorithms.errors import ClusteringError
from algorithms.mode_counts import (
    CRITERIA,
    MAX_INSTANCES,
    CountCurve,
    bic,
    bootstrap_stability,
    eigengap,
    eigengap_of,
    gap_statistic,
    mode_counts,
    prediction_strength,
    principal_components,
    silhouette,
    weakest_cluster,
)

Array = npt.NDArray[Any]


def lumps(k: int, n_each: int = 30, seed: int = 0, apart: float = 12.0) -> tuple[Array, Array]:
    """k round clusters in the corners of a simplex, whose instances lie in every bag."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((k * n_each, 5)) + apart * np.repeat(np.eye(5)[:k], n_each, axis=0)
    return X, np.tile(np.arange(10), k * n_each // 10)


def test_eigengap_of_two_separated_gaussians() -> None:
    curve = eigengap_of([1.0, 0.994, 0.624, 0.6, 0.55], 4)
    np.testing.assert_allclose(curve.values, [0.006, 0.37, 0.024, 0.05])
    assert curve.k == 2


def test_eigengap_of_a_complete_graph_is_one() -> None:
    # All affinities of equally distant instances are equal: eigenvalues (1 + (n-1) a) / d, ...
    curve = eigengap(10 * np.eye(6), 3)
    assert curve.k == 1
    assert curve.values[1] == pytest.approx(0, abs=1e-9)


def test_bic_of_one_gaussian_is_that_of_its_moments() -> None:
    X = np.random.default_rng(0).normal([0, 5], [1, 3], (40, 2))
    variance = X.var(axis=0)
    sd = np.sqrt(variance + 1e-3 * variance.max())
    likelihood = norm.logpdf(X, X.mean(axis=0), sd).sum()
    assert bic(X, 2, 0).values[0] == pytest.approx(-2 * likelihood + 4 * np.log(40))


def test_bic_counts_the_parameters_of_every_component() -> None:
    # Two mixtures that are far apart: likelihoods are those of the parts, each of weight 1/2.
    X, _ = lumps(2)
    X = X[:, :2]
    parts = X[:30], X[30:]
    least = 1e-3 * X.var(axis=0).max()
    likelihood = sum(
        (norm.logpdf(part, part.mean(axis=0), np.sqrt(part.var(axis=0) + least))).sum()
        + len(part) * np.log(0.5)
        for part in parts
    )
    assert bic(X, 2, 0).values[1] == pytest.approx(-2 * likelihood + 9 * np.log(60), rel=1e-4)


def test_silhouette_of_a_worked_line() -> None:
    curve = silhouette(np.array([[0.0], [1.0], [10.0], [11.0]]), 3, 0)
    assert np.isnan(curve.values[0])
    assert curve.values[1] == pytest.approx((9.5 / 10.5 + 8.5 / 9.5) / 2)
    assert curve.k == 2


def test_weak_silhouettes_are_one_cluster() -> None:
    X = np.random.default_rng(1).standard_normal((60, 10))
    curve = silhouette(X, 4, 0)
    assert 0 < np.nanmax(curve.values) < 0.25
    assert curve.k == 1


def test_gap_of_one_cluster_is_its_sum_of_squares_against_uniform_ones() -> None:
    # The expected log of a uniform sample's sum of squares: about log(n * side^2 / 12).
    X = np.random.default_rng(2).standard_normal((400, 1))
    side = float(np.ptp(X))
    expected = np.log(400 * side**2 / 12) - np.log(400 * X.var())
    curve = gap_statistic(X, 3, 0)
    assert curve.values[0] == pytest.approx(expected, abs=0.05)
    assert curve.k == 1


def test_weakest_cluster_by_hand() -> None:
    # Pairs of cluster 7: 3, one of them together. Pair of cluster 9: together.
    assert weakest_cluster([7, 7, 7, 9, 9], [0, 0, 1, 1, 1]) == pytest.approx(1 / 3)
    assert weakest_cluster([0, 0, 1], [0, 0, 1]) == 0.0


@settings(max_examples=30)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=12))
def test_weakest_cluster_counts_pairs(both: list[tuple[int, int]]) -> None:
    shares = []
    for cluster in {label for label, _ in both}:
        own = [other for label, other in both if label == cluster]
        pairs = [a == b for i, a in enumerate(own) for b in own[:i]]
        shares.append(np.mean(pairs) if pairs else 0.0)
    labels, predicted = zip(*both, strict=True)
    assert weakest_cluster(labels, predicted) == pytest.approx(min(shares))


def test_a_cluster_that_lies_in_one_bag_alone_does_not_repeat() -> None:
    X, _ = lumps(2)
    replicated = np.tile(np.arange(10), 6)
    alone = np.r_[np.tile(np.arange(1, 10), 4)[:30], np.zeros(30, dtype=int)]
    assert prediction_strength(X, replicated, 3, 0).k == 2
    assert prediction_strength(X, alone, 3, 0).k == 1


def test_stable_clusters_agree_perfectly() -> None:
    X, bag = lumps(2)
    curve = bootstrap_stability(X, bag, 3, 0)
    np.testing.assert_allclose(curve.values[:2], 1.0)
    assert curve.values[2] < 0.9


@pytest.mark.parametrize("k", [2, 3])
def test_every_criterion_finds_clusters_that_are_far_apart(k: int) -> None:
    X, bag = lumps(k)
    found = {name: curve.k for name, curve in mode_counts(X, bag, k_max=4).items()}
    # Samples that share most of their bags agree on clusters cut in two as well.
    assert found.pop("stability") >= k
    assert found == dict.fromkeys(set(CRITERIA) - {"stability"}, k)


def test_one_gaussian_is_one_cluster_for_what_decides() -> None:
    X, bag = lumps(1, n_each=80)
    curves = mode_counts(X, bag, k_max=3)
    assert [curves[name].k for name in ("prediction_strength", "silhouette", "gap")] == [1, 1, 1]


def same(one: dict[str, CountCurve], other: dict[str, CountCurve]) -> bool:
    return all(
        one[name].k == other[name].k
        and np.allclose(one[name].values, other[name].values, equal_nan=True)
        for name in CRITERIA
    )


def test_the_same_seed_gives_the_same_curves_and_axes_do_not_matter() -> None:
    X, bag = lumps(2, n_each=20, apart=4.0)
    curves = mode_counts(X, bag, k_max=3, random_state=3)
    assert same(curves, mode_counts(X, bag, k_max=3, random_state=3))
    assert same(curves, mode_counts(7.0 - X[:, ::-1], bag + 100, k_max=3, random_state=3))
    assert not same(curves, mode_counts(X, bag, k_max=3, random_state=4))


def test_many_instances_are_sampled() -> None:
    X, bag = lumps(2, n_each=MAX_INSTANCES)
    sampled = mode_counts(X, bag, k_max=2)["bic"].values[0]
    # The likelihood is a sum over instances, of which half are left.
    assert sampled == pytest.approx(bic(principal_components(X), 2, 0).values[0] / 2, rel=0.03)


@pytest.mark.parametrize(
    "X",
    [np.zeros((0, 3)), np.zeros((1, 3)), np.eye(3)[:2], np.ones((9, 3)), np.zeros((5, 0))],
    ids=["none", "one", "two", "all alike", "no features"],
)
def test_where_there_is_nothing_to_tell_apart_there_is_one(X: Array) -> None:
    for curve in mode_counts(X, np.arange(len(X)), k_max=3).values():
        assert curve.k == 1
        assert curve.values.shape == (3,)
        assert np.isnan(curve.values[1:]).all()


def test_duplicates_and_a_single_bag_are_borne() -> None:
    X = np.repeat(np.eye(3), 5, axis=0)
    curves = mode_counts(X, np.zeros(15, dtype=int), k_max=5)
    assert curves["silhouette"].values[1] > 0.25
    assert curves["prediction_strength"].k == 1
    for curve in curves.values():
        assert np.isnan(curve.values[2:]).all()


def test_principal_components_keep_distances_and_drop_the_least() -> None:
    X, _ = lumps(3)
    distance = np.linalg.norm(X[:, None] - X[None], axis=2)
    whole = principal_components(X)
    np.testing.assert_allclose(np.linalg.norm(whole[:, None] - whole[None], axis=2), distance)
    leading = principal_components(X, 2)
    np.testing.assert_allclose(leading, whole[:, :2])
    assert (whole.var(axis=0)[:2] > whole.var(axis=0)[2:].max()).all()


@pytest.mark.parametrize(
    ("X", "bag", "k_max", "message"),
    [
        ([[0.0], [1.0]], [0], 3, "one row per instance"),
        ([0.0, 1.0], [0, 1], 3, "one row per instance"),
        ([[0.0], [np.nan]], [0, 1], 3, "not finite"),
        ([[0.0], [1.0]], [0, 1], 0, "k_max must be at least 1"),
    ],
)
def test_impossible_input_is_one_line(X: Any, bag: Any, k_max: int, message: str) -> None:
    with pytest.raises(ClusteringError, match=message):
        mode_counts(X, bag, k_max=k_max)
