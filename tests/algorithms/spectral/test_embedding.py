from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from algorithms import Bags, make_clusterer
from algorithms.errors import ClusteringError, ClusteringWarning
from algorithms.graph import Affinity, build_affinity
from algorithms.spectral.embedding import SpectralEmbedding

MakeBags = Callable[..., tuple[Bags, Any]]
FAMILY = pytest.mark.parametrize("method", ["sp", "splearn", "spreg", "csp", "csp-no-pairs"])
GRAPHS = pytest.mark.parametrize("graph", ["dense", "knn"])


@FAMILY
@GRAPHS
def test_a_given_affinity_changes_not_a_bit(blob_bags: MakeBags, method: str, graph: str) -> None:
    bags, _ = blob_bags(0, spread=1.2)
    built = make_clusterer(method, n_clusters=3, graph=graph).fit(bags)
    affinity = build_affinity(bags.X, graph=graph)
    # The clusterer's own settings of the graph play no part then.
    given = make_clusterer(method, n_clusters=3, graph="auto", n_neighbors=8)
    given.fit(bags, affinity=affinity)
    assert (built.labels_ == given.labels_).all()
    assert (built.embedding_ == given.embedding_).all()
    assert (built.eigenvalues_ == given.eigenvalues_).all()
    assert built.graph_ == given.graph_ == graph
    if graph == "dense":
        assert built.rho_ == given.rho_


@FAMILY
def test_fit_is_embed_and_cluster(blob_bags: MakeBags, method: str) -> None:
    bags, _ = blob_bags(1, spread=1.2)
    clusterer = make_clusterer(method, n_clusters=3, random_state=5)
    embedding = clusterer.embed(bags)
    assert not hasattr(clusterer, "labels_")
    fitted = clusterer.fit(bags)
    seed = int(np.random.SeedSequence(5).generate_state(3)[2])
    assert (embedding.cluster(3, n_init=20, seed=seed) == fitted.labels_).all()
    assert (embedding.eigenvalues == fitted.eigenvalues_).all()
    lengths = np.linalg.norm(embedding.vectors, axis=1, keepdims=True)
    assert (embedding.vectors / lengths == fitted.embedding_).all()


def test_one_embedding_is_rounded_for_fewer_clusters(blob_bags: MakeBags) -> None:
    bags, _ = blob_bags(2, spread=1.2)
    embedding = make_clusterer("csp", n_clusters=6).embed(bags)
    assert embedding.vectors.shape == (bags.n_instances, 6)
    seed = int(np.random.SeedSequence(0).generate_state(3)[2])
    for k in (1, 3, 6):
        fitted = make_clusterer("csp", n_clusters=k).fit(bags)
        assert (embedding.cluster(k, n_init=20, seed=seed) == fitted.labels_).all()


def test_centres_are_the_means_of_the_unit_rows(blob_bags: MakeBags) -> None:
    bags, _ = blob_bags(3)
    fitted = make_clusterer("csp", n_clusters=3).fit(bags)
    means = [fitted.embedding_[fitted.labels_ == c].mean(axis=0) for c in range(3)]
    np.testing.assert_allclose(fitted.centres_, means, atol=1e-12)


@pytest.mark.parametrize("k", [0, 4])
def test_more_clusters_than_eigenvectors_are_an_error(blob_bags: MakeBags, k: int) -> None:
    embedding = make_clusterer("sp", n_clusters=3).embed(blob_bags(4)[0])
    message = f"3 eigenvectors give 1 to 3 clusters, not {k}: embed with a larger n_clusters"
    with pytest.raises(ClusteringError, match=message):
        embedding.cluster(k, n_init=1, seed=0)


@FAMILY
def test_the_affinity_of_other_instances_is_an_error(blob_bags: MakeBags, method: str) -> None:
    bags, _ = blob_bags(5)
    affinity = build_affinity(bags.X[:-1])
    n = bags.n_instances
    message = f"the affinity is of {n - 1} instances but the bags hold {n}: build it"
    clusterer = make_clusterer(method, n_clusters=3)
    for use in (clusterer.fit, clusterer.embed):
        with pytest.raises(ClusteringError, match=message):
            use(bags, affinity=affinity)


@FAMILY
@GRAPHS
def test_isolated_instances_follow_their_nearest_neighbour(
    blob_bags: MakeBags, method: str, graph: str
) -> None:
    """With a weight of 0 even to themselves, which no graph built here has."""
    bags, _ = blob_bags(6, unlabelled=1.0)
    affinity = build_affinity(bags.X, graph=graph)
    keep = np.arange(bags.n_instances) > 0
    W = affinity.W * np.multiply.outer(keep, keep)
    isolated = Affinity(W, affinity.sigma, affinity.rho, affinity.kind)
    parameters = {"normalization": "symmetric"} if method == "splearn" else {}
    with pytest.warns(ClusteringWarning) as warned:
        fitted = make_clusterer(method, n_clusters=4, **parameters).fit(bags, affinity=isolated)
    assert any("1 instances have no affinity to any cluster" in str(w.message) for w in warned)
    assert (fitted.embedding_[0] == 0).all()
    distance = np.linalg.norm(bags.X[1:] - bags.X[0], axis=1)
    assert fitted.labels_[0] == fitted.labels_[1 + distance.argmin()]


def test_rows_without_length_take_the_nearest_cluster() -> None:
    vectors = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 0.1], [0.0, 1.0], [0.1, 1.0]])
    X = np.array([[4.9], [0.0], [1.0], [4.0], [5.0]])
    embedding = SpectralEmbedding(np.ones(2), vectors, X)
    with pytest.warns(ClusteringWarning, match="1 instances have no affinity"):
        labels = embedding.cluster(2, n_init=5, seed=0)
    assert labels[0] == labels[4] == labels[3] != labels[1]
