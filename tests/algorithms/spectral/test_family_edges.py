"""What every spectral method does with data at the edge of what makes sense."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

import algorithms.spectral.eigen as eigen
from algorithms import Bags, make_clusterer
from algorithms.errors import ClusteringError, ClusteringWarning

MakeBags = Callable[..., tuple[Bags, Any]]

VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "sp": ("sp", {}),
    "splearn additive": ("splearn", {}),
    "splearn symmetric": ("splearn", {"normalization": "symmetric"}),
    "spreg": ("spreg", {}),
    "csp paper": ("csp", {}),
    "csp exact": ("csp", {"centering": "exact"}),
    "csp-no-pairs paper": ("csp-no-pairs", {}),
    "csp-no-pairs exact": ("csp-no-pairs", {"centering": "exact"}),
}
EVERY = pytest.mark.parametrize("variant", VARIANTS)
GRAPHS = pytest.mark.parametrize("graph", ["dense", "knn"])
PAIRED = [name for name in VARIANTS if name.startswith(("splearn", "spreg"))]


def make(variant: str, k: int, **parameters: Any) -> Any:
    method, own = VARIANTS[variant]
    return make_clusterer(method, **{"n_clusters": k, "n_init": 4, **own, **parameters})


def fit(variant: str, k: int, bags: Bags, **parameters: Any) -> Any:
    """Fit, whatever is warned of: a spreg without must-links says so."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ClusteringWarning)
        fitted = make(variant, k, **parameters).fit(bags)
    assert fitted.labels_.shape == (bags.n_instances,)
    assert fitted.labels_.dtype == np.int64
    assert fitted.labels_.min() >= 0
    assert fitted.labels_.max() < k
    assert np.isfinite(fitted.embedding_).all()
    assert np.isfinite(fitted.eigenvalues_).all()
    assert (np.diff(fitted.eigenvalues_) <= 1e-9).all()
    return fitted


