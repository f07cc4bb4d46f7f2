from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy.optimize import linear_sum_assignment

import algorithms.spectral.neighbourhood as neighbourhood
from algorithms import Bags, make_clusterer
from algorithms.errors import BagsError, ClusteringError, ClusteringWarning
from algorithms.graph import dense_affinity
from algorithms.spectral.rounding import unit_rows

MakeBags = Callable[..., tuple[Bags, Any]]
Array = npt.NDArray[np.float64]

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
EXACT = pytest.mark.parametrize("variant", [name for name in VARIANTS if "paper" not in name])


def make(variant: str, **parameters: Any) -> Any:
    method, own = VARIANTS[variant]
    return make_clusterer(method, **{"n_clusters": 3, "n_init": 5, **own, **parameters})


def rows_of(fitted: Any, X: Array, candidates: Any = None) -> Array:
    """Unit rows of new instances."""
    found = np.zeros((len(X), fitted.n_clusters))
    for rows, edges in fitted.neighbourhood_.blocks(X):
        some = None if candidates is None else candidates[rows]
        found[rows] = unit_rows(fitted.extension_.coordinates(edges, some))[0]
    return found


def accuracy(fitted: Any, truth: Any, new: Any, new_truth: Any) -> float:
    """Share right, when every cluster stands for the class it fits best in training."""
    counts = np.zeros((3, 3))
    np.add.at(counts, (fitted.labels_, truth), 1)
    class_of = linear_sum_assignment(-counts)[1]
    return float((class_of[new] == new_truth).mean())


@EXACT
def test_training_instances_get_their_own_rows(blob_bags: MakeBags, variant: str) -> None:
    bags, _ = blob_bags(0, spread=1.5, unlabelled=0.2)
    sets = bags.labels[bags.bag]
    for parameters in ({"graph": "dense"}, {"graph": "knn", "n_neighbors": bags.n_instances - 1}):
        fitted = make(variant, **parameters).fit(bags)
        np.testing.assert_allclose(rows_of(fitted, bags.X, sets), fitted.embedding_, atol=1e-10)
        assert (fitted.predict(bags.X, sets) == fitted.labels_).all()


@pytest.mark.parametrize("variant", ["csp paper", "csp-no-pairs paper"])
def test_only_the_repulsion_within_a_bag_is_missing(blob_bags: MakeBags, variant: str) -> None:
    bags, _ = blob_bags(0, spread=1.5, unlabelled=0.2)
    fitted = make(variant).fit(bags)
    assert (fitted.predict(bags.X, bags.labels[bags.bag]) == fitted.labels_).mean() > 0.98
    extension = fitted.extension_
    sets = bags.labels[bags.bag]
    own_bag = (bags.bag[:, None] == bags.bag).astype(float)
    if variant == "csp paper":
        mu = extension.constraints.mu
    else:
        mu = extension.constraints.full.mu
        own_bag *= (sets.sum(axis=1) != 1)[:, None]
    [(_, edges)] = list(fitted.neighbourhood_.blocks(bags.X))
    drawn = extension.coordinates(edges, sets) * extension.eigenvalues
    drawn -= extension.alpha * mu * own_bag @ extension.scaled
    rows = unit_rows(drawn / extension.eigenvalues)[0]
    np.testing.assert_allclose(rows, fitted.embedding_, atol=1e-10)


