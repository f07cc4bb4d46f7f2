from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import algorithms.spectral.eigen as eigen
import algorithms.spectral.splearn as splearn
from algorithms import Bags
from algorithms.constraints.pairs import InducedPairs
from algorithms.errors import ClusteringError, ClusteringWarning
from algorithms.graph import build_affinity, dense_affinity
from algorithms.spectral.edited import edit_dense
from algorithms.spectral.problem import Bridging
from algorithms.spectral.sp import SP
from algorithms.spectral.splearn import AdditiveProblem, SpLearn

MakeBags = Callable[..., tuple[Bags, Any]]
Array = npt.NDArray[np.float64]


def literal_edit(W: Array, bags: Bags, k: int) -> Array:
    """Step 2 of the algorithm, pair by pair."""
    edited = W.copy()
    for p in range(len(W)):
        for q in range(len(W)):
            one, other = (set(np.flatnonzero(bags.labels[bags.bag[i]])) for i in (p, q))
            if p == q or not one or not other:
                continue
            if not one & other:
                edited[p, q] = 0
            elif k == bags.n_classes and len(one) == 1 and one == other:
                edited[p, q] = 1
    return edited


def literal_splearn(W: Array, normalization: str) -> tuple[Array, Array]:
    d = W.sum(axis=1)
    if normalization == "additive":
        N = (W + d.max() * np.eye(len(W)) - np.diag(d)) / d.max()
    else:
        N = np.diag(d**-0.5) @ W @ np.diag(d**-0.5)
    values, vectors = np.linalg.eigh(N)
    return values[::-1], vectors[:, ::-1]


def test_worked_example(worked_bags: Bags) -> None:
    pairs = InducedPairs.from_bags(worked_bags, 3)
    edited = edit_dense(dense_affinity(worked_bags.X, t=2).W, pairs)
    degrees = edited.sum(axis=1)
    expected = [3.368227, 3.780520, 3.606531, 2.753211, 1.998770, 1.627089, 2.625102]
    np.testing.assert_allclose(degrees, expected, atol=6e-7)
    bridging = Bridging(degrees, 0.0, np.zeros(7, dtype=np.int64))
    problem = AdditiveProblem(edited, bridging, pairs)
    assert problem.largest_degree == pytest.approx(3.780520, abs=6e-7)
    expected = [1, 0.999681, 0.801146, 0.404884, 0.339112, 0.069656, 0.010469]
    np.testing.assert_allclose(problem.solve(7, 0)[0], expected, atol=6e-7)
    fitted = SpLearn(3, t=2).fit(worked_bags)
    np.testing.assert_allclose(fitted.eigenvalues_, expected[:3], atol=6e-7)


@pytest.mark.parametrize("normalization", ["additive", "symmetric"])
@pytest.mark.parametrize("k", [3, 5])
@pytest.mark.parametrize("graph", ["dense", "knn"])
def test_it_is_the_algorithm_to_the_letter(
    blob_bags: MakeBags, normalization: str, k: int, graph: str
) -> None:
    bags, _ = blob_bags(0, unlabelled=0.3, spread=1.2, n_bags=12)
    fitted = SpLearn(k, graph=graph, n_neighbors=10, normalization=normalization).fit(bags)
    W = build_affinity(bags.X, graph=graph, n_neighbors=10).W
    W = W if graph == "dense" else W.toarray()
    values, vectors = literal_splearn(literal_edit(W, bags, k), normalization)
    np.testing.assert_allclose(fitted.eigenvalues_, values[:k], rtol=1e-10)
    rows = vectors[:, :k] / np.linalg.norm(vectors[:, :k], axis=1, keepdims=True)
    np.testing.assert_allclose(fitted.embedding_ @ fitted.embedding_.T, rows @ rows.T, atol=1e-7)


def test_additive_eigenvectors_are_those_of_the_laplacian(blob_bags: MakeBags) -> None:
    bags, _ = blob_bags(1, spread=1.2, n_bags=12)
    fitted = SpLearn(3).fit(bags)
    edited = literal_edit(dense_affinity(bags.X).W, bags, 3)
    degrees = edited.sum(axis=1)
    laplacian = np.linalg.eigvalsh(np.diag(degrees) - edited)
    np.testing.assert_allclose(1 - fitted.eigenvalues_, laplacian[:3] / degrees.max(), atol=1e-12)


