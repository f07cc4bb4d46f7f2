from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms import Bags, make_clusterer
from algorithms.distances import bag_distances
from algorithms.errors import ClusteringError
from algorithms.metrics import normalized_mutual_info

KIND = {
    "bamic-min": "min",
    "bamic-max": "max",
    "bamic-avg": "average",
    "pam-hausdorff": "max",
    "pam-min-hausdorff": "min",
    "pam-smd": "smd",
}
BAMIC = [name for name in KIND if name.startswith("bamic")]
LINE = np.array([[0.0], [1], [2], [10], [11], [12], [20], [21]])


def one_instance_each(X: npt.NDArray[np.float64]) -> Bags:
    return Bags(X, np.arange(len(X)), np.zeros((len(X), 0)))


def blobs(seed: int = 0, n_bags: int = 24, n_groups: int = 3) -> tuple[Bags, list[int]]:
    """Bags of one to five instances about the middle of their group; bags 5 and 7 are empty."""
    rng = np.random.default_rng(seed)
    truth = [-1 if m in (5, 7) else m % n_groups for m in range(n_bags)]
    bag = np.repeat(np.arange(n_bags), [0 if g < 0 else rng.integers(1, 6) for g in truth])
    rng.shuffle(bag)
    X = 9 * np.eye(n_groups, 4)[np.array(truth)[bag]] + rng.standard_normal((len(bag), 4))
    return Bags(X, bag, np.zeros((n_bags, 0))), truth


def random_bags(seed: int) -> Bags:
    rng = np.random.default_rng(seed)
    return Bags(rng.standard_normal((90, 3)), rng.integers(0, 31, 90), np.zeros((31, 0)))


@pytest.mark.parametrize("name", KIND)
def test_bags_of_one_instance_are_clustered_as_their_instances(name: str) -> None:
    fitted = make_clusterer(name, n_clusters=3).fit(one_instance_each(LINE))
    assert list(fitted.labels_) == [0, 0, 0, 1, 1, 1, 2, 2]
    assert list(fitted.medoids_) == [1, 4, 6]
    assert fitted.cost_ == 5
    assert list(fitted.strength_) == [-1, 0, -1, -1, 0, -1, 0, -1]
    assert fitted.labels_.dtype == np.int64


@pytest.mark.parametrize("name", KIND)
def test_groups_that_lie_apart_are_found(name: str) -> None:
    bags, truth = blobs()
    fitted = make_clusterer(name, n_clusters=3).fit(bags)
    filled = np.array(truth) >= 0
    np.testing.assert_array_equal(fitted.labels_ >= 0, filled)
    assert normalized_mutual_info(np.array(truth)[filled], fitted.labels_[filled]) == 1
    np.testing.assert_array_equal(np.isnan(fitted.strength_), ~filled)
    assert -np.nansum(fitted.strength_) == pytest.approx(fitted.cost_)
    np.testing.assert_array_equal(fitted.predict(bags), fitted.labels_)


@pytest.mark.parametrize("name", KIND)
def test_what_is_kept_fits_the_distances(name: str) -> None:
    bags = random_bags(0)
    fitted = make_clusterer(name, n_clusters=4).fit(bags)
    distances = bag_distances(bags, KIND[name])
    filled = bags.sizes > 0
    expected = distances[fitted.medoids_][:, filled].argmin(axis=0)
    np.testing.assert_array_equal(fitted.labels_[filled], expected)
    np.testing.assert_allclose(
        fitted.strength_[filled], -distances[fitted.medoids_][:, filled].min(axis=0), rtol=1e-12
    )
    for group, medoid in enumerate(fitted.medoids_):
        np.testing.assert_array_equal(
            fitted.medoid_bags_.X[fitted.medoid_bags_.bag == group], bags.X[bags.bag == medoid]
        )


@pytest.mark.parametrize("name", BAMIC)
def test_medoids_are_central_in_their_groups(name: str) -> None:
    """Where the alternating method ends, no member of a group would do better as its medoid."""
    bags = random_bags(1)
    fitted = make_clusterer(name, n_clusters=3, n_init=3).fit(bags)
    distances = bag_distances(bags, KIND[name])
    for group, medoid in enumerate(fitted.medoids_):
        members = np.flatnonzero(fitted.labels_ == group)
        sums = distances[np.ix_(members, members)].sum(axis=0)
        assert sums[members == medoid][0] == pytest.approx(sums.min())


