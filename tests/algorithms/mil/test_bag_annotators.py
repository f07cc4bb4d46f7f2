from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from threadpoolctl import threadpool_limits

from algorithms import Bags
from algorithms.errors import BagsError, ClusteringError
from algorithms.mil.emdd import EMDD
from algorithms.mil.mi_kernel import MIKernel
from algorithms.mil.milboost import MILBoost
from algorithms.mil.miles import MILES
from algorithms.mil.mind import MInD
from algorithms.mil.misvm import MISVM
from algorithms.preprocessing import standardize

Array = npt.NDArray[np.float64]
Make = Callable[..., Bags]

ANNOTATORS = {
    "misvm": MISVM(),
    "miles": MILES(C=10.0),
    "milboost": MILBoost(n_rounds=15),
    "emdd": EMDD(max_starts=3),
    "mind": MInD(),
    "mi-kernel": MIKernel(),
}


@pytest.fixture(params=ANNOTATORS)
def annotator(request: pytest.FixtureRequest) -> Any:
    return clone(ANNOTATORS[request.param])


def with_labels(bags: Bags, labels: Any, labelled: Any = None) -> Bags:
    return Bags(bags.X, bags.bag, labels, labelled)


def bag_means(bags: Bags) -> Array:
    return np.array([bags.X[bags.bag == number].mean(axis=0) for number in range(bags.n_bags)])


def test_means_of_bags_do_not_tell_what_one_instance_does(witness_bags: Make) -> None:
    train, new = witness_bags(0, 200), witness_bags(1, 200)
    for number in range(2):
        means = LogisticRegression().fit(bag_means(train), train.labels[:, number])
        assert means.score(bag_means(new), new.labels[:, number]) < 0.6


@pytest.mark.parametrize("name", ["misvm", "miles", "milboost", "emdd", "mind"])
def test_one_telling_instance_among_others_is_found(witness_bags: Make, name: str) -> None:
    annotator = clone(ANNOTATORS[name]).fit(witness_bags(0))
    new = witness_bags(1, 200)
    right = annotator.predict(new) == new.labels
    assert right[:, 0].mean() > 0.9
    assert right[:, 1].mean() > 0.9


def test_extremes_of_bags_tell_the_minimax_kernel(witness_bags: Make) -> None:
    new = witness_bags(1, 200)
    right = MIKernel().fit(witness_bags(0)).predict(new) == new.labels
    assert right[:, 1].mean() > 0.95


def test_order_of_instances_and_numbers_of_bags_do_not_matter(
    annotator: Any, witness_bags: Make
) -> None:
    every_start = isinstance(annotator, EMDD)  # else the choice goes by the number of bags
    train, new = witness_bags(2, 10 if every_start else 40), witness_bags(3, 10)
    rng = np.random.default_rng(0)
    shuffled = rng.permutation(train.n_instances)
    number = rng.permutation(train.n_bags)
    moved = Bags(train.X[shuffled], number[train.bag[shuffled]], train.labels[np.argsort(number)])
    if every_start:
        annotator.set_params(n_start_bags=10, max_starts=1000, max_iter=1)
    expected = annotator.fit(train).decision_function(new)
    found = clone(annotator).fit(moved).decision_function(new)
    share = 0.05 if isinstance(annotator, MILES) else 0.01  # its solver goes by chance
    np.testing.assert_allclose(found, expected, atol=share * np.abs(expected).mean(), rtol=share)


def test_order_of_new_instances_and_bags_does_not_matter(
    annotator: Any, witness_bags: Make
) -> None:
    annotator.fit(witness_bags(2, 30))
    new = witness_bags(3, 10)
    mirrored = Bags(new.X[::-1], 9 - new.bag[::-1], new.labels[::-1])
    expected = annotator.decision_function(new)[::-1]
    np.testing.assert_allclose(annotator.decision_function(mirrored), expected, rtol=1e-9)


def test_same_seed_same_scores_on_any_number_of_threads(annotator: Any, witness_bags: Make) -> None:
    train, new = witness_bags(2, 30), witness_bags(3, 10)
    scores = []
    for n_threads in (1, 2):
        with threadpool_limits(limits=n_threads):
            scores.append(clone(annotator).fit(train).decision_function(new))
    np.testing.assert_array_equal(*scores)


def test_a_class_is_learnt_from_its_own_labels_alone(annotator: Any, witness_bags: Make) -> None:
    train, new = witness_bags(2, 30), witness_bags(3, 10)
    other = train.labels.copy()
    other[:, 1] = np.random.default_rng(0).permutation(other[:, 1])
    expected = annotator.fit(train).decision_function(new)
    found = clone(annotator).fit(with_labels(train, other)).decision_function(new)
    np.testing.assert_array_equal(found[:, 0], expected[:, 0])
    assert not np.array_equal(found[:, 1], expected[:, 1])


def test_classes_that_no_bag_or_every_bag_has_get_a_constant_score(
    annotator: Any, witness_bags: Make
) -> None:
    train, new = witness_bags(2, 30), witness_bags(3, 5)
    labels = np.column_stack([np.zeros(30), train.labels[:, 0], np.ones(30)])
    annotator.fit(with_labels(train, labels))
    scores, predicted = annotator.decision_function(new), annotator.predict(new)
    assert annotator.learnt_.tolist() == [1]
    assert (scores[:, 0] == -np.inf).all()
    assert np.isfinite(scores[:, 1]).all()
    assert (scores[:, 2] == np.inf).all()
    assert not predicted[:, 0].any()
    assert predicted[:, 2].all()


