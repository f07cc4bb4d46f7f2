from __future__ import annotations

import warnings

import numpy as np
import numpy.typing as npt
import pytest
from scipy.optimize import minimize
from scipy.spatial.distance import cdist, pdist

from algorithms import Bags
from algorithms.errors import ClusteringWarning
from algorithms.layout import sorted_bags
from algorithms.mil import planes
from algorithms.mil.miles import MILES, Prototypes
from algorithms.mil.runs import instances_as_bags

Array = npt.NDArray[np.float64]


def random_bags(seed: int = 0, n_bags: int = 16) -> Bags:
    rng = np.random.default_rng(seed)
    bag = rng.permutation(np.repeat(np.arange(n_bags), 3))
    X = rng.standard_normal((3 * n_bags, 2))
    positive = np.arange(n_bags) < n_bags // 2
    X[np.searchsorted(np.sort(bag), np.flatnonzero(positive))] += 1.0
    return Bags(X, bag, positive[:, None])


def embedded(bags: Bags, prototypes: Array, gamma: float) -> Array:
    similar = np.exp(-gamma * cdist(bags.X, prototypes, "sqeuclidean"))
    return np.array([similar[bags.bag == number].max(axis=0) for number in range(bags.n_bags)])


def test_similarity_worked_by_hand() -> None:
    bags = Bags([[0.0], [3.0], [5.0]], [0, 0, 1], np.zeros((2, 0)))
    prototypes = Prototypes(instances_as_bags(np.array([[1.0], [4.0]])), 0.5)
    expected = [[np.exp(-0.5), np.exp(-0.5)], [np.exp(-8.0), np.exp(-0.5)]]
    np.testing.assert_allclose(prototypes.embed(sorted_bags(bags)), expected, rtol=1e-9)


def test_the_sparse_machine_is_the_best_there_is() -> None:
    bags = random_bags()
    gamma = 1.0 / np.median(pdist(bags.X, "sqeuclidean"))
    features = embedded(bags, bags.X, gamma)
    n, sign = features.shape[1], np.where(bags.labels[:, 0], 1.0, -1.0)

    def objective(parameters: Array) -> tuple[float, Array]:
        # Weights as a difference of two parts from 0, whose sum is then their absolute value.
        plus, minus, intercept = parameters[:n], parameters[n:-1], parameters[-1]
        short = np.maximum(0.0, 1.0 - sign * (features @ (plus - minus) + intercept))
        slope = -2.0 * sign * short
        of_weights = features.T @ slope
        gradient = np.concatenate([1.0 + of_weights, 1.0 - of_weights, [slope.sum()]])
        return float(plus.sum() + minus.sum() + (short**2).sum()), gradient

    bounds = [(0.0, None)] * (2 * n) + [(None, None)]
    best = minimize(
        objective, np.zeros(2 * n + 1), jac=True, bounds=bounds,
        options={"maxiter": 10_000, "maxfun": 100_000, "ftol": 1e-14},
    ).fun  # fmt: skip
    scores = MILES().fit(bags).decision_function(bags)[:, 0]
    plane = MILES().fit(bags).models_[0]
    reached = np.abs(plane.weights).sum() + (np.maximum(0.0, 1.0 - sign * scores) ** 2).sum()
    assert best <= reached + 1e-6
    # The solver also fines the intercept, slightly.
    assert reached < 1.02 * best
    assert (plane.weights == 0).mean() > 0.5


def test_new_bags_are_compared_with_training_instances() -> None:
    bags, new = random_bags(), random_bags(1, 6)
    annotator = MILES(gamma=0.7).fit(bags)
    plane = annotator.models_[0]
    # Instances are taken in the order of their bags.
    features = embedded(new, bags.X[np.argsort(bags.bag, kind="stable")], 0.7)
    expected = features @ plane.weights + plane.intercept
    np.testing.assert_allclose(annotator.decision_function(new)[:, 0], expected, rtol=1e-7)


def test_of_many_instances_some_are_drawn() -> None:
    bags = random_bags()
    drawn = [
        MILES(n_prototypes=10, random_state=seed, C=10.0).fit(bags).decision_function(bags)
        for seed in (0, 0, 1)
    ]
    assert len(MILES(n_prototypes=10).fit(bags).models_[0].weights) == 10
    np.testing.assert_array_equal(drawn[0], drawn[1])
    assert not np.array_equal(drawn[0], drawn[2])


def test_a_machine_that_is_stopped_early_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planes, "_MAX_ITER", 2)
    with pytest.warns(ClusteringWarning, match="stopped after 2 iterations: take a smaller C"):
        MILES(C=100.0).fit(random_bags())
    monkeypatch.undo()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        MILES().fit(random_bags())
