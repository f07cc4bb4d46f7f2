"""Measures, by hand."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import precision_recall_fscore_support

from birdmodes.annotate.measures import (
    SyllableNames,
    decision_metrics,
    reliability_table,
    species_table,
    syllable_metrics,
    truth_metrics,
)
from birdmodes.annotate.thresholds import Thresholds

LABELS = np.array([[1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 0]], dtype=bool)
SCORE = np.array([[0.9, 0.6, 0.1], [0.5, 0.2, 0.1], [0.4, 0.8, 0.1], [0.1, 0.1, 0.7]])


def test_species_are_counted_by_hand() -> None:
    table = species_table(LABELS, SCORE, ["a", "b", "c"], 0.5).set_index("species")
    assert table["bags"].tolist() == [2, 2, 0]
    assert table["predicted"].tolist() == [2, 2, 1]
    assert table.loc["a", ["precision", "recall", "f1"]].tolist() == [1, 1, 1]
    assert table.loc["b", ["precision", "recall", "f1"]].tolist() == [0.5, 0.5, 0.5]
    assert table.loc["c", "precision"] == 0
    assert np.isnan(table.loc["c", "recall"])
    # b is ranked: there, not there, there, not there
    assert table.loc["b", "average_precision"] == pytest.approx((1 + 2 / 3) / 2)


def test_micro_and_macro_are_those_of_scikit_learn() -> None:
    rng = np.random.default_rng(0)
    labels, score = rng.random((40, 5)) < 0.3, rng.random((40, 5))
    found = decision_metrics(labels, score, 0.4)
    for kind in ("micro", "macro"):
        expected = precision_recall_fscore_support(
            labels, score >= 0.4, average=kind, zero_division=0
        )[:3]
        measured = [found[f"{kind}_{name}"] for name in ("precision", "recall", "f1")]
        assert measured == pytest.approx(expected)


def test_species_that_never_occur_do_not_count_in_the_means() -> None:
    found = decision_metrics(LABELS, SCORE, 0.5)
    assert found["macro_recall"] == 0.75
    assert found["micro_precision"] == 3 / 5
    assert decision_metrics(LABELS, SCORE, 1.0)["micro_precision"] is None
    assert decision_metrics(LABELS, SCORE, 1.0)["macro_precision"] == 0


POSTERIOR = np.array([[0.9, 0.0], [0.3, 0.6], [0.1, 0.2], [0.45, 0.3], [0.0, 1.0]])
LIKENESS = np.array([1.0, 0.3, 0.5, 1.0, 0.06])


def test_names_are_the_likeliest_and_background_is_what_is_missing() -> None:
    names = SyllableNames.of(POSTERIOR, LIKENESS)
    assert names.best.tolist() == [0, 1, -1, 0, 1]
    assert names.confidence == pytest.approx([0.9, 0.6, 0.7, 0.45, 1.0])


def test_syllables_are_counted_by_hand() -> None:
    names = SyllableNames.of(POSTERIOR, LIKENESS)
    label_set = np.array([[1, 0], [1, 0], [1, 1], [1, 1], [0, 1]], dtype=bool)
    found = syllable_metrics(names, label_set, Thresholds())
    assert (found["named"], found["background"], found["unsure"]) == (0.6, 0.2, 0.2)
    assert found["possible"] == pytest.approx(2 / 3)
    true = np.array([0, 0, 1, 0, -1])
    found = truth_metrics(names, true, Thresholds())
    assert found["truth_syllables"] == 4
    assert found["truth_accuracy"] == 0.5
    assert found["truth_named"] == 0.5
    assert found["truth_accuracy_of_named"] == 0.5
    assert (found["truth_noise"], found["truth_noise_named"]) == (1, 1.0)
    assert truth_metrics(names, np.full(5, -2), Thresholds())["truth_accuracy"] is None


def test_what_is_like_nothing_learned_from_is_unsure_however_probable() -> None:
    names = SyllableNames.of(POSTERIOR, LIKENESS)
    label_set = np.array([[1, 0], [1, 0], [1, 1], [1, 1], [1, 0]], dtype=bool)
    strict = Thresholds(likeness=0.4)  # the second and the last are below
    assert names.sure(strict).tolist() == [True, False, True, False, False]
    found = syllable_metrics(names, label_set, strict)
    assert (found["named"], found["background"], found["unsure"]) == (0.2, 0.2, 0.6)
    assert (found["unlike"], found["possible"]) == (0.4, 1.0)
    # judged are the first, 0.9 and right, and the fourth, 0.45 and right
    assert found["calibration_error"] == pytest.approx((0.1 + 0.55) / 2)
    true = np.array([0, 0, 1, 0, -1])
    assert truth_metrics(names, true, strict)["truth_noise_named"] == 0.0
    assert truth_metrics(names, true, strict)["truth_named"] == 0.25


def test_reliability_is_counted_in_tenths() -> None:
    table = reliability_table(
        np.array([0.05, 0.07, 0.55, 1.0]), np.array([False, True, True, True])
    )
    assert table["from"].tolist() == [0.0, 0.5, 0.9]
    assert table["count"].tolist() == [2, 1, 1]
    assert table["mean_score"].tolist() == pytest.approx([0.06, 0.55, 1.0])
    assert table["share_right"].tolist() == [0.5, 1.0, 1.0]
