from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import KMeans

from algorithms import Bags, make_clusterer
from algorithms.errors import ClusteringError, ClusteringWarning
from algorithms.metric.mimlca import MIMLCA
from algorithms.metric.mlca import MLCA
from algorithms.metrics import purity

X = np.array([[1, 0], [0.1, 1.2], [1.1, 0.2], [0.9, -0.1], [-1, 0.3], [0, 0.9], [-0.9, 0.1]])
WORKED = Bags(X, [0, 0, 1, 1, 1, 2, 3], [[1, 1, 0], [1, 0, 1], [0, 1, 0], [0, 1, 1]])
NEW = [[0.8, 0.1], [0.1, 0.8], [-0.7, 0.3]]

Maker = Callable[..., tuple[Bags, npt.NDArray[np.int64]]]


def random_bags(seed: int, n_bags: int = 12, n_classes: int = 4) -> Bags:
    rng = np.random.default_rng(seed)
    bag = rng.integers(0, n_bags, 60)
    labels = rng.random((n_bags, n_classes)) < 0.5
    labels[bag[0], 0] = True
    return Bags(rng.standard_normal((60, 5)) * [1, 1, 2, 5, 0.1], bag, labels)


def test_the_worked_example() -> None:
    learner = MIMLCA().fit(WORKED)
    # in bag 1 the pairs (2, 0) and (3, 2) cost .274569, less than (2, 0) and (4, 2): .325628
    assert learner.assigned_.tolist() == [0, 1, 0, 2, -1, 1, 2]
    assert learner.objective_path_[0] == pytest.approx(0.789212, abs=1e-6)
    assert len(learner.objective_path_) == 2
    L = learner.components_
    np.testing.assert_allclose(L, [[0.385260, -0.008394, 0], [0.034537, 0.643406, 0]], atol=1e-6)
    M = [[0.148496, 0.007905], [0.007905, 0.415164]]
    np.testing.assert_allclose(L @ L.T, M, atol=1e-6)
    np.testing.assert_allclose(learner.transform(NEW), np.array(NEW) @ L, atol=1e-12)


@pytest.mark.parametrize(
    ("rule", "alpha", "expected"),
    [
        ("nearest", 0.5, [0, 1, 2]),
        ("penalised", 0.0, [0, 1, 1]),
        ("penalised", 0.25, [0, 1, 1]),
        ("penalised", 0.5, [0, 1, 2]),
    ],
)
def test_rules_on_the_worked_example(rule: Any, alpha: float, expected: list[int]) -> None:
    learner = MIMLCA(rule=rule, alpha=alpha).fit(WORKED)
    assert learner.predict(NEW).tolist() == expected
    assert learner.class_scores(NEW).argmax(axis=1).tolist() == expected


def test_the_metric_is_the_closed_form_of_the_examples() -> None:
    bags = random_bags(0)
    learner = MIMLCA().fit(bags)
    examples = learner.assigned_ >= 0
    H = np.eye(4)[learner.assigned_[examples]]
    pinv = np.linalg.pinv(bags.X[examples])
    expected = pinv @ H @ np.linalg.pinv(H) @ pinv.T  # M = X^+ H H^+ (X^+)'
    L = learner.components_
    np.testing.assert_allclose(L @ L.T, expected, rtol=1e-8)


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([1, 2, 3, None]),
    st.sampled_from(["candidates", "random"]),
)
def test_the_objective_never_rises_and_examples_have_labels_of_their_bags(
    seed: int, limit: int | None, init: Any
) -> None:
    bags = random_bags(seed)
    learner = MIMLCA(max_per_label=limit, init=init, n_init=2, random_state=1).fit(bags)
    path = learner.objective_path_
    assert (np.diff(path) <= 1e-9 * path[0]).all()
    examples = np.flatnonzero(learner.assigned_ >= 0)
    assert bags.labels[bags.bag[examples], learner.assigned_[examples]].all()
    for m in range(bags.n_bags):
        counts = np.bincount(learner.assigned_[(bags.bag == m) & (learner.assigned_ >= 0)])
        room = bags.sizes[m] if limit is None else limit
        assert counts.max(initial=0) <= room
        assert counts.sum() == min(bags.sizes[m], room * bags.labels[m].sum())