@pytest.mark.parametrize("graph", ["dense", "knn"])
def test_iterations_tell_crowded_eigenvalues_apart(
    monkeypatch: pytest.MonkeyPatch, blob_bags: MakeBags, graph: str
) -> None:
    """One clique much larger than the others: d_max is far above the common degree."""
    bags, _ = blob_bags(2, spread=1.5)
    grown = Bags(
        np.vstack([bags.X, bags.X[:1] + 1e-3 * np.arange(200)[:, None]]),
        np.append(bags.bag, np.full(200, bags.n_bags)),
        np.vstack([bags.labels, [[True, False, False]]]),
    )
    direct = SpLearn(3, graph=graph).embed(grown)
    monkeypatch.setattr(eigen, "DENSE_SOLVER_LIMIT", 10)
    iterated = SpLearn(3, graph=graph).embed(grown)
    np.testing.assert_allclose(iterated.eigenvalues, direct.eigenvalues, atol=1e-8)
    np.testing.assert_allclose(iterated.vectors, direct.vectors, atol=1e-4)


def test_without_labels_the_symmetric_form_is_sp(blob_bags: MakeBags) -> None:
    bags, _ = blob_bags(3, unlabelled=1.0, spread=1.2)
    for graph in ("dense", "knn"):
        one = SpLearn(3, graph=graph, normalization="symmetric").fit(bags)
        other = SP(3, graph=graph).fit(bags)
        np.testing.assert_allclose(one.eigenvalues_, other.eigenvalues_, atol=1e-12)
        assert (one.labels_ == other.labels_).all()


def test_must_linked_instances_share_a_cluster_whatever_their_features(
    blob_bags: MakeBags,
) -> None:
    bags, _ = blob_bags(4, spread=3.0)
    single = bags.labels[bags.bag].sum(axis=1) == 1
    label = bags.labels[bags.bag].argmax(axis=1)
    labels = SpLearn(3, normalization="symmetric").fit(bags).labels_
    for c in range(3):
        assert len(set(labels[single & (label == c)].tolist())) == 1


@pytest.mark.parametrize("normalization", ["additive", "symmetric"])
def test_a_given_graph_is_not_written_into(blob_bags: MakeBags, normalization: str) -> None:
    bags, _ = blob_bags(5)
    for graph in ("dense", "knn"):
        affinity = build_affinity(bags.X, graph=graph)
        before = affinity.W.copy()
        SpLearn(3, normalization=normalization).fit(bags, affinity=affinity)
        assert abs(affinity.W - before).max() == 0


def test_fewer_clusters_than_classes_need_force(blob_bags: MakeBags) -> None:
    bags, _ = blob_bags(6)
    with pytest.raises(ClusteringError, match="n_clusters=2 is below the number of classes, 3"):
        SpLearn(2).fit(bags)
    labels = SpLearn(2, force=True, normalization="symmetric").fit(bags).labels_
    assert set(labels.tolist()) == {0, 1}


def test_cannot_links_that_cut_the_graph_are_bridged() -> None:
    """Two species that never sing together, in two far places each: four parts."""
    rng = np.random.default_rng(0)
    X = np.vstack([1e5 * b + rng.standard_normal((20, 2)) for b in range(4)])
    labels = np.eye(2, dtype=bool)[np.arange(40) // 10 % 2]
    bags = Bags(X, np.arange(80) // 2, labels)
    for normalization in ("additive", "symmetric"):
        # With as many clusters as classes must-links join the places of a species.
        joined = SpLearn(2, normalization=normalization).fit(bags).labels_
        assert (joined == joined[np.arange(80) // 20 % 2 * 20]).all()
        with pytest.warns(ClusteringWarning, match="4 parts, more than the 3"):
            fitted = SpLearn(3, normalization=normalization).fit(bags)
        assert fitted.eigenvalues_[0] == pytest.approx(1)
        assert fitted.eigenvalues_[1] < 0.999


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"normalization": "none"}, "normalization must be one of additive, symmetric, not 'none'"),
        ({"force": "yes"}, "force must be True or False, not 'yes'"),
        ({"t": 0}, "t must be a whole number from 1"),
    ],
)
def test_parameters_out_of_range_are_told(
    blob_bags: MakeBags, parameters: dict[str, Any], message: str
) -> None:
    with pytest.raises(ClusteringError, match=message):
        SpLearn(3, **parameters).fit(blob_bags(7)[0])


def test_what_to_do_when_iterations_fail_is_told(
    monkeypatch: pytest.MonkeyPatch, blob_bags: MakeBags
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise ClusteringError("residuals up to 1e-1")

    monkeypatch.setattr(splearn, "leading_beyond", fail)
    message = r'do not converge, .*use normalization="symmetric" or graph="dense"'
    with pytest.raises(ClusteringError, match=message):
        SpLearn(3).fit(blob_bags(8)[0])
