from __future__ import annotations

import warnings

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import eig

from algorithms import Bags
from algorithms.errors import ClusteringError, ClusteringWarning
from algorithms.metric.miml import MIML

Array = npt.NDArray[np.float64]


def labelled_bags(seed: int, n_bags: int = 25, *, spread: float = 0.5) -> Bags:
    """One instance for each label and one of none in every bag; the last 2 features are noise."""
    rng = np.random.default_rng(seed)
    labels = rng.random((n_bags, 4)) < 0.35
    labels[np.arange(n_bags), np.arange(n_bags) % 4] = True
    rows, bag = [], []
    for m in range(n_bags):
        for c in [*np.flatnonzero(labels[m]), -1]:
            centre = np.zeros(5) if c < 0 else 4.0 * np.array([c == 0, c == 1, c == 2, 0, 0])
            rows.append(centre + rng.standard_normal(5) * ([spread] * 3 + [3.0] * 2))
            bag.append(m)
    return Bags(np.array(rows), bag, labels)


def literal(bags: Bags, max_iter: int) -> tuple[Array, Array]:
    """The metric LL' and the centres, one bag and one label at a time."""
    d, n_classes = bags.n_features, bags.n_classes
    A = np.eye(d)
    centres = np.array([bags.X[bags.labels[bags.bag, c]].mean(axis=0) for c in range(n_classes)])
    earlier: list[list[int]] = []
    for _ in range(max_iter):
        given_to: list[list[int]] = [[] for _ in range(n_classes)]
        for m in range(bags.n_bags):
            rows = np.flatnonzero(bags.bag == m)
            for c in np.flatnonzero(bags.labels[m]):
                far = [(bags.X[j] - centres[c]) @ A @ (bags.X[j] - centres[c]) for j in rows]
                given_to[c].append(int(rows[np.argmin(far)]))
        flat = [j for rows in given_to for j in rows]
        if flat in earlier:
            break
        earlier.append(flat)
        centres = np.array([bags.X[rows].mean(axis=0) for rows in given_to])
        middle = bags.X[flat].mean(axis=0)
        S_w, S_b = np.zeros((d, d)), np.zeros((d, d))
        for c, rows in enumerate(given_to):
            for j in rows:
                S_w += np.outer(bags.X[j] - centres[c], bags.X[j] - centres[c])
            S_b += len(rows) * np.outer(centres[c] - middle, centres[c] - middle)
        S_w += 1e-3 * np.trace(S_w) / d * np.eye(d)
        values, vectors = eig(np.linalg.solve(S_w, S_b))
        W = vectors[:, np.argsort(-values.real)[: min(n_classes - 1, d)]].real
        W /= np.sqrt(np.einsum("ij,ik,kj->j", W, S_w, W))
        A = W @ W.T
    return A, centres