def test_the_last_objective_is_that_of_the_paper() -> None:
    bags = random_bags(5)
    learner = MIMLCA(max_per_label=2).fit(bags)
    U = np.linalg.svd(bags.X, full_matrices=False)[0]
    examples = np.flatnonzero(learner.assigned_ >= 0)
    H = np.eye(4)[learner.assigned_[examples]]
    residual = U[examples] - H @ np.linalg.pinv(H) @ U[examples]
    assert learner.objective_path_[-1] == pytest.approx((residual**2).sum(), rel=1e-9)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_order_of_instances_and_numbers_of_bags_do_not_matter(seed: int) -> None:
    bags = random_bags(7)
    rng = np.random.default_rng(seed)
    order, number = rng.permutation(60), rng.permutation(bags.n_bags)
    labels = np.empty_like(bags.labels)
    labels[number] = bags.labels
    other = MIMLCA().fit(Bags(bags.X[order], number[bags.bag[order]], labels))
    learner = MIMLCA().fit(bags)
    np.testing.assert_array_equal(other.labels_, learner.labels_[order])
    np.testing.assert_allclose(other.components_, learner.components_, atol=1e-9)


def test_the_scale_of_features_does_not_change_who_is_an_example() -> None:
    bags = random_bags(9)
    scaled = Bags(bags.X * [1e-3, 7.0, 1.0, 1e4, 3.0], bags.bag, bags.labels)
    found, expected = MIMLCA().fit(scaled), MIMLCA().fit(bags)
    np.testing.assert_array_equal(found.assigned_, expected.assigned_)
    np.testing.assert_allclose(found.transform(scaled.X), expected.transform(bags.X), atol=1e-9)


def test_the_best_of_several_starts_is_kept_and_more_do_not_change_the_earlier(
    blob_bags: Maker,
) -> None:
    bags, _ = blob_bags(n_classes=5, spread=2.0)
    few = MIMLCA(init="random", n_init=3, random_state=4).fit(bags)
    many = MIMLCA(init="random", n_init=8, random_state=4).fit(bags)
    np.testing.assert_array_equal(many.start_objectives_[:3], few.start_objectives_)
    assert many.objective_path_[-1] == many.start_objectives_.min()
    assert len(set(many.start_objectives_.round(9))) > 1
    again = MIMLCA(init="random", n_init=8, random_state=4).fit(bags)
    np.testing.assert_array_equal(again.components_, many.components_)
    other = MIMLCA(n_init=2, random_state=4).fit(bags)
    assert other.start_objectives_[0] == MIMLCA().fit(bags).start_objectives_[0]


def test_running_out_of_iterations_is_told() -> None:
    with pytest.warns(ClusteringWarning, match="still changed after 1 iterations"):
        MIMLCA(max_iter=1).fit(WORKED)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        MIMLCA().fit(WORKED)


def test_instances_that_are_no_examples(blob_bags: Maker) -> None:
    left = MIMLCA(unassigned="none").fit(WORKED)
    assert left.labels_.tolist() == [0, 1, 0, 2, -1, 1, 2]
    nearest = MIMLCA().fit(WORKED)
    L, means = nearest.transform(X), nearest.class_means_
    distance = ((L[4] - means) ** 2).sum(axis=1)
    distance[1] = np.inf  # not a label of its bag
    assert nearest.labels_[4] == distance.argmin()
    np.testing.assert_array_equal(
        nearest.labels_[left.labels_ >= 0], left.labels_[[0, 1, 2, 3, 5, 6]]
    )
    bags, truth = blob_bags()
    found = MIMLCA().fit(bags)
    assert (found.assigned_ < 0).any()
    assert (found.labels_ == truth).mean() > 0.95


