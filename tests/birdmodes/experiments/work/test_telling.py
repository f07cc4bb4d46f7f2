"""One fold of the experiment, by hand and by independent computations."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from algorithms.bags import Bags
from algorithms.folds import make_folds
from birdmodes.experiments.data import Data
from birdmodes.experiments.papers.law import INSTANCE_ACCURACY
from birdmodes.experiments.work import telling
from birdmodes.experiments.work.folds import Split, split_at, without_labels
from birdmodes.experiments.work.learners import LEARNERS
from birdmodes.experiments.work.telling import (
    CHOSEN,
    ENTRANTS,
    INNER_FOLDS,
    MAJORITY,
    chosen_alpha,
    evaluate_fold,
    frequency_rows,
    measures,
    shares_in_label_sets,
)
from birdmodes.experiments.work.ways import ALPHAS

Row = dict[str, Any]
SETTINGS = INSTANCE_ACCURACY.setting_columns[2:]


def hand_split() -> Split:
    """Two classes left and right of 0, a third that training bags do not have.

    The training features have mean 0 and standard deviation 1 as they are.
    """
    train = Bags(
        [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]],
        [0, 1, 2, 3],
        [[1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 1, 0]],
    )
    X = [[0.5, 3.0]] * 4 + [[-0.5, -2.0]] * 2 + [[-2.0, 0.0]] * 5 + [[2.0, 0.0]]
    bag = [0] * 6 + [1] * 5 + [2]
    return Split(
        train=train,
        test=without_labels(Bags(X, bag, np.eye(3))),
        test_labels=np.eye(3, dtype=np.bool_),
        train_truth=np.array([0, 0, 1, 1]),
        test_truth=np.array(bag),
    )


def random_problem(seed: int = 0) -> Data:
    """Bags of two to four instances of a few overlapping classes."""
    rng = np.random.default_rng(seed)
    bag = np.repeat(np.arange(30), rng.integers(2, 5, 30))
    truth = rng.choice(3, len(bag), p=[0.55, 0.3, 0.15])
    X = 1.5 * np.eye(3, 5)[truth] + rng.standard_normal((len(bag), 5))
    labels = np.zeros((30, 3), dtype=np.bool_)
    labels[bag, truth] = True
    return Data("blobs", Bags(X, bag, labels), truth)


def random_split(seed: int = 0) -> Split:
    return split_at(random_problem(seed), np.arange(30) % 3 == 0)


def only(rows: list[Row], **wanted: Any) -> Row:
    found = [row for row in rows if all(row[name] == value for name, value in wanted.items())]
    assert len(found) == 1
    return found[0]


def without_times(rows: list[Row]) -> list[Row]:
    return [{k: v for k, v in row.items() if "seconds" not in k} for row in rows]


@pytest.mark.parametrize(
    ("learner", "wanted"),
    [
        ("euclidean", {"told": "instances", "means": "instances", "rule": "15"}),
        ("euclidean", {"told": "bags", "means": "no limit", "rule": "15"}),
        ("mlca", {"told": "instances", "means": "own", "rule": "15"}),
        ("mimlca", {"told": "bags", "means": "own", "rule": "15"}),
        ("mimlca", {"told": "bags", "means": "own", "rule": "16", "alpha": 1.2}),
        ("mimlca", {"told": "both", "means": "instances", "rule": "15"}),
        ("miml", {"told": "bags", "means": "own", "rule": "15"}),
        ("mc2b", {"told": "bags", "means": "own", "rule": "class-to-bag"}),
    ],
)
def test_worked_fold(learner: str, wanted: Row) -> None:
    # All of them tell left from right here: of the six instances of class 0 four are right, of
    # the five of class 1 all, and that of class 2 cannot be.
    rows = list(evaluate_fold(hand_split(), LEARNERS[learner], 0))
    free = only(rows, candidates="all", **wanted)
    assert free["accuracy"] == pytest.approx((4 / 6 + 1) / 2)
    assert free["precision"] == pytest.approx(9 / 11)
    assert free["accuracy_all"] == pytest.approx((4 / 6 + 1 + 0) / 3)
    assert free["share_right"] == pytest.approx(9 / 12)
    # Told the label set, only class 2 is without a name.
    told = only(rows, candidates="bag", **wanted)
    assert (told["accuracy"], told["precision"]) == (1.0, 1.0)
    assert told["accuracy_all"] == pytest.approx(2 / 3)
    assert told["share_right"] == pytest.approx(11 / 12)


def test_majority_names_the_most_frequent() -> None:
    split = hand_split()
    # Instance classes say 1, label sets 0.
    split = replace(
        split,
        train=Bags(split.train.X, [0, 1, 2, 2], [[1, 0, 0], [1, 0, 0], [0, 1, 0]]),
        train_truth=np.array([0, 1, 1, -1]),
    )
    rows = list(frequency_rows(split))
    assert only(rows, told="bags", candidates="all")["share_right"] == pytest.approx(6 / 12)
    assert only(rows, told="instances", candidates="all")["share_right"] == pytest.approx(5 / 12)
    # No training bag has the label of the last instance, so it is given no name.
    assert only(rows, told="bags", candidates="bag")["share_right"] == pytest.approx(11 / 12)


def test_ways_of_every_learner() -> None:
    split = random_split()
    axes = 1 + len(ALPHAS) + 1
    expected = {"euclidean": 3, "mlca": axes, "miml": 4, "mildml": 3, "mc2b": 4}
    for name in ("euclidean", "mlca", "mimlca", "mimlca-rbf-ridge", "miml", "mildml", "mc2b"):
        rows = list(evaluate_fold(split, LEARNERS[name], 0))
        assert len(rows) == 2 * expected.get(name, axes + 1)
        settings = {tuple(row[column] for column in SETTINGS) for row in rows}
        assert len(settings) == len(rows)
        assert all(set(row) == {*SETTINGS, *INSTANCE_ACCURACY.figures} for row in rows)


def test_nearest_true_means_by_another_way() -> None:
    split = random_split()
    mean, sd = split.train.X.mean(axis=0), split.train.X.std(axis=0)
    train, test = (split.train.X - mean) / sd, (split.test.X - mean) / sd
    means = [train[split.train_truth == number].mean(axis=0) for number in range(3)]
    nearest = np.linalg.norm(test[:, None] - means, axis=2).argmin(axis=1)
    rows = list(evaluate_fold(split, LEARNERS["euclidean"], 0))
    row = only(rows, means="instances", candidates="all")
    assert row["share_right"] == pytest.approx((nearest == split.test_truth).mean())


def test_both_rules_of_mlca_by_another_way() -> None:
    split = random_split(1)
    assert split.train_truth is not None
    mean, sd = split.train.X.mean(axis=0), split.train.X.std(axis=0)
    train, test = (split.train.X - mean) / sd, (split.test.X - mean) / sd
    L, z = _closed_form(train, split.train_truth)
    rows = list(evaluate_fold(split, LEARNERS["mlca"], 0))
    nearest = np.linalg.norm((test @ L)[:, None] - z @ L, axis=2).argmin(axis=1)
    row = only(rows, rule="15", candidates="all")
    assert row["share_right"] == pytest.approx((nearest == split.test_truth).mean())
    shares = set()
    for alpha in ALPHAS:
        category = (test @ L - alpha * ((z @ L) ** 2).sum(axis=1)).argmax(axis=1)
        row = only(rows, rule="16", alpha=alpha, candidates="all")
        assert row["share_right"] == pytest.approx((category == split.test_truth).mean())
        shares.add(row["share_right"])
    assert len(shares) > 1  # so the alphas differ, and the test can tell them apart


def test_shares_in_label_sets_by_another_way() -> None:
    train = random_problem(2).bags
    truth = random_problem(2).truth
    assert truth is not None
    found = shares_in_label_sets(LEARNERS["mlca"], train, truth, 5)
    fold = make_folds(train.labels, np.ones(30, dtype=np.bool_), np.arange(30), INNER_FOLDS, 5)[
        train.bag
    ]
    for alpha in ALPHAS:
        hits = 0
        for number in range(INNER_FOLDS):
            left = fold == number
            L, z = _closed_form(train.X[~left], truth[~left])
            category = (train.X[left] @ L - alpha * ((z @ L) ** 2).sum(axis=1)).argmax(axis=1)
            hits += train.labels[train.bag[left], category].sum()
        assert found[alpha] == pytest.approx(hits / train.n_instances)


def test_choosing_takes_samples_where_learning_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(telling, "MOST_INNER_INSTANCES", 20)
    train = random_problem(2).bags
    few = replace(LEARNERS["mimlca-rbf"], most_instances=20)
    sampled = shares_in_label_sets(LEARNERS["mimlca-rbf"], train, None, 0)
    assert sampled == shares_in_label_sets(few, train, None, 0)


def test_the_largest_share_is_chosen_and_the_least_alpha_of_equals() -> None:
    assert chosen_alpha({0.0: 0.5, 0.2: 0.7, 0.25: 0.7, 1.2: 0.6}) == 0.2


def test_the_chosen_alpha_repeats_the_row_of_the_largest_share() -> None:
    used = set()
    for seed in range(4):
        rows = list(evaluate_fold(random_split(seed), LEARNERS["mimlca"], 0))
        fixed = [row for row in rows if row["rule"] == "16" and row["candidates"] == "all"]
        best = max(row["share_in_bag"] for row in fixed)
        chosen = only(rows, rule=CHOSEN, candidates="all")
        assert chosen["share_in_bag"] == best
        same = only(fixed, alpha=chosen["alpha_used"])
        assert all(chosen[name] == same[name] for name in INSTANCE_ACCURACY.figures)
        used.add(chosen["alpha_used"])
    assert len(used) > 1  # not always the same


@pytest.mark.parametrize("name", [MAJORITY, "euclidean", "mlca", "mimlca", "miml", "mildml"])
def test_labels_of_held_out_bags_reach_no_method(name: str) -> None:
    split = random_split()
    scrambled = replace(split, test_labels=np.roll(split.test_labels, 1, axis=0))
    one, other = (
        list(frequency_rows(each) if name == MAJORITY else evaluate_fold(each, LEARNERS[name], 3))
        for each in (split, scrambled)
    )
    free = [[row for row in rows if row["candidates"] == "all"] for rows in (one, other)]
    assert without_times(free[0]) == without_times(free[1])
    # ... but where they are told.
    assert without_times(one) != without_times(other)


@pytest.mark.parametrize("name", ["mimlca", "mildml", "mimlca-rbf"])
def test_same_seed_same_rows(name: str) -> None:
    split = random_split()
    one, other = (list(evaluate_fold(split, LEARNERS[name], 3)) for _ in range(2))
    assert without_times(one) == without_times(other)


def test_truth_of_training_instances_changes_only_what_is_told_it() -> None:
    split = random_split()
    assert split.train_truth is not None
    wrong = replace(split, train_truth=np.roll(split.train_truth, 1))
    one, other = (list(evaluate_fold(each, LEARNERS["miml"], 0)) for each in (split, wrong))
    for before, after in zip(without_times(one), without_times(other), strict=True):
        assert (before == after) == (before["told"] == "bags")


def test_chi_square_takes_no_part_where_features_are_negative() -> None:
    split = random_split()
    assert list(evaluate_fold(split, LEARNERS["mimlca-chi2"], 0)) == []
    positive = replace(
        split,
        train=_positive(split.train),
        test=_positive(split.test),
    )
    assert list(evaluate_fold(positive, LEARNERS["mimlca-chi2"], 0))


def test_examples_of_mimlca() -> None:
    rows = list(evaluate_fold(hand_split(), LEARNERS["mimlca"], 0))
    # Bags of one instance and one label: all are examples, and right.
    assert all(row["examples"] == row["examples_right"] == 1.0 for row in rows)


def test_measures_need_instances() -> None:
    few = measures(np.array([0, 0, 1, -1]), np.array([0, 1, 1, 1]))
    assert few["accuracy"] is None
    assert few["precision"] is None
    assert few["accuracy_all"] == pytest.approx(0.75)
    assert few["share_right"] == pytest.approx(2 / 3)
    nothing = measures(np.array([-1, -1]), np.array([0, 1]))
    assert set(nothing.values()) == {None}


def test_every_learner_is_an_entrant() -> None:
    assert (MAJORITY, *LEARNERS) == ENTRANTS


def _closed_form(X: np.ndarray, truth: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """L = X^+ J and the class means, by numpy's pseudo-inverse."""
    member = truth[:, None] == np.arange(3)
    J = member / np.sqrt(member.sum(axis=0))
    return np.linalg.pinv(X) @ J, (member / member.sum(axis=0)).T @ X


def _positive(bags: Bags) -> Bags:
    return Bags(np.abs(bags.X), bags.bag, bags.labels, bags.labelled)
