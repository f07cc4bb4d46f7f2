from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

import algorithms.spectral.eigen as eigen
from algorithms import Bags, make_clusterer
from algorithms.errors import ClusteringError, ClusteringWarning
from algorithms.graph import Affinity, knn_affinity
from algorithms.spectral import base
from algorithms.spectral.csp import CSP
from algorithms.spectral.scaling import effective_alpha
from algorithms.spectral.sp import SP

BOTH = pytest.mark.parametrize("method", ["sp", "csp"])
MakeBags = Callable[..., tuple[Bags, Any]]


@pytest.mark.parametrize("centering", ["paper", "exact"])
def test_csp_is_algorithm_1(
    blob_bags: MakeBags, algorithm_1: Callable[..., Any], centering: str
) -> None:
    bags, _ = blob_bags(0, unlabelled=0.3, spread=1.2)
    fitted = CSP(3, alpha=0.7, centering=centering).fit(bags)
    literal = algorithm_1(bags, k=3, alpha=0.7, centering=centering)
    np.testing.assert_allclose(fitted.eigenvalues_, literal.eigenvalues[:3], rtol=1e-10)
    rows = literal.V / np.linalg.norm(literal.V, axis=1, keepdims=True)
    # Eigenvectors are determined up to their sign, inner products of rows entirely.
    np.testing.assert_allclose(fitted.embedding_ @ fitted.embedding_.T, rows @ rows.T, atol=1e-8)
    labels = KMeans(3, n_init=20, random_state=1).fit_predict(rows)
    assert adjusted_rand_score(labels, fitted.labels_) == pytest.approx(1)


def test_sp_is_algorithm_1_without_constraints(
    blob_bags: MakeBags, algorithm_1: Callable[..., Any]
) -> None:
    bags, _ = blob_bags(1, spread=1.2)
    fitted = SP(3).fit(bags)
    literal = algorithm_1(bags, k=3, alpha=0.0)
    np.testing.assert_allclose(fitted.eigenvalues_, literal.eigenvalues[:3], rtol=1e-10)
    assert fitted.eigenvalues_[0] == pytest.approx(1)


def test_worked_eigenvalues_of_csp(worked_bags: Bags) -> None:
    expected = {
        "paper": [1.783578, 1.052325, 0.377918, 0.352167, 0.071212, -0.012130],
        "exact": [1.605577, 0.882706, 0.443088, 0.394646, 0.162456, 0.063336],
    }
    for centering, values in expected.items():
        fitted = CSP(6, alpha=0.7, t=2, centering=centering).fit(worked_bags)
        np.testing.assert_allclose(fitted.eigenvalues_, values, atol=6e-7)


@pytest.mark.parametrize("graph", ["dense", "knn"])
def test_without_weight_csp_is_sp_bit_for_bit(blob_bags: MakeBags, graph: str) -> None:
    bags, _ = blob_bags(2, spread=1.0)
    sp, csp = SP(4, graph=graph).fit(bags), CSP(4, graph=graph, alpha=0).fit(bags)
    assert (sp.labels_ == csp.labels_).all()
    assert (sp.embedding_ == csp.embedding_).all()
    assert (sp.eigenvalues_ == csp.eigenvalues_).all()


def test_bag_labels_separate_what_features_cannot(blob_bags: MakeBags) -> None:
    bags, truth = blob_bags(3, n_bags=60, spread=1.9)
    sp = adjusted_rand_score(truth, SP(3).fit(bags).labels_)
    csp = adjusted_rand_score(truth, CSP(3).fit(bags).labels_)
    assert csp > sp + 0.1