def small(seed: int, n: int = 24, labels: Any = None) -> Bags:
    rng = np.random.default_rng(seed)
    X = np.repeat(np.eye(3), n // 3, axis=0) * 6 + rng.standard_normal((n, 3))
    if labels is None:
        labels = np.repeat(np.eye(3, dtype=bool), n // 6, axis=0)
    return Bags(X, np.arange(n) // 2, labels)


@EVERY
@GRAPHS
def test_the_same_seed_gives_the_same_bits(
    monkeypatch: pytest.MonkeyPatch, blob_bags: MakeBags, variant: str, graph: str
) -> None:
    bags, _ = blob_bags(0, spread=2.0)
    monkeypatch.setattr(eigen, "DENSE_SOLVER_LIMIT", 10)
    one, two = (fit(variant, 3, bags, graph=graph, random_state=4) for _ in range(2))
    assert (one.labels_ == two.labels_).all()
    assert (one.embedding_ == two.embedding_).all()
    assert (one.predict(bags.X) == two.predict(bags.X)).all()


@EVERY
def test_with_all_neighbours_sparse_and_dense_agree(blob_bags: MakeBags, variant: str) -> None:
    bags, _ = blob_bags(1, n_bags=20, spread=1.2, unlabelled=0.2)
    dense = fit(variant, 3, bags, graph="dense")
    sparse = fit(variant, 3, bags, graph="knn", n_neighbors=bags.n_instances - 1)
    np.testing.assert_allclose(sparse.eigenvalues_, dense.eigenvalues_, atol=1e-10)
    np.testing.assert_allclose(sparse.embedding_, dense.embedding_, atol=1e-6)
    assert adjusted_rand_score(dense.labels_, sparse.labels_) == pytest.approx(1)


@EVERY
@settings(max_examples=5)
@given(seed=st.integers(0, 10_000))
def test_order_and_numbering_do_not_matter(blob_bags: MakeBags, variant: str, seed: int) -> None:
    bags, _ = blob_bags(seed, n_bags=14, spread=0.8)
    rng = np.random.default_rng(seed)
    order, new_bag = rng.permutation(bags.n_instances), rng.permutation(bags.n_bags)
    new_class = rng.permutation(bags.n_classes)
    shuffled = Bags(
        bags.X[order], new_bag[bags.bag[order]], bags.labels[np.argsort(new_bag)][:, new_class]
    )
    one, other = (fit(variant, 3, some, n_init=2) for some in (bags, shuffled))
    np.testing.assert_allclose(one.eigenvalues_, other.eigenvalues_, atol=1e-9)
    gram = one.embedding_[order] @ one.embedding_[order].T
    np.testing.assert_allclose(gram, other.embedding_ @ other.embedding_.T, atol=1e-5)


@EVERY
@GRAPHS
def test_duplicates_share_a_cluster(variant: str, graph: str) -> None:
    bags = small(2)
    twice = Bags(np.repeat(bags.X, 9, axis=0), np.repeat(bags.bag, 9), bags.labels)
    copies = fit(variant, 3, twice, graph=graph).labels_.reshape(-1, 9)
    assert (copies == copies[:, :1]).all()


@EVERY
@GRAPHS
def test_all_instances_alike(variant: str, graph: str) -> None:
    bags = Bags(np.ones((24, 2)), np.arange(24) // 2, np.repeat(np.eye(3), 4, axis=0))
    fitted = fit(variant, 3, bags, graph=graph)
    assert (fitted.rejection_score(bags.X) == 0).all()
    assert (fitted.rejection_score(bags.X + 1) == 1).all()
    assert (fitted.predict(bags.X + 1) == -1).all()


@EVERY
def test_an_outlier_does_not_take_over(blob_bags: MakeBags, variant: str) -> None:
    bags, truth = blob_bags(3, spread=0.8)
    with_outlier = Bags(
        np.vstack([bags.X, [[300.0, 0, 0, 0]]]),
        np.append(bags.bag, bags.n_bags),
        np.vstack([bags.labels, np.zeros((1, 3))]),
        np.append(bags.labelled, False),
    )
    # The unnormalised cut may well part an outlier from all others: give it a cluster for that.
    labels = fit(variant, 4, with_outlier).labels_[:-1]
    assert adjusted_rand_score(truth, labels) > 0.7


@EVERY
def test_empty_bags_change_nothing(blob_bags: MakeBags, variant: str) -> None:
    bags, _ = blob_bags(4, spread=1.2)
    full = np.ones((1, 3), dtype=bool)
    padded = Bags(bags.X, bags.bag + 1, np.vstack([full, bags.labels, full[:, [0, 0, 0]]]))
    one, other = fit(variant, 3, bags), fit(variant, 3, padded)
    np.testing.assert_allclose(one.eigenvalues_, other.eigenvalues_, atol=1e-12)
    assert (one.labels_ == other.labels_).all()


@EVERY
@pytest.mark.parametrize("k", [1, 2])
def test_one_species_only(variant: str, k: int) -> None:
    bags = small(5, labels=np.ones((12, 1)))
    labels = fit(variant, k, bags).labels_
    if k == 1:
        assert (labels == 0).all()
    else:
        assert len(set(labels.tolist())) == 2


@EVERY
@pytest.mark.parametrize(
    ("n_classes", "labelled", "graph"),
    [(0, True, "dense"), (3, False, "knn"), (3, True, "dense")],
    ids=["no classes", "unlabelled", "labelled with no class"],
)
def test_without_any_label_features_alone_decide(
    variant: str, n_classes: int, labelled: bool, graph: str
) -> None:
    bags = small(6)
    blank = Bags(bags.X, bags.bag, np.zeros((12, n_classes)), np.full(12, labelled))
    fitted, sp = fit(variant, 3, blank, graph=graph), fit("sp", 3, blank, graph=graph)
    assert adjusted_rand_score(fitted.labels_, sp.labels_) == pytest.approx(1)
    if variant != "splearn additive":
        np.testing.assert_allclose(fitted.eigenvalues_, sp.eigenvalues_, atol=1e-12)
    sets = np.zeros((24, n_classes))
    assert (fitted.predict(bags.X, sets) == fitted.predict(bags.X)).all()


@EVERY
def test_one_cluster_holds_everything(variant: str) -> None:
    for bags in (small(7, labels=np.ones((12, 1))), Bags([[1.0]], [0], [[1]])):
        fitted = fit(variant, 1, bags)
        assert (fitted.labels_ == 0).all()
        assert (fitted.predict(bags.X) == 0).all()


@pytest.mark.parametrize("variant", PAIRED)
def test_fewer_clusters_than_classes_are_an_error_unless_forced(variant: str) -> None:
    for k in (1, 2):
        with pytest.raises(ClusteringError, match=rf"n_clusters={k} is below .* classes, 3"):
            make(variant, k).fit(small(8))
        assert set(fit(variant, k, small(8), force=True).labels_.tolist()) == set(range(k))


@EVERY
def test_as_many_clusters_as_instances_are_an_error(variant: str) -> None:
    bags = Bags(np.arange(8.0)[:, None], [0] * 8, [[1]])
    for k in (8, 9):
        with pytest.raises(ClusteringError, match=rf"n_clusters={k} must be below .* 8: ask for"):
            make(variant, k).fit(bags)
    fit(variant, 7, bags)


@EVERY
@GRAPHS
@pytest.mark.parametrize("n", [2, 7])
def test_no_more_instances_than_the_neighbour_that_gives_the_scale(
    variant: str, graph: str, n: int
) -> None:
    X = np.append(np.arange(n - 1.0), 50.0)[:, None]
    bags = Bags(X, np.arange(n), np.ones((n, 1)))
    fitted = fit(variant, 1, bags, graph=graph)
    assert (fitted.predict(X, np.ones((n, 1))) == 0).all()
    if n > 2:
        fit(variant, 2, bags, graph=graph)


@EVERY
def test_no_instances_are_an_error(variant: str) -> None:
    with pytest.raises(ClusteringError, match="there are no instances to cluster"):
        make(variant, 2).fit(Bags(np.zeros((0, 2)), [], [[1]]))


def far_places(n_places: int, labels: Any) -> Bags:
    """Places that no affinity bridges, ten bags of two instances in each."""
    rng = np.random.default_rng(9)
    X = np.vstack([1e5 * b + rng.standard_normal((20, 2)) for b in range(n_places)])
    return Bags(X, np.arange(20 * n_places) // 2, np.repeat(labels, 10, axis=0))


@EVERY
@GRAPHS
def test_as_many_parts_as_clusters_are_the_clusters(variant: str, graph: str) -> None:
    bags = far_places(3, np.eye(3, dtype=bool))
    labels = fit(variant, 3, bags, graph=graph, n_neighbors=10).labels_
    assert adjusted_rand_score(np.repeat(np.arange(3), 20), labels) == pytest.approx(1)


@EVERY
@GRAPHS
def test_more_parts_than_clusters_are_bridged_and_said(variant: str, graph: str) -> None:
    bags = far_places(5, np.eye(5, 2, dtype=bool))  # three places know no class
    with pytest.warns(ClusteringWarning, match="5 parts, more than the 2 clusters, and was bri"):
        fitted = make(variant, 2, graph=graph, n_neighbors=10).fit(bags)
    by_place = fitted.labels_.reshape(5, 20)
    assert (by_place == by_place[:, :1]).all()
    assert len(set(fitted.labels_.tolist())) == 2
