from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import algorithms.spectral.eigen as eigen
import algorithms.spectral.spreg as spreg
from algorithms import Bags
from algorithms.constraints.pairs import InducedPairs
from algorithms.errors import ClusteringError, ClusteringWarning
from algorithms.graph import build_affinity, dense_affinity, knn_affinity
from algorithms.spectral.problem import Bridging
from algorithms.spectral.sp import SP
from algorithms.spectral.spreg import PenalisedProblem, SpReg

MakeBags = Callable[..., tuple[Bags, Any]]
Array = npt.NDArray[np.float64]


def literal_spreg(W: Array, bags: Bags, beta: float) -> tuple[Array, Array]:
    """All eigenpairs of D^-1/2 (W - beta U'U) D^-1/2, U listed pair by pair."""
    rows = []
    for p in range(len(W)):
        for q in range(p + 1, len(W)):
            one, other = (set(np.flatnonzero(bags.labels[bags.bag[i]])) for i in (p, q))
            if len(one) == 1 and one == other:
                rows.append(np.eye(len(W))[p] - np.eye(len(W))[q])
    U = np.array(rows)
    root = np.diag(W.sum(axis=1) ** -0.5)
    values, vectors = np.linalg.eigh(root @ (W - beta * U.T @ U) @ root)
    return values[::-1], vectors[:, ::-1]


def problem_of(bags: Bags, *, sparse: bool = False) -> PenalisedProblem:
    affinity = knn_affinity(bags.X, t=2, n_neighbors=6) if sparse else dense_affinity(bags.X, t=2)
    cliques = InducedPairs.from_bags(bags, bags.n_classes).cliques
    bridging = Bridging(affinity.degrees(), 0.0, np.zeros(7, dtype=np.int64))
    return PenalisedProblem(affinity.W, bridging, cliques, 20.0, 3)


def test_worked_example(worked_bags: Bags) -> None:
    values, _ = problem_of(worked_bags).solve(7, 0)
    expected = [1, 0.999523, 0.224152, 0.136095, 0.000159, -22.485182, -24.001512]
    np.testing.assert_allclose(values, expected, atol=6e-7)
    fitted = SpReg(3, t=2).fit(worked_bags)
    np.testing.assert_allclose(fitted.eigenvalues_, expected[:3], atol=6e-7)


def test_worked_example_with_the_clique_contracted(
    monkeypatch: pytest.MonkeyPatch, worked_bags: Bags
) -> None:
    problem = problem_of(worked_bags, sparse=True)
    assert not problem.rigid
    monkeypatch.setattr(spreg, "_STIFF", 10.0)
    assert problem.rigid
    values, vectors = problem.solve(5, 0)
    expected = [1, 0.999523, 0.224152, 0.135391, 0.000159]
    np.testing.assert_allclose(values, expected, atol=6e-7)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(5), atol=1e-12)
    # x = D^-1/2 z is the same for all three instances of the clique.
    x = vectors / np.sqrt(problem.bridging.degrees)[:, None]
    np.testing.assert_allclose(x[:3], x[[0, 0, 0]], atol=1e-12)


@pytest.mark.parametrize("graph", ["dense", "knn"])
@pytest.mark.parametrize("beta", [0.5, 20.0])
def test_it_is_the_penalised_cut_to_the_letter(
    blob_bags: MakeBags, graph: str, beta: float
) -> None:
    bags, _ = blob_bags(0, unlabelled=0.3, spread=1.2, n_bags=14)
    fitted = SpReg(3, graph=graph, beta=beta).fit(bags)
    W = build_affinity(bags.X, graph=graph).W
    values, vectors = literal_spreg(W if graph == "dense" else W.toarray(), bags, beta)
    np.testing.assert_allclose(fitted.eigenvalues_, values[:3], rtol=1e-9)
    rows = vectors[:, :3] / np.linalg.norm(vectors[:, :3], axis=1, keepdims=True)
    np.testing.assert_allclose(fitted.embedding_ @ fitted.embedding_.T, rows @ rows.T, atol=1e-7)


def test_stiff_cliques_of_a_sparse_graph_are_contracted(blob_bags: MakeBags) -> None:
    """Which is the limit of a growing beta."""
    bags, _ = blob_bags(1, spread=1.2, n_bags=14)
    W = knn_affinity(bags.X).W.toarray()
    values, vectors = literal_spreg(W, bags, 1e7)
    fitted = SpReg(3, graph="knn", beta=1e7).fit(bags)
    assert fitted.extension_.rigid
    np.testing.assert_allclose(fitted.eigenvalues_, values[:3], atol=1e-5)
    rows = vectors[:, :3] / np.linalg.norm(vectors[:, :3], axis=1, keepdims=True)
    np.testing.assert_allclose(fitted.embedding_ @ fitted.embedding_.T, rows @ rows.T, atol=1e-4)
    assert not SpReg(3, graph="knn", beta=20).fit(bags).extension_.rigid
    assert not SpReg(3, graph="dense", beta=1e7).fit(bags).extension_.rigid


