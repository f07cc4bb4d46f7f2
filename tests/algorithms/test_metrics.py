from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as reference

from algorithms import metrics
from algorithms.errors import ClusteringError
from algorithms.metrics import (
    METRICS,
    adjusted_mutual_info,
    adjusted_rand_index,
    all_metrics,
    average_entropy,
    class_best_f,
    clustering_accuracy,
    contingency_table,
    f_measure,
    mean_silhouette,
    normalized_mutual_info,
    purity,
)

TRUE = [0, 0, 0, 0, 1, 1, 1, 2, 2, 2]
PRED = [1, 1, 1, 0, 0, 0, 2, 2, 2, 1]
FINER = [1, 1, 0, 0, 3, 3, 3, 2, 2, 1]

labellings = st.integers(1, 40).flatmap(
    lambda n: st.tuples(
        st.lists(st.integers(0, 4), min_size=n, max_size=n),
        st.lists(st.integers(0, 6), min_size=n, max_size=n),
    )
)


def test_worked_contingency_table() -> None:
    assert contingency_table(TRUE, PRED).tolist() == [[1, 3, 0], [2, 0, 1], [0, 1, 2]]


def test_worked_values() -> None:
    assert normalized_mutual_info(TRUE, PRED) == pytest.approx(0.442701, abs=5e-7)
    assert normalized_mutual_info(TRUE, PRED, "geometric") == pytest.approx(0.442701, abs=5e-7)
    assert purity(TRUE, PRED) == pytest.approx(0.7)
    assert clustering_accuracy(TRUE, PRED) == pytest.approx(0.7)
    assert average_entropy(TRUE, PRED) == pytest.approx(0.606843, abs=5e-7)
    assert average_entropy(TRUE, PRED, base=2) == pytest.approx(0.875489, abs=5e-7)
    assert f_measure(TRUE, PRED) == pytest.approx(0.694444, abs=5e-7)
    assert f_measure(TRUE, PRED, "weighted") == pytest.approx(0.7)
    assert class_best_f(TRUE, PRED) == pytest.approx(0.7)
    assert adjusted_rand_index(TRUE, PRED) == pytest.approx(0.204545, abs=5e-7)
    assert adjusted_mutual_info(TRUE, PRED) == pytest.approx(0.237289, abs=5e-7)


def test_worked_values_with_more_clusters_than_classes() -> None:
    assert purity(TRUE, FINER) == pytest.approx(0.9)
    assert clustering_accuracy(TRUE, FINER) == pytest.approx(0.7)
    assert normalized_mutual_info(TRUE, FINER) == pytest.approx(0.731506, abs=5e-7)


def test_the_two_means_differ_when_entropies_do() -> None:
    # I = log 2, H_class = log 2, H_cluster = log 4: means 1.5 log 2 and sqrt(2) log 2.
    true, pred = [0, 0, 1, 1], [0, 1, 2, 3]
    assert normalized_mutual_info(true, pred) == pytest.approx(2 / 3)
    assert normalized_mutual_info(true, pred, "geometric") == pytest.approx(1 / np.sqrt(2))


def test_renamed_clusters_match_perfectly_and_one_cluster_tells_nothing() -> None:
    assert normalized_mutual_info([1, 1, 2, 2, 3, 3], [2, 2, 3, 3, 1, 1]) == pytest.approx(1)
    assert normalized_mutual_info([1, 1, 2, 2, 3, 3], [3] * 6) == 0
    assert normalized_mutual_info([5] * 4, [2] * 4) == 1
    assert normalized_mutual_info([5] * 4, [0, 1, 0, 1]) == 0


def test_f_measure_of_clusters_that_all_mean_one_class() -> None:
    # 47 of 92 in the larger class: F1 = 2 * 47 / (92 + 47) = .676; the other class scores 0.
    true = [0] * 47 + [1] * 45
    assert f_measure(true, [0] * 92) == pytest.approx(0.338, abs=5e-4)


def test_a_majority_tie_goes_to_the_lowest_class() -> None:
    # Cluster 0 is half 0, half 1 and stands for 0: precision 1/2, recall 1 -> F1 2/3; class 1: 0.
    assert f_measure([0, 1], [0, 0]) == pytest.approx(1 / 3)


@pytest.mark.parametrize("metric", METRICS.values(), ids=METRICS)
def test_items_of_unknown_class_are_left_out(metric: Callable[..., float]) -> None:
    assert metric([*TRUE, -1, -1, -7], [*PRED, 0, 9, 1]) == metric(TRUE, PRED)


@pytest.mark.parametrize("metric", METRICS.values(), ids=METRICS)
def test_a_negative_cluster_is_a_cluster_like_any_other(metric: Callable[..., float]) -> None:
    renamed = [-1 if p == 0 else p for p in PRED]
    assert metric(TRUE, renamed) == pytest.approx(metric(TRUE, PRED))