@given(st.integers(0, 2**20), st.sampled_from([1, 2, 50]))
@settings(max_examples=20)
def test_as_written_step_by_step(seed: int, max_iter: int) -> None:
    bags = labelled_bags(seed, spread=1.5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ClusteringWarning)
        learner = MIML(max_iter).fit(bags)
    A, centres = literal(bags, max_iter)
    found = learner.components_ @ learner.components_.T
    np.testing.assert_allclose(found, A, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(learner.centres_, centres, rtol=1e-9, atol=1e-12)


def test_first_round_worked_by_hand() -> None:
    # One feature. Centres of all candidates: (0 + 2 + 10 + 12) / 4 = 6 and (10 + 12 + 20) / 3 = 14.
    # Label 0 is given 2 (bag 0) and 10 (not 12: 6 is nearer to 10), label 1 12 and 20, so that the
    # centres become 6 and 16; S_w = 2 * 16 + 2 * 16 = 64, with the ridge 64.064.
    bags = Bags([[0.0], [2.0], [10.0], [12.0], [20.0]], [0, 0, 1, 1, 2], [[1, 0], [1, 1], [0, 1]])
    with pytest.warns(ClusteringWarning, match="in round 1 "):
        learner = MIML(max_iter=1).fit(bags)
    np.testing.assert_allclose(learner.centres_, [[6], [16]])
    np.testing.assert_allclose(learner.components_, [[1 / np.sqrt(64.064)]])


def test_within_scatter_and_ridge_become_the_identity() -> None:
    bags = labelled_bags(2)
    single = Bags(bags.X, np.arange(bags.n_instances), bags.labels[bags.bag])
    learner = MIML().fit(single)  # bags of one instance leave nothing to guess
    S_w = np.zeros((5, 5))
    for c in range(4):
        X = single.X[single.labels[:, c]]
        S_w += (X - X.mean(axis=0)).T @ (X - X.mean(axis=0))
    S_w += 1e-3 * np.trace(S_w) / 5 * np.eye(5)
    np.testing.assert_allclose(
        learner.components_.T @ S_w @ learner.components_, np.eye(3), atol=1e-10
    )
    # The directions in which labels differ most come first.
    middles = np.array([single.X[single.labels[:, c]].mean(axis=0) for c in range(4)])
    counts = single.labels.sum(axis=0)
    middles = (middles - counts @ middles / counts.sum()) @ learner.components_
    between = counts @ middles**2
    assert (np.diff(between) < 0).all()
    assert learner.n_iter_ == 2


def test_order_of_instances_and_numbers_of_bags_do_not_matter() -> None:
    bags = labelled_bags(3)
    rng = np.random.default_rng(3)
    rows, number = rng.permutation(bags.n_instances), rng.permutation(bags.n_bags)
    moved = Bags(bags.X[rows], number[bags.bag[rows]], bags.labels[np.argsort(number)])
    np.testing.assert_allclose(
        MIML().fit(moved).components_, MIML().fit(bags).components_, rtol=1e-8, atol=1e-10
    )


def test_labels_of_no_bag_and_bags_without_labels_change_nothing() -> None:
    bags = labelled_bags(4)
    labels = np.insert(bags.labels, 2, False, axis=1)
    labels = np.vstack([labels, np.zeros((2, 5), dtype=bool)])
    more = Bags(np.vstack([bags.X, np.ones((1, 5))]), np.append(bags.bag, bags.n_bags), labels)
    one, other = MIML().fit(bags), MIML().fit(more)
    np.testing.assert_allclose(other.components_, one.components_, rtol=1e-9)
    assert np.isnan(other.centres_[2]).all()
    np.testing.assert_allclose(np.delete(other.centres_, 2, axis=0), one.centres_, rtol=1e-9)


def test_instances_at_their_centres_leave_no_scatter_to_divide_by() -> None:
    learner = MIML().fit(Bags([[0.0, 0.0], [1.0, 0.0]], [0, 1], [[1, 0], [0, 1]]))
    assert np.isfinite(learner.components_).all()


def test_what_cannot_be_fitted_is_refused() -> None:
    with pytest.raises(ClusteringError, match="fewer than two"):
        MIML().fit(Bags(np.eye(2), [0, 1], [[1, 0], [1, 0]]))
    with pytest.raises(ClusteringError, match="no instances"):
        MIML().fit(Bags(np.zeros((0, 2)), [], [[1, 1]]))
    with pytest.raises(ClusteringError, match="max_iter"):
        MIML(0).fit(labelled_bags(5))


def test_guesses_that_go_to_and_fro_end_the_search() -> None:
    # Of these bags the guesses of round 10 are those of round 8.
    bags = labelled_bags(10, spread=1.5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        learner = MIML().fit(bags)
    assert learner.n_iter_ == 10
    A, _ = literal(bags, 50)
    np.testing.assert_allclose(learner.components_ @ learner.components_.T, A, rtol=1e-6)
    assert not np.allclose(A, literal(bags, 8)[0], rtol=1e-3)