@BOTH
@pytest.mark.parametrize("graph", ["dense", "knn"])
def test_clear_blobs_are_found(blob_bags: MakeBags, method: str, graph: str) -> None:
    bags, truth = blob_bags(4)
    fitted = make_clusterer(method, n_clusters=3, graph=graph).fit(bags)
    assert adjusted_rand_score(truth, fitted.labels_) == pytest.approx(1)
    assert fitted.graph_ == graph
    assert fitted.labels_.dtype == np.int64
    assert fitted.embedding_.shape == (bags.n_instances, 3)
    np.testing.assert_allclose(np.linalg.norm(fitted.embedding_, axis=1), 1)
    assert (fitted.fit_predict(bags) == fitted.labels_).all()


@BOTH
def test_the_same_seed_gives_the_same_result(
    monkeypatch: pytest.MonkeyPatch, blob_bags: MakeBags, method: str
) -> None:
    bags, _ = blob_bags(5, spread=2.5)
    for limit in (2000, 10):
        monkeypatch.setattr(eigen, "DENSE_SOLVER_LIMIT", limit)
        one, two = (
            make_clusterer(method, n_clusters=5, random_state=7, graph="knn").fit(bags)
            for _ in range(2)
        )
        assert (one.labels_ == two.labels_).all()
        assert (one.embedding_ == two.embedding_).all()


def test_alpha_shrinks_with_a_sparse_graph(blob_bags: MakeBags) -> None:
    bags, _ = blob_bags(6, n_bags=60)
    dense, sparse = CSP(3, graph="dense").fit(bags), CSP(3, graph="knn").fit(bags)
    assert (dense.rho_, dense.alpha_effective_) == (1.0, 0.7)
    assert 0 < sparse.rho_ < 1
    assert sparse.alpha_effective_ == effective_alpha(0.7, bags, knn_affinity(bags.X))
    assert sparse.alpha_effective_ < 0.5
    assert SP(3, graph="knn").fit(bags).alpha_effective_ == 0


@BOTH
def test_with_all_neighbours_sparse_and_dense_agree(blob_bags: MakeBags, method: str) -> None:
    bags, _ = blob_bags(7, spread=1.2)
    dense = make_clusterer(method, n_clusters=3, graph="dense").fit(bags)
    sparse = make_clusterer(
        method, n_clusters=3, graph="knn", n_neighbors=bags.n_instances - 1
    ).fit(bags)
    np.testing.assert_allclose(sparse.eigenvalues_, dense.eigenvalues_, atol=1e-10)
    np.testing.assert_allclose(sparse.embedding_, dense.embedding_, atol=1e-6)
    assert adjusted_rand_score(dense.labels_, sparse.labels_) == pytest.approx(1)


def test_neutral_unlabelled_bags_do_not_pull(blob_bags: MakeBags) -> None:
    """With no bag labelled, neutral CSP is SP; as published it differs only through mu = 0."""
    bags, _ = blob_bags(8, spread=1.2)
    unlabelled = Bags(
        bags.X, bags.bag, np.zeros_like(bags.labels), np.zeros(bags.n_bags, dtype=bool)
    )
    sp = SP(3).fit(unlabelled)
    for treatment in ("neutral", "paper"):
        csp = CSP(3, unlabelled=treatment).fit(unlabelled)
        np.testing.assert_allclose(csp.eigenvalues_, sp.eigenvalues_, atol=1e-12)
        assert adjusted_rand_score(csp.labels_, sp.labels_) == pytest.approx(1)


def test_a_few_labelled_bags_help_the_unlabelled_ones(blob_bags: MakeBags) -> None:
    bags, truth = blob_bags(9, n_bags=80, spread=1.9, unlabelled=0.5)
    csp = CSP(3, unlabelled="neutral").fit(bags)
    assert adjusted_rand_score(truth, csp.labels_) > adjusted_rand_score(
        truth, SP(3).fit(bags).labels_
    )


@BOTH
def test_empty_bags_change_nothing(blob_bags: MakeBags, method: str) -> None:
    bags, _ = blob_bags(10)
    padded = Bags(
        bags.X, bags.bag + 1, np.vstack([np.ones((1, 3), bool), bags.labels, np.ones((1, 3), bool)])
    )
    one, other = (make_clusterer(method, n_clusters=3).fit(b) for b in (bags, padded))
    np.testing.assert_allclose(one.eigenvalues_, other.eigenvalues_, atol=1e-12)
    assert (one.labels_ == other.labels_).all()


