"""The metric that the authors of mimlca learned for Corel5K, as a check of what judges metrics.

It was learned on the training photographs, whose features are not public in a size that could be
shared; the test photographs' are. Expected values come from M = LL', by SciPy or by brute force.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from scipy.spatial.distance import cdist

from algorithms import Bags
from algorithms.distances import bag_distances
from algorithms.metric.citation_knn import CitationKNN
from algorithms.metric.fixed import FixedMetric
from algorithms.metric.learned_space import in_learned_space
from algorithms.metric.mimlca import MIMLCA
from birdmodes.experiments.datasets.readers import corel5k

Array = npt.NDArray[np.float64]

REPEATED, REPEATS = [6, 7, 8, 15, 16, 17], [9, 10, 11, 18, 19, 20]


@dataclass(frozen=True)
class Given:
    """What the authors' file holds, turned as in their program."""

    L: Array
    mean: Array
    centroids: Array


@pytest.fixture(scope="module")
def given(shared: Path) -> Given:
    h5py = pytest.importorskip("h5py", reason="h5py is not installed: it reads the authors' file")
    with h5py.File(shared / "datasets" / "corel5k" / "mimlca_metric_.mat") as file:
        # MATLAB's columns are HDF5's rows.
        L, mean, centroids = (np.array(file[key]).T for key in ("L", "meanX", "centroids"))
        assert not np.array(file["center_descriptor"]).any()
        assert len(file["assigned_centroids"]["ir"]) == 20
    return Given(L, mean[0], centroids)


@pytest.fixture(scope="module")
def photographs(shared: Path) -> Bags:
    return corel5k.load_test_photographs(shared / "datasets").bags


@pytest.fixture(scope="module")
def training_words(shared: Path) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.int64]]:
    """Which of the 20 words each training photograph has, and how many regions."""
    place = shared / "datasets" / "corel5k"
    labels = corel5k.read_document_words(place / "document_words", 374)
    sizes = np.array(corel5k.read_counts(place / "blob_counts"))
    labels = labels[:, corel5k.frequent_words(labels, 20)]
    kept = labels.any(axis=1)
    return labels[kept], sizes[kept]


def test_its_shape(given: Given, photographs: Bags) -> None:
    assert given.L.shape == (photographs.n_features, photographs.n_classes) == (36, 20)
    assert given.centroids.shape == (20, 36)
    assert given.mean.shape == (36,)


def test_distances_of_regions(given: Given, photographs: Bags) -> None:
    mapped = in_learned_space(photographs, FixedMetric(given.L).fit(photographs)).X[:400]
    X = photographs.X[:400]
    expected = cdist(X, X, "mahalanobis", VI=given.L @ given.L.T)
    np.testing.assert_allclose(cdist(mapped, mapped), expected, rtol=1e-6, atol=1e-8)
    assert expected.max() > 0.1  # not all alike


@pytest.mark.parametrize("kind", ["min", "max"])
def test_distances_of_photographs(given: Given, photographs: Bags, kind: str) -> None:
    mapped = in_learned_space(photographs, FixedMetric(given.L).fit(photographs))
    found = bag_distances(mapped, kind)  # type: ignore[arg-type]
    M = given.L @ given.L.T
    rng = np.random.default_rng(0)
    for one, two in rng.integers(0, photographs.n_bags, (200, 2)):
        A, B = (photographs.X[photographs.bag == bag] for bag in (one, two))
        between = cdist(A, B, "mahalanobis", VI=M)
        expected = between.min()
        if kind == "max":
            expected = max(between.min(axis=0).max(), between.min(axis=1).max())
        assert found[one, two] == pytest.approx(expected, rel=1e-6, abs=1e-8)


def test_votes_of_neighbours(given: Given, photographs: Bags) -> None:
    """As the authors' program counts them, but among these photographs: 300 told, 144 asked."""
    told = photographs.bag < 300
    train = Bags(photographs.X[told], photographs.bag[told], photographs.labels[:300])
    new = Bags(photographs.X[~told], photographs.bag[~told] - 300, photographs.labels[300:])
    annotator = CitationKNN(FixedMetric(given.L), citer_pool="test").fit(train)
    between = cdist(new.X, train.X, "mahalanobis", VI=given.L @ given.L.T)
    # Regions lie photograph by photograph.
    first_new, first_train = (np.unique(bags.bag, return_index=True)[1] for bags in (new, train))
    by_bag = np.minimum.reduceat(between, first_new, axis=0)
    far = np.minimum.reduceat(by_bag, first_train, axis=1)
    expected = np.zeros((new.n_bags, 20))
    for e in range(new.n_bags):
        expected[e] += train.labels[np.argsort(far[e])[:20]].sum(axis=0)
    for b in range(train.n_bags):
        expected[np.argsort(far[:, b])[:20]] += train.labels[b]
    np.testing.assert_array_equal(annotator.decision_function(new), expected)


