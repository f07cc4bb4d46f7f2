from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from birdmodes.experiments.results import (
    RUN_COLUMNS,
    at_c_clusters,
    runs_table,
    summary_table,
    write_tables,
)
from birdmodes.experiments.store import FinishedTask
from birdmodes.experiments.work import MEASURES


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
    return runs_table([FinishedTask({}, [one], 1.0, []) for one in rows], datasets)


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
    summary = summary_table(runs).set_index("method")
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
    written = write_tables(tmp_path, runs, summary_table(runs))
    assert {path.parent for path in written} == {tmp_path}
    names = {path.name for path in written}
    assert names > {"runs-alpha-birds.csv", "runs-labelled-birds.csv", "summary.csv"}
    for path in written[:-1]:
        assert list(pd.read_csv(path).columns) == RUN_COLUMNS
    evil = next(path for path in written if "evil" in path.name)
    assert pd.read_csv(evil)["dataset"].tolist() == ["../evil, name\n<b>"]
    assert len(pd.read_csv(tmp_path / "summary.csv")) == 3
