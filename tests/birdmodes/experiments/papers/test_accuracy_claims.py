"""Claims, tables and the report on figures that are made up."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from birdmodes.experiments.claims import Verdict
from birdmodes.experiments.experiment import Measured
from birdmodes.experiments.papers.law import INSTANCE_ACCURACY
from birdmodes.experiments.report import to_html, to_markdown
from birdmodes.experiments.shown.telling import (
    alphas_table,
    examples_table,
    methods_table,
    times_table,
)
from birdmodes.experiments.work.telling import CHOSEN
from birdmodes.experiments.work.ways import ALPHAS

Row = dict[str, Any]
COLUMNS = INSTANCE_ACCURACY.columns


def rows_of(
    method: str,
    accuracies: Sequence[float],
    *,
    told: str = "bags",
    means: str = "own",
    rule: str = "15",
    alpha: float | None = None,
    candidates: str = "all",
    seconds: float = 1.0,
    **figures: Any,
) -> list[Row]:
    """One row for each fold."""
    return [
        {
            "dataset": "made-up",
            "method": method,
            "told": told,
            "means": means,
            "rule": rule,
            "alpha": alpha,
            "candidates": candidates,
            "fold": fold,
            "accuracy": accuracy,
            "precision": accuracy - 0.1,
            "accuracy_all": accuracy - 0.2,
            "share_right": accuracy - 0.3,
            "metric_seconds": seconds,
            "train_seconds": 2 * seconds,
            **figures,
        }
        for fold, accuracy in enumerate(accuracies)
    ]


def table(*rows: list[Row]) -> pd.DataFrame:
    return pd.DataFrame([row for each in rows for row in each], columns=COLUMNS)


def verdict(runs: pd.DataFrame, start: str) -> Verdict:
    found = [
        each
        for each in INSTANCE_ACCURACY.verdicts(Measured(runs, runs))
        if each.claim.text.startswith(start)
    ]
    assert len(found) == 1
    return found[0]


def with_alphas(method: str, accuracies: Sequence[float], chosen: float) -> list[Row]:
    """Rule 15, rule 16 with all alphas, and the one chosen."""
    rows = rows_of(method, [0.5, 0.6])
    for alpha, accuracy in zip(ALPHAS, accuracies, strict=True):
        rows += rows_of(method, [accuracy, accuracy], rule="16", alpha=alpha, alpha_used=alpha)
    return rows + rows_of(method, [chosen, chosen], rule=CHOSEN, alpha_used=0.5)


@pytest.mark.parametrize(("lower", "status"), [(0.049, "holds"), (0.051, "does not hold")])
def test_near_is_five_hundredths(lower: float, status: str) -> None:
    runs = table(
        rows_of("mlca", [0.7, 0.8], told="instances"),
        rows_of("mimlca", [0.7 - lower, 0.8 - lower]),
    )
    found = verdict(runs, "mimlca as published is near mlca")
    assert found.status == status
    assert f"difference -{lower:.3f}" in found.evidence[0].figures


def test_the_better_limit_counts_where_the_claim_says_so() -> None:
    runs = table(
        rows_of("mlca", [0.7, 0.8], told="instances"),
        rows_of("mimlca", [0.5, 0.5]),
        rows_of("mimlca-no-limit", [0.71, 0.71]),
    )
    assert verdict(runs, "mimlca as published").status == "does not hold"
    assert verdict(runs, "mimlca with the limit that suits").status == "holds"


def test_a_rival_counts_with_its_best_class_means() -> None:
    runs = table(
        rows_of("mimlca", [0.70, 0.72, 0.71]),
        rows_of("miml", [0.2, 0.2, 0.2]),
        rows_of("miml", [0.71, 0.73, 0.72], means="no limit"),
        rows_of("miml", [0.99, 0.99, 0.99], told="both", means="instances"),
        rows_of("mildml", [0.60, 0.61, 0.62], means="one per label"),
    )
    beaten = verdict(runs, "mimlca is more accurate than miml")
    assert beaten.status == "does not hold"
    assert "miml, no limit 0.720, difference -0.010" in beaten.evidence[0].figures
    assert verdict(runs, "mimlca is more accurate than mildml").status == "holds"
    assert verdict(runs, "mimlca is more accurate than mc2b").status == "not measured"


def test_a_difference_within_its_error_does_not_count() -> None:
    # Differences 0.3, -0.1, -0.1: mean 0.033, standard error 0.133.
    runs = table(rows_of("mimlca", [0.8, 0.4, 0.4]), rows_of("mc2b", [0.5, 0.5, 0.5]))
    assert verdict(runs, "mimlca is more accurate than mc2b").status == "does not hold"


def test_metrics_are_compared_with_the_same_true_means() -> None:
    runs = table(
        rows_of("euclidean", [0.5, 0.51, 0.5], told="instances", means="instances"),
        rows_of("euclidean", [0.9, 0.9, 0.9], means="no limit"),
        rows_of("mimlca", [0.6, 0.61, 0.6], told="both", means="instances"),
        rows_of("mimlca", [0.1, 0.1, 0.1]),
    )
    assert verdict(runs, "the metric of mimlca is better than that of euclidean").status == "holds"


def test_told_label_sets_are_a_claim_of_their_own() -> None:
    runs = table(
        rows_of("mimlca", [0.5, 0.51]),
        rows_of("euclidean", [0.6, 0.6], means="no limit"),
        rows_of("mimlca", [0.9, 0.91], candidates="bag"),
        rows_of("euclidean", [0.8, 0.8], means="no limit", candidates="bag"),
    )
    assert verdict(runs, "told the label sets").status == "holds"
    assert verdict(runs, "mimlca is more accurate than euclidean").status == "does not hold"


@pytest.mark.parametrize(
    ("method", "best", "status"),
    [
        ("mimlca", 0.5, "holds"),
        ("mimlca", 1.0, "holds"),
        ("mimlca", 1.2, "does not hold"),
        ("mimlca-rbf", 0.25, "holds"),
        ("mimlca-rbf", 0.5, "does not hold"),
    ],
)
def test_best_alpha_of_the_paper(method: str, best: float, status: str) -> None:
    runs = table(with_alphas(method, [0.6 + 0.1 * (alpha == best) for alpha in ALPHAS], 0.6))
    assert verdict(runs, "the best alpha of rule 16").status == status


@pytest.mark.parametrize(("chosen", "status"), [(0.695, "holds"), (0.68, "does not hold")])
def test_a_choice_within_a_hundredth_is_enough(chosen: float, status: str) -> None:
    runs = table(with_alphas("mimlca", [0.6, 0.6, 0.6, 0.6, 0.7, 0.6], chosen))
    found = verdict(runs, "the alpha that label sets choose")
    assert found.status == status
    assert f"mimlca, {0.7 - chosen:.3f}" in found.evidence[0].figures


@pytest.mark.parametrize(("seconds", "status"), [(10.0, "holds"), (9.0, "does not hold")])
def test_times(seconds: float, status: str) -> None:
    runs = table(
        rows_of("mimlca", [0.5, 0.5], seconds=1.0), rows_of("miml", [0.5, 0.5], seconds=seconds)
    )
    found = verdict(runs, "miml takes at least 10 times")
    assert found.status == status
    assert f"{seconds:g} s, 1 s, {seconds:g} times" in found.evidence[0].figures


def measured_runs() -> pd.DataFrame:
    runs = table(
        rows_of("majority", [0.1, 0.1], rule="frequency"),
        rows_of("euclidean", [0.5, 0.6], told="instances", means="instances"),
        rows_of("euclidean", [0.4, 0.42], means="one per label", candidates="bag"),
        rows_of("euclidean", [0.3, 0.32], means="one per label"),
        with_alphas("mimlca", [0.1, 0.2, 0.3, 0.7, 0.5, 0.6], 0.65),
        rows_of("miml", [0.2, 0.2], told="both", means="instances", seconds=3.0),
    )
    runs.loc[runs["method"] == "mimlca", ["examples", "examples_right"]] = [0.25, 0.75]
    return runs


def summary() -> pd.DataFrame:
    return INSTANCE_ACCURACY.summarise(measured_runs())


def test_accuracies_by_setting() -> None:
    shown = methods_table(summary(), "accuracy", "Accuracy (%)")
    cells = {name: (cells[0].text, cells[0].best) for name, cells in shown.rows}
    assert cells == {
        "(a) euclidean": ("55.0 ± 7.1", True),
        "(b) majority": ("10.0 ± 0.0", False),
        "(b) euclidean, one per label": ("31.0 ± 1.4", False),
        "(b) mimlca": ("55.0 ± 7.1", True),
    }


def test_methods_keep_their_order_when_the_first_set_lacks_one() -> None:
    other = rows_of("mimlca-chi2", [0.5, 0.5])
    rows = [{**row, "dataset": "second"} for row in rows_of("miml", [0.3, 0.3]) + other]
    runs = table(rows_of("miml", [0.2, 0.2]), rows)
    means = INSTANCE_ACCURACY.summarise(runs)
    for shown in (methods_table(means, "accuracy", "Accuracy (%)"), times_table(means)):
        assert [name.removeprefix("(b) ") for name, _ in shown.rows] == ["mimlca-chi2", "miml"]
        assert shown.rows[0][1][0].text == "–"


def test_alphas_with_the_best_the_default_and_the_chosen() -> None:
    shown = alphas_table(summary(), "made-up")
    assert [name for name, _ in shown.rows] == ["mimlca"]
    texts = [cell.text for cell in shown.rows[0][1]]
    assert texts == [
        "55.0", "10.0", "20.0", "30.0", "70.0 (default)", "50.0", "60.0", "65.0 (0.50)",
    ]  # fmt: skip
    assert [cell.best for cell in shown.rows[0][1]].index(True) == 4


def test_times_are_multiples_of_mimlca() -> None:
    shown = dict(times_table(summary()).rows)
    assert [cell.text for cell in shown["miml"]] == ["3 (3x)", "(109x)"]
    assert "euclidean" not in shown


def test_examples() -> None:
    assert examples_table(summary()).rows[0][0] == "made-up, mimlca"
    texts = [cell.text for cell in examples_table(summary()).rows[0][1]]
    assert texts == ["25.0", "75.0"]


def test_the_report_is_whole(report_of: Any, tmp_path: Path) -> None:
    report = report_of(INSTANCE_ACCURACY, measured_runs(), tmp_path, ["a note"])
    markdown, html = to_markdown(report), to_html(report)
    for text in ("(b) mimlca", "a note", "chosen by label sets", "(109x)"):
        assert text in markdown
        assert text in html
    assert "<svg" in (tmp_path / "instance-accuracy-alpha.svg").read_text(encoding="utf-8")


def test_the_report_does_without_what_was_not_measured(report_of: Any, tmp_path: Path) -> None:
    runs = table(rows_of("majority", [0.1, 0.1], rule="frequency"))
    text = to_markdown(report_of(INSTANCE_ACCURACY, runs, tmp_path))
    assert "(b) majority" in text
    assert "Rules 15 and 16" not in text
    assert not list(tmp_path.iterdir())


def test_rule_16_and_the_chi_square_kernel_are_judged_by_their_best_alphas() -> None:
    linear = with_alphas("mimlca", [0.5, 0.52, 0.6, 0.58, 0.5, 0.4], 0.6)  # rule 15: 0.55
    kernel = with_alphas("mimlca-chi2", [0.5, 0.5, 0.59, 0.5, 0.5, 0.4], 0.6)
    rules = verdict(table(linear), "by rule 16 mimlca")
    assert rules.status == "holds"
    assert rules.evidence[0].figures == "mimlca: accuracy by rule 16 0.600, by rule 15 0.550"
    assert verdict(table(linear, kernel), "the chi-square kernel").status == "does not hold"
    assert verdict(table(kernel), "the chi-square kernel").status == "not measured"