def test_rules_by_its_centroids(given: Given, photographs: Bags) -> None:
    X, L, z = photographs.X, given.L, given.centroids
    squared = cdist(X, z, "mahalanobis", VI=L @ L.T) ** 2
    metric = FixedMetric(L, centroids=z, rule="nearest").fit(photographs)
    np.testing.assert_allclose(-metric.class_scores(X), squared, rtol=1e-6, atol=1e-9)
    np.testing.assert_array_equal(metric.predict_classes(X), squared.argmin(axis=1))
    for alpha in (0.0, 0.5, 1.2):
        expected = np.array(
            [[x @ L[:, c] - alpha * z[c] @ L @ L.T @ z[c] for c in range(20)] for x in X[:200]]
        )
        metric = FixedMetric(L, centroids=z, alpha=alpha).fit(photographs)
        np.testing.assert_allclose(metric.class_scores(X[:200]), expected, atol=1e-9)
        np.testing.assert_array_equal(metric.predict_classes(X[:200]), expected.argmax(axis=1))


def test_centroids_are_means_of_features(given: Given, photographs: Bags) -> None:
    """They are z_c, not L'z_c: within what the regions take, and repeated where those are."""
    np.testing.assert_array_equal(given.centroids[:, REPEATED], given.centroids[:, REPEATS])
    assert (given.centroids > photographs.X.min(axis=0)).all()
    assert (given.centroids < photographs.X.max(axis=0)).all()


def test_repeated_features_weigh_the_same(given: Given, photographs: Bags) -> None:
    """The pseudo-inverse shares a weight between equal columns: the authors' does, and ours."""
    np.testing.assert_array_equal(photographs.X[:, REPEATED], photographs.X[:, REPEATS])
    ours = MIMLCA().fit(photographs).components_
    for L in (given.L, ours):
        np.testing.assert_allclose(L[REPEATED], L[REPEATS], atol=1e-9)
        assert abs(L[REPEATED]).max() > 1e-5


def test_examples_of_each_word(
    given: Given, training_words: tuple[npt.NDArray[np.bool_], npt.NDArray[np.int64]]
) -> None:
    """L and the centroids tell how many examples each word had: one in each photograph.

    Since L = X^+ J, the matrix of (L'z_c)_e sqrt(n_c) = J'XX^+J is symmetric, so that the ratio of
    two of its numbers before scaling is sqrt(n_e / n_c). The mean of all examples gives the rest.
    """
    labels, sizes = training_words
    mapped = given.centroids @ given.L
    ratio = (mapped / mapped.T) ** 2  # n_e / n_c
    share = ratio[0] / ratio[0].sum()
    np.testing.assert_allclose(share @ given.centroids, given.mean, rtol=1e-9)
    examples = np.minimum(sizes, labels.sum(axis=1)).sum()
    counts = share * examples
    np.testing.assert_allclose(counts, counts.round(), atol=1e-6)
    # A photograph with fewer regions than words cannot show them all.
    crowded = labels[sizes < labels.sum(axis=1)].sum(axis=0)
    lost = labels.sum(axis=0) - counts.round()
    assert ((lost >= 0) & (lost <= crowded)).all()
    assert (examples, lost.sum()) == (7286, 9)
    scaled = mapped * np.sqrt(counts)[:, None]
    np.testing.assert_allclose(scaled, scaled.T, atol=1e-9)
    values = np.linalg.eigvalsh(scaled)
    assert values[0] > 0
    assert values[-1] <= 1


def test_ours_keeps_the_same_equations(photographs: Bags) -> None:
    """What holds of the authors' L, centroids and numbers of examples holds of ours."""
    learner = MIMLCA().fit(photographs)
    counts = np.bincount(learner.assigned_[learner.assigned_ >= 0], minlength=20)
    sets = photographs.labels.sum(axis=1)
    assert counts.sum() == np.minimum(photographs.sizes, sets).sum()
    scaled = learner.class_means_ * np.sqrt(counts)[:, None]
    np.testing.assert_allclose(scaled, scaled.T, atol=1e-9)
    values = np.linalg.eigvalsh(scaled)
    assert values[0] > 0
    assert values[-1] <= 1 + 1e-12
