"""The kernel in coordinates, against the kernel itself."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from scipy.stats import norm

import algorithms.disambiguation.kernel as kernels
from algorithms.disambiguation.kernel import LandmarkKernel, NormalRanks


@pytest.fixture
def table() -> np.ndarray:
    rng = np.random.default_rng(0)
    return np.column_stack([rng.standard_normal(60), rng.exponential(3.0, 60), np.ones(60)])


def kernel_of(X, **changed):
    parameters = {"gamma": 0.5, "n_landmarks": 1000, "use_ranks": True, "seed": 0}
    return LandmarkKernel.fit(X, **(parameters | changed))


def test_normal_ranks_by_hand():
    X = np.array([[10.0], [30.0], [10.0], [20.0]])
    bent = NormalRanks.fit(X).transform(X)[:, 0]
    # ranks 1.5, 4, 1.5, 3, less a half, out of four
    np.testing.assert_allclose(bent, norm.ppf([0.25, 0.875, 0.25, 0.625]))


def test_normal_ranks_between_and_beyond_the_training_values():
    ranks = NormalRanks.fit(np.array([[0.0], [1.0]]))
    low, high = norm.ppf([0.25, 0.75])
    np.testing.assert_allclose(
        ranks.transform(np.array([[-5.0], [0.5], [9.0]]))[:, 0], [low, (low + high) / 2, high]
    )


def test_normal_ranks_do_not_care_for_monotone_changes(table):
    X = table
    np.testing.assert_allclose(
        NormalRanks.fit(X).transform(X), NormalRanks.fit(np.exp(X / 4)).transform(np.exp(X / 4))
    )


def test_normal_ranks_of_many_values_keep_a_thousand_knots():
    X = np.random.default_rng(1).standard_normal((5000, 1))
    ranks = NormalRanks.fit(X)
    assert len(ranks.values[0]) == 1000
    assert np.corrcoef(ranks.transform(X)[:, 0], X[:, 0])[0, 1] > 0.999


def test_mean_squared_distance_is_two_whatever_the_features(table):
    X = table
    for features in (X, X[:, :1], 100 * X):
        scaled = kernel_of(features).scaled(features)
        n = len(scaled)
        assert cdist(scaled, scaled, "sqeuclidean").sum() / n**2 == pytest.approx(2.0)


def test_a_constant_table_has_kernel_one():
    X = np.ones((5, 2))
    kernel = kernel_of(X)
    coordinates = kernel.transform(X)
    np.testing.assert_allclose(coordinates @ coordinates.T, 1.0, atol=1e-4)
    np.testing.assert_allclose(kernel.strongest(X), 1.0)


@pytest.mark.parametrize("use_ranks", [True, False])
def test_coordinates_multiply_to_the_kernel_when_all_are_landmarks(table, use_ranks):
    X = table
    kernel = kernel_of(X, use_ranks=use_ranks)
    scaled = kernel.scaled(X)
    expected = np.exp(-0.5 * cdist(scaled, scaled, "sqeuclidean"))
    coordinates = kernel.transform(X)
    np.testing.assert_allclose(coordinates @ coordinates.T, expected, atol=1e-4)


def test_few_landmarks_give_nystroems_approximation(table):
    X = table
    kernel = kernel_of(X, n_landmarks=9)
    coordinates = kernel.transform(X)
    landmark_kernel = np.exp(-0.5 * cdist(kernel.landmarks, kernel.landmarks, "sqeuclidean"))
    to_landmarks = np.exp(-0.5 * cdist(kernel.scaled(X), kernel.landmarks, "sqeuclidean"))
    expected = to_landmarks @ np.linalg.pinv(landmark_kernel) @ to_landmarks.T
    assert coordinates.shape == (60, 9)
    np.testing.assert_allclose(coordinates @ coordinates.T, expected, atol=1e-2)


def test_strongest_is_the_kernel_with_the_nearest_landmark(table):
    X = table
    kernel = kernel_of(X, n_landmarks=9)
    new = X[:7] + 0.1
    expected = np.exp(-0.5 * cdist(kernel.scaled(new), kernel.landmarks, "sqeuclidean"))
    np.testing.assert_allclose(kernel.strongest(new), expected.max(axis=1))


def test_the_seed_chooses_the_landmarks(table):
    X = table
    same = [kernel_of(X, n_landmarks=9, seed=seed).landmarks for seed in (3, 3, 4)]
    np.testing.assert_array_equal(same[0], same[1])
    assert not np.array_equal(same[0], same[2])


def test_other_landmarks_make_the_same_kernel(table):
    kernel = LandmarkKernel.fit(table, gamma=0.5, n_landmarks=5, use_ranks=True, seed=0)
    other = kernel.with_other_landmarks(table, len(table), 1)
    whole = LandmarkKernel.fit(table, gamma=0.5, n_landmarks=len(table), use_ranks=True, seed=2)
    np.testing.assert_allclose(
        other.transform(table) @ other.transform(table).T,
        whole.transform(table) @ whole.transform(table).T,
        atol=1e-4,
    )


def test_features_bent_beforehand_give_the_same_coordinates_to_the_last_bit(table, monkeypatch):
    kernel = LandmarkKernel.of_features(table, gamma=0.5, use_ranks=True)
    of_bent, bent = kernel.of_scaled(table)
    np.testing.assert_array_equal(bent, kernel.scaled(table))
    expected = kernel.with_other_landmarks(table, 9, 0).transform(table)
    np.testing.assert_array_equal(
        of_bent.with_other_landmarks(bent, 9, 0).transform(bent), expected
    )
    learned, for_bent, once = LandmarkKernel.of_features_scaled(table, gamma=0.5, use_ranks=True)
    np.testing.assert_array_equal(once, bent)
    assert (learned.scales, for_bent.ranks, for_bent.scales) == (kernel.scales, None, (1.0, 1.0))
    monkeypatch.setattr(kernels, "BLOCK_ROWS", len(table) - 1)
    same, X = kernel.of_scaled(table)  # too many to hold twice
    assert same is kernel
    assert X is table
    learned, for_bent, X = LandmarkKernel.of_features_scaled(table, gamma=0.5, use_ranks=True)
    assert for_bent is learned
    assert X is table


def test_central_landmarks_are_means_of_what_lies_together():
    rng = np.random.default_rng(0)
    blob = np.repeat([0, 1, 2], 8)
    X = np.array([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]])[blob] + 0.1 * rng.standard_normal((24, 2))
    kernel = LandmarkKernel.of_features(X, gamma=0.5, use_ranks=False)
    starts = (kernel.with_central_landmarks(X, 3, seed) for seed in range(20))
    central = next(found for found in starts if len(set(blob[found.rows])) == 3)
    means = np.array([kernel.scaled(X)[blob == number].mean(axis=0) for number in range(3)])
    np.testing.assert_allclose(central.landmarks, means[blob[central.rows]], atol=1e-6)


def test_central_landmarks_lose_less_of_the_kernel():
    X = np.random.default_rng(0).standard_normal((400, 6))
    kernel = LandmarkKernel.of_features(X, gamma=0.5, use_ranks=True)
    scaled = kernel.scaled(X)
    exact = np.exp(-0.5 * cdist(scaled, scaled, "sqeuclidean"))

    def lost(made: LandmarkKernel) -> float:
        coordinates = made.transform(X)
        return float(np.abs(exact - coordinates @ coordinates.T).mean())

    for seed in range(3):
        central = kernel.with_central_landmarks(X, 40, seed)
        assert lost(central) < 0.9 * lost(kernel.with_other_landmarks(X, 40, seed))


def test_with_hardly_more_instances_than_landmarks_these_are_instances(table):
    kernel = LandmarkKernel.of_features(table, gamma=0.5, use_ranks=True)
    for n_landmarks in (31, 60):
        central = kernel.with_central_landmarks(table, n_landmarks, 0)
        np.testing.assert_array_equal(central.landmarks, kernel.scaled(table)[central.rows])
