"""Mixtures of Gaussians, against scipy and scikit-learn."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats
from sklearn.mixture import GaussianMixture

from algorithms.bagwise.mixtures.instance_mixture import (
    GaussianConcepts,
    choose_covariance,
    gaussian_steps,
)
from algorithms.bagwise.mixtures.mixture_em import Climb, best_climb, climb, kmeans_start, one_hot
from algorithms.preprocessing import standardize

Array = npt.NDArray[np.float64]
Kind = Literal["diag", "full"]


def blobs(seed: int = 0, n: int = 300) -> Array:
    rng = np.random.default_rng(seed)
    centres = np.array([[0.0, 0.0, 0.0], [3.0, 0.0, -2.0], [0.0, 4.0, 1.0]])
    spread = np.array([[1.0, 0.5, 0.3], [0.4, 1.0, 0.9], [0.7, 0.2, 1.0]])
    kind = rng.integers(0, 3, n)
    return np.asarray(centres[kind] + spread[kind] * rng.standard_normal((n, 3)))


def fit(X: Array, kind: Kind, n_concepts: int = 3) -> Climb[GaussianConcepts]:
    return best_climb(gaussian_steps(X, kind), n_concepts, [0, 1, 2])


def covariances(mixture: GaussianConcepts) -> Array:
    """Covariances in the units of the features, each a matrix."""
    scale = mixture.units.scale
    inverse = (
        [np.diag(root**2) for root in mixture.roots]
        if mixture.covariance == "diag"
        else [root @ root.T for root in mixture.roots]
    )
    return np.array([np.linalg.inv(matrix) * np.outer(scale, scale) for matrix in inverse])


@pytest.mark.parametrize("kind", ["diag", "full"])
def test_log_densities_are_those_of_normal_distributions(kind: Kind) -> None:
    X = 100.0 + 5.0 * blobs()
    mixture = fit(X, kind).mixture
    means = mixture.means * mixture.units.scale + mixture.units.shift
    expected = [
        stats.multivariate_normal.logpdf(X, mean, covariance)
        for mean, covariance in zip(means, covariances(mixture), strict=True)
    ]
    np.testing.assert_allclose(mixture.log_densities(X), np.transpose(expected), rtol=1e-8)


@pytest.mark.parametrize("kind", ["diag", "full"])
@pytest.mark.parametrize("seed", range(2))
def test_same_mixture_as_an_independent_implementation(kind: Kind, seed: int) -> None:
    X = standardize(blobs(seed))
    start = kmeans_start(X, 3, 0)
    run = climb(gaussian_steps(X, kind), one_hot(start), 1e-9)
    members = [X[start == k] for k in range(3)]
    precisions = [
        1 / rows.var(axis=0) if kind == "diag" else np.linalg.inv(np.cov(rows.T, bias=True))
        for rows in members
    ]
    other = GaussianMixture(
        3,
        covariance_type=kind,
        tol=1e-9,
        max_iter=200,
        weights_init=[len(rows) / len(X) for rows in members],
        means_init=[rows.mean(axis=0) for rows in members],
        precisions_init=precisions,
    ).fit(X)
    assert run.log_likelihood == pytest.approx(other.score(X), abs=1e-5)
    assert run.bic == pytest.approx(other.bic(X), abs=0.01)
    np.testing.assert_allclose(run.mixture.weights, other.weights_, atol=1e-3)
    np.testing.assert_allclose(run.mixture.means, other.means_, atol=1e-2)
    np.testing.assert_allclose(run.posterior, other.predict_proba(X), atol=1e-2)


@pytest.mark.parametrize("kind", ["diag", "full"])
def test_units_and_constant_features_do_not_matter(kind: Kind) -> None:
    X = blobs()
    plain = fit(X, kind)
    stretched = fit(
        np.hstack([[1e6, 1e-6, 1.0] * X - [5e6, 0.0, 3.0], np.full((300, 2), 7.3)]), kind
    )
    np.testing.assert_allclose(stretched.posterior, plain.posterior, atol=1e-5)
    assert stretched.mixture.n_parameters == plain.mixture.n_parameters


@pytest.mark.parametrize("kind", ["diag", "full"])
def test_one_concept_is_the_normal_distribution_of_all(kind: Kind) -> None:
    X = blobs()
    mixture = fit(X, kind, 1).mixture
    covariance = np.cov(X.T, bias=True)
    if kind == "diag":
        covariance = np.diag(np.diag(covariance))
    expected = stats.multivariate_normal.logpdf(X, X.mean(axis=0), covariance)
    np.testing.assert_allclose(mixture.log_densities(X)[:, 0], expected, atol=1e-4)


@pytest.mark.parametrize("kind", ["diag", "full"])
@pytest.mark.parametrize(
    "X",
    [
        np.zeros((5, 3)),
        np.full((1, 2), 4.0),
        np.repeat(np.eye(3), 4, axis=0),
        np.array([[1e8, 0.0], [1e8 + 1, 0.0], [1e8 + 2, 0.0]]),
        np.array([[1e200, 0.0], [0.0, 2e-200], [-1e200, 1e-200]]),
    ],
    ids=["identical", "single", "three points", "far and close", "huge and tiny"],
)
def test_degenerate_instances(X: Array, kind: Kind) -> None:
    run = fit(X, kind, 2 if len(X) > 1 else 1)
    assert np.isfinite(run.mixture.log_densities(X)).all()
    np.testing.assert_allclose(run.posterior.sum(axis=1), 1.0)


def test_as_many_concepts_as_there_are_different_instances() -> None:
    X = np.repeat(np.eye(3), 4, axis=0)
    assert len(fit(X, "diag", 7).mixture.weights) == 3


@pytest.mark.parametrize("kind", ["diag", "full"])
def test_the_best_start_is_kept(kind: Kind) -> None:
    steps = gaussian_steps(blobs(3, 60), kind)
    alone = [best_climb(steps, 6, [seed]).log_likelihood for seed in range(5)]
    assert best_climb(steps, 6, range(5)).log_likelihood == max(alone)
    assert max(alone) > min(alone)


def test_covariances_need_ten_instances_for_each_feature_and_concept() -> None:
    assert choose_covariance(1200, 12, 10) == "full"
    assert choose_covariance(1199, 12, 10) == "diag"


@settings(max_examples=25)
@given(
    arrays(
        np.float64, st.tuples(st.integers(2, 12), st.integers(1, 3)), elements=st.integers(-5, 5)
    ),
    st.sampled_from(["diag", "full"]),
    st.integers(1, 4),
)
def test_any_instances_can_be_fitted(X: Array, kind: Any, n_concepts: int) -> None:
    run = best_climb(gaussian_steps(X, kind), min(n_concepts, len(X)), [0])
    assert np.isfinite(run.log_likelihood)
    np.testing.assert_allclose(run.posterior.sum(axis=1), 1.0)
    assert run.mixture.weights.sum() == pytest.approx(1.0)
