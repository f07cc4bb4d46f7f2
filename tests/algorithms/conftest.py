"""Independent implementations and worked examples for the tests of the algorithms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from algorithms import Bags
from algorithms.preprocessing import standardize

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Literal:
    """Every matrix of Algorithm 1, formed and named as in the paper."""

    sigma: Array
    W: Array
    D: Array
    Y: Array
    mu: float
    Q: Array
    W_prime: Array
    eigenvalues: Array
    V: Array


def literal_affinity(X: Array, t: int) -> tuple[Array, Array]:
    n = len(X)
    distance = np.array([[np.linalg.norm(X[p] - X[q]) for q in range(n)] for p in range(n)])
    sigma = np.array([np.sort(np.delete(distance[p], p))[t - 1] for p in range(n)])
    W = np.array(
        [
            [np.exp(-(distance[p, q] ** 2) / (2 * sigma[p] * sigma[q])) for q in range(n)]
            for p in range(n)
        ]
    )
    return W, sigma


def literal_constraints(bags: Bags, centering: str) -> tuple[Array, Array, float]:
    """Q, Y and mu for bags that all have instances."""
    B = np.zeros((bags.n_instances, bags.n_bags))
    for q in range(bags.n_instances):
        B[q, bags.bag[q]] = 1
    Y = np.zeros((bags.n_classes, bags.n_bags))
    for m in range(bags.n_bags):
        for c in range(bags.n_classes):
            if bags.labels[m, c]:
                Y[c, m] = 1 / bags.labels[m].sum()
    mu = float((Y.T @ Y).sum() / bags.n_bags**2)
    subtracted = np.eye(bags.n_bags) if centering == "paper" else np.ones((bags.n_bags,) * 2)
    return B @ (Y.T @ Y - mu * subtracted) @ B.T, Y, mu


def literal_csp(
    bags: Bags, *, k: int, alpha: float, t: int = 7, centering: str = "paper"
) -> Literal:
    W, sigma = literal_affinity(bags.X, t)
    D = np.diag(W.sum(axis=1))
    Q, Y, mu = literal_constraints(bags, centering)
    root = np.diag(1 / np.sqrt(np.diag(D)))
    W_prime = root @ (W + alpha * Q) @ root
    values, vectors = np.linalg.eigh(W_prime)
    return Literal(sigma, W, D, Y, mu, Q, W_prime, values[::-1], vectors[:, ::-1][:, :k])


@pytest.fixture(scope="session")
def algorithm_1() -> Callable[..., Literal]:
    """Algorithm 1 to the letter: Q formed, all eigenvalues of W' from a dense solver."""
    return literal_csp


@pytest.fixture(scope="session")
def worked_line() -> Array:
    """Seven instances on a line, whose affinities are known to six digits."""
    return np.array([[0.0], [0.3], [0.1], [0.2], [3.0], [6.0], [3.2]])


@pytest.fixture(scope="session")
def worked_bags(worked_line: Array) -> Bags:
    """Bags {0}, {0}, {0,1}, {2} and an unlabelled one, of sizes 2, 1, 2, 1, 1."""
    labels = [[1, 0, 0], [1, 0, 0], [1, 1, 0], [0, 0, 1], [0, 0, 0]]
    return Bags(worked_line, [0, 0, 1, 2, 2, 3, 4], labels, labelled=[1, 1, 1, 1, 0])


def make_blob_bags(
    seed: int = 0,
    *,
    n_bags: int = 40,
    n_classes: int = 3,
    spread: float = 0.4,
    unlabelled: float = 0.0,
) -> tuple[Bags, npt.NDArray[np.int64]]:
    """Bags with one to two classes, two to four instances of each, every class a round blob."""
    rng = np.random.default_rng(seed)
    centres = 4.0 * np.eye(n_classes, n_classes + 1)
    labels = np.zeros((n_bags, n_classes), dtype=bool)
    rows, bag, truth = [], [], []
    for m in range(n_bags):
        present = rng.choice(n_classes, size=rng.integers(1, 3), replace=False)
        labels[m, present] = True
        for c in present:
            for _ in range(rng.integers(2, 5)):
                rows.append(centres[c] + spread * rng.standard_normal(n_classes + 1))
                bag.append(m)
                truth.append(c)
    labelled = rng.random(n_bags) >= unlabelled
    labels &= labelled[:, None]
    return Bags(np.array(rows), bag, labels, labelled), np.array(truth)


@pytest.fixture(scope="session")
def blob_bags() -> Callable[..., tuple[Bags, npt.NDArray[np.int64]]]:
    """Maker of small synthetic data sets with truth."""
    return make_blob_bags


@dataclass(frozen=True)
class RealBags:
    """A public data set with the true class of every instance, -1 where unknown."""

    bags: Bags
    truth: npt.NDArray[np.int64]


def load_hja(shared: Path, name: str) -> RealBags:
    path = shared / "datasets" / "hja-birdsong" / name
    if not path.is_file():
        pytest.skip(f"{name} of the HJA birdsong set is not here")
    with np.load(path, allow_pickle=False) as data:
        names = [str(n) for n in data["class_names"]]
        bags = Bags(standardize(data["X"]), data["bag"], data["bag_labels"], class_names=names)
        return RealBags(bags, data["y"])


@pytest.fixture(scope="session")
def hja(shared: Path) -> RealBags:
    """The 4998 identified syllables of the HJA birdsong set, features standardised."""
    return load_hja(shared, "dataset.npz")


@pytest.fixture(scope="session")
def hja_unfiltered(shared: Path) -> RealBags:
    """All 10232 segments, half of them noise or unidentified."""
    return load_hja(shared, "dataset-unfiltered.npz")
