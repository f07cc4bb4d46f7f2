"""The table of learners, the sample that kernels learn from, and the features of a fold."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.preprocessing import StandardScaler

from algorithms.bags import Bags
from algorithms.disambiguation.list_baselines import kmeans_with_list
from algorithms.errors import ClusteringError
from algorithms.metric.mlca import MLCA
from birdmodes.experiments.work.folds import can_be_shares, prepared
from birdmodes.experiments.work.learners import LEARNERS, classes_of_ldc, sample_bags


def some_bags(seed: int, n_bags: int = 12, n: int = 40) -> Bags:
    rng = np.random.default_rng(seed)
    return Bags(
        rng.standard_normal((n, 3)) + np.arange(n)[:, None],
        rng.integers(0, n_bags, n),
        rng.random((n_bags, 4)) < 0.5,
        class_names=["a", "b", "c", "d"],
    )


@pytest.mark.parametrize("name", list(LEARNERS))
def test_every_learner_learns_and_maps(name: str) -> None:
    learner = LEARNERS[name]
    bags = some_bags(1)
    if learner.features == "shares":
        bags = prepared(_positive(bags), _positive(bags), "shares")[0]
    truth = bags.labels[bags.bag].argmax(axis=1)
    fitted = learner.fit(bags, truth, 0)
    assert fitted.transform(bags.X).shape[0] == bags.n_instances
    assert hasattr(fitted, "class_scores") == (learner.class_model == "axes")
    assert hasattr(fitted, "centres_") or learner.class_model != "centres"
    assert hasattr(fitted, "bag_scores") == (learner.class_model == "bag scores")


def test_options_and_seed_reach_the_learner() -> None:
    parameters = LEARNERS["mimlca-rbf-ridge-no-limit"].make(7).get_params()
    assert (parameters["kernel"], parameters["ridge"]) == ("rbf", 0.1)
    assert parameters["max_per_label"] is None
    assert parameters["random_state"] == 7
    assert LEARNERS["mimlca-chi2"].make().get_params()["gamma"] == 1.0
    assert LEARNERS["mimlca"].make().get_params()["max_per_label"] == 1


def test_mlca_wants_classes_of_instances() -> None:
    with pytest.raises(ClusteringError, match="mlca learns from the classes of instances"):
        LEARNERS["mlca"].fit(some_bags(0), None)


def test_learners_from_bags_do_not_look_at_classes() -> None:
    bags = some_bags(2)
    wrong = np.zeros(bags.n_instances, dtype=np.int64)
    one = LEARNERS["mimlca"].fit(bags, None, 0)
    other = LEARNERS["mimlca"].fit(bags, wrong, 0)
    np.testing.assert_array_equal(one.components_, other.components_)


def test_mlca_learns_from_the_classes_that_a_baseline_of_the_list_finds() -> None:
    bags = some_bags(2)
    truth = np.zeros(bags.n_instances, dtype=np.int64)
    fitted = LEARNERS["mlca-kmeans-with-list"].fit(bags, truth, 3)
    expected = MLCA().fit(bags, kmeans_with_list(bags, 3))
    np.testing.assert_array_equal(fitted.components_, expected.components_)
    # ldc leaves instances of bags that hold no class without one.
    classes = classes_of_ldc(bags, 0)
    empty = ~bags.labels[bags.bag].any(axis=1)
    np.testing.assert_array_equal(classes == -1, empty & bags.labelled[bags.bag])


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 1000), st.integers(1, 45))
def test_a_sample_is_whole_bags_in_their_order(seed: int, most: int) -> None:
    bags = some_bags(seed)
    sample = sample_bags(bags, most, seed)
    if most >= bags.n_instances:
        assert sample is bags
        return
    sizes = bags.sizes[bags.sizes > 0]
    assert sample.n_instances <= max(most, sizes.max())
    assert (sample.sizes > 0).all()
    # No two instances are equal, so each can be found again.
    at = [int(np.flatnonzero((row == bags.X).all(axis=1))[0]) for row in sample.X]
    assert at == sorted(at)
    for row, number in zip(at, sample.bag, strict=True):
        np.testing.assert_array_equal(bags.labels[bags.bag[row]], sample.labels[number])
    chosen = np.unique(bags.bag[at])
    assert len(chosen) == sample.n_bags
    assert bags.sizes[chosen].sum() == sample.n_instances


def test_a_sample_stops_before_the_bag_that_is_too_much() -> None:
    bags = Bags(np.zeros((6, 1)), [0, 0, 1, 1, 2, 2], np.ones((3, 1)))
    assert sample_bags(bags, 5, 0).n_bags == 2
    assert sample_bags(bags, 1, 0).n_bags == 1


def test_samples_depend_on_the_seed_alone() -> None:
    bags = some_bags(3)
    samples = [sample_bags(bags, 15, seed).X.tobytes() for seed in (0, 0, 1, 2, 3)]
    assert samples[0] == samples[1]
    assert len(set(samples)) > 1


def test_features_are_standardised_by_the_training_bags() -> None:
    train, test = some_bags(4), some_bags(5)
    one, other = prepared(train, test, "standardized")
    scaler = StandardScaler().fit(train.X)
    np.testing.assert_allclose(one.X, scaler.transform(train.X))
    np.testing.assert_allclose(other.X, scaler.transform(test.X))
    np.testing.assert_array_equal(other.labels, test.labels)


def test_a_feature_that_does_not_vary_in_training_becomes_zero() -> None:
    train = Bags([[1.0, 0.1], [3.0, 0.1], [5.0, 0.1]], [0, 0, 0], [[True]])
    test = Bags([[3.0, 9.0]], [0], [[True]])
    np.testing.assert_array_equal(prepared(train, test, "standardized")[1].X, [[0.0, 0.0]])


def test_shares_sum_to_one_and_nothing_stays_nothing() -> None:
    train = Bags([[1.0, 3.0], [0.0, 0.0]], [0, 0], [[True]])
    test = Bags([[2.0, 2.0]], [0], [[True]])
    one, other = prepared(train, test, "shares")
    np.testing.assert_array_equal(one.X, [[0.25, 0.75], [0.0, 0.0]])
    np.testing.assert_array_equal(other.X, [[0.5, 0.5]])


def test_negative_features_have_no_shares() -> None:
    bags = Bags([[1.0, -1.0]], [0], [[True]])
    assert not can_be_shares(bags.X)
    with pytest.raises(ClusteringError, match="some are negative"):
        prepared(bags, bags, "shares")


def _positive(bags: Bags) -> Bags:
    return Bags(np.abs(bags.X), bags.bag, bags.labels, class_names=bags.class_names)
