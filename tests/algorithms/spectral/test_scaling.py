from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from algorithms import Bags, make_clusterer
from algorithms.graph import Affinity, dense_affinity, knn_affinity
from algorithms.spectral.scaling import CONSTRAINT_RATIO, effective_alpha

MakeBags = Callable[..., tuple[Bags, Any]]


def many_classes(n_bags: int = 300, size: int = 4, seed: int = 0) -> Bags:
    """Bags of three of forty classes, which the features do not know: too many for the limit."""
    rng = np.random.default_rng(seed)
    labels = np.zeros((n_bags, 40), dtype=bool)
    for row in labels:
        row[rng.choice(40, 3, replace=False)] = True
    return Bags(rng.standard_normal((n_bags * size, 4)), np.arange(n_bags * size) // size, labels)


def graph_of(degree: float, n: int, rho: float) -> Affinity:
    """A graph of which only the degree and rho are known."""
    return Affinity(degree * np.eye(n), np.ones(n), rho, "knn")


def test_a_dense_graph_leaves_alpha_as_it_is(blob_bags: MakeBags) -> None:
    bags, _ = blob_bags(0)
    assert effective_alpha(0.7, bags, dense_affinity(bags.X)) == 0.7


def test_by_hand() -> None:
    # y = (1, 0), (1, 0), (1/2, 1/2); their mean over the instances is (3/4, 1/4), omega = 5/8.
    bags = Bags(np.zeros((4, 1)), [0, 1, 2, 2], [[1, 0], [1, 0], [1, 1]])
    sparse = graph_of(0.2, 4, rho=0.0)
    assert effective_alpha(0.1, bags, sparse) == pytest.approx(0.1 * 5 * 0.2 / (4 * 0.625))
    half = graph_of(0.2, 4, rho=0.5)
    assert effective_alpha(0.1, bags, half) == pytest.approx(0.1 * np.sqrt(0.4))
    # Y B' B Y' / d = [[2.5, 0.5], [0.5, 0.5]] / d.
    weakest = (1.5 - np.sqrt(1.25)) / 0.2
    assert effective_alpha(50.0, bags, sparse) == pytest.approx(0.5 / weakest)


def test_constraints_weigh_a_multiple_of_the_affinities() -> None:
    bags = many_classes()
    affinity = knn_affinity(bags.X)
    alpha = effective_alpha(0.7, bags, affinity) ** (1 / (1 - affinity.rho))
    alpha /= 0.7 ** (affinity.rho / (1 - affinity.rho))  # what it would be for rho = 0
    vectors = bags.labels[bags.bag] / 3
    total = (vectors @ vectors.T).sum()
    assert alpha * total == pytest.approx(0.7 * CONSTRAINT_RATIO * affinity.W.sum())


def test_twice_the_bags_halve_the_weight() -> None:
    bags = many_classes()
    twice = Bags(
        np.vstack([bags.X] * 2),
        np.concatenate([bags.bag, bags.bag + bags.n_bags]),
        np.vstack([bags.labels] * 2),
    )
    once = effective_alpha(0.7, bags, graph_of(9.0, bags.n_instances, 0.0))
    assert effective_alpha(0.7, twice, graph_of(9.0, twice.n_instances, 0.0)) == pytest.approx(
        once / 2
    )


def test_bags_without_labels_leave_the_weight_nearly_as_it_is() -> None:
    bags = many_classes()
    labelled = np.arange(bags.n_bags) % 2 == 0
    half = Bags(bags.X, bags.bag, bags.labels & labelled[:, None], labelled)
    affinity = knn_affinity(bags.X)
    assert effective_alpha(0.7, half, affinity) == pytest.approx(
        effective_alpha(0.7, bags, affinity), rel=0.05
    )


def test_without_any_label_alpha_stays() -> None:
    bags = many_classes()
    none = Bags(bags.X, bags.bag, np.zeros_like(bags.labels), np.zeros(bags.n_bags, bool))
    assert effective_alpha(0.7, none, knn_affinity(bags.X)) == 0.7


def test_classes_that_no_bag_has_do_not_matter(blob_bags: MakeBags) -> None:
    bags, _ = blob_bags(1)
    wider = Bags(bags.X, bags.bag, np.hstack([bags.labels, np.zeros((bags.n_bags, 2), bool)]))
    affinity = knn_affinity(bags.X)
    assert effective_alpha(0.7, wider, affinity) == pytest.approx(
        effective_alpha(0.7, bags, affinity), rel=1e-12
    )


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_labels_do_not_drown_what_the_features_show(blob_bags: MakeBags, n_classes: int) -> None:
    bags, truth = blob_bags(2, n_bags=150, n_classes=n_classes)
    affinity = knn_affinity(bags.X)
    alpha = effective_alpha(0.7, bags, affinity)
    labels = make_clusterer("csp", n_clusters=n_classes, graph="knn").fit(bags).labels_
    assert adjusted_rand_score(truth, labels) == pytest.approx(1)
    # It is the limit that holds: alpha only counts for the dense share of the graph.
    assert effective_alpha(1.4, bags, affinity) == pytest.approx(alpha * 2**affinity.rho)
