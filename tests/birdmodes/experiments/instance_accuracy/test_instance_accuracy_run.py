"""Whole runs of the experiment, by the library and by the command line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from birdmodes.errors import BirdmodesError, ParameterError
from birdmodes.experiments.held_out.problems import ProblemSource
from birdmodes.experiments.held_out.protocol import HeldOutProtocol, HeldOutSetting
from birdmodes.experiments.held_out.run import HeldOutPlan, run_held_out
from birdmodes.experiments.instance_accuracy.experiment import EXPERIMENT
from birdmodes.experiments.instance_accuracy.work import MEASURES, SETTING_COLUMNS
from cli.main import app

METHODS = ["majority", "euclidean", "mlca", "mimlca", "mimlca-chi2"]


@pytest.fixture
def problem(tmp_path: Path) -> Path:
    """Bags of three instances, each near the corner of its class; some features are negative."""
    rng = np.random.default_rng(0)
    bag = np.repeat(np.arange(24), 3)
    truth = rng.integers(0, 3, len(bag))
    labels = np.zeros((24, 3), dtype=np.uint8)
    labels[bag, truth] = 1
    X = 4.0 * np.eye(3, 4)[truth] + rng.standard_normal((len(bag), 4))
    path = tmp_path / "corners.npz"
    np.savez(path, X=X, bag=bag, y=truth, bag_labels=labels)
    return path


def plan_of(path: Path, methods: list[str]) -> HeldOutPlan:
    return HeldOutPlan(
        experiment=EXPERIMENT,
        sources=[ProblemSource(path=path)],
        entrants=EXPERIMENT.choose(methods),
        protocol=HeldOutProtocol.of("instance-accuracy", quick=True),
        command="birdmodes benchmark",
    )


def figures(folder: Path) -> pd.DataFrame:
    table = pd.read_csv(folder / "runs-corners.csv")
    return table[[name for name in table.columns if "seconds" not in str(name)]]


def test_a_stopped_run_goes_on(problem: Path, tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    result = run_held_out(plan_of(problem, METHODS), whole)
    assert result.failures == []
    run_held_out(plan_of(problem, METHODS[:3]), parts)
    seen: list[tuple[int, int]] = []
    run_held_out(
        plan_of(problem, METHODS),
        parts,
        on_progress=lambda done, todo, _: seen.append((done, todo)),
    )
    assert seen[-1] == (6, 6)  # the two new methods, in three folds
    pd.testing.assert_frame_equal(figures(whole), figures(parts))
    seen.clear()
    run_held_out(
        plan_of(problem, METHODS),
        parts,
        on_progress=lambda done, todo, _: seen.append((done, todo)),
    )
    assert seen == []


def test_tables_have_all_columns(problem: Path, tmp_path: Path) -> None:
    result = run_held_out(plan_of(problem, METHODS), tmp_path / "out")
    table = pd.read_csv(tmp_path / "out" / "runs-corners.csv")
    assert list(table) == ["dataset", "method", *SETTING_COLUMNS, "fold", *MEASURES]
    assert set(table["method"]) == set(METHODS) - {"mimlca-chi2"}  # features are negative
    summary = result.summary
    own = summary[(summary["method"] == "mlca") & (summary["rule"] == "15")]
    assert (own["accuracy_mean"] > 0.9).all()


def test_a_fold_is_a_task_of_its_own() -> None:
    keys = {
        HeldOutSetting(dataset, experiment, method, fold).key
        for dataset in ("a", "b")
        for experiment in ("annotation", "instance-accuracy")
        for method in EXPERIMENT.entrants
        for fold in range(5)
    }
    assert len(keys) == 2 * 2 * len(EXPERIMENT.entrants) * 5


def test_without_known_classes_nothing_can_be_scored(problem: Path, tmp_path: Path) -> None:
    with np.load(problem) as data:
        arrays = {name: data[name] for name in data if name != "y"}
    np.savez(problem, **arrays)
    with pytest.raises(BirdmodesError, match="no instance has a known class"):
        run_held_out(plan_of(problem, METHODS), tmp_path / "out")


def test_by_the_command_line(tmp_path: Path) -> None:
    out = tmp_path / "out"
    command = ["benchmark", "--experiment", "instance-accuracy", "--quick", "--jobs", "1"]
    result = CliRunner().invoke(
        app, [*command, "--out", str(out), "--methods", "majority,mlca,mimlca"]
    )
    assert result.exit_code == 0, result.output
    assert "digits-words" in result.output
    report = (out / "report.md").read_text(encoding="utf-8")
    assert "(b) mimlca" in report
    assert "instance-accuracy-alpha.svg" in report
    assert (out / "runs-digits-words.csv").is_file()
    # Rule 16 is in the report, not in the terminal.
    assert "16, alpha chosen" not in result.output


def test_a_wrong_method_is_told_the_right_one(tmp_path: Path) -> None:
    command = ["benchmark", "--experiment", "instance-accuracy", "--methods", "mimlka"]
    result = CliRunner().invoke(app, [*command, "--out", str(tmp_path / "out")])
    assert isinstance(result.exception, ParameterError)
    assert "did you mean 'mimlca'?" in str(result.exception)
