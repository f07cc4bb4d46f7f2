"""Whole experiments on bags, by the command line and by the library."""

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
from birdmodes.experiments.bagwise import run as run_module
from birdmodes.experiments.bagwise.entrants import choose_bag_entrants
from birdmodes.experiments.bagwise.problems import ProblemSource, check_problem
from birdmodes.experiments.bagwise.protocol import GRIDS, BagExperiment, BagProtocol
from birdmodes.experiments.bagwise.report import make_report
from birdmodes.experiments.bagwise.run import BagPlan, make_tasks, run_bag_benchmark
from birdmodes.experiments.bagwise.work import BagTask, run_bag_task
from birdmodes.experiments.work import Outcome
from cli.main import app

Write = Callable[..., Path]


def plan_of(
    *paths: Path,
    methods: tuple[str, ...] = ("m3ic", "bamic-min", "kmeans-vote"),
    experiment: BagExperiment = "m3ic",
    **changes: Any,
) -> BagPlan:
    plan = BagPlan(
        sources=[ProblemSource(path=path) for path in paths],
        preparations=("unit",),
        entrants=choose_bag_entrants(experiment, methods),
        grid=GRIDS["small"],
        protocol=BagProtocol(experiment, starts=2, medoid_runs=2, vote_runs=2, mixture_runs=1),
        command="birdmodes benchmark",
    )
    return replace(plan, **changes)


def tables(folder: Path) -> dict[str, pd.DataFrame]:
    return {
        path.name: pd.read_csv(path).drop(columns="seconds")
        for path in sorted(folder.glob("*.csv"))
    }


def assert_same_tables(first: Path, second: Path) -> None:
    one, other = tables(first), tables(second)
    assert list(one) == list(other) != []
    for name in one:
        pd.testing.assert_frame_equal(one[name], other[name])


