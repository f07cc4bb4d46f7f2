from __future__ import annotations

import math

import numpy as np
import pytest

from algorithms.placement.calibration import Calibration, calibration_error

PLAIN = Calibration(factor=1.0, slope=1.0, intercept=0.0)


def test_the_score_is_the_softmax_of_what_is_possible() -> None:
    scores = np.array(
        [[0.0, math.log(3), -np.inf], [0.0, math.log(3), 0.0], [2.0, -np.inf, -np.inf]]
    )
    assert PLAIN.largest(scores) == pytest.approx([0.75, 0.6, 1.0], abs=1e-5)


def test_nothing_possible_scores_nothing() -> None:
    assert PLAIN.largest(np.full((1, 3), -np.inf))[0] == 0


def test_factor_slope_and_intercept_act_as_written() -> None:
    # softmax of 2 * ln 3 against 0 is 9 / 10; logit of that is ln 9; half of it ln 3; less ln 3: 0
    halved = Calibration(factor=2.0, slope=0.5, intercept=-math.log(3))
    assert halved.largest(np.array([[0.0, math.log(3)]])) == pytest.approx([0.5])


def test_learned_scores_hold_what_they_promise() -> None:
    rng = np.random.default_rng(0)
    evidence = rng.normal(0, 2, (20_000, 4))
    chances = np.exp(evidence) / np.exp(evidence).sum(axis=1, keepdims=True)
    true = (rng.random((20_000, 1)) > chances.cumsum(axis=1)).sum(axis=1)
    calibration = Calibration.fit(evidence / 10, true)  # far too unsure of itself
    assert calibration.factor == pytest.approx(10, rel=0.05)
    assert calibration.slope == pytest.approx(1, abs=0.05)
    assert calibration.intercept == pytest.approx(0, abs=0.05)
    score = calibration.largest(evidence / 10)
    assert calibration_error(score, evidence.argmax(axis=1) == true) < 0.01


def test_what_was_always_right_is_still_not_certain() -> None:
    calibration = Calibration.fit(np.array([[1.0, 0.0]] * 8), np.zeros(8, dtype=np.int64))
    # Platt's target for 8 right of 8 is 9 / 10
    assert calibration.largest(np.array([[1.0, 0.0]])) == pytest.approx([0.9], abs=1e-3)


def test_true_clusters_that_are_impossible_do_not_count_for_the_factor() -> None:
    scores = np.array([[0.0, math.log(3), -np.inf]] * 4)
    with_impossible = Calibration.fit(scores, np.array([1, 1, 1, 2]))
    assert np.isfinite(with_impossible.factor)
    only_impossible = Calibration.fit(scores, np.array([2, 2, 2, 2]))
    assert only_impossible.factor == 1
    assert only_impossible.largest(scores)[0] < 0.5


def test_calibration_error_by_hand() -> None:
    # at 0.9: half are right, 0.4 off; at 0.1: none is, 0.1 off; half of the instances each
    score, right = np.array([0.9, 0.9, 0.1, 0.1]), np.array([True, False, False, False])
    assert calibration_error(score, right) == pytest.approx(0.25)
    assert calibration_error(np.array([1.0, 0.0]), np.array([True, False])) == 0
