from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from algorithms.errors import ClusteringError
from algorithms.mode_counts import (
    CONTINUUM_CUT,
    K_MAX,
    LEAST_RECORDINGS,
    MAX_INSTANCES,
    ModeCount,
    drawn_together,
    mode_count,
    variance_components,
)

Array = npt.NDArray[Any]


def lumps(k: int, n_each: int = 40, seed: int = 0, apart: float = 12.0) -> tuple[Array, Array]:
    """k round clusters in the corners of a simplex, whose instances lie in every recording."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((k * n_each, 5)) + apart * np.repeat(np.eye(5)[:k], n_each, axis=0)
    return X, np.tile(np.arange(10), k * n_each // 10)


def counted(X: Array, recording: Array, seed: int = 0) -> ModeCount:
    return mode_count(X, X, recording, random_state=seed)


def test_variances_of_a_worked_table() -> None:
    # Means 1 and 6; squares within 2 + 2 in 4 - 2 degrees; among 4 * 2.5^2 = 25; (25 - 2) / 2.
    X, group = np.array([[0.0], [2.0], [5.0], [7.0]]), np.array([0, 0, 1, 1])
    np.testing.assert_allclose(variance_components(X, group), [[2.0], [11.5]])


def test_variances_of_one_group_and_of_groups_of_one() -> None:
    X = np.array([[0.0], [2.0], [4.0]])
    np.testing.assert_allclose(variance_components(X, np.zeros(3, dtype=int)), [[4.0], [0.0]])
    np.testing.assert_allclose(variance_components(X, np.arange(3)), [[0.0], [4.0]])


def test_variances_are_found_again_in_groups_of_unequal_size() -> None:
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(300), rng.integers(1, 9, 300))
    X = (3 * rng.standard_normal((300, 1)))[group] + 2 * rng.standard_normal((len(group), 1))
    np.testing.assert_allclose(variance_components(X, group).ravel(), [4, 9], rtol=0.15)


def test_a_share_of_every_instance_is_its_groups_mean() -> None:
    X, group = np.array([[0.0], [4.0], [10.0]]), np.array([0, 0, 1])
    np.testing.assert_allclose(drawn_together(X, group, 0.5).ravel(), [1, 3, 10])
    assert drawn_together(X, group, 0.0) is X


@pytest.mark.parametrize("k", [2, 3, 4])
def test_clusters_that_are_far_apart_are_kinds(k: int) -> None:
    found = counted(*lumps(k))
    assert (found.k, found.shape) == (k, "kinds")
    assert found.curves["kinds"].values.shape == (K_MAX,)
    assert found.curves["kinds"].values[0] == 0


def test_one_gaussian_is_one() -> None:
    found = counted(*lumps(1, n_each=120))
    assert (found.k, found.shape) == (1, "one")


def test_recordings_that_differ_are_no_kinds() -> None:
    # A gap statistic that does not know of recordings takes the first for several clusters.
    rng = np.random.default_rng(3)
    recording = np.repeat(np.arange(8), 15)
    X = (4 * rng.standard_normal((8, 5)))[recording] + rng.standard_normal((120, 5))
    assert counted(X, recording).shape == "one"
    assert counted(X, np.tile(np.arange(15), 8)).k > 1


def test_what_only_recordings_tell_is_a_continuum() -> None:
    # Two kinds of bouts that overlap too much to be seen in single instances.
    rng = np.random.default_rng(1)
    recording = np.repeat(np.arange(30), 10)
    X = 3.0 * (recording % 2)[:, None] * np.eye(6)[0] + rng.standard_normal((300, 6))
    found = counted(X, recording)
    assert (found.k, found.shape) == (CONTINUUM_CUT, "continuum")
    assert found.curves["kinds"].strongest < found.curves["bouts"].strongest


def test_few_recordings_or_alike_ones_are_no_continuum() -> None:
    rng = np.random.default_rng(1)
    recording = np.repeat(np.arange(30), 10)
    X = 3.0 * (recording % 2)[:, None] * np.eye(6)[0] + rng.standard_normal((300, 6))
    few = recording < LEAST_RECORDINGS - 1
    for rows, heard in ((few, recording), (np.full(300, True), rng.permutation(recording))):
        found = counted(X[rows], heard[rows])
        assert found.shape != "continuum"
        assert np.isnan(found.curves["bouts"].values[1:]).all()


def test_the_same_seed_gives_the_same_and_axes_do_not_matter() -> None:
    X, recording = lumps(2, apart=3.0)
    first = counted(X, recording, 3)
    for other in (counted(X, recording, 3), counted(7.0 - X[:, ::-1], recording + 100, 3)):
        assert (other.k, other.shape) == (first.k, first.shape)
        for name, curve in first.curves.items():
            np.testing.assert_allclose(curve.values, other.curves[name].values, rtol=1e-6)
    assert not np.allclose(
        first.curves["kinds"].values[1:4], counted(X, recording, 4).curves["kinds"].values[1:4]
    )


def test_many_instances_are_sampled_and_a_recording_may_fall_out() -> None:
    X, _ = lumps(2, n_each=MAX_INSTANCES)
    assert counted(X, np.arange(len(X)) // 2).k >= 1


@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_next_to_no_instances_are_one(n: int) -> None:
    assert counted(np.eye(4)[:n], np.arange(n)).k == 1


def test_equal_instances_are_one() -> None:
    assert counted(np.zeros((30, 2)), np.arange(30) % 3).k == 1


@pytest.mark.parametrize(
    ("kinds", "recording", "message"),
    [
        (np.zeros((3, 2)), np.zeros(2), "one row per instance"),
        (np.zeros(3), np.zeros(3), "one row per instance"),
        (np.full((3, 2), np.nan), np.zeros(3), "not finite"),
    ],
)
def test_what_does_not_fit_is_refused(kinds: Array, recording: Array, message: str) -> None:
    with pytest.raises(ClusteringError, match=message):
        mode_count(kinds, kinds, recording)