def test_nothing_to_learn_at_all_is_no_error(annotator: Any) -> None:
    scores = annotator.fit(Bags([[0.0], [1.0]], [0, 1], [[1, 0], [1, 0]])).decision_function(
        Bags([[3.0]], [0], [[0, 0]])
    )
    assert scores.tolist() == [[np.inf, -np.inf]]


def test_unlabelled_bags_and_bags_without_instances_teach_nothing(
    annotator: Any, witness_bags: Make
) -> None:
    train, new = witness_bags(2, 30), witness_bags(3, 5)
    expected = annotator.fit(train).decision_function(new)
    more = Bags(
        np.vstack([train.X, [[9.0, 9.0]]]),
        np.append(train.bag, 30),
        np.vstack([train.labels, [[0, 0], [1, 1]]]),
        np.append(np.ones(30), [0, 1]),
    )
    np.testing.assert_array_equal(clone(annotator).fit(more).decision_function(new), expected)


def test_new_bags_without_instances_get_the_lowest_score(
    annotator: Any, witness_bags: Make
) -> None:
    train = witness_bags(2, 30)
    labels = np.column_stack([train.labels, np.ones(30)])
    annotator.fit(with_labels(train, labels))
    new = Bags([[0.0, 0.0]], [1], np.zeros((3, 3)))
    scores = annotator.decision_function(new)
    assert (scores[[0, 2]] == -np.inf).all()
    assert (scores[1] > -np.inf).all()
    assert not annotator.predict(new)[[0, 2]].any()
    nobody = Bags(np.zeros((0, 2)), [], np.zeros((2, 3)))
    assert (annotator.decision_function(nobody) == -np.inf).all()


def test_labels_of_new_bags_play_no_part(annotator: Any, witness_bags: Make) -> None:
    annotator.fit(witness_bags(2, 30))
    new = witness_bags(3, 5)
    expected = annotator.decision_function(new)
    unknown = with_labels(new, np.zeros((5, 0)))
    np.testing.assert_array_equal(annotator.decision_function(unknown), expected)


def test_bags_of_one_instance_and_constant_features_are_learnt(annotator: Any) -> None:
    X = np.column_stack([np.linspace(-2, 2, 20), np.full(20, 7.0)])
    bags = Bags(X, np.arange(20), (X[:, :1] > 0.9) | (X[:, :1] < -1.5))
    scores = annotator.fit(bags).decision_function(bags)
    assert np.isfinite(scores).all()


def test_fitted_to_nothing_or_not_at_all_is_told(annotator: Any, witness_bags: Make) -> None:
    bags = witness_bags(2, 5)
    with pytest.raises(ClusteringError, match="call fit first"):
        annotator.decision_function(bags)
    unlabelled = with_labels(bags, np.zeros((5, 2)), np.zeros(5))
    for nothing in (unlabelled, Bags(np.zeros((0, 2)), [], [[1, 0]])):
        with pytest.raises(ClusteringError, match="no labelled bags with instances"):
            annotator.fit(nothing)
    with pytest.raises(ClusteringError, match="the new bags have 1 features"):
        annotator.fit(bags).predict(Bags([[0.0]], [0], [[0, 0]]))


@pytest.mark.parametrize(
    ("annotator", "said"),
    [
        (MISVM(random_state=-1), "random_state"),
        (MISVM(C=0), "C must be"),
        (MISVM(kernel="poly"), "kernel must be"),  # type: ignore[arg-type]
        (MISVM(n_landmarks=0), "n_landmarks"),
        (MISVM(max_iter=0), "max_iter"),
        (MISVM(gamma=-1.0), "gamma"),
        (MILES(C=-1), "C must be"),
        (MILES(gamma=0), "gamma"),
        (MILES(n_prototypes=1.5), "n_prototypes"),  # type: ignore[arg-type]
        (MILBoost(n_rounds=0), "n_rounds"),
        (MILBoost(max_depth=0), "max_depth"),
        (EMDD(n_start_bags=0), "n_start_bags"),
        (EMDD(max_starts=0), "max_starts"),
        (EMDD(scale=0.0), "scale"),
        (EMDD(max_iter=0), "max_iter"),
        (MInD(C=np.inf), "C must be"),
        (MInD(dissimilarity="min"), "dissimilarity must be"),  # type: ignore[arg-type]
        (MIKernel(C=0), "C must be"),
        (MIKernel(degree=0), "degree"),
        (MIKernel(gamma=-1), "gamma"),
    ],
)
def test_parameters_out_of_range_are_named(annotator: Any, said: str, witness_bags: Make) -> None:
    with pytest.raises(ClusteringError, match=said) as told:
        annotator.fit(witness_bags(2, 5))
    assert "\n" not in str(told.value)
    assert not isinstance(told.value, BagsError)


@pytest.mark.parametrize(
    ("name", "at_least"),
    [("misvm", 0.7), ("miles", 0.7), ("mind", 0.7), ("mi-kernel", 0.75)],
)
def test_musk1_is_told_far_above_chance(name: str, at_least: float, shared: Path) -> None:
    data = np.load(shared / "datasets" / "musk1" / "dataset.npz")
    X, bag = standardize(data["X"]), data["bag"]
    labels = data["bag_labels"][:, data["class_names"] == "musk"].astype(bool)
    right = np.zeros(len(labels), dtype=bool)
    folds = StratifiedKFold(5, shuffle=True, random_state=0).split(labels, labels[:, 0])
    for train, test in folds:
        labelled = np.isin(np.arange(len(labels)), train)
        bags = Bags(X, bag, labels & labelled[:, None], labelled)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            predicted = clone(ANNOTATORS[name]).fit(bags).predict(bags)
        right[test] = (predicted == labels)[test, 0]
    assert right.mean() > at_least
