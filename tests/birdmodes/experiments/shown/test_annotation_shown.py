from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from birdmodes.experiments.papers.law import ANNOTATION
from birdmodes.experiments.report import to_html, to_markdown
from birdmodes.experiments.shown.annotation import (
    MEASURES as FIGURES,
)
from birdmodes.experiments.shown.annotation import (
    not_run,
    row_names,
    seconds,
    set_table,
    sets_table,
    times_table,
    training_table,
)
from birdmodes.experiments.tables import ReportTable


def rows(dataset: str, method: str, distance: str, **figures: list[float]) -> list[dict[str, Any]]:
    common = {"dataset": dataset, "method": method, "distance": distance, "test_bags": 12}
    n_folds = len(next(iter(figures.values())))
    filled = {name: [0.5] * n_folds for name in ANNOTATION.figures} | {
        "test_bags": [12.0] * n_folds
    }
    filled |= figures
    return [
        {**common, "fold": fold, **{name: values[fold] for name, values in filled.items()}}
        for fold in range(n_folds)
    ]


RUNS = pd.DataFrame(
    [
        *rows("birds", "frequency", "", one_error=[0.8, 0.6], train_seconds=[0, 0]),
        *rows("birds", "mimlca", "min", one_error=[0.2, 0.4], train_seconds=[0.1, 0.3]),
        *rows("birds", "mimlca", "max", one_error=[0.1, 0.3], train_seconds=[0.1, 0.3]),
        *rows("birds", "miml", "min", one_error=[0.2, 0.6], train_seconds=[1.0, 2.0]),
        *rows("<b>sea</b>", "mimlca", "min", average_precision=[0.75], train_seconds=[0.5]),
        *rows("<b>sea</b>", "emdd", "", average_precision=[0.8], train_seconds=[100.0]),
    ]
)
SUMMARY = ANNOTATION.summarise(RUNS)
ONE_ERROR = "one_error"


def texts(table: ReportTable, row: str) -> list[str]:
    (cells,) = (cells for name, cells in table.rows if name == row)
    return [f"[{cell.text}]" if cell.best else cell.text for cell in cells]


def test_methods_are_in_one_order_in_all_tables() -> None:
    expected = [
        "frequency",
        "citation-knn, mimlca, min",
        "citation-knn, mimlca, max",
        "citation-knn, miml, min",
        "emdd",
    ]
    assert row_names(SUMMARY) == expected
    assert [name for name, _ in sets_table(SUMMARY, ONE_ERROR).rows] == expected


def test_a_set_has_all_measures_with_deviations() -> None:
    table = set_table(SUMMARY, "birds")
    assert table.title == "birds: mean ± standard deviation over 2 folds, 12 test bags"
    assert table.header == [
        "method",
        "average precision",
        "one-error",
        "coverage",
        "training (s)",
        "annotation (s)",
    ]
    # Standard deviation of 0.2 and 0.6: 0.283.
    assert texts(table, "citation-knn, miml, min")[1] == "0.400 ± 0.283"
    assert texts(table, "citation-knn, mimlca, max")[1] == "[0.200 ± 0.141]"
    assert texts(table, "citation-knn, miml, min")[3] == "1.5"
    single = set_table(SUMMARY, "<b>sea</b>")
    assert single.title.startswith("<b>sea</b>: the published split")
    assert texts(single, "emdd")[0] == "[0.800]"


def test_sets_stand_side_by_side() -> None:
    table = sets_table(SUMMARY, ONE_ERROR)
    assert table.header == ["method", "birds", "<b>sea</b>"]
    assert texts(table, "frequency") == ["0.700", "–"]
    assert texts(table, "citation-knn, mimlca, max") == ["[0.200]", "–"]
    # To learn nothing takes no time: nothing to be marked for.
    times = sets_table(SUMMARY, "train_seconds")
    assert not any(cell.best for _, cells in times.rows for cell in cells)


def test_training_times_are_those_of_methods() -> None:
    table = training_table(SUMMARY)
    assert [name for name, _ in table.rows] == ["frequency", "mimlca", "miml", "emdd"]
    assert texts(table, "mimlca") == ["0.2", "0.5"]
    assert texts(table, "frequency") == ["0", "–"]
    assert texts(table, "emdd") == ["–", "100"]
    assert [seconds(value) for value in (0.0004, 0.0123, 12.3)] == ["0", "0.012", "12"]


def test_times_are_multiples_of_that_of_mimlca() -> None:
    table = times_table(SUMMARY)
    assert table.header == ["method", "birds", "<b>sea</b>", "paper, Corel5K"]
    assert texts(table, "miml") == ["7.5", "–", "36.8"]
    assert texts(table, "emdd") == ["–", "200", "1614"]
    assert texts(table, "mimlca") == ["1", "1", "1"]
    assert [name for name, _ in table.rows] == ["mimlca", "miml", "emdd"]


def test_what_was_left_out_is_told() -> None:
    assert not_run(SUMMARY) == [
        "not run: frequency on <b>sea</b>",
        "not run: miml on <b>sea</b>",
        "not run: emdd on birds",
    ]
    assert not_run(SUMMARY[SUMMARY["method"] == "mimlca"]) == []


def test_the_report_has_figures_and_is_safe(report_of: Any, tmp_path: Path) -> None:
    report = report_of(ANNOTATION, RUNS, tmp_path, ["something failed"])
    assert {path.name for path in tmp_path.iterdir()} == {
        "average-precision.svg",
        "training-time.svg",
    }
    html, markdown = to_html(report), to_markdown(report)
    assert "<b>sea" not in html
    assert "<b>sea" not in markdown
    assert "something failed" in html
    assert "cannot be compared" not in markdown
    for words in ("The paper's Table 4: Corel5K", "38724"):
        assert words in markdown
    (tmp_path / "again").mkdir()
    report_of(ANNOTATION, RUNS[RUNS["method"] == "frequency"], tmp_path / "again")
    assert not (tmp_path / "again" / "training-time.svg").exists()


@pytest.mark.parametrize("figure", FIGURES)
def test_the_best_is_marked_in_each_column(figure: str) -> None:
    table = sets_table(SUMMARY, figure)
    for column in range(2):
        assert any(cells[column].best for _, cells in table.rows)