@pytest.mark.parametrize("name", [name for name in KIND if name not in BAMIC])
def test_no_swap_improves_pam(name: str) -> None:
    bags = random_bags(2)
    fitted = make_clusterer(name, n_clusters=3).fit(bags)
    filled = np.flatnonzero(bags.sizes)
    distances = bag_distances(bags, KIND[name])[:, filled]
    for leaving, entering in itertools.product(range(3), filled):
        medoids = fitted.medoids_.copy()
        medoids[leaving] = entering
        assert distances[medoids].min(axis=0).sum() >= fitted.cost_ - 1e-9


@pytest.mark.parametrize("name", BAMIC)
def test_the_run_of_least_cost_is_kept(name: str) -> None:
    bags = random_bags(3)
    fitted = make_clusterer(name, n_clusters=5, n_init=6).fit(bags)
    assert fitted.run_costs_.shape == (6,)
    assert fitted.run_labels_.shape == (6, 31)
    assert fitted.cost_ == fitted.run_costs_.min() < fitted.run_costs_.max()
    np.testing.assert_array_equal(fitted.labels_, fitted.run_labels_[fitted.run_costs_.argmin()])


def test_more_runs_do_not_change_the_earlier_ones() -> None:
    bags = random_bags(4)
    few = make_clusterer("bamic-avg", n_clusters=4, n_init=2).fit(bags)
    more = make_clusterer("bamic-avg", n_clusters=4, n_init=5).fit(bags)
    np.testing.assert_array_equal(more.run_labels_[:2], few.run_labels_)
    other = make_clusterer("bamic-avg", n_clusters=4, n_init=5, random_state=1).fit(bags)
    assert not np.array_equal(other.run_labels_, more.run_labels_)


@pytest.mark.parametrize("name", KIND)
def test_same_result_on_any_number_of_threads_and_from_given_distances(name: str) -> None:
    bags = random_bags(5)
    once = make_clusterer(name, n_clusters=4, n_jobs=1).fit(bags)
    given_distances = bag_distances(bags, KIND[name])
    for again in (
        make_clusterer(name, n_clusters=4, n_jobs=2).fit(bags),
        make_clusterer(name, n_clusters=4).fit(bags, distances=given_distances),
    ):
        np.testing.assert_array_equal(again.labels_, once.labels_)
        np.testing.assert_array_equal(again.strength_, once.strength_)


def test_sum_of_minimum_distances_may_be_divided_by_sizes() -> None:
    bags = random_bags(6)
    fitted = make_clusterer("pam-smd", n_clusters=3, normalize="cardinality").fit(bags)
    average = bag_distances(bags, "average")[np.ix_(fitted.medoids_, bags.sizes > 0)]
    assert fitted.cost_ == pytest.approx(average.min(axis=0).sum())
    np.testing.assert_array_equal(fitted.predict(bags), fitted.labels_)


@pytest.mark.parametrize("name", KIND)
def test_new_bags_go_to_the_nearest_medoid(name: str) -> None:
    fitted = make_clusterer(name, n_clusters=3).fit(one_instance_each(LINE))
    new = Bags([[-5.0], [0.5], [14], [19]], [3, 3, 0, 2], np.zeros((5, 0)))
    assert list(fitted.predict(new)) == [1, -1, 2, 0, -1]
    assert list(fitted.predict(Bags(np.zeros((0, 0)), [], np.zeros((2, 0))))) == [-1, -1]


