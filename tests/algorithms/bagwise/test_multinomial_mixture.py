"""Mixtures of multinomials, against scipy and counting by hand."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats
from scipy.special import logsumexp, softmax
from sklearn.metrics import adjusted_rand_score

from algorithms.bagwise.mixtures.mixture_em import best_climb, one_hot
from algorithms.bagwise.mixtures.multinomial_mixture import MultinomialConcepts, MultinomialSteps
from algorithms.errors import ClusteringError

THEMES = np.array([[0.5, 0.3, 0.1, 0.05, 0.05], [0.05, 0.05, 0.1, 0.3, 0.5]])


def documents(n: int = 200) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    rng = np.random.default_rng(0)
    theme = rng.integers(0, 2, n)
    lengths = rng.integers(5, 60, n)
    X = [rng.multinomial(length, THEMES[t]) for length, t in zip(lengths, theme, strict=True)]
    return np.array(X, dtype=np.float64), theme


def test_log_densities_are_those_of_multinomial_distributions() -> None:
    X, _ = documents()
    mixture = MultinomialConcepts(np.array([0.4, 0.6]), THEMES)
    expected = [stats.multinomial.logpmf(X, X.sum(axis=1), shares) for shares in THEMES]
    np.testing.assert_allclose(mixture.log_densities(X), np.transpose(expected), rtol=1e-9)


def test_shares_are_smoothed_counts() -> None:
    X = np.array([[2.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 3.0, 3.0]])
    mixture = MultinomialSteps(X).maximize(one_hot(np.array([0, 0, 1])))
    expected = np.array([[3.01, 0.01, 1.01], [0.01, 3.01, 3.01]])
    np.testing.assert_allclose(mixture.shares, expected / expected.sum(axis=1, keepdims=True))
    np.testing.assert_allclose(mixture.weights, [2 / 3, 1 / 3])


def test_themes_are_found_whatever_the_length_of_documents() -> None:
    X, theme = documents()
    run = best_climb(MultinomialSteps(X), 2, [0])
    assert adjusted_rand_score(theme, run.posterior.argmax(axis=1)) > 0.9
    order = np.argsort(-run.mixture.shares[:, 0])
    np.testing.assert_allclose(run.mixture.shares[order], THEMES, atol=0.03)


def test_log_likelihood_is_of_the_mixture() -> None:
    X, _ = documents(20)
    steps = MultinomialSteps(X)
    mixture = MultinomialConcepts(np.array([0.4, 0.6]), THEMES)
    joint = np.exp(steps.joint(mixture)).sum(axis=1)
    by_theme = [stats.multinomial.pmf(X, X.sum(axis=1), shares) for shares in THEMES]
    np.testing.assert_allclose(joint, 0.4 * by_theme[0] + 0.6 * by_theme[1])


def test_smoothed_log_likelihood_never_falls() -> None:
    X, _ = documents(60)
    steps = MultinomialSteps(X)
    posterior = np.random.default_rng(1).dirichlet([1.0, 1.0, 1.0], 60)
    values = []
    for _ in range(30):
        mixture = steps.maximize(posterior)
        joint = steps.joint(mixture)
        # smoothing by .01 is a Dirichlet prior of the shares, with parameter 1.01
        values.append(logsumexp(joint, axis=1).sum() + 0.01 * np.log(mixture.shares).sum())
        posterior = softmax(joint, axis=1)
    assert (np.diff(values) >= -1e-9 * abs(values[0])).all()
    assert values[-1] > values[0] + 1


def test_documents_without_words_are_of_any_theme() -> None:
    X = np.vstack([documents(40)[0], np.zeros((2, 5))])
    run = best_climb(MultinomialSteps(X), 2, [0])
    np.testing.assert_allclose(run.posterior[-1], run.mixture.weights, atol=0.02)


def test_negative_counts_are_refused_by_row_and_column() -> None:
    X = np.ones((4, 3))
    X[2, 1] = -0.5
    with pytest.raises(ClusteringError, match=r"holds -0\.5 in row 2, column 1.*not standardised"):
        MultinomialSteps(X)
    with pytest.raises(ClusteringError, match="row 2, column 1"):
        MultinomialConcepts(np.array([1.0]), np.full((1, 3), 1 / 3)).log_densities(X)
