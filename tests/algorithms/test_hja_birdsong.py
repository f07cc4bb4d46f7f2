"""Figures on the real data set of the papers; they need the shared material."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from algorithms import make_clusterer
from algorithms.disambiguation.cluster_species import species_of_clusters
from algorithms.metrics import normalized_mutual_info, purity
from algorithms.spectral.rounding import cluster_rows


def mean_over_seeds(fitted: Any, truth: Any) -> tuple[float, float]:
    """NMI and purity, averaged over the seed of k-means; the eigenvectors stay the same."""
    labels = [fitted.labels_] + [
        cluster_rows(fitted.embedding_, fitted.n_clusters, fitted.n_init, seed)
        for seed in range(1, 5)
    ]
    nmi = np.mean([normalized_mutual_info(truth, found) for found in labels])
    return float(nmi), float(np.mean([purity(truth, found) for found in labels]))


# csp, which is sp with constraints, is tested beside it.
@pytest.mark.slow
def test_sp_reaches_the_known_purity(hja: Any) -> None:
    fitted = make_clusterer("sp", n_clusters=13, graph="dense").fit(hja.bags)
    nmi, pure = mean_over_seeds(fitted, hja.truth)
    assert pure == pytest.approx(0.56, abs=0.03)
    assert nmi == pytest.approx(0.43, abs=0.03)


def test_csp_reaches_the_known_purity(hja: Any) -> None:
    fitted = make_clusterer("csp", n_clusters=13, graph="dense").fit(hja.bags)
    nmi, pure = mean_over_seeds(fitted, hja.truth)
    assert nmi >= 0.60
    assert pure >= 0.73


def test_a_sparse_graph_loses_nothing_because_alpha_is_scaled(hja: Any) -> None:
    scaled = make_clusterer("csp", n_clusters=13, graph="knn", alpha=0.7).fit(hja.bags)
    nmi, pure = mean_over_seeds(scaled, hja.truth)
    assert nmi >= 0.63
    assert pure >= 0.73
    unscaled = make_clusterer("csp", n_clusters=13, graph="knn", alpha=8.0).fit(hja.bags)
    assert unscaled.alpha_effective_ > 0.3
    assert purity(hja.truth, unscaled.labels_) < pure - 0.05


def test_most_noise_clusters_are_background_and_clear_species_are_not(hja_unfiltered: Any) -> None:
    bags, truth = hja_unfiltered.bags, hja_unfiltered.truth
    # Bag constraints at their full weight bend noise to the label sets, and so hide it.
    cluster = make_clusterer("csp", n_clusters=40, alpha=0.1).fit(bags).labels_
    result = species_of_clusters(cluster, bags, 40)
    counts = np.zeros((40, bags.n_classes + 1))
    np.add.at(counts, (cluster, truth), 1)  # unknown, -1, is the last column
    shares = counts / counts.sum(axis=1, keepdims=True)
    mostly_noise, clear = shares[:, -1] > 0.7, shares[:, :-1].max(axis=1) >= 0.5
    assert result.background[mostly_noise].mean() >= 0.7
    assert result.background[shares[:, -1] > 0.5].mean() > 0.5
    assert result.background[clear].sum() <= 1
    # The species of clear clusters is right nearly always, from bag labels alone.
    right = result.species[clear] == counts[clear, :-1].argmax(axis=1)
    assert right.mean() >= 0.9