def test_bags_without_labels_and_of_no_class(blob_bags: Maker) -> None:
    bags, truth = blob_bags(unlabelled=0.3)
    labels, labelled = bags.labels.copy(), bags.labelled.copy()
    noise = int(np.flatnonzero(~labelled)[0])
    labelled[noise] = True  # known to hold no class
    bags = Bags(bags.X, bags.bag, labels, labelled)
    learner = MIMLCA().fit(bags)
    unlabelled = ~labelled[bags.bag]
    assert (learner.assigned_[unlabelled] == -1).all()
    assert (learner.labels_[unlabelled] == truth[unlabelled]).mean() > 0.95
    assert (learner.labels_[bags.bag == noise] == -1).all()
    assert (learner.posterior_[bags.bag == noise] == 0).all()


def test_a_class_that_no_bag_has_is_never_given() -> None:
    labels = np.hstack([WORKED.labels, np.zeros((4, 1), dtype=bool)])
    learner = MIMLCA(rule="nearest").fit(Bags(X, WORKED.bag, labels))
    assert learner.competes_.tolist() == [True, True, True, False]
    assert (learner.components_[:, 3] == 0).all()
    assert set(learner.predict(np.random.default_rng(0).standard_normal((50, 2)))) == {0, 1, 2}
    assert learner.predict(NEW, [[0, 0, 0, 1]] * 3).tolist() == [-1, -1, -1]
    assert (learner.class_probabilities(NEW)[:, 3] == 0).all()


def test_a_class_may_be_left_without_examples() -> None:
    # one instance, two labels: only one of them can get it
    learner = MIMLCA().fit(Bags([[1.0, 0.0], [0.0, 1.0]], [0, 1], [[1, 1], [1, 0]]))
    assert (learner.assigned_ >= 0).all()
    assert np.isfinite(learner.components_).all()
    assert learner.competes_.sum() == len(set(learner.assigned_.tolist()))


def test_probabilities_of_instances_given_their_bags(blob_bags: Maker) -> None:
    bags, truth = blob_bags()
    learner = MIMLCA(max_per_label=None).fit(bags)
    np.testing.assert_allclose(learner.posterior_.sum(axis=1), 1.0)
    assert (learner.posterior_[~bags.labels[bags.bag]] == 0).all()
    assert (learner.posterior_.argmax(axis=1) == truth).mean() > 0.95
    free = learner.class_probabilities(bags.X)
    assert (free.argmax(axis=1) == truth).mean() > 0.95
    given_labels = learner.class_probabilities(bags.X, bags.labels[bags.bag])
    np.testing.assert_allclose(given_labels, learner.posterior_, atol=1e-12)


def test_as_many_clusters_as_classes_are_the_classes(blob_bags: Maker) -> None:
    bags, truth = blob_bags()
    plain = make_clusterer("mimlca").fit(bags)
    three = make_clusterer("mimlca", n_clusters=3).fit(bags)
    np.testing.assert_array_equal(plain.labels_, three.labels_)
    assert isinstance(three, MIMLCA)
    assert three.class_of_cluster_.tolist() == [0, 1, 2, -1]
    np.testing.assert_array_equal(three.predict(bags), plain.labels_)
    assert purity(truth, plain.labels_) > 0.95


def two_modes_each(n_bags: int = 30) -> tuple[Bags, npt.NDArray[np.int64]]:
    """Two classes of two far modes each; every bag has both modes of its classes."""
    rng = np.random.default_rng(0)
    labels = np.array([[1, 0], [0, 1], [1, 1]])[np.arange(n_bags) % 3]
    rows, bag, mode = [], [], []
    for m in range(n_bags):
        for number in np.flatnonzero(np.repeat(labels[m], 2)):
            rows.append(6.0 * np.eye(4)[number] + 0.3 * rng.standard_normal(4))
            bag.append(m)
            mode.append(number)
    return Bags(np.array(rows), bag, labels), np.array(mode)


