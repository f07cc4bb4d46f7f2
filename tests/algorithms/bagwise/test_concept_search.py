"""How many concepts: BIC, against scikit-learn's and on mixtures that are known."""

from __future__ import annotations

import warnings

import numpy as np
import numpy.typing as npt
import pytest
from sklearn.mixture import GaussianMixture

from algorithms.bagwise.mixtures.concept_search import find_concepts, merge_two, search_number
from algorithms.bagwise.mixtures.instance_mixture import gaussian_steps
from algorithms.errors import ClusteringError, ClusteringWarning

Array = npt.NDArray[np.float64]


def islands(n_islands: int, n: int = 240, seed: int = 0) -> Array:
    rng = np.random.default_rng(seed)
    return np.asarray(20.0 * np.eye(n_islands)[rng.integers(0, n_islands, n)]) + rng.normal(
        size=(n, n_islands)
    )


@pytest.mark.parametrize("n_islands", [2, 4, 7])
def test_number_of_islands_is_found(n_islands: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = find_concepts(islands(n_islands), model="diag", n_concepts=None, seeds=[0, 1])
    assert found.n_concepts == n_islands
    assert list(found.bic) == list(range(2, 21))
    assert min(found.bic, key=lambda number: found.bic[number]) == n_islands


def test_those_two_are_merged_that_k_means_would_lose_least_by() -> None:
    space = np.array([[0.0]] * 9 + [[1.0]] * 9 + [[2.5]])
    posterior = np.eye(3)[[0] * 9 + [1] * 9 + [2]]
    merged = merge_two(posterior, space)
    # 1 and 2.5: 9/10 2.25 = 2.025; 0 and 1: 81/18 = 4.5
    np.testing.assert_array_equal(merged, np.eye(2)[[0] * 9 + [1] * 10])


def test_bic_agrees_with_an_independent_implementation() -> None:
    X = islands(3)
    bic = search_number(gaussian_steps(X, "diag"), 3, 0)
    scaled = gaussian_steps(X, "diag").space
    # densities over the features' own units differ from those over scaled ones by this
    units = 2 * len(X) * np.log(X.std(axis=0)).sum()
    for number in (2, 3):
        other = GaussianMixture(number, covariance_type="diag", n_init=5, random_state=0)
        assert bic[number] - units == pytest.approx(other.fit(scaled).bic(scaled), rel=2e-3)


def test_counts_are_searched_too() -> None:
    rng = np.random.default_rng(0)
    shares = np.full((3, 6), 0.02) + 0.44 * np.kron(np.eye(3), np.ones(2))
    X = np.array([rng.multinomial(40, shares[theme]) for theme in rng.integers(0, 3, 150)])
    found = find_concepts(X.astype(float), model="multinomial", n_concepts=None, seeds=[0])
    assert found.model == "multinomial"
    assert found.n_concepts == 3


def test_a_number_that_is_given_is_not_searched_for() -> None:
    found = find_concepts(islands(3), model="diag", n_concepts=5, seeds=[0])
    assert found.n_concepts == 5
    assert found.bic == {}


def test_no_more_concepts_than_a_fifth_of_the_instances() -> None:
    X = np.random.default_rng(0).normal(size=(35, 30))
    found = find_concepts(X, model="diag", n_concepts=None, seeds=[0])
    assert max(found.bic) == 7


@pytest.mark.parametrize("n", [1, 2, 3])
def test_few_instances(n: int) -> None:
    found = find_concepts(np.eye(n), model="auto", n_concepts=None, seeds=[0])
    assert found.n_concepts == min(n, 2)


def test_auto_looks_at_the_most_concepts_that_are_tried() -> None:
    X = islands(2, 500)  # 10 instances x 2 features x 20 concepts are 400
    assert find_concepts(X, model="auto", n_concepts=None, seeds=[0]).model == "full"
    assert find_concepts(X[:399], model="auto", n_concepts=None, seeds=[0]).model == "diag"
    assert find_concepts(X[:399], model="auto", n_concepts=19, seeds=[0]).model == "full"
    constant = np.hstack([X[:400], np.ones((400, 9))])
    assert find_concepts(constant, model="auto", n_concepts=None, seeds=[0]).model == "full"


def test_bic_that_still_falls_is_told() -> None:
    with pytest.warns(ClusteringWarning, match="still falls at 20 concepts"):
        found = find_concepts(islands(30, 900), model="diag", n_concepts=None, seeds=[0])
    assert found.n_concepts == 20


def test_alike_instances_make_fewer_concepts_than_asked_for() -> None:
    X = np.repeat(np.eye(3), 5, axis=0)
    with pytest.warns(ClusteringWarning, match="3 concepts instead of 6, as many .* alike"):
        assert find_concepts(X, model="diag", n_concepts=6, seeds=[0]).n_concepts == 3


def test_more_concepts_than_instances_are_refused() -> None:
    with pytest.raises(ClusteringError, match="ask for at most 4, as there are 4 instances"):
        find_concepts(np.eye(4), model="diag", n_concepts=5, seeds=[0])
