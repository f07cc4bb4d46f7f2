"""Whole benchmarks of a tiny set, by the command line and by the library."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from birdmodes.errors import BirdmodesError
from birdmodes.experiments import run as run_module
from birdmodes.experiments.entrants import choose_entrants
from birdmodes.experiments.material import Source
from birdmodes.experiments.protocol import Protocol
from birdmodes.experiments.run import BenchmarkPlan, run_benchmark
from birdmodes.experiments.work import BenchmarkTask, Outcome, run_task
from cli.commands.benchmark import BUILT_IN_SET, PUBLIC_SETS
from cli.main import app

TINY = Protocol(runs=2, alpha_step=0.5, shares=(0.4, 1.0), k_steps=2, n_init=2)


def plan_of(*paths: Path, methods: tuple[str, ...] = ("sp", "csp"), **changes: Any) -> Any:
    plan = BenchmarkPlan(
        sources=[Source(path=path) for path in paths],
        experiments=("alpha", "labelled", "clusters"),
        entrants=choose_entrants(methods),
        protocol=TINY,
        command="birdmodes benchmark",
    )
    return replace(plan, **changes)


def tables(folder: Path) -> dict[str, pd.DataFrame]:
    return {
        path.name: pd.read_csv(path).drop(columns=["seconds", "seconds_mean"], errors="ignore")
        for path in sorted(folder.glob("*.csv"))
    }


def assert_same_tables(first: Path, second: Path) -> None:
    one, other = tables(first), tables(second)
    assert list(one) == list(other) != []
    for name in one:
        pd.testing.assert_frame_equal(one[name], other[name])


@pytest.fixture
def no_drawing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave figures, which take the most time here, to the test of the command."""
    monkeypatch.setattr(run_module, "write_figures", lambda folder, summary: [])


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Keys of the tasks that are worked on in this process."""
    keys: list[str] = []

    def counting(task: BenchmarkTask) -> Outcome:
        keys.append(task.setting.key)
        return run_task(task)

    monkeypatch.setattr(run_module, "run_task", counting)
    return keys


def test_the_command_writes_tables_figures_and_reports(
    write_bags_file: Callable[..., Path], tmp_path: Path
) -> None:
    names = ["<b>Wren & Co</b>", "=1+1", "O'Malley|x"]
    path = write_bags_file("my <i>birds & co.npz", class_names=np.array(names))
    out = tmp_path / "out"
    arguments = ["--bags", str(path), "--out", str(out), "--methods", "sp, csp"]
    arguments += ["--quick", "--runs", "2", "--jobs", "1", "--experiment", "clusters"]
    answer = CliRunner().invoke(app, ["benchmark", *arguments])
    assert answer.exit_code == 0, answer.output
    assert f"open {out / 'report.html'}" in answer.output
    assert "csp is better than sp on every set" in answer.output
    written = {entry.name for entry in out.iterdir()}
    assert {"report.html", "report.md", "clusters.svg", "summary.csv", "tasks.jsonl"} <= written
    runs = pd.read_csv(next(out.glob("runs-clusters-*.csv")))
    assert set(runs["k"]) == {3, 4, 6}
    assert set(runs["dataset"]) == {"my <i>birds & co"}
    html = (out / "report.html").read_text(encoding="utf-8")
    assert "<i>birds" not in html
    assert "my &lt;i&gt;birds &amp; co" in html
    # The command can be shared: it names no folder of this machine.
    assert str(tmp_path) not in html
    assert "--bags &#39;my &lt;i&gt;birds &amp; co.npz&#39;" in html


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["no-such-set"], "no-such-set"),
        (["--bags", "no-such-file.npz"], "no-such-file.npz"),
        (["--methods", "cps"], "did you mean 'csp'"),
    ],
)
def test_wrong_names_get_one_line(arguments: list[str], reason: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    answer = CliRunner().invoke(app, ["benchmark", *arguments, "--out", str(out)])
    assert isinstance(answer.exception, BirdmodesError)
    assert reason in str(answer.exception)
    assert "\n" not in str(answer.exception)
    assert not out.exists()


def test_the_named_sets_exist() -> None:
    from birdmodes.experiments.datasets import DATASETS

    assert {*PUBLIC_SETS, BUILT_IN_SET} <= set(DATASETS)


@pytest.mark.usefixtures("no_drawing")
def test_the_same_command_goes_on_where_it_was(
    write_bags_file: Callable[..., Path], tmp_path: Path, counted: list[str]
) -> None:
    plan = plan_of(write_bags_file())
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    run_benchmark(plan, whole)
    n_tasks = len(counted)
    run_benchmark(plan, broken)
    lines = (broken / "tasks.jsonl").read_text().splitlines(keepends=True)
    # Killed while the last of eight tasks was written.
    (broken / "tasks.jsonl").write_text("".join(lines[:7]) + lines[7][:50])
    counted.clear()
    run_benchmark(plan, broken)
    assert len(counted) == n_tasks - 7
    assert_same_tables(whole, broken)
    counted.clear()
    run_benchmark(plan, broken)
    assert counted == []


@pytest.mark.usefixtures("no_drawing")
def test_figures_do_not_depend_on_the_number_of_processes_or_the_order(
    write_bags_file: Callable[..., Path], tmp_path: Path
) -> None:
    plan = plan_of(write_bags_file(), experiments=("labelled", "clusters"))
    run_benchmark(plan, tmp_path / "two", jobs=2)
    for experiment in plan.experiments[::-1]:
        run_benchmark(replace(plan, experiments=(experiment,)), tmp_path / "one", jobs=1)
    assert_same_tables(tmp_path / "one", tmp_path / "two")


@pytest.mark.usefixtures("no_drawing")
def test_another_seed_gives_other_figures(
    write_bags_file: Callable[..., Path], tmp_path: Path
) -> None:
    rng = np.random.default_rng(3)
    plan = plan_of(write_bags_file(X=rng.standard_normal((60, 4))), experiments=("clusters",))
    run_benchmark(plan, tmp_path / "a")
    run_benchmark(replace(plan, protocol=replace(TINY, seed=1)), tmp_path / "b")
    first, second = (tables(tmp_path / name)["summary.csv"] for name in "ab")
    assert not first["nmi_mean"].equals(second["nmi_mean"])


@pytest.mark.usefixtures("no_drawing")
def test_every_experiment_agrees_where_there_is_no_doubt(
    write_bags_file: Callable[..., Path], tmp_path: Path
) -> None:
    # Far apart blobs: every method and every start of k-means finds them.
    with np.load(write_bags_file()) as data:
        truth = data["y"]
    noise = np.random.default_rng(0).standard_normal((60, 3))
    path = write_bags_file(X=30 * np.eye(3)[truth] + noise)
    summary = run_benchmark(plan_of(path), tmp_path / "out").summary
    at_c = summary[(summary["k"] == 3) & (summary["alpha"] != 0)]
    assert set(at_c["experiment"]) == {"alpha", "labelled", "clusters"}
    assert (at_c["purity_mean"] == 1).all()
    assert (at_c["nmi_mean"] == 1).all()


@pytest.mark.usefixtures("no_drawing")
def test_a_task_that_fails_is_told_and_tried_again(
    write_bags_file: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail_for_csp(task: BenchmarkTask) -> Outcome:
        if task.entrant.name == "csp":
            return Outcome(failure="no convergence")
        return run_task(task)

    plan = plan_of(write_bags_file(), experiments=("clusters",))
    with monkeypatch.context() as patched:
        patched.setattr(run_module, "run_task", fail_for_csp)
        result = run_benchmark(plan, tmp_path / "out")
    assert result.failures == ["blobs, clusters, csp: no convergence"]
    assert "no convergence" in result.markdown.read_text()
    assert set(result.summary["method"]) == {"sp"}
    assert set(run_benchmark(plan, tmp_path / "out").summary["method"]) == {"sp", "csp"}


def test_nothing_to_run_is_an_error(write_bags_file: Callable[..., Path], tmp_path: Path) -> None:
    plan = plan_of(write_bags_file(), methods=("sp",), experiments=("alpha",))
    with pytest.raises(BirdmodesError, match="none of the methods is in the experiment"):
        run_benchmark(plan, tmp_path / "out")


def test_two_sets_of_one_name_are_refused(
    write_bags_file: Callable[..., Path], tmp_path: Path
) -> None:
    path = write_bags_file()
    with pytest.raises(BirdmodesError, match="two data sets are called blobs"):
        run_benchmark(plan_of(path, path), tmp_path / "out")