@pytest.fixture
def no_report(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out figures, which take the most time here."""

    def without_runs(folder: Path, protocol: Any, runs: Any, choices: Any, *rest: Any) -> Any:
        none = runs.iloc[:0]
        return make_report(folder, replace(protocol, experiment="mi-em"), none, choices[:0], *rest)

    monkeypatch.setattr(run_module, "make_report", without_runs)


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Keys of the tasks that are worked on in this process."""
    keys: list[str] = []

    def counting(task: BagTask) -> Outcome:
        keys.append(task.setting.key)
        return run_bag_task(task)

    monkeypatch.setattr(run_module, "run_bag_task", counting)
    return keys


def test_the_command_writes_tables_figures_and_reports(
    write_problem: Write, tmp_path: Path
) -> None:
    path = write_problem("my <i>birds & co.npz")
    out = tmp_path / "out"
    arguments = ["--experiment", "m3ic", "--bags", str(path), "--out", str(out)]
    arguments += ["--methods", "m3ic, bamic-min,kmeans-vote", "--quick", "--jobs", "1"]
    answer = CliRunner().invoke(app, ["benchmark", *arguments])
    assert answer.exit_code == 0, answer.output
    assert f"open {out / 'report.html'}" in answer.output
    assert "m3ic is more accurate than every BAMIC" in answer.output
    written = {entry.name for entry in out.iterdir()}
    assert {"report.html", "report.md", "m3ic-grid-unit.svg", "summary.csv"} <= written
    runs = pd.read_csv(next(out.glob("runs-*.csv")))
    # The small grid and the defaults, two starts each.
    assert (runs["method"] == "m3ic").sum() == 2 * (4 + 1)
    assert set(runs["preparation"]) == {"unit"}
    html = (out / "report.html").read_text(encoding="utf-8")
    assert "<i>birds" not in html
    assert str(tmp_path) not in html


def test_the_other_experiment_varies_the_number_of_groups(
    write_problem: Write, tmp_path: Path
) -> None:
    labels = np.repeat(np.eye(2, dtype=np.uint8), 9, axis=0)
    arguments = ["--experiment", "mi-em", "--bags", str(write_problem(bag_labels=labels))]
    arguments += ["--methods", "pam-smd,pam-hausdorff", "--out", str(tmp_path / "out")]
    answer = CliRunner().invoke(app, ["benchmark", *arguments, "--jobs", "1"])
    assert answer.exit_code == 0, answer.output
    runs = pd.read_csv(tmp_path / "out" / "runs-blobs.csv")
    assert sorted(set(runs["k"])) == [2, 6, 8]
    assert set(runs["preparation"]) == {"standardized"}
    assert (tmp_path / "out" / "mi-em-standardized.svg").exists()


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["no-such-set", "--experiment", "m3ic"], "no-such-set"),
        (["--bags", "no-such-file.npz", "--experiment", "m3ic"], "no-such-file.npz"),
        (["--methods", "m3ci", "--experiment", "m3ic"], "did you mean 'm3ic'"),
        (["--methods", "m3ic", "--experiment", "mi-em"], "no method 'm3ic' in the experiment"),
        (["--features", "unti", "--experiment", "m3ic"], "did you mean 'unit'"),
        (["--runs", "3", "--experiment", "m3ic"], "--runs has no meaning"),
        (["--graph", "knn", "--experiment", "mi-em"], "--graph has no meaning"),
        (["--grid", "coarse", "--experiment", "alpha"], "--grid has no meaning"),
        (["--features", "raw"], "--features has no meaning with --experiment all"),
    ],
)
def test_wrong_names_and_options_get_one_line(
    arguments: list[str], reason: str, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    answer = CliRunner().invoke(app, ["benchmark", *arguments, "--out", str(out)])
    assert isinstance(answer.exception, BirdmodesError)
    assert reason in str(answer.exception)
    assert "\n" not in str(answer.exception)
    assert not out.exists()


@pytest.mark.usefixtures("no_report")
def test_the_same_command_goes_on_where_it_was(
    write_problem: Write, tmp_path: Path, counted: list[str]
) -> None:
    plan = plan_of(write_problem())
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    run_bag_benchmark(plan, whole)
    n_tasks = len(counted)
    assert n_tasks == len(set(counted)) == 5 + 1 + 1
    run_bag_benchmark(plan, broken)
    lines = (broken / "tasks.jsonl").read_text().splitlines(keepends=True)
    # Killed while the last of five tasks was written.
    (broken / "tasks.jsonl").write_text("".join(lines[:4]) + lines[4][:50])
    counted.clear()
    run_bag_benchmark(plan, broken)
    assert len(counted) == n_tasks - 4
    assert_same_tables(whole, broken)
    counted.clear()
    run_bag_benchmark(plan, broken)
    assert counted == []


@pytest.mark.usefixtures("no_report")
def test_figures_do_not_depend_on_the_order_or_what_else_is_run(
    write_problem: Write, tmp_path: Path
) -> None:
    plan = plan_of(write_problem(), methods=("bamic-min", "kmeans-vote", "pam-smd"))
    run_bag_benchmark(plan, tmp_path / "at once")
    for entrant in plan.entrants[::-1]:
        run_bag_benchmark(replace(plan, entrants=[entrant]), tmp_path / "one by one")
    assert_same_tables(tmp_path / "at once", tmp_path / "one by one")


def test_a_task_that_went_to_another_process_gives_the_same_rows(write_problem: Write) -> None:
    plan = plan_of(write_problem(), methods=("bamic-min", "m3ic"))
    problems = [check_problem(source)[0] for source in plan.sources]
    for task in make_tasks(plan, problems)[:3]:
        copy = pickle.loads(pickle.dumps(task))  # noqa: S301  our own bytes
        assert copy == task
        here, there = (run_bag_task(each).rows for each in (task, copy))
        for one, other in zip(here, there, strict=True):
            assert {**one, "seconds": 0} == {**other, "seconds": 0}


@pytest.mark.usefixtures("no_report")
def test_the_grid_is_filled_up_in_the_same_folder(
    write_problem: Write, tmp_path: Path, counted: list[str]
) -> None:
    plan = plan_of(write_problem(), methods=("m3ic",))
    run_bag_benchmark(plan, tmp_path / "out")
    run_bag_benchmark(replace(plan, grid=GRIDS["coarse"]), tmp_path / "out")
    # All four points of the small grid are in the coarse one, and the defaults are run once.
    assert len(counted) == len(set(counted)) == 1 + 4 + 20 - 4


@pytest.mark.usefixtures("no_report")
def test_another_protocol_needs_another_folder(write_problem: Write, tmp_path: Path) -> None:
    plan = plan_of(write_problem(), methods=("pam-smd",))
    run_bag_benchmark(plan, tmp_path / "out")
    other = plan_of(write_problem(), methods=("pam-smd",), experiment="mi-em")
    with pytest.raises(BirdmodesError, match="holds figures with experiment m3ic, not mi-em"):
        run_bag_benchmark(other, tmp_path / "out")
    with pytest.raises(BirdmodesError, match="another data set called blobs"):
        run_bag_benchmark(
            plan_of(_elsewhere(write_problem), methods=("pam-smd",)), tmp_path / "out"
        )


def _elsewhere(write_problem: Write) -> Path:
    """Other data of the same name, in another folder."""
    path = write_problem("other.npz", seed=1)
    folder = path.parent / "elsewhere"
    folder.mkdir()
    return path.rename(folder / "blobs.npz")


@pytest.mark.usefixtures("no_report")
def test_a_task_that_fails_is_told_and_tried_again(write_problem: Write, tmp_path: Path) -> None:
    # K = 9 and 12 of 3 classes with 10 bags: the last is too many.
    labels = np.repeat(np.eye(3, dtype=np.uint8), 6, axis=0)
    labels[10:] = 0
    labels[9] = [0, 0, 1]
    plan = plan_of(
        write_problem(bag_labels=labels),
        methods=("pam-smd",),
        experiment="mi-em",
    )
    result = run_bag_benchmark(plan, tmp_path / "out")
    assert len(result.failures) == 1
    assert result.failures[0].startswith("blobs, pam-smd: ")
    assert "at most 10" in result.failures[0]
    assert "at most 10" in result.markdown.read_text()
    assert sorted(result.summary["k"]) == [3, 9]


def test_two_problems_of_one_name_are_refused(write_problem: Write, tmp_path: Path) -> None:
    path = write_problem()
    with pytest.raises(BirdmodesError, match="two problems are called blobs"):
        run_bag_benchmark(plan_of(path, path), tmp_path / "out")