@BOTH
def test_one_cluster_holds_everything(blob_bags: MakeBags, method: str) -> None:
    bags, _ = blob_bags(11)
    assert (make_clusterer(method, n_clusters=1).fit(bags).labels_ == 0).all()
    single = Bags([[1.0]], [0], [[1]])
    assert make_clusterer(method, n_clusters=1).fit(single).labels_.tolist() == [0]


@BOTH
def test_as_many_clusters_as_instances_are_an_error(method: str) -> None:
    bags = Bags(np.arange(8.0)[:, None], [0] * 8, [[1]])
    with pytest.raises(ClusteringError, match=r"n_clusters=8 .* instances, 8: ask for fewer"):
        make_clusterer(method, n_clusters=8).fit(bags)
    assert make_clusterer(method, n_clusters=7).fit(bags).labels_.shape == (8,)


@BOTH
def test_nothing_to_cluster_is_an_error(method: str) -> None:
    with pytest.raises(ClusteringError, match="no instances"):
        make_clusterer(method, n_clusters=2).fit(Bags(np.zeros((0, 2)), [], [[1]]))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_clusters": 0}, "n_clusters must be a whole number from 1, not 0"),
        ({"n_clusters": 2.5}, "n_clusters must be a whole number"),
        ({"n_clusters": True}, "n_clusters must be a whole number"),
        ({"t": 0}, "t must be"),
        ({"n_init": 0}, "n_init must be"),
        ({"graph": "sparse"}, "graph must be one of auto, dense, knn, not 'sparse'"),
        ({"neighbours": "fast"}, "neighbours must be one of exact, approximate"),
        ({"random_state": -1}, "random_state must be"),
        ({"random_state": "zero"}, "random_state must be"),
        ({"graph": "knn", "n_neighbors": 5}, "n_neighbors=5 must be larger than t=7"),
        ({"alpha": -0.1}, "alpha must be a number from 0"),
        ({"alpha": np.nan}, "alpha must be a number from 0"),
        ({"alpha": "much"}, "alpha must be a number from 0"),
        ({"centering": "none"}, "centering must be one of paper, exact"),
        ({"unlabelled": "ignore"}, "unlabelled must be one of paper, neutral"),
    ],
)
def test_parameters_out_of_range_are_told_in_one_line(
    blob_bags: MakeBags, parameters: dict[str, Any], message: str
) -> None:
    with pytest.raises(ClusteringError, match=message) as raised:
        make_clusterer("csp", **{"n_clusters": 3, **parameters}).fit(blob_bags(12)[0])
    assert "\n" not in str(raised.value)


def test_numpy_numbers_are_numbers(blob_bags: MakeBags) -> None:
    bags, _ = blob_bags(13)
    fitted = CSP(np.int64(3), random_state=np.int32(1), alpha=np.float32(0.5)).fit(bags)
    assert fitted.alpha_effective_ == pytest.approx(0.5)


def test_no_seed_is_a_new_seed_each_time(blob_bags: MakeBags) -> None:
    bags, truth = blob_bags(14)
    fitted = SP(3, random_state=None).fit(bags)
    assert adjusted_rand_score(truth, fitted.labels_) == pytest.approx(1)


def test_duplicates_share_a_cluster(blob_bags: MakeBags) -> None:
    bags, _ = blob_bags(15, n_bags=15)
    twice = Bags(np.repeat(bags.X, 10, axis=0), np.repeat(bags.bag, 10), bags.labels, bags.labelled)
    for method in (SP(3), CSP(3), SP(3, graph="knn"), CSP(3, graph="knn")):
        with warnings.catch_warnings():
            # With ten copies of everything the neighbour graph is many islands.
            warnings.simplefilter("ignore", ClusteringWarning)
            labels = method.fit(twice).labels_
        copies = labels.reshape(-1, 10)
        assert (copies == copies[:, :1]).all()


