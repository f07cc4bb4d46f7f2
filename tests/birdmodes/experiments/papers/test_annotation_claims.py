from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import pytest

from birdmodes.experiments.claims import Verdict
from birdmodes.experiments.experiment import Measured
from birdmodes.experiments.papers.law import ANNOTATION


def folds(
    method: str,
    precisions: Sequence[float],
    distance: str = "",
    seconds: float = 1.0,
    dataset: str = "birds",
) -> list[dict[str, Any]]:
    return [
        {
            "dataset": dataset,
            "method": method,
            "distance": distance,
            "fold": fold,
            "average_precision": precision,
            "train_seconds": seconds,
        }
        for fold, precision in enumerate(precisions)
    ]


def check(*rows: list[dict[str, Any]]) -> dict[str, Verdict]:
    runs = pd.DataFrame([row for some in rows for row in some])
    return {each.claim.text: each for each in ANNOTATION.verdicts(Measured(runs, runs))}


def text_of(words: str) -> str:
    (text,) = (claim.text for claim in ANNOTATION.claims if words in claim.text)
    return text


BETTER_THAN_EUCLIDEAN = text_of("better than euclidean")
BETTER_THAN_FREQUENCY = text_of("by their frequency")
CLASSIFIER = text_of("the best classifier")
LONGEST = text_of("emdd takes longer")


def test_a_metric_must_be_better_with_both_distances_of_bags() -> None:
    rows = [
        folds("mimlca", [0.8, 0.9, 0.85], "min"),
        folds("euclidean", [0.7, 0.8, 0.76], "min"),
        folds("mimlca", [0.8, 0.9, 0.85], "max"),
    ]
    better = check(*rows, folds("euclidean", [0.7, 0.8, 0.75], "max"))[BETTER_THAN_EUCLIDEAN]
    assert better.status == "holds"
    # Differences of 0.10, 0.10 and 0.09: mean 0.0967, standard error 0.0033.
    assert "difference +0.097 (s.e. 0.003)" in better.evidence[0].figures
    worse = check(*rows, folds("euclidean", [0.8, 0.9, 0.86], "max"))[BETTER_THAN_EUCLIDEAN]
    assert worse.status == "does not hold"
    assert [piece.holds for piece in worse.evidence] == [True, False]


def test_a_difference_within_two_standard_errors_does_not_count() -> None:
    # 0.2, 0 and 0.1: mean 0.1, standard error 0.058.
    rows = [
        folds(name, figures, distance)
        for distance in ("min", "max")
        for name, figures in (("mimlca", [0.9, 0.7, 0.8]), ("euclidean", [0.7, 0.7, 0.7]))
    ]
    assert check(*rows)[BETTER_THAN_EUCLIDEAN].status == "does not hold"


def test_one_published_split_tells_nothing_of_differences() -> None:
    rows = [folds(name, [0.5], "min") for name in ("mimlca", "euclidean")]
    assert check(*rows)[BETTER_THAN_EUCLIDEAN].status == "not measured"


def test_every_method_is_compared_with_the_frequencies() -> None:
    rows = [
        folds("frequency", [0.4, 0.5]),
        folds("miles", [0.6, 0.7]),
        folds("miml", [0.41, 0.49], "max"),
    ]
    verdict = check(*rows)[BETTER_THAN_FREQUENCY]
    assert verdict.status == "does not hold"
    (evidence,) = verdict.evidence
    assert evidence.figures == (
        "average precision frequency 0.450; not better: miml, max 0.450 of 2"
    )
    assert check(*rows[:2])[BETTER_THAN_FREQUENCY].status == "holds"
    assert check(*rows[1:])[BETTER_THAN_FREQUENCY].status == "not measured"


def test_the_best_of_both_kinds_are_compared() -> None:
    rows = [
        folds("miles", [0.6, 0.8]),
        folds("misvm", [0.7, 0.9]),
        folds("mimlca", [0.65, 0.83], "min"),
        folds("euclidean", [0.5, 0.5], "max"),
    ]
    verdict = check(*rows)[CLASSIFIER]
    assert verdict.status == "holds"
    assert "misvm 0.800, mimlca, min 0.740" in verdict.evidence[0].figures
    assert check(*rows[:2])[CLASSIFIER].status == "not measured"


@pytest.mark.parametrize(("times", "status"), [(10.5, "holds"), (9.5, "does not hold")])
def test_training_times_are_divided(times: float, status: str) -> None:
    rows = [
        folds("mimlca", [0.5] * 2, "min", seconds=0.2),
        folds("mimlca", [0.5] * 2, "max", seconds=0.2),
        folds("miml", [0.5] * 2, "min", seconds=0.2 * times),
    ]
    verdicts = check(*rows)
    ours = verdicts[text_of("miml takes at least 10 times")]
    assert (ours.status, ours.extent[:4]) == (status, "on 1" if status == "holds" else "on 0")
    assert f"{times} times" in ours.evidence[0].figures
    # The paper's figures are about its own set.
    assert verdicts[text_of("miml takes 37 times")].status == "not measured"
    on_corel = [[{**row, "dataset": "corel5k"} for row in some] for some in rows]
    assert check(*on_corel)[text_of("miml takes 37 times")].status == "does not hold"


def test_emdd_is_compared_with_the_slowest() -> None:
    rows = [folds("emdd", [0.5], seconds=5), folds("milboost", [0.5], seconds=4)]
    assert check(*rows)[LONGEST].status == "holds"
    verdict = check(*rows, folds("misvm", [0.5], seconds=6))[LONGEST]
    assert verdict.status == "does not hold"
    assert "5 s, 6 s (misvm)" in verdict.evidence[0].figures


def test_mimlca_must_be_above_all_others_by_the_distance_of_the_paper() -> None:
    rows = [
        folds("mimlca", [0.8, 0.9], "min"),
        folds("mimlca-no-limit", [0.9, 0.95], "min"),  # is mimlca, too
        folds("euclidean", [0.9, 0.95], "max"),  # not the paper's distance
        folds("euclidean", [0.7, 0.8], "min"),
    ]
    best = text_of("better than every other method")
    assert check(*rows, folds("miles", [0.8, 0.8]))[best].status == "holds"
    worse = check(*rows, folds("miles", [0.9, 0.8]))[best]
    assert worse.status == "does not hold"
    assert worse.evidence[0].figures.endswith("as good or better: 1 of 2, most miles 0.850")