def test_cliques_are_contracted_too_when_iterations_fail(
    monkeypatch: pytest.MonkeyPatch, blob_bags: MakeBags
) -> None:
    bags, _ = blob_bags(2, spread=1.2)
    contracted = SpReg(3, graph="knn", beta=1e9).embed(bags)
    found = spreg.leading_beyond

    def fail_on_the_full_matrix(operator: Any, *args: Any, **kwargs: Any) -> Any:
        if operator.n == bags.n_instances:
            raise ClusteringError("no convergence")
        return found(operator, *args, **kwargs)

    monkeypatch.setattr(spreg, "leading_beyond", fail_on_the_full_matrix)
    with pytest.warns(ClusteringWarning, match="must-linked instances were taken as one"):
        rescued = SpReg(3, graph="knn").embed(bags)
    np.testing.assert_array_equal(rescued.vectors, contracted.vectors)
    with pytest.raises(ClusteringError, match="no convergence"):
        SpReg(3, graph="dense").embed(bags)


def test_contraction_never_leaves_fewer_nodes_than_clusters(blob_bags: MakeBags) -> None:
    """All bags of one label, and a class without any: two nodes would be left for three."""
    bags = Bags(np.arange(24.0)[:, None] ** 1.1, np.arange(24) // 2, np.eye(3)[np.arange(12) // 6])
    fitted = SpReg(3, graph="knn", t=3, n_neighbors=8, beta=1e9).fit(bags)
    assert not fitted.extension_.rigid
    assert (fitted.labels_.reshape(2, 12) == fitted.labels_[[0, 12]][:, None]).mean() > 0.4


@pytest.mark.parametrize("graph", ["dense", "knn"])
def test_without_must_links_it_is_sp_bit_for_bit(blob_bags: MakeBags, graph: str) -> None:
    bags, _ = blob_bags(3, spread=1.2)
    cases = [
        (bags, 4, "n_clusters=4 above the number of classes, 3, bag labels imply no must-link"),
        (
            blob_bags(3, unlabelled=1.0)[0],
            3,
            "with no two instances in bags of one and the same only label, bag labels",
        ),
    ]
    for some, k, message in cases:
        with pytest.warns(ClusteringWarning, match=message):
            fitted = SpReg(k, graph=graph).fit(some)
        sp = SP(k, graph=graph).fit(some)
        assert (fitted.labels_ == sp.labels_).all()
        assert (fitted.embedding_ == sp.embedding_).all()
        assert (fitted.predict(some.X) == sp.predict(some.X)).all()
    free, sp = SpReg(3, graph=graph, beta=0).fit(bags), SP(3, graph=graph).fit(bags)
    assert (free.embedding_ == sp.embedding_).all()


@pytest.mark.parametrize("graph", ["dense", "knn"])
def test_iterations_find_the_penalised_eigenvectors(
    monkeypatch: pytest.MonkeyPatch, blob_bags: MakeBags, graph: str
) -> None:
    bags, _ = blob_bags(4, spread=1.5)
    direct = SpReg(3, graph=graph).embed(bags)
    monkeypatch.setattr(eigen, "DENSE_SOLVER_LIMIT", 10)
    iterated = SpReg(3, graph=graph).embed(bags)
    np.testing.assert_allclose(iterated.eigenvalues, direct.eigenvalues, atol=1e-6)
    np.testing.assert_allclose(iterated.vectors, direct.vectors, atol=1e-3)


def test_must_links_join_parts_of_the_graph() -> None:
    rng = np.random.default_rng(0)
    X = np.vstack([1e5 * b + rng.standard_normal((20, 2)) for b in range(4)])
    labels = np.eye(2, dtype=bool)[np.arange(40) // 10 % 2]
    fitted = SpReg(2).fit(Bags(X, np.arange(80) // 2, labels))
    assert (fitted.labels_ == fitted.labels_[np.arange(80) // 20 % 2 * 20]).all()


def test_a_contracted_graph_in_parts_is_bridged_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    X = np.vstack([1e5 * b + rng.standard_normal((20, 2)) for b in range(4)])
    labels = np.zeros((40, 2), dtype=bool)
    labels[:10, 0] = True
    labels[10:, :] = True
    bags = Bags(X, np.arange(80) // 2, labels)
    with pytest.warns(ClusteringWarning, match="4 parts, more than the 2"):
        penalised = SpReg(2, graph="knn", n_neighbors=10, beta=1e3).embed(bags)
    monkeypatch.setattr(spreg, "_STIFF", 0.0)
    with pytest.warns(ClusteringWarning, match="4 parts, more than the 2"):
        contracted = SpReg(2, graph="knn", n_neighbors=10, beta=1e3).embed(bags)
    np.testing.assert_allclose(contracted.eigenvalues, penalised.eigenvalues, atol=1e-3)
    np.testing.assert_allclose(contracted.vectors, penalised.vectors, atol=1e-2)


def test_fewer_clusters_than_classes_need_force(blob_bags: MakeBags) -> None:
    bags, _ = blob_bags(5)
    with pytest.raises(ClusteringError, match="n_clusters=2 is below the number of classes, 3"):
        SpReg(2).fit(bags)
    assert set(SpReg(2, force=True).fit(bags).labels_.tolist()) == {0, 1}


@pytest.mark.parametrize("beta", [-1.0, np.nan, np.inf, "much"])
def test_beta_out_of_range_is_told(blob_bags: MakeBags, beta: Any) -> None:
    with pytest.raises(ClusteringError, match="beta must be a number from 0, not"):
        SpReg(3, beta=beta).fit(blob_bags(6)[0])
