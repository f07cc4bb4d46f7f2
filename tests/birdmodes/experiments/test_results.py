from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from birdmodes.experiments.experiment import Measured
from birdmodes.experiments.papers.law import ANNOTATION
from birdmodes.experiments.papers.pei_fern import PEI_FERN
from birdmodes.experiments.results import (
    in_order,
    means_table,
    runs_table,
    whole_only,
    write_tables,
)
from birdmodes.experiments.shown.instances import at_c_clusters
from birdmodes.experiments.store import FinishedTask
from birdmodes.experiments.work.instances import MEASURES


def row(**values: Any) -> dict[str, Any]:
    base: dict[str, Any] = {
        "dataset": "birds",
        "experiment": "labelled",
        "method": "csp",
        "options": "",
        "alpha": 0.7,
        "labelled_share": 1.0,
        "k": 3,
        "run": 0,
        "seconds": 0.5,
        **dict.fromkeys(MEASURES, 0.5),
    }
    return {**base, **values}


def table(*rows: dict[str, Any], datasets: tuple[str, ...] = ("birds",)) -> pd.DataFrame:
    return runs_table(
        PEI_FERN, [FinishedTask([one], setting={"entrant": ""}) for one in rows], datasets
    )


def test_what_rows_share_is_named_by_their_setting() -> None:
    setting = {"dataset": "frogs", "experiment": "clusters", "entrant": "ldc", "ks": [3]}
    task = FinishedTask([{"k": 3, "run": 0, "nmi": 0.25}], setting=setting)
    found = runs_table(PEI_FERN, [task], ["frogs"]).iloc[0]
    names = ("dataset", "experiment", "method", "k", "nmi")
    assert [found[name] for name in names] == ["frogs", "clusters", "ldc", 3, 0.25]


def test_runs_are_in_the_order_of_the_report_whenever_they_were_computed() -> None:
    rows = [
        row(dataset="ants"),
        row(experiment="clusters", k=4),
        row(experiment="clusters", k=3, run=1),
        row(experiment="clusters", k=3, run=0),
        row(method="sp", alpha=None),
        row(experiment="alpha", alpha=0.1),
        row(),
    ]
    expected = ["alpha", "labelled", "labelled", "clusters", "clusters", "clusters", "labelled"]
    for order in (rows, rows[::-1]):
        found = table(*order)
        assert list(found["experiment"]) == expected
        assert list(found["method"])[1:3] == ["sp", "csp"]
        assert list(zip(found["k"], found["run"], strict=True))[3:6] == [(3, 0), (3, 1), (4, 0)]
        assert list(found["dataset"])[-1] == "ants"


def test_means_and_deviations_by_hand() -> None:
    runs = table(
        *[row(run=run, nmi=nmi) for run, nmi in enumerate((0.1, 0.2, 0.6))],
        row(method="sp", alpha=None, nmi=0.4),
    )
    summary = PEI_FERN.summarise(runs).set_index("method")
    assert summary.loc["csp", "runs"] == 3
    assert summary.loc["csp", "nmi_mean"] == pytest.approx(0.3)
    # deviations -0.2, -0.1, 0.3: sum of squares 0.14, over 2 is 0.07
    assert summary.loc["csp", "nmi_sd"] == pytest.approx(0.07**0.5)
    assert summary.loc["sp", "nmi_mean"] == 0.4
    assert pd.isna(summary.loc["sp", "nmi_sd"])


def test_k_equal_to_c_comes_from_either_experiment() -> None:
    runs = table(
        row(labelled_share=0.2, nmi=0.1),
        row(nmi=0.2),
        row(experiment="clusters", nmi=0.3),
        row(experiment="clusters", method="ldc", nmi=0.4),
        row(experiment="clusters", method="ldc", k=6, nmi=0.5),
        row(experiment="alpha", nmi=0.6),
    )
    assert list(at_c_clusters(runs)["nmi"]) == [0.2, 0.4]
    assert at_c_clusters(table(row(experiment="alpha"))).empty


def test_files_are_one_per_experiment_and_set_with_safe_names(tmp_path: Path) -> None:
    runs = table(row(), row(dataset="../evil, name\n<b>"), row(experiment="alpha"))
    written = write_tables(PEI_FERN, tmp_path, Measured(runs, PEI_FERN.summarise(runs)))
    assert {path.parent for path in written} == {tmp_path}
    names = {path.name for path in written}
    assert names > {"runs-alpha-birds.csv", "runs-labelled-birds.csv", "summary.csv"}
    for path in written[:-1]:
        assert list(pd.read_csv(path).columns) == PEI_FERN.columns
    evil = next(path for path in written if "evil" in path.name)
    assert pd.read_csv(evil)["dataset"].tolist() == ["../evil, name\n<b>"]
    assert len(pd.read_csv(tmp_path / "summary.csv")) == 3


def test_names_that_are_not_known_come_last() -> None:
    assert in_order(["b", "z", "a", "b"], ["z", "y"]) == ["z", "a", "b"]


def task(dataset: str, method: str, fold: int, *figures: tuple[str, float]) -> FinishedTask:
    rows = [
        {"dataset": dataset, "method": method, "fold": fold, "rule": rule, "right": right}
        for rule, right in figures
    ]
    return FinishedTask(rows, setting={"entrant": ""})


TASKS = [
    task("birds", "miml", 1, ("b", 0.5), ("a", 0.25)),
    task("waves", "mlca", 0, ("a", 1.0)),
    task("birds", "mlca", 0, ("a", 0.75)),
    task("birds", "miml", 0, ("b", 0.0), ("a", 0.75)),
]


FOLDS = replace(
    ANNOTATION,
    entrants=dict.fromkeys(["mlca", "miml"]),
    setting_columns=("dataset", "method", "rule"),
    figures=("right",),
)


def tables(tasks: list[FinishedTask] = TASKS) -> Measured:
    runs = runs_table(FOLDS, tasks, ["waves"])
    return Measured(runs, means_table(runs, FOLDS.setting_columns, ["right"], count="folds"))


def test_rows_of_a_fold_stay_as_the_task_gave_them() -> None:
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


def test_a_method_needs_all_folds_of_everything_it_is_run_on() -> None:
    columns = ["dataset", "method", "size", "fold"]
    values = [("birds", "mlca", "small", fold) for fold in (0, 1)]
    values += [("birds", "mlca", "whole", 0), *[("birds", "miml", "whole", f) for f in (0, 1)]]
    runs, notes = whole_only(pd.DataFrame(values, columns=columns), ["size"])
    assert notes == ["not shown: mlca on birds, of which 1 of 2 folds are finished"]
    assert set(runs["method"]) == {"miml"}


def test_every_set_has_a_file_and_the_summary_is_one(tmp_path: Path) -> None:
    written = write_tables(FOLDS, tmp_path, tables())
    assert [path.name for path in written] == ["runs-waves.csv", "runs-birds.csv", "summary.csv"]
    assert pd.read_csv(written[1])["right"].tolist() == [0.75, 0.0, 0.75, 0.5, 0.25]