@pytest.mark.parametrize("counts", [{"n_clusters": 4}, {"clusters_per_class": [2, 2]}])
def test_more_clusters_than_classes_are_modes_within_each(counts: dict[str, Any]) -> None:
    bags, mode = two_modes_each()
    learner = MIMLCA(max_per_label=None, **counts).fit(bags)
    assert purity(mode, learner.labels_) == 1.0
    assert learner.class_of_cluster_.tolist() == [0, 0, 1, 1, -1]
    np.testing.assert_array_equal(learner.class_of_cluster_[learner.labels_], mode // 2)
    np.testing.assert_array_equal(learner.predict(bags), learner.labels_)


def test_modes_are_those_of_k_means_on_the_features_of_the_class() -> None:
    bags, _ = two_modes_each()
    learner = MIMLCA(max_per_label=None, clusters_per_class=[2, 1]).fit(bags)
    own = learner.class_of_cluster_[learner.labels_] == 0
    expected = KMeans(2, n_init=20, random_state=0).fit(bags.X[own])
    found = sum(
        ((bags.X[members] - bags.X[members].mean(axis=0)) ** 2).sum()
        for members in (learner.labels_ == number for number in range(2))
    )
    assert found == pytest.approx(expected.inertia_, rel=1e-6)


def test_the_seed_decides_how_a_class_is_split() -> None:
    rng = np.random.default_rng(0)
    bags = Bags(rng.random((200, 2)), np.arange(200) // 4, np.ones((50, 1)))
    one, same, other = (
        MIMLCA(n_clusters=12, random_state=seed).fit(bags).labels_ for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(one, same)
    assert (one != other).any()


def test_instances_of_no_class_are_in_no_cluster() -> None:
    bags, _ = two_modes_each()
    learner = MIMLCA(max_per_label=1, unassigned="none", n_clusters=3).fit(bags)
    np.testing.assert_array_equal(learner.labels_ >= 0, learner.assigned_ >= 0)
    assert learner.class_of_cluster_[-1] == -1
    assert set(learner.labels_.tolist()) == {-1, 0, 1, 2}


def test_as_many_clusters_as_asked_for_where_classes_are_absent() -> None:
    rng = np.random.default_rng(0)
    labels = np.zeros((40, 13), dtype=np.bool_)
    labels[np.arange(40), np.arange(40) % 7] = True
    bags = Bags(rng.standard_normal((160, 3)), np.arange(160) // 4, labels)
    learner = MIMLCA(n_clusters=13, max_per_label=None).fit(bags)
    assert sorted(set(learner.labels_.tolist())) == list(range(13))
    assert set(learner.class_of_cluster_[:-1].tolist()) == set(range(7))
    np.testing.assert_array_equal(MIMLCA().fit(bags).class_of_cluster_[:13], np.arange(13))


def test_after_more_rounds_the_metric_is_still_that_of_the_examples(blob_bags: Maker) -> None:
    bags, _ = blob_bags(spread=2.0)
    learner = MIMLCA(max_per_label=None, rounds=5).fit(bags)
    assert bags.labels[bags.bag, learner.labels_].all()
    expected = MLCA().fit(bags, learner.assigned_)
    np.testing.assert_allclose(learner.components_, expected.components_, atol=1e-12)


def test_a_round_goes_to_the_nearest_means_of_the_learned_space() -> None:
    """Two bags of one label each and one of both: with no limit the last goes by the means."""
    X = np.array([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0], [0.1, 0.8], [1.0, 0.2], [0.1, 0.9]])
    bags = Bags(X, [0, 0, 1, 1, 2, 2], [[1, 0], [0, 1], [1, 1]])
    learner = MIMLCA(max_per_label=None, rounds=3).fit(bags)
    assert learner.assigned_.tolist() == [0, 0, 1, 1, 0, 1]


def test_directions_for_all_instances_tell_k_means_nothing() -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((6, 8))
    bags = Bags(X, [0, 0, 1, 1, 2, 2], [[1, 1], [1, 1], [1, 1]])
    with pytest.warns(ClusteringWarning, match="6 directions for 6 different instances"):
        learner = MIMLCA(n_init=20).fit(bags)
    # Three instances of each label whatever the assignment is: 6 less 2 classes.
    np.testing.assert_allclose(learner.start_objectives_, 4.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        MIMLCA(variance=0.9).fit(bags)


def test_fewer_distinct_instances_than_clusters_are_told() -> None:
    bags = Bags([[0.0, 1.0], [0.0, 1.0], [1.0, 0.0]], [0, 0, 1], [[1, 0], [0, 1]])
    with pytest.warns(ClusteringWarning, match="only 2 of 4 clusters"):
        MIMLCA(n_clusters=4).fit(bags)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_clusters": 1}, "below the 3 classes that have instances"),
        ({"n_clusters": 0}, "n_clusters must be a whole number from 1"),
        ({"clusters_per_class": [1, 2]}, "each of the 3 classes"),
        ({"clusters_per_class": [1, 2, 0]}, "clusters_per_class must be a whole number from 1"),
        ({"max_per_label": 0}, "max_per_label must be a whole number from 1"),
        ({"init": "mean"}, "init must be one of candidates, random"),
        ({"n_init": 0}, "n_init must be"),
        ({"max_iter": 0}, "max_iter must be"),
        ({"rounds": -1}, "rounds must be a whole number from 0"),
        ({"random_state": -1}, "random_state must be"),
        ({"unassigned": "far"}, "unassigned must be one of nearest, none"),
        ({"rule": "16"}, "rule must be one of"),
        ({"rcond": 2}, "rcond must be below 1"),
    ],
)
def test_impossible_requests(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ClusteringError, match=message):
        MIMLCA(**parameters).fit(WORKED)


def test_without_labels_there_is_nothing_to_learn_from() -> None:
    with pytest.raises(ClusteringError, match="label some bags"):
        MIMLCA().fit(Bags(X, WORKED.bag, np.zeros((4, 3)), np.zeros(4)))
    with pytest.raises(ClusteringError, match="no instances to learn"):
        MIMLCA().fit(Bags(np.zeros((0, 2)), [], [[True]]))
    with pytest.raises(ClusteringError, match="call fit first"):
        MIMLCA().predict(NEW)


def test_more_instances_of_a_label_name_more_syllables_of_birds(hja: Any) -> None:
    """What docs/methods.md reports of HJA: without a limit 87 % of the syllables are right."""
    bags, truth = hja.bags, hja.truth
    known = truth >= 0
    paper, birds = (MIMLCA(max_per_label=limit).fit(bags).labels_ for limit in (1, None))
    assert (paper == truth)[known].mean() == pytest.approx(0.77, abs=0.02)
    assert (birds == truth)[known].mean() == pytest.approx(0.87, abs=0.02)
    more = MIMLCA(max_per_label=None, rounds=5).fit(bags).labels_
    assert (more == truth)[known].mean() > (birds == truth)[known].mean() + 0.018


def test_a_class_without_examples_is_nobodys_nearest() -> None:
    # both centres are the same, and ties go to the first label; the mean of nothing is at 0
    bags = Bags([[5.0], [10.0], [0.1]], [0, 1, 2], [[1, 1], [1, 1], [0, 0]], [True, True, False])
    learner = MIMLCA().fit(bags)
    assert learner.competes_.tolist() == [True, False]
    assert learner.labels_.tolist() == [0, 0, 0]
    assert learner.posterior_[2].tolist() == [1, 0]
