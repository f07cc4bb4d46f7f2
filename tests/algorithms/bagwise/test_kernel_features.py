"""Features of kernels, against the kernels written out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms.bagwise import kernel_features
from algorithms.bagwise.kernel_features import KernelFeatures
from algorithms.bagwise.kernels import Kernel
from algorithms.errors import ClusteringError, ClusteringWarning

Array = npt.NDArray[np.float64]
DEFAULTS: dict[str, Any] = {"gamma": None, "degree": 3, "coef0": 1.0, "seed": 0}


def settle(X: Array, kernel: Any, **parameters: Any) -> Kernel:
    return Kernel.settle(X, kernel, **{**DEFAULTS, **parameters})


def features(X: Array, kernel: Any, **parameters: Any) -> KernelFeatures:
    return KernelFeatures.fit_transform(X, settle(X, kernel, **parameters), seed=0)[0]


def histograms(n: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).random((n, 4))


def written_out(k: Callable[[Array, Array], float], A: Array, B: Array) -> Array:
    return np.array([[k(a, b) for b in B] for a in A])


FORMULAS: dict[str, Callable[[Array, Array], float]] = {
    "linear": lambda a, b: float(a @ b),
    "rbf": lambda a, b: float(np.exp(-0.7 * ((a - b) ** 2).sum())),
    "poly": lambda a, b: float((0.7 * (a @ b) + 2.0) ** 2),
    "chi2": lambda a, b: float(np.exp(-0.7 * ((a - b) ** 2 / (a + b)).sum())),
}


def laplacian(A: Array, B: Array) -> Array:
    return np.exp(-np.abs(A[:, None] - B[None]).sum(axis=2))


@pytest.mark.parametrize("kernel", sorted(FORMULAS))
def test_inner_products_of_the_features_are_the_kernel(kernel: str) -> None:
    X, new = histograms(25), histograms(6, seed=1)
    settled = settle(X, kernel, gamma=0.7, degree=2, coef0=2.0)
    found, old = KernelFeatures.fit_transform(X, settled, seed=0)
    np.testing.assert_allclose(found.transform(X), old, atol=1e-7)
    np.testing.assert_allclose(old @ old.T, written_out(FORMULAS[kernel], X, X), atol=1e-8)
    expected = written_out(FORMULAS[kernel], new, X)
    np.testing.assert_allclose(found.transform(new) @ old.T, expected, atol=1e-7)


def test_any_function_may_be_the_kernel() -> None:
    X = histograms(20)
    old = features(X, laplacian).transform(X)
    k = lambda a, b: float(np.exp(-np.abs(a - b).sum()))  # noqa: E731
    np.testing.assert_allclose(old @ old.T, written_out(k, X, X), atol=1e-10)


def test_default_gamma_is_one_over_the_median_squared_distance() -> None:
    # Distances of 0, 1, 3: 1, 2, 3; squared lengths 0, 1, 9.
    X = np.array([[0.0], [1.0], [3.0]])
    assert settle(X, "rbf").gamma == pytest.approx(1 / 4)
    assert settle(X, "poly").gamma == pytest.approx(3 / 10)
    # (x - y)^2 / (x + y): 1, 3 and 4 / 4.
    assert settle(X, "chi2").gamma == pytest.approx(1.0)


def test_default_gamma_does_not_mind_identical_instances() -> None:
    X = np.array([[1.0]] * 20 + [[3.0]])
    assert settle(X, "rbf").gamma == pytest.approx(1 / 4)
    assert settle(X, "chi2").gamma == pytest.approx(1.0)
    for kernel in ("rbf", "chi2", "poly"):
        found = features(np.zeros((5, 2)), kernel)
        assert found.kernel.gamma == 1.0
        assert np.isfinite(found.transform(np.zeros((5, 2)))).all()


def test_a_sample_of_many_instances_tells_the_default_gamma() -> None:
    X = np.random.default_rng(0).standard_normal((4000, 3))
    # The squared distance of two is 2 chi2(3), whose median is 2 * 2.366.
    assert settle(X, "rbf").gamma == pytest.approx(1 / 4.732, rel=0.05)
    assert settle(X, "rbf").gamma == settle(X, "rbf").gamma


@pytest.mark.parametrize("kernel", ["rbf", "poly", "linear"])
def test_identical_and_constant_instances_have_identical_features(kernel: str) -> None:
    X = np.repeat([[1.0, 2.0], [3.0, 2.0]], 4, axis=0)
    found = features(X, kernel)
    mapped = found.transform(X)
    assert mapped.shape[1] == 2
    np.testing.assert_allclose(mapped[:4], np.repeat(mapped[:1], 4, axis=0), atol=1e-12)


def test_a_kernel_that_is_nothing_gives_one_feature_that_is_nothing() -> None:
    X = histograms(4)
    found = features(X, lambda A, B: np.zeros((len(A), len(B))))
    assert (found.transform(X) == np.zeros((4, 1))).all()


def test_many_instances_get_features_by_landmarks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_features, "MAX_EXACT", 100)
    monkeypatch.setattr(kernel_features, "N_LANDMARKS", 60)
    monkeypatch.setattr(kernel_features, "_BLOCK_ENTRIES", 60 * 7)
    X = histograms(150)
    found = features(X, "rbf", gamma=0.5)
    assert len(found.landmarks) == 60
    mapped = found.transform(X)
    k = lambda a, b: float(np.exp(-0.5 * ((a - b) ** 2).sum()))  # noqa: E731
    np.testing.assert_allclose(mapped @ mapped.T, written_out(k, X, X), atol=5e-3)
    # Nystroem: exact where one of the two is a landmark.
    exact = written_out(k, X, found.landmarks)
    np.testing.assert_allclose(mapped @ found.transform(found.landmarks).T, exact, atol=1e-6)
    assert (features(X, "rbf", gamma=0.5).transform(X) == mapped).all()
    other, _ = KernelFeatures.fit_transform(X, found.kernel, seed=1)
    assert (other.landmarks != found.landmarks).any()


def test_no_more_than_a_thousand_instances_are_decomposed() -> None:
    X = np.random.default_rng(0).standard_normal((1001, 3))
    found, old = KernelFeatures.fit_transform(X, settle(X, "rbf"), seed=0)
    assert len(found.landmarks) == 500
    assert old.shape[0] == 1001
    few = X[:30]
    for most, n in ((30, 30), (None, 30)):
        found, _ = KernelFeatures.fit_transform(few, settle(few, "rbf"), seed=0, max_exact=most)
        assert len(found.landmarks) == n


def test_chi2_names_the_feature_that_is_negative() -> None:
    X = histograms(8)
    X[3, 2] = -0.25
    with pytest.raises(ClusteringError, match=r"-0\.25 in row 3, column 2"):
        settle(X, "chi2")
    found = features(histograms(8), "chi2")
    with pytest.raises(ClusteringError, match="row 3, column 2"):
        found.transform(X)


@pytest.mark.parametrize(
    ("kernel", "parameters", "said"),
    [
        ("sigmoid", {}, "kernel must be one of linear, rbf, poly, chi2, not 'sigmoid'"),
        ("rbf", {"gamma": 0.0}, "gamma must be a number above 0"),
        ("rbf", {"gamma": float("nan")}, "gamma must be a number above 0"),
        ("rbf", {"gamma": "scale"}, "gamma must be a number above 0"),
        ("poly", {"degree": 0}, "degree must be a whole number from 1"),
        ("poly", {"degree": 2.5}, "degree must be a whole number from 1"),
        ("poly", {"coef0": -1.0}, "coef0 must be a number from 0"),
    ],
)
def test_parameters_out_of_range_are_refused(
    kernel: str, parameters: dict[str, Any], said: str
) -> None:
    with pytest.raises(ClusteringError, match=said):
        settle(histograms(4), kernel, **parameters)


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda A, B: np.zeros((len(A), 1)), r"shape \(6, 6\), not \(6, 1\)"),
        (lambda A, B: np.full((len(A), len(B)), np.nan), "not finite"),
        (lambda A, B: A[:, :1] + 2 * B[:, :1].T, "not symmetric"),
    ],
)
def test_functions_that_are_no_kernel_are_refused(function: Any, said: str) -> None:
    with pytest.raises(ClusteringError, match=said):
        features(histograms(6), function)


def test_a_kernel_beyond_the_range_of_numbers_is_refused() -> None:
    with pytest.raises(ClusteringError, match="scale the features"):
        features(1e60 * histograms(6), "poly", degree=9, gamma=1.0)


def test_negative_eigenvalues_are_told_and_left_out() -> None:
    X = np.array([[1.0, 0.0], [0.0, 1.0]])
    swapped = lambda A, B: A @ np.array([[1.0, 0.0], [0.0, -0.5]]) @ B.T  # noqa: E731
    with pytest.warns(ClusteringWarning, match="negative eigenvalues, down to -0.5"):
        found = features(X, swapped)
    np.testing.assert_allclose(found.transform(X), [[1.0], [0.0]], atol=1e-12)


@settings(max_examples=25)
@given(st.integers(0, 1000), st.integers(2, 12), st.sampled_from(["rbf", "poly", "chi2"]))
def test_the_order_of_instances_changes_nothing(seed: int, n: int, kernel: str) -> None:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (n, 2)).astype(float) + 0.5
    order = rng.permutation(n)
    one, other = features(X, kernel), features(X[order], kernel)
    assert one.kernel.gamma == pytest.approx(other.kernel.gamma)
    first, second = one.transform(X), other.transform(X)
    np.testing.assert_allclose(first @ first.T, second @ second.T, atol=1e-5)