@EXACT
def test_in_a_bridged_graph_too(variant: str) -> None:
    """Five far places; the bags of two of them are labelled, with a class each."""
    rng = np.random.default_rng(0)
    X = np.vstack([1e5 * b + rng.standard_normal((20, 2)) for b in range(5)])
    labels = np.zeros((50, 3), dtype=bool)
    labels[:10, 0] = labels[10:20, 1] = True
    bags = Bags(X, np.arange(100) // 2, labels, labels.any(axis=1))
    with pytest.warns(ClusteringWarning, match="5 parts, more than the 3 clusters"):
        fitted = make(variant).fit(bags)
    rows = rows_of(fitted, X, bags.labels[bags.bag])
    np.testing.assert_allclose(rows, fitted.embedding_, atol=1e-7)


@EVERY
def test_on_a_sparse_graph_nearly_all_keep_their_cluster(blob_bags: MakeBags, variant: str) -> None:
    bags, _ = blob_bags(1, spread=1.2)
    fitted = make(variant, graph="knn").fit(bags)
    assert (fitted.predict(bags.X, bags.labels[bags.bag]) == fitted.labels_).mean() > 0.95


@EVERY
@pytest.mark.parametrize("graph", ["dense", "knn"])
def test_new_instances_are_placed_as_well_as_old_ones(
    blob_bags: MakeBags, variant: str, graph: str
) -> None:
    bags, truth = blob_bags(2, n_bags=60, spread=1.2)
    new, new_truth = blob_bags(3, n_bags=60, spread=1.2)
    fitted = make(variant, graph=graph).fit(bags)
    before = accuracy(fitted, truth, fitted.labels_, truth)
    blind = accuracy(fitted, truth, fitted.predict(new.X), new_truth)
    told = accuracy(fitted, truth, fitted.predict(new.X, new.labels[new.bag]), new_truth)
    assert told > before - 0.04
    if graph == "dense" or "csp" not in variant:  # sparse csp leans on labels more than features
        assert blind > before - 0.04
    # Not to know a label set is the same as to be given none.
    unknown = fitted.predict(new.X, np.zeros((new.n_instances, 3)))
    if "exact" not in variant:
        assert (unknown == fitted.predict(new.X)).all()


def literal_edges(X: Array, sigma: Array, x: Array, t: int) -> Array:
    distance = np.array([np.linalg.norm(x - p) for p in X])
    sigma_x = np.sort(distance)[t - 1]
    return np.exp(-(distance**2) / (2 * sigma_x * sigma))


def test_affinities_of_new_instances(blob_bags: MakeBags) -> None:
    bags, _ = blob_bags(4)
    new = blob_bags(5)[0].X[:20]
    expected = [literal_edges(bags.X, dense_affinity(bags.X).sigma, x, 7) for x in new]
    fitted = make("sp").fit(bags)
    [(_, edges)] = list(fitted.neighbourhood_.blocks(new))
    np.testing.assert_allclose(edges, expected, rtol=1e-10)
    sparse = make("sp", graph="knn", n_neighbors=10).fit(bags)
    [(_, edges)] = list(sparse.neighbourhood_.blocks(new))
    for row, x, all_of_them in zip(edges.toarray(), new, expected, strict=True):
        near = np.argsort(((bags.X - x) ** 2).sum(axis=1))[:10]
        np.testing.assert_allclose(row[near], all_of_them[near], rtol=1e-10)
        assert (np.delete(row, near) == 0).all()


@pytest.mark.parametrize("told", [False, True])
@pytest.mark.parametrize("variant", ["splearn additive", "spreg"])
def test_a_new_row_solves_the_equation_that_it_adds(
    blob_bags: MakeBags, variant: str, told: bool
) -> None:
    """The eigenproblem of n + 1 instances, written out, holds in the new instance's row."""
    bags, _ = blob_bags(6, spread=1.5)
    n = bags.n_instances
    fitted = make(variant).fit(bags)
    embedding = make(variant).embed(bags)
    sets = [set(np.flatnonzero(row)) for row in bags.labels[bags.bag]]
    for label_set in ({0}, {1, 2}):
        x = np.array([1.0, 1.5, 0.5, 0.2])
        w = np.append(literal_edges(bags.X, fitted.neighbourhood_.sigma, x, 7), 1.0)
        must = np.array([told and len(label_set) == 1 and s == label_set for s in sets] + [False])
        cannot = np.array([told and not s & label_set for s in sets] + [False])
        candidates = np.array([[c in label_set for c in range(3)]]) if told else None
        [(_, edges)] = list(fitted.neighbourhood_.blocks(x[None]))
        e = fitted.extension_.coordinates(edges, candidates)[0]
        if variant == "splearn additive":
            w[must], w[cannot] = 1, 0
            v = np.vstack([embedding.vectors, e])
            d_max = np.ptp([0, fitted.extension_.theta[-1]]) / (1 - embedding.eigenvalues[-1])
            theta = (embedding.eigenvalues - 1) * d_max
            np.testing.assert_allclose(w @ v - w.sum() * e, theta * e, atol=1e-9)
        else:
            degrees = dense_affinity(bags.X).degrees()
            v = np.vstack([embedding.vectors / np.sqrt(degrees)[:, None], e])
            penalty = 20.0 * (must.sum() * e - must @ v)
            np.testing.assert_allclose(
                w[:n] @ v[:n] - penalty, embedding.eigenvalues * w[:n].sum() * e, atol=1e-9
            )


def test_an_instance_of_a_contracted_clique_is_placed_with_it(blob_bags: MakeBags) -> None:
    bags, _ = blob_bags(7, spread=1.5)
    fitted = make("spreg", graph="knn", beta=1e6).fit(bags)
    single = np.flatnonzero(bags.labels[bags.bag].sum(axis=1) == 1)
    rows = rows_of(fitted, bags.X[single], bags.labels[bags.bag[single]])
    np.testing.assert_allclose(rows, fitted.embedding_[single], atol=1e-10)


@EVERY
def test_what_is_like_nothing_is_refused(blob_bags: MakeBags, variant: str) -> None:
    bags, _ = blob_bags(8)
    new = np.array([[4.0, 0, 0, 0], [1e4, 0, 0, 0], [1e200, 0, 0, 0]])
    for graph in ("dense", "knn"):
        fitted = make(variant, graph=graph).fit(bags)
        labels = fitted.predict(new)
        assert labels[0] >= 0
        assert labels[1:].tolist() == [-1, -1]
        assert labels.dtype == np.int64


@pytest.mark.parametrize("graph", ["dense", "knn"])
def test_rejection_scores(blob_bags: MakeBags, graph: str) -> None:
    bags, _ = blob_bags(9, n_bags=80)
    fitted = make("csp paper", graph=graph).fit(bags)
    assert (fitted.rejection_score(bags.X) == 0).all()
    alike = fitted.rejection_score(blob_bags(10, n_bags=80)[0].X)
    assert np.median(alike) < 0.3
    assert (alike > 0.5).mean() < 0.05
    centre = np.array([4.0, 0, 0, 0])
    away = np.array([0.0, 0, 0, 1])  # no class lies that way
    steps = np.array([[0.0], [0.5], [1.5], [2.5], [4.0], [1e9]])
    scores = fitted.rejection_score(centre + steps * away)
    assert (np.diff(scores[1:]) > 0).all()
    assert scores[:2].max() < 0.3
    assert scores[4] > 0.95
    assert scores[5] == 1
    far = fitted.rejection_score(np.full((1, 4), 1e200))
    assert far.tolist() == [1.0]


@pytest.mark.parametrize("graph", ["dense", "knn"])
def test_half_is_what_one_training_instance_in_a_hundred_exceeds(
    blob_bags: MakeBags, graph: str
) -> None:
    bags, _ = blob_bags(11, n_bags=80)
    fitted = make("sp", graph=graph, n_neighbors=30).fit(bags)
    n = bags.n_instances
    sigma = fitted.neighbourhood_.sigma
    distance = np.linalg.norm(bags.X[:, None] - bags.X, axis=2)
    remote = distance**2 / (2 * sigma**2)
    remote[np.arange(n), np.arange(n)] = np.inf
    if graph == "knn":
        order = np.argsort(distance, axis=1)[:, 1:31]
        near = np.zeros((n, n), dtype=bool)
        near[np.arange(n)[:, None], order] = True
        remote[~(near | near.T)] = np.inf
    scores = 1 - 2 ** (-remote.min(axis=1) / fitted.neighbourhood_.reach)
    assert (scores <= 0.5 + 1e-12).mean() == pytest.approx(0.99, abs=1.5 / n)


def test_blocks_give_what_a_single_one_gives(
    monkeypatch: pytest.MonkeyPatch, blob_bags: MakeBags
) -> None:
    bags, new = blob_bags(12)[0], blob_bags(13)[0]
    for graph in ("dense", "knn"):
        fitted = make("splearn additive", graph=graph).fit(bags)
        sets = new.labels[new.bag]
        whole = fitted.predict(new.X, sets), fitted.rejection_score(new.X)
        monkeypatch.setattr(neighbourhood, "_BLOCK_ENTRIES", 1000)
        parts = fitted.predict(new.X, sets), fitted.rejection_score(new.X)
        monkeypatch.undo()
        assert (whole[0] == parts[0]).all()
        np.testing.assert_array_equal(whole[1], parts[1])


def test_duplicates_of_training_instances_keep_their_cluster(blob_bags: MakeBags) -> None:
    bags, _ = blob_bags(14, n_bags=12)
    twice = Bags(np.repeat(bags.X, 9, axis=0), np.repeat(bags.bag, 9), bags.labels)
    fitted = make("csp exact").fit(twice)
    sets = twice.labels[twice.bag]
    assert (fitted.predict(twice.X, sets) == fitted.labels_).all()
    assert (fitted.rejection_score(twice.X) == 0).all()


def test_nothing_new_gives_nothing(blob_bags: MakeBags) -> None:
    fitted = make("csp paper").fit(blob_bags(15)[0])
    assert fitted.predict(np.zeros((0, 4))).shape == (0,)
    assert fitted.rejection_score(np.zeros((0, 4))).shape == (0,)


def test_arrays_that_do_not_fit_are_told(blob_bags: MakeBags) -> None:
    bags, _ = blob_bags(16)
    with pytest.raises(ClusteringError, match="nothing has been fitted yet: call fit first"):
        make("sp").predict(bags.X)
    fitted = make("sp").fit(bags)
    with pytest.raises(ClusteringError, match="X has 3 columns but the training instances have 4"):
        fitted.predict(bags.X[:, :3])
    with pytest.raises(ClusteringError, match="X has 3 columns"):
        fitted.rejection_score(bags.X[:, :3])
    with pytest.raises(BagsError, match="X holds nan in row 0, column 0"):
        fitted.predict(np.full((1, 4), np.nan))
    for wrong in (np.ones((2, 3)), np.ones((1, 2)), np.full((1, 3), 2), np.ones(3)):
        with pytest.raises(ClusteringError, match=r"candidates must hold True and False in 1 rows"):
            fitted.predict(bags.X[:1], wrong)
