from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits

from algorithms import Bags
from algorithms.bagwise.kmeans_vote import KMeansVote
from algorithms.errors import ClusteringError, ClusteringWarning


def two_blobs() -> Bags:
    """Instances about 0 and about 10 of one feature; bag 2 is empty."""
    X = [[0.0], [1], [10], [-1], [10], [11], [0], [9], [0.5], [9.5]]
    return Bags(X, [0, 0, 0, 1, 1, 1, 3, 3, 4, 5], np.zeros((6, 0)))


def random_bags(seed: int, n: int = 120) -> Bags:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 4)) + 3 * np.eye(4)[rng.integers(0, 3, n)]
    return Bags(X, rng.integers(0, 31, n), np.zeros((31, 0)))


def test_the_majority_places_a_bag() -> None:
    fitted = KMeansVote(2, n_init=5).fit(two_blobs())
    low, high = np.argsort(fitted.centres_[:, 0])
    # Means 0.1 (of 0, 1, -1, 0, .5) and 9.9 (of 10, 10, 11, 9, 9.5). Bag 3 has one instance on
    # either side; its squared distances sum to .01 + 79.21 and 98.01 + .81: the low side has it.
    np.testing.assert_allclose(fitted.centres_[[low, high], 0], [0.1, 9.9])
    assert list(fitted.labels_) == [low, high, -1, low, low, high]
    np.testing.assert_allclose(fitted.strength_, [2 / 3, 2 / 3, np.nan, 0.5, 1, 1])
    assert fitted.inertia_ == pytest.approx(2 * (0.01 + 0.81 + 1.21 + 0.01 + 0.16))
    assert fitted.labels_.dtype == np.int64


@pytest.mark.parametrize("seed", range(3))
def test_as_scikit_learn_and_counting_have_it(seed: int) -> None:
    bags = random_bags(seed)
    expected = KMeans(3, n_init=20, random_state=0).fit(bags.X)
    fitted = KMeansVote(3, random_state=seed, n_init=20).fit(bags)
    assert fitted.inertia_ == pytest.approx(expected.inertia_)
    own = [
        int(((fitted.centres_ - centre) ** 2).sum(axis=1).argmin())
        for centre in expected.cluster_centers_
    ]
    for m in range(bags.n_bags):
        votes = [own[cluster] for cluster in expected.labels_[bags.bag == m]]
        counts = [votes.count(group) for group in range(3)]
        if votes:
            assert counts[fitted.labels_[m]] == max(counts)
            assert fitted.strength_[m] == max(counts) / len(votes)
        else:
            assert fitted.labels_[m] == -1


@pytest.mark.filterwarnings("ignore::algorithms.errors.ClusteringWarning")
def test_the_run_of_least_inertia_is_kept() -> None:
    bags = random_bags(1)
    fitted = KMeansVote(7, n_init=8).fit(bags)
    assert fitted.run_labels_.shape == (8, 31)
    assert fitted.inertia_ == fitted.run_inertias_.min() < fitted.run_inertias_.max()
    best = fitted.run_inertias_.argmin()
    np.testing.assert_array_equal(fitted.labels_, fitted.run_labels_[best])
    fewer = KMeansVote(7, n_init=3).fit(bags)
    np.testing.assert_array_equal(fewer.run_inertias_, fitted.run_inertias_[:3])
    np.testing.assert_array_equal(fewer.run_labels_, fitted.run_labels_[:3])


def test_same_result_on_any_number_of_threads() -> None:
    bags = random_bags(2, 3000)
    fitted = []
    for limit in (1, 2):
        with threadpool_limits(limit):
            fitted.append(KMeansVote(6, n_init=3).fit(bags))
    np.testing.assert_array_equal(fitted[0].run_inertias_, fitted[1].run_inertias_)
    np.testing.assert_array_equal(fitted[0].centres_, fitted[1].centres_)


def test_new_bags() -> None:
    bags = random_bags(3)
    fitted = KMeansVote(3, n_init=3).fit(bags)
    np.testing.assert_array_equal(fitted.predict(bags), fitted.labels_)
    new = Bags(fitted.centres_[[2, 2, 1, 0]], [0, 0, 0, 2], np.zeros((4, 0)))
    assert list(fitted.predict(new)) == [2, -1, 0, -1]
    assert list(fitted.predict(Bags(np.zeros((0, 0)), [], np.zeros((1, 0))))) == [-1]


def test_one_group() -> None:
    fitted = KMeansVote(1, n_init=1).fit(two_blobs())
    assert list(fitted.labels_) == [0, 0, -1, 0, 0, 0]
    np.testing.assert_allclose(fitted.centres_, [[5.0]])
    np.testing.assert_array_equal(fitted.strength_, [1, 1, np.nan, 1, 1, 1])


def test_a_group_without_bags_is_told_and_not_repaired() -> None:
    X = [[0.0], [0.1], [9], [0.2], [0.1], [9.1]]
    bags = Bags(X, [0, 0, 0, 1, 1, 1], np.zeros((2, 0)))
    with pytest.warns(ClusteringWarning, match="1 of 2 groups are without a bag"):
        fitted = KMeansVote(2, n_init=3).fit(bags)
    assert fitted.labels_[0] == fitted.labels_[1]


def test_identical_bags() -> None:
    bags = Bags(np.ones((6, 2)), np.arange(6), np.zeros((6, 0)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", ClusteringWarning)
        fitted = KMeansVote(3, n_init=2).fit(bags)
    assert len(set(fitted.labels_)) == 1
    assert fitted.inertia_ == 0
    assert np.isfinite(fitted.strength_).all()


def test_constant_features_have_no_effect() -> None:
    bags = random_bags(4)
    wide = Bags(np.hstack([bags.X, np.full((120, 2), 3.7)]), bags.bag, bags.labels)
    narrow, fitted = KMeansVote(3, n_init=10).fit(bags), KMeansVote(3, n_init=10).fit(wide)
    assert fitted.inertia_ == pytest.approx(narrow.inertia_)
    np.testing.assert_array_equal(fitted.strength_, narrow.strength_)


def test_wrong_parameters_and_data_are_refused() -> None:
    bags = two_blobs()
    for wrong in ({"n_clusters": 6}, {"n_init": 0}, {"random_state": -3}):
        with pytest.raises(ClusteringError):
            KMeansVote(**{"n_clusters": 2, **wrong}).fit(bags)
    with pytest.raises(ClusteringError, match="call fit first"):
        KMeansVote(2).predict(bags)
    fitted = KMeansVote(2, n_init=1).fit(bags)
    with pytest.raises(ClusteringError, match="have 3 features but those of the fit have 1"):
        fitted.predict(Bags(np.zeros((1, 3)), [0], np.zeros((1, 0))))