def far_blobs(n_blobs: int) -> Bags:
    """Blobs that no affinity bridges, two instances a bag; classes 0 and 1 take turns."""
    rng = np.random.default_rng(16)
    X = np.vstack([1e5 * b + rng.standard_normal((20, 2)) for b in range(n_blobs)])
    labels = np.eye(2, dtype=bool)[np.arange(10 * n_blobs) // 10 % 2]
    return Bags(X, np.arange(20 * n_blobs) // 2, labels)


@pytest.mark.parametrize("graph", ["dense", "knn"])
def test_a_graph_of_more_parts_than_clusters_is_bridged(graph: str) -> None:
    bags = far_blobs(4)
    parameters = {"graph": graph, "n_neighbors": 10}
    with pytest.warns(ClusteringWarning, match="4 parts, more than the 2"):
        fitted = SP(2, **parameters).fit(bags)
    # Bridged parts stay whole.
    by_blob = fitted.labels_.reshape(4, 20)
    assert (by_blob == by_blob[:, :1]).all()
    assert len(set(fitted.labels_.tolist())) == 2


def test_a_bridged_graph_has_a_single_eigenvalue_of_one() -> None:
    with pytest.warns(ClusteringWarning, match="bridged"):
        values = SP(2).fit(far_blobs(4)).eigenvalues_
    assert values[0] == pytest.approx(1)
    assert values[1] < 0.99


@BOTH
def test_as_many_parts_as_clusters_are_the_clusters(method: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        labels = make_clusterer(method, n_clusters=4).fit(far_blobs(4)).labels_
    assert adjusted_rand_score(np.repeat(np.arange(4), 20), labels) == pytest.approx(1)


def test_shared_labels_bridge_parts() -> None:
    bags = far_blobs(4)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        labels = CSP(2).fit(bags).labels_
    # Blobs 0 and 2 are of class 0, the others of class 1.
    assert adjusted_rand_score(np.repeat([0, 1, 0, 1], 20), labels) == pytest.approx(1)


def test_isolated_instances_follow_their_nearest_neighbour(
    monkeypatch: pytest.MonkeyPatch, blob_bags: MakeBags
) -> None:
    bags, truth = blob_bags(17)
    built = base.build_affinity

    def with_isolated(*args: Any, **kwargs: Any) -> Affinity:
        affinity = built(*args, **kwargs)
        affinity.W[0, :] = affinity.W[:, 0] = 0
        return affinity

    monkeypatch.setattr(base, "build_affinity", with_isolated)
    with pytest.warns(ClusteringWarning, match="1 instances have no affinity"):
        fitted = CSP(3).fit(bags)
    assert (fitted.embedding_[0] == 0).all()
    assert adjusted_rand_score(truth, fitted.labels_) == pytest.approx(1)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000))
def test_csp_does_not_depend_on_order_or_numbering(blob_bags: MakeBags, seed: int) -> None:
    bags, _ = blob_bags(seed, n_bags=20, spread=0.8)
    rng = np.random.default_rng(seed)
    order, new_bag = rng.permutation(bags.n_instances), rng.permutation(bags.n_bags)
    new_class = rng.permutation(bags.n_classes)
    shuffled = Bags(
        bags.X[order], new_bag[bags.bag[order]], bags.labels[np.argsort(new_bag)][:, new_class]
    )
    one, other = CSP(3, n_init=3).fit(bags), CSP(3, n_init=3).fit(shuffled)
    np.testing.assert_allclose(one.eigenvalues_, other.eigenvalues_, atol=1e-9)
    gram = one.embedding_[order] @ one.embedding_[order].T
    np.testing.assert_allclose(gram, other.embedding_ @ other.embedding_.T, atol=1e-5)