@pytest.mark.parametrize("name", KIND)
class TestEdges:
    def test_one_group(self, name: str) -> None:
        fitted = make_clusterer(name, n_clusters=1).fit(one_instance_each(LINE))
        assert list(fitted.labels_) == [0] * 8
        assert list(fitted.medoids_) == [3]  # 10 and 11 are equally central: the lower number
        assert fitted.cost_ == 51

    def test_as_many_groups_as_bags(self, name: str) -> None:
        bags = Bags(LINE[:4], [4, 0, 2, 3], np.zeros((5, 0)))
        fitted = make_clusterer(name, n_clusters=4).fit(bags)
        assert list(fitted.labels_) == [0, -1, 1, 2, 3]
        assert fitted.cost_ == 0
        with pytest.raises(ClusteringError, match="at most 4 groups"):
            make_clusterer(name, n_clusters=5).fit(bags)

    def test_identical_bags(self, name: str) -> None:
        fitted = make_clusterer(name, n_clusters=3).fit(one_instance_each(np.ones((6, 2)) / 3))
        assert fitted.cost_ == 0
        assert sorted(set(fitted.labels_)) == [0, 1, 2]
        assert list(fitted.labels_[fitted.medoids_]) == [0, 1, 2]
        np.testing.assert_array_equal(fitted.strength_, 0.0)

    def test_constant_features_have_no_effect(self, name: str) -> None:
        bags, _ = blobs()
        constant = np.full((bags.n_instances, 3), 7.3)
        wide = Bags(np.hstack([bags.X, constant]), bags.bag, bags.labels)
        narrow = make_clusterer(name, n_clusters=3).fit(bags)
        fitted = make_clusterer(name, n_clusters=3).fit(wide)
        np.testing.assert_array_equal(fitted.labels_, narrow.labels_)
        np.testing.assert_allclose(fitted.strength_, narrow.strength_)

    def test_wrong_parameters_and_data_are_refused(self, name: str) -> None:
        bags = one_instance_each(LINE)
        wrong: list[tuple[str, Any]] = [("n_clusters", 0), ("random_state", -1), ("n_jobs", 0)]
        for parameter, value in wrong:
            with pytest.raises(ClusteringError, match=parameter):
                make_clusterer(name, **{"n_clusters": 2, parameter: value}).fit(bags)
        clusterer = make_clusterer(name, n_clusters=2)
        with pytest.raises(ClusteringError, match="call fit first"):
            clusterer.predict(bags)
        with pytest.raises(ClusteringError, match="have 2 features but those of the fit have 1"):
            clusterer.fit(bags).predict(one_instance_each(np.zeros((3, 2))))
        with pytest.raises(ClusteringError, match="8 rows and columns"):
            clusterer.fit(bags, distances=np.zeros((7, 7)))
        with pytest.raises(ClusteringError, match="must be finite"):
            clusterer.fit(bags, distances=np.full((8, 8), np.nan))
        with pytest.raises(ClusteringError, match="not finite: scale the features down"):
            clusterer.fit(one_instance_each(np.array([[-1.7e308], [1.7e308], [0.0]])))


def test_options_of_single_methods_are_checked() -> None:
    bags = one_instance_each(LINE)
    with pytest.raises(ClusteringError, match="n_init must be a whole number from 1"):
        make_clusterer("bamic-min", n_clusters=2, n_init=0).fit(bags)
    with pytest.raises(ClusteringError, match="normalize must be one of half, cardinality"):
        make_clusterer("pam-smd", n_clusters=2, normalize="size").fit(bags)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 100), st.sampled_from(sorted(KIND)))
def test_order_of_instances_does_not_matter(seed: int, name: str) -> None:
    bags = random_bags(seed)
    rows = np.random.default_rng(seed).permutation(bags.n_instances)
    once = make_clusterer(name, n_clusters=3, n_jobs=1).fit(bags)
    again = make_clusterer(name, n_clusters=3, n_jobs=1).fit(
        Bags(bags.X[rows], bags.bag[rows], bags.labels)
    )
    np.testing.assert_array_equal(again.labels_, once.labels_)
    np.testing.assert_allclose(again.strength_, once.strength_, rtol=1e-9, atol=1e-12)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 100), st.sampled_from(sorted(set(KIND) - set(BAMIC))))
def test_numbers_of_bags_only_number_the_groups_of_pam(seed: int, name: str) -> None:
    bags = random_bags(seed)
    renamed = np.random.default_rng(seed).permutation(bags.n_bags)
    once = make_clusterer(name, n_clusters=3, n_jobs=1).fit(bags)
    again = make_clusterer(name, n_clusters=3, n_jobs=1).fit(
        Bags(bags.X, renamed[bags.bag], bags.labels)
    )
    # Bags of one instance put pairs at exactly equal minimal distances, so only costs must agree.
    assert again.run_costs_.shape == (1,)
    if name != "pam-min-hausdorff":
        assert again.cost_ == pytest.approx(once.cost_)
        assert normalized_mutual_info(once.labels_, again.labels_[renamed]) == pytest.approx(1)
