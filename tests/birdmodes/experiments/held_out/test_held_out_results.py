from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from birdmodes.experiments.held_out.results import (
    HeldOutTables,
    runs_table,
    summary_table,
    whole_only,
    write_tables,
)
from birdmodes.experiments.store import FinishedTask


def task(dataset: str, method: str, fold: int, *figures: tuple[str, float]) -> FinishedTask:
    rows = [
        {"dataset": dataset, "method": method, "fold": fold, "rule": rule, "right": right}
        for rule, right in figures
    ]
    return FinishedTask({}, rows, 1.0, [])


TASKS = [
    task("birds", "miml", 1, ("b", 0.5), ("a", 0.25)),
    task("waves", "mlca", 0, ("a", 1.0)),
    task("birds", "mlca", 0, ("a", 0.75)),
    task("birds", "miml", 0, ("b", 0.0), ("a", 0.75)),
]


def tables(tasks: list[FinishedTask] = TASKS) -> HeldOutTables:
    runs = runs_table(tasks, ["waves"], ["mlca", "miml"], ["rule"], ["right"])
    return HeldOutTables(runs, summary_table(runs, ["rule"], ["right"]))


def test_rows_are_ordered_whatever_was_done_first() -> None:
    runs = tables().runs
    assert runs["dataset"].tolist() == ["waves"] + ["birds"] * 5
    assert runs["method"].tolist() == ["mlca", "mlca", "miml", "miml", "miml", "miml"]
    assert runs["fold"].tolist() == [0, 0, 0, 0, 1, 1]
    assert runs["rule"].tolist() == ["a", "a", "b", "a", "b", "a"]  # as the task has them
    pd.testing.assert_frame_equal(runs, tables(TASKS[::-1]).runs)


def test_folds_are_averaged() -> None:
    summary = tables().summary
    names = summary[["dataset", "method", "rule"]].agg(" ".join, axis=1)
    summary = summary.set_axis(names, axis=0)
    of_miml = summary.loc["birds miml b"]
    assert of_miml["folds"] == 2
    assert of_miml["right_mean"] == 0.25
    assert of_miml["right_sd"] == pytest.approx(0.5 / 2**0.5)
    single = summary.loc["waves mlca a"]
    assert (single["folds"], single["right_mean"]) == (1, 1.0)
    assert pd.isna(single["right_sd"])


def test_methods_without_all_folds_are_left_out_and_named() -> None:
    # mlca has one of the two folds of birds that miml has, and the only one of waves.
    runs, notes = whole_only(tables().runs)
    assert notes == ["not shown: mlca on birds, of which 1 of 2 folds are finished"]
    kept = runs[["dataset", "method", "fold", "rule"]].agg(lambda row: " ".join(map(str, row)), 1)
    assert kept.tolist() == [
        "waves mlca 0 a",
        "birds miml 0 b",
        "birds miml 0 a",
        "birds miml 1 b",
        "birds miml 1 a",
    ]
    assert runs.index.tolist() == list(range(5))
    assert whole_only(runs)[1] == []


def test_every_set_has_a_file_and_the_summary_is_one(tmp_path: Path) -> None:
    written = write_tables(tmp_path, tables())
    assert [path.name for path in written] == ["runs-waves.csv", "runs-birds.csv", "summary.csv"]
    assert pd.read_csv(written[1])["right"].tolist() == [0.75, 0.0, 0.75, 0.5, 0.25]