@pytest.mark.parametrize("metric", METRICS.values(), ids=METRICS)
@settings(max_examples=40, deadline=None)
@given(labellings, st.randoms(use_true_random=False))
def test_numbering_does_not_matter(metric: Callable[..., float], both: Any, random: Any) -> None:
    true, pred = both
    classes, clusters = list(range(5)), list(range(7))
    random.shuffle(clusters)
    renamed = [clusters[p] for p in pred]
    assert metric(true, renamed) == pytest.approx(metric(true, pred))
    if metric is not f_measure:  # its majority ties go by the number of the class
        random.shuffle(classes)
        assert metric([classes[c] for c in true], pred) == pytest.approx(metric(true, pred))


@settings(max_examples=40, deadline=None)
@given(labellings)
def test_agrees_with_independent_implementations(both: Any) -> None:
    true, pred = both
    for average in ("arithmetic", "geometric"):
        expected = reference.normalized_mutual_info_score(true, pred, average_method=average)
        assert normalized_mutual_info(true, pred, average) == pytest.approx(expected, abs=1e-9)
    table = contingency_table(true, pred)
    majority = dict(zip(np.unique(pred), np.unique(true)[table.argmax(axis=0)], strict=True))
    named = [majority[p] for p in pred]
    assert purity(true, pred) == pytest.approx(reference.accuracy_score(true, named))
    for average in ("macro", "weighted"):
        expected = reference.f1_score(
            true, named, labels=np.unique(true), average=average, zero_division=0
        )
        assert f_measure(true, pred, average) == pytest.approx(expected)


@settings(max_examples=40, deadline=None)
@given(labellings)
def test_a_partition_matches_itself(both: Any) -> None:
    true, _ = both
    expected = {name: 0.0 if name == "average_entropy" else 1.0 for name in METRICS}
    assert all_metrics(true, true) == pytest.approx(expected)


@settings(max_examples=40, deadline=None)
@given(labellings)
def test_measures_stay_in_range(both: Any) -> None:
    for name, value in all_metrics(*both).items():
        low = -1.0 if name.startswith("adjusted") else 0.0
        assert low <= value <= (np.log(5) if name == "average_entropy" else 1.0) + 1e-12


@pytest.mark.parametrize(
    ("true", "pred", "message"),
    [
        ([0, 1], [0], "equal length"),
        ([[0, 1]], [[0, 1]], "equal length"),
        ([-1, -1], [0, 1], "no item has a known class"),
        ([], [], "no item has a known class"),
        ([0.5, 1.0], [0, 1], "labels_true must hold whole numbers"),
        ([0, 1], ["a", "b"], "labels_pred must hold whole numbers"),
    ],
)
def test_labels_that_cannot_be_compared_are_an_error(true: Any, pred: Any, message: str) -> None:
    with pytest.raises(ClusteringError, match=message):
        purity(true, pred)


def test_an_unknown_average_is_an_error() -> None:
    with pytest.raises(ClusteringError, match="arithmetic or geometric"):
        normalized_mutual_info(TRUE, PRED, "harmonic")
    with pytest.raises(ClusteringError, match="macro or weighted"):
        f_measure(TRUE, PRED, "micro")


def two_lumps(n: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    labels = np.arange(n) % 2
    X = np.random.default_rng(0).standard_normal((n, 2)) + 3 * labels[:, None]
    return X, labels


def test_silhouette_of_a_worked_line() -> None:
    # a = 1 everywhere; b: 10.5, 9.5, 9.5, 10.5
    expected = np.mean([9.5 / 10.5, 8.5 / 9.5, 8.5 / 9.5, 9.5 / 10.5])
    assert mean_silhouette([[0], [1], [10], [11]], [0, 0, 1, 1]) == pytest.approx(expected)


def test_silhouette_agrees_with_scikit_learn() -> None:
    rng = np.random.default_rng(1)
    X, labels = rng.standard_normal((1500, 6)), rng.integers(0, 9, 1500)
    X[3], X[4], labels[:5] = X[2], X[2], [20, 21, 22, 22, 22]  # alone, and alike
    expected = reference.silhouette_score(X, labels)
    assert mean_silhouette(X, labels) == pytest.approx(expected, abs=1e-9)


def test_silhouette_of_many_instances_is_estimated_from_a_sample() -> None:
    X, labels = two_lumps(2000)
    whole = mean_silhouette(X, labels)
    sample = mean_silhouette(X, labels, max_instances=500, random_state=3)
    assert sample != whole
    assert sample == pytest.approx(whole, abs=0.05)
    assert sample == mean_silhouette(X, labels, max_instances=500, random_state=3)


@pytest.mark.parametrize("labels", [[0, 0, 0], [0, 1, 2]])
def test_silhouette_is_zero_where_it_means_nothing(labels: list[int]) -> None:
    assert mean_silhouette([[0.0], [1.0], [5.0]], labels) == 0.0


def test_silhouette_needs_a_label_for_every_row() -> None:
    with pytest.raises(ClusteringError, match="one row per instance"):
        mean_silhouette([[0.0], [1.0]], [0])


def test_every_measure_is_documented() -> None:
    for metric in (*METRICS.values(), metrics.mean_silhouette):
        assert metric.__doc__
