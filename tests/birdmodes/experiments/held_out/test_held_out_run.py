"""Whole experiments on left-out bags, by the command line and by the library."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from birdmodes.errors import BirdmodesError
from birdmodes.experiments.annotation.experiment import EXPERIMENT
from birdmodes.experiments.annotation.work import run_annotation_task
from birdmodes.experiments.datasets import load_dataset
from birdmodes.experiments.datasets.corel5k_training import SplitBags
from birdmodes.experiments.held_out import problems
from birdmodes.experiments.held_out.experiment import Closing
from birdmodes.experiments.held_out.problems import ProblemSource, check_problem
from birdmodes.experiments.held_out.protocol import HeldOutProtocol, HeldOutTask
from birdmodes.experiments.held_out.results import HeldOutTables
from birdmodes.experiments.held_out.run import HeldOutPlan, make_tasks, run_held_out
from birdmodes.experiments.report import Report
from birdmodes.experiments.work import Outcome
from cli.main import app

Write = Callable[..., Path]


def without_figures(folder: Path, tables: HeldOutTables, closing: Closing) -> Report:
    """Leave out the figures, which take the most time here."""
    return Report(closing.facts, closing.verdicts, [], [], closing.notes)


def plan_of(*paths: Path, methods: tuple[str, ...] = ("frequency", "euclidean")) -> HeldOutPlan:
    experiment = replace(EXPERIMENT, make_report=without_figures)
    return HeldOutPlan(
        experiment=experiment,
        sources=[ProblemSource(path=path) for path in paths],
        entrants=experiment.choose(methods),
        protocol=HeldOutProtocol("annotation", folds=3),
        command="birdmodes benchmark",
    )


def assert_same_tables(first: Path, second: Path) -> None:
    names = sorted(path.name for path in first.glob("*.csv"))
    assert names == sorted(path.name for path in second.glob("*.csv")) != []
    for name in names:
        one, other = (pd.read_csv(folder / name) for folder in (first, second))
        timed = [column for column in one if "seconds" in str(column)]
        pd.testing.assert_frame_equal(one.drop(columns=timed), other.drop(columns=timed))


def test_the_command_writes_tables_figures_and_reports(
    write_bags_file: Write, tmp_path: Path
) -> None:
    path = write_bags_file("my <i>birds & co.npz")
    out = tmp_path / "out"
    arguments = ["--experiment", "annotation", "--bags", str(path), "--out", str(out)]
    arguments += ["--methods", "mi-kernel, mimlca,frequency", "--quick", "--jobs", "1"]
    answer = CliRunner().invoke(app, ["benchmark", *arguments])
    assert answer.exit_code == 0, answer.output
    assert f"open {out / 'report.html'}" in answer.output
    assert "every method annotates better than ranking classes" in answer.output
    written = {entry.name for entry in out.iterdir()}
    expected = {"report.html", "report.md", "average-precision.svg", "training-time.svg"}
    assert expected | {"summary.csv"} <= written
    summary = pd.read_csv(out / "summary.csv")
    assert summary["method"].tolist() == ["frequency", "mimlca", "mimlca", "mi-kernel"]
    assert set(summary["folds"]) == {3}
    html = (out / "report.html").read_text(encoding="utf-8")
    assert "<i>birds" not in html
    assert str(tmp_path) not in html
    assert "20 bags, 60 instances, 4 features, 3 classes; cross-validated by bag in 3" in html


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["no-such-set"], "no-such-set"),
        (["--bags", "no-such-file.npz"], "no-such-file.npz"),
        (["--methods", "mimcla"], "no method 'mimcla' in the experiment annotation"),
        (["--methods", "csp"], "no method 'csp' in the experiment annotation"),
        (["--runs", "3"], "--runs has no meaning with --experiment annotation"),
        (["--n-init", "3"], "--n-init has no meaning"),
        (["--graph", "knn"], "--graph has no meaning"),
        (["--grid", "coarse"], "--grid has no meaning"),
        (["--features", "raw"], "--features has no meaning"),
    ],
)
def test_wrong_names_and_options_get_one_line(
    arguments: list[str], reason: str, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    given = ["benchmark", "--experiment", "annotation", *arguments, "--out", str(out)]
    answer = CliRunner().invoke(app, given)
    assert isinstance(answer.exception, BirdmodesError)
    assert reason in str(answer.exception)
    assert "\n" not in str(answer.exception)
    assert not out.exists()


def test_the_same_plan_goes_on_where_it_was(write_bags_file: Write, tmp_path: Path) -> None:
    done: list[int] = []

    def on_progress(number: int, total: int, text: str) -> None:
        if number:
            done.append(number)

    plan = plan_of(write_bags_file())
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    run_held_out(plan, whole, on_progress=on_progress)
    assert len(done) == 2 * 3
    run_held_out(plan, broken)
    lines = (broken / "tasks.jsonl").read_text().splitlines(keepends=True)
    # Killed while the fourth task was written.
    (broken / "tasks.jsonl").write_text("".join(lines[:3]) + lines[3][:50])
    done.clear()
    run_held_out(plan, broken, on_progress=on_progress)
    assert len(done) == 3
    assert_same_tables(whole, broken)
    done.clear()
    run_held_out(plan, broken, on_progress=on_progress)
    assert done == []


def test_figures_are_the_same_on_two_processes(write_bags_file: Write, tmp_path: Path) -> None:
    plan = plan_of(write_bags_file(), methods=("frequency", "mimlca-rbf"))
    run_held_out(plan, tmp_path / "one")
    run_held_out(plan, tmp_path / "two", jobs=2)
    assert_same_tables(tmp_path / "one", tmp_path / "two")


def test_figures_do_not_depend_on_what_else_is_run(write_bags_file: Write, tmp_path: Path) -> None:
    plan = plan_of(write_bags_file(), methods=("frequency", "euclidean", "miles"))
    run_held_out(plan, tmp_path / "at once")
    for entrant in plan.entrants[::-1]:
        run_held_out(replace(plan, entrants=[entrant]), tmp_path / "one by one")
    assert_same_tables(tmp_path / "at once", tmp_path / "one by one")


def test_a_task_that_went_to_another_process_gives_the_same_rows(write_bags_file: Write) -> None:
    plan = plan_of(write_bags_file(), methods=("euclidean",))
    checked = [check_problem(source)[0] for source in plan.sources]
    task = make_tasks(plan, checked)[0]
    copy = pickle.loads(pickle.dumps(task))  # noqa: S301  our own bytes
    assert copy == task
    here, there = (run_annotation_task(each).rows for each in (task, copy))
    assert [row["coverage"] for row in here] == [row["coverage"] for row in there]


def test_another_protocol_or_other_data_need_another_folder(
    write_bags_file: Write, tmp_path: Path
) -> None:
    plan = plan_of(write_bags_file(), methods=("frequency",))
    run_held_out(plan, tmp_path / "out")
    other = replace(plan, protocol=HeldOutProtocol("annotation", folds=4))
    with pytest.raises(BirdmodesError, match="holds figures with folds 3, not 4"):
        run_held_out(other, tmp_path / "out")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    path = write_bags_file("other.npz", seed=1).rename(elsewhere / "blobs.npz")
    with pytest.raises(BirdmodesError, match="another data set called blobs"):
        run_held_out(plan_of(path), tmp_path / "out")


def test_a_method_that_refuses_is_told_and_the_others_are_kept(
    write_bags_file: Write, tmp_path: Path
) -> None:
    same = np.ones((20, 3), dtype=np.uint8)
    plan = plan_of(write_bags_file(bag_labels=same), methods=("frequency", "mildml"))
    result = run_held_out(plan, tmp_path / "out")
    assert len(result.failures) == 1
    assert result.failures[0].startswith("blobs, mildml: ")
    assert result.failures[0].partition(": ")[2] in result.markdown.read_text()
    assert result.summary["method"].tolist() == ["frequency"]
    with pytest.raises(BirdmodesError, match="blobs, mildml: "):
        run_held_out(replace(plan, entrants=["mildml"]), tmp_path / "alone")


def test_two_sets_of_one_name_are_refused(write_bags_file: Write, tmp_path: Path) -> None:
    path = write_bags_file()
    with pytest.raises(BirdmodesError, match="two data sets are called blobs"):
        run_held_out(plan_of(path, path), tmp_path / "out")


def test_a_published_split_is_learned_and_tested_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    bags = load_dataset("digits-words").bags
    test = np.arange(bags.n_bags) % 3 == 0
    monkeypatch.setattr(problems, "has_training_photographs", lambda folder: True)
    monkeypatch.setattr(problems, "load_photographs", lambda folder: SplitBags(bags, test))
    source = ProblemSource("corel5k", data_dir=tmp_path)
    plan = replace(plan_of(methods=("frequency", "mi-kernel")), sources=[source])
    result = run_held_out(plan, tmp_path / "out")
    assert result.summary["dataset"].tolist() == ["corel5k"] * 2
    assert result.summary["folds"].tolist() == [1, 1]
    assert result.summary["test_bags_mean"].tolist() == [126, 126]
    assert "126 bags left out; the published test photographs" in result.markdown.read_text()
    # Ranked by the training bags alone.
    first = bags.labels[~test].sum(axis=0).argmax()
    error = 1 - bags.labels[test][:, first].mean()
    assert result.summary["one_error_mean"][0] == pytest.approx(error, abs=1e-5)


def test_what_methods_warn_of_is_in_the_report(write_bags_file: Write, tmp_path: Path) -> None:
    plan = plan_of(write_bags_file(), methods=("frequency",))
    experiment = replace(plan.experiment, run_task=warning_task)
    result = run_held_out(replace(plan, experiment=experiment), tmp_path / "out")
    assert "blobs, frequency: mind the gap (in 3 settings)" in result.markdown.read_text()


def warning_task(task: HeldOutTask) -> Outcome:
    row: dict[str, Any] = dict.fromkeys(EXPERIMENT.measures, 0.5)
    names = {"dataset": "blobs", "method": "frequency", "fold": task.setting.fold, "distance": ""}
    return Outcome([{**names, **row}], 1.0, ["mind the gap"], "")
