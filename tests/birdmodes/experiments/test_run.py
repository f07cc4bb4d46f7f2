"""Whole experiments on tiny data, by the command line and by the library."""

from __future__ import annotations

import json
import pickle
import shutil
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from algorithms.errors import ClusteringWarning
from birdmodes.errors import BirdmodesError
from birdmodes.experiments.data import Data, Source, read_all
from birdmodes.experiments.datasets import DATASETS, load_dataset
from birdmodes.experiments.experiment import Experiment, Measured, Protocol, Shown
from birdmodes.experiments.names import (
    BUILT_IN_SET,
    EXPERIMENTS,
    PUBLIC_SETS,
    default_folder,
    experiment_called,
)
from birdmodes.experiments.papers.law import ANNOTATION, INSTANCE_ACCURACY
from birdmodes.experiments.papers.learned_metrics import LEARNED_METRICS
from birdmodes.experiments.papers.pei_fern import PEI_FERN
from birdmodes.experiments.papers.zhang import KRIEGEL, ZHANG
from birdmodes.experiments.run import (
    Plan,
    counted_warnings,
    make_plan,
    make_tasks,
    run_experiment,
)
from birdmodes.experiments.store import FinishedTask
from birdmodes.experiments.tasks import Row, Task, run_task
from birdmodes.experiments.work import folds
from cli.commands.research.benchmark import ExperimentChoice
from cli.main import app

Write = Callable[..., Path]


@dataclass(frozen=True)
class Tiny:
    """An experiment in seconds: methods and protocol, and another protocol."""

    methods: tuple[str, ...]
    protocol: Protocol
    other: Protocol
    differs: str


TINY: dict[str, Tiny] = {
    "all": Tiny(
        ("sp", "csp"),
        PEI_FERN.protocol("all", runs=2, alpha_step=0.5, shares=(0.4, 1.0), k_steps=2, n_init=2),
        PEI_FERN.protocol("all", runs=3, alpha_step=0.5, shares=(0.4, 1.0), k_steps=2, n_init=2),
        "runs 2, not 3",
    ),
    "metric": Tiny(
        ("sp", "mimlca"),
        LEARNED_METRICS.protocol("metric", runs=2, merges=1, n_init=2),
        LEARNED_METRICS.protocol("metric", runs=3, merges=1, n_init=2),
        "runs 2, not 3",
    ),
    "m3ic": Tiny(
        ("m3ic", "bamic-min", "kmeans-vote"),
        ZHANG.protocol("m3ic", starts=2, medoid_runs=2, vote_runs=2, grid="small"),
        KRIEGEL.protocol("mi-em", starts=2, medoid_runs=2, vote_runs=2, grid="small"),
        "experiment m3ic, not mi-em",
    ),
    "annotation": Tiny(
        ("frequency", "euclidean", "miles"),
        ANNOTATION.protocol("annotation", folds=3),
        ANNOTATION.protocol("annotation", folds=4),
        "folds 3, not 4",
    ),
    "instance-accuracy": Tiny(
        ("majority", "euclidean", "mimlca"),
        INSTANCE_ACCURACY.protocol("instance-accuracy", folds=3),
        ANNOTATION.protocol("annotation", folds=3),
        "experiment instance-accuracy, not annotation",
    ),
}
"""One of each kind; kriegel's differs from zhang's in its protocol alone."""

KINDS = [
    name if name in ("all", "m3ic") else pytest.param(name, marks=pytest.mark.slow) for name in TINY
]
"""One runner goes on for all: instances and bags stand for the others, which are slow."""


def without_figures(folder: Path, measured: Measured) -> Shown:
    """Leave out the figures, which take the most time here."""
    return Shown([], [])


def plan_of(
    name: str, *paths: Path, methods: tuple[str, ...] = (), protocol: Protocol | None = None
) -> Plan:
    experiment = replace(experiment_called(name), show=without_figures)
    return Plan(
        experiment,
        [Source(path=path) for path in paths],
        experiment.choose(methods or TINY[name].methods),
        protocol or TINY[name].protocol,
    )


@pytest.fixture
def write_data(write_bags_file: Write, write_problem: Write) -> Write:
    """Write what an experiment can be run on."""

    def write(name: str, *arguments: Any, **replaced: Any) -> Path:
        made: Path = (write_problem if name == "m3ic" else write_bags_file)(*arguments, **replaced)
        return made

    return write


def tables(folder: Path) -> dict[str, pd.DataFrame]:
    found = {path.name: pd.read_csv(path) for path in sorted(folder.glob("*.csv"))}
    return {
        name: table[[column for column in table if "seconds" not in str(column)]]
        for name, table in found.items()
    }


def assert_same_tables(first: Path, second: Path) -> None:
    one, other = tables(first), tables(second)
    assert list(one) == list(other) != []
    for name in one:
        pd.testing.assert_frame_equal(one[name], other[name])


def run_counted(plan: Plan, folder: Path) -> int:
    """Run, and tell how many tasks were worked on."""
    done = []
    run_experiment(plan, folder, on_progress=lambda number, total, text: done.append(number))
    return max(done, default=0)


@pytest.mark.parametrize("name", KINDS)
def test_the_same_plan_goes_on_where_it_was(name: str, write_data: Write, tmp_path: Path) -> None:
    plan = plan_of(name, write_data(name))
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    n_tasks = run_counted(plan, whole)
    shutil.copytree(whole, broken)
    lines = (broken / "tasks.jsonl").read_text().splitlines(keepends=True)
    assert len(lines) == n_tasks
    # Killed while the last but two task was written.
    kept = n_tasks - 3
    (broken / "tasks.jsonl").write_text("".join(lines[:kept]) + lines[kept][:50])
    assert run_counted(plan, broken) == 3
    assert_same_tables(whole, broken)
    assert run_counted(plan, broken) == 0


@pytest.mark.parametrize("name", ["all", "m3ic", "annotation"])
def test_figures_do_not_depend_on_the_order_or_what_else_is_run(
    name: str, write_data: Write, tmp_path: Path
) -> None:
    plan = plan_of(name, write_data(name))
    run_experiment(plan, tmp_path / "at once")
    for entrant in plan.entrants[::-1]:
        run_experiment(replace(plan, entrants=[entrant]), tmp_path / "one by one")
    assert_same_tables(tmp_path / "at once", tmp_path / "one by one")


# That a task gives the same rows elsewhere is tested below, without starting processes.
@pytest.mark.slow
def test_figures_are_the_same_on_two_processes(write_data: Write, tmp_path: Path) -> None:
    plan = plan_of("all", write_data("all"))
    run_experiment(plan, tmp_path / "one")
    run_experiment(plan, tmp_path / "two", jobs=2)
    assert_same_tables(tmp_path / "one", tmp_path / "two")


@pytest.mark.parametrize("name", list(TINY))
def test_a_task_that_went_to_another_process_gives_the_same_rows(
    name: str, write_data: Write
) -> None:
    plan = plan_of(name, write_data(name))
    data = read_all(plan.experiment.problems.read, plan.sources, "sets")
    work = partial(run_task, plan.experiment.work)
    for task in make_tasks(plan, data)[:2]:
        again, copy = pickle.loads(pickle.dumps((work, task)))  # noqa: S301  our own bytes
        assert copy == task
        here, there = (without_seconds(each.rows) for each in (work(task), again(copy)))
        assert here == there != []


def without_seconds(rows: Iterable[Row]) -> list[Row]:
    return [{name: row[name] for name in row if "seconds" not in name} for row in rows]


@pytest.mark.parametrize("name", KINDS)
def test_another_protocol_or_other_data_need_another_folder(
    name: str, write_data: Write, tmp_path: Path
) -> None:
    plan = plan_of(name, write_data(name), methods=TINY[name].methods[-1:])
    run_experiment(plan, tmp_path / "out")
    with pytest.raises(BirdmodesError, match=f"holds figures with {TINY[name].differs}"):
        run_experiment(replace(plan, protocol=TINY[name].other), tmp_path / "out")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    path = write_data(name, "other.npz", seed=1).rename(elsewhere / "blobs.npz")
    with pytest.raises(BirdmodesError, match="another data set called blobs"):
        run_experiment(replace(plan, sources=[Source(path=path)]), tmp_path / "out")


@pytest.mark.parametrize(("name", "kind"), [("all", "data sets"), ("m3ic", "problems")])
def test_two_sets_of_one_name_are_refused(
    name: str, kind: str, write_data: Write, tmp_path: Path
) -> None:
    path = write_data(name)
    with pytest.raises(BirdmodesError, match=f"two {kind} are called blobs: give each once"):
        run_experiment(plan_of(name, path, path), tmp_path / "out")


def test_nothing_to_run_is_an_error(write_data: Write, tmp_path: Path) -> None:
    protocol = TINY["all"].protocol.but(parts=("alpha",))
    plan = plan_of("all", write_data("all"), methods=("sp",), protocol=protocol)
    with pytest.raises(BirdmodesError, match="none of the methods is in the experiment"):
        run_experiment(plan, tmp_path / "out")


def test_tasks_are_shuffled_by_the_seed_alone(write_data: Write) -> None:
    plan = plan_of("all", write_data("all"))
    data = read_all(plan.experiment.problems.read, plan.sources, "sets")
    again, other = (replace(plan, protocol=plan.protocol.but(seed=seed)) for seed in (0, 1))
    titles = [
        [task.setting.key for task in make_tasks(each, data)] for each in (plan, again, other)
    ]
    assert titles[0] == titles[1] != titles[2]
    assert sorted(titles[0]) == sorted(titles[2]) != titles[0]


def test_each_warning_is_counted_once_a_task() -> None:
    setting = {"dataset": "birds", "entrant": "csp"}
    said = [["slow"], ["slow", "odd"], []]
    finished = [FinishedTask(warnings=texts, setting=setting) for texts in said]
    assert counted_warnings(finished) == [
        "birds, csp: odd (in 1 settings)",
        "birds, csp: slow (in 2 settings)",
    ]


def test_another_seed_gives_other_figures(write_data: Write, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    protocol = TINY["all"].protocol.but(parts=("clusters",))
    plan = plan_of("all", write_data("all", X=rng.standard_normal((60, 4))), protocol=protocol)
    run_experiment(plan, tmp_path / "a")
    run_experiment(replace(plan, protocol=protocol.but(seed=1)), tmp_path / "b")
    first, second = (tables(tmp_path / name)["summary.csv"] for name in "ab")
    assert not first["nmi_mean"].equals(second["nmi_mean"])


def test_every_part_agrees_where_there_is_no_doubt(write_data: Write, tmp_path: Path) -> None:
    # Far apart blobs: every method and every start of k-means finds them.
    with np.load(write_data("all")) as content:
        truth = content["y"]
    noise = np.random.default_rng(0).standard_normal((60, 3))
    plan = plan_of("all", write_data("all", X=30 * np.eye(3)[truth] + noise))
    summary = run_experiment(plan, tmp_path / "out").summary
    at_c = summary[(summary["k"] == 3) & (summary["alpha"] != 0)]
    assert set(at_c["experiment"]) == {"alpha", "labelled", "clusters"}
    assert (at_c["purity_mean"] == 1).all()
    assert (at_c["nmi_mean"] == 1).all()


def test_the_grid_is_filled_up_in_the_same_folder(write_data: Write, tmp_path: Path) -> None:
    plan = plan_of("m3ic", write_data("m3ic"), methods=("m3ic",))
    assert run_counted(plan, tmp_path / "out") == 1 + 4
    coarse = replace(plan, protocol=plan.protocol.but(grid="coarse"))
    # All four points of the small grid are in the coarse one, and the defaults are run once.
    assert run_counted(coarse, tmp_path / "out") == 20 - 4


def test_a_task_that_fails_is_told_and_tried_again(write_data: Write, tmp_path: Path) -> None:
    # K = 9 and 12 of 3 classes with 10 bags: the last is too many.
    labels = np.repeat(np.eye(3, dtype=np.uint8), 6, axis=0)
    labels[10:] = 0
    labels[9] = [0, 0, 1]
    experiment = replace(experiment_called("mi-em"), show=without_figures)
    source = Source(path=write_data("m3ic", bag_labels=labels))
    plan = Plan(experiment, [source], ["pam-smd"], KRIEGEL.protocol("mi-em"))
    result = run_experiment(plan, tmp_path / "out")
    assert len(result.failures) == 1
    assert result.failures[0].startswith("blobs, pam-smd: ")
    assert "at most 10" in result.failures[0]
    assert "at most 10" in result.markdown.read_text()
    assert sorted(result.summary["k"]) == [3, 9]
    assert run_counted(plan, tmp_path / "out") == 1


def test_a_method_that_refuses_is_told_and_the_others_are_kept(
    write_data: Write, tmp_path: Path
) -> None:
    same = np.ones((20, 3), dtype=np.uint8)
    path = write_data("annotation", bag_labels=same)
    plan = plan_of("annotation", path, methods=("frequency", "mildml"))
    result = run_experiment(plan, tmp_path / "out")
    assert len(result.failures) == 1
    assert result.failures[0].startswith("blobs, mildml: ")
    assert result.failures[0].partition(": ")[2] in result.markdown.read_text()
    assert result.summary["method"].tolist() == ["frequency"]
    with pytest.raises(BirdmodesError, match="blobs, mildml: "):
        run_experiment(replace(plan, entrants=["mildml"]), tmp_path / "alone")


def test_a_published_split_is_learned_and_tested_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    bags = load_dataset("digits-words").bags
    test = np.arange(bags.n_bags) % 3 == 0
    split = Data("corel5k", bags, test=test, note="the published test photographs")
    monkeypatch.setattr(folds, "has_training_photographs", lambda folder: True)
    monkeypatch.setattr(folds, "load_photographs", lambda folder: split)
    source = Source("corel5k", data_dir=tmp_path)
    plan = replace(plan_of("annotation", methods=("frequency", "mi-kernel")), sources=[source])
    result = run_experiment(plan, tmp_path / "out")
    assert result.summary["dataset"].tolist() == ["corel5k"] * 2
    assert result.summary["folds"].tolist() == [1, 1]
    assert result.summary["test_bags_mean"].tolist() == [126, 126]
    assert "126 bags left out; the published test photographs" in result.markdown.read_text()
    # Ranked by the training bags alone.
    first = bags.labels[~test].sum(axis=0).argmax()
    error = 1 - bags.labels[test][:, first].mean()
    assert result.summary["one_error_mean"][0] == pytest.approx(error, abs=1e-5)


def test_what_methods_warn_of_is_in_the_report(write_data: Write, tmp_path: Path) -> None:
    plan = plan_of("annotation", write_data("annotation"), methods=("frequency",))
    experiment = replace(plan.experiment, work=warning_work)
    result = run_experiment(replace(plan, experiment=experiment), tmp_path / "out")
    assert "blobs, frequency: mind the gap (in 3 settings)" in result.markdown.read_text()


def warning_work(task: Task) -> list[Row]:
    warnings.warn("mind the gap", ClusteringWarning, stacklevel=1)
    names = {"dataset": "blobs", "method": "frequency", "fold": task.setting.fold, "distance": ""}
    return [{**names, **dict.fromkeys(ANNOTATION.figures, 0.5)}]


def test_chi_square_takes_no_part_where_features_are_negative(
    write_data: Write, tmp_path: Path
) -> None:
    name = "instance-accuracy"
    plan = plan_of(name, write_data(name), methods=("majority", "mlca", "mimlca-chi2"))
    result = run_experiment(plan, tmp_path / "out")
    assert result.failures == []
    assert set(result.summary["method"]) == {"majority", "mlca"}
    own = result.summary.query("method == 'mlca' and rule == '15' and means == 'own'")
    assert (own["accuracy_mean"] > 0.8).all()


def test_every_experiment_can_be_named() -> None:
    assert [choice.value for choice in ExperimentChoice] == [*EXPERIMENTS]
    for name in EXPERIMENTS:
        experiment = experiment_called(name)
        assert isinstance(experiment, Experiment)
        protocol = experiment.protocol(name, True)
        kept = protocol.as_dict(experiment.extent)
        assert json.loads(json.dumps(kept)) == kept
        assert all(hasattr(protocol, option) for option in experiment.options)
    assert {*PUBLIC_SETS, BUILT_IN_SET} <= set(DATASETS)
    assert default_folder("alpha") == default_folder("all") == "birdmodes-benchmark"
    assert default_folder("mi-em") == "birdmodes-benchmark-mi-em"


def test_data_without_truth_are_refused_once_read(write_data: Write) -> None:
    unknown = write_data("all", y=np.full(60, -1))
    for name in ("all", "metric", "instance-accuracy"):
        with pytest.raises(BirdmodesError, match="no instance has a known class"):
            experiment_called(name).problems.read(Source(path=unknown))
    assert experiment_called("annotation").problems.read(Source(path=unknown)).truth is None
    with pytest.raises(BirdmodesError, match="blobs: no instance has a known class"):
        _ = Data("blobs", load_dataset("digits-words").bags).known_truth


@dataclass(frozen=True)
class Typed:
    """A command, and what is to be seen of it."""

    options: str
    files: tuple[str, ...]
    said: str
    in_report: str


TYPED = {
    "clusters": Typed(
        "--methods sp,csp --quick --runs 2",
        ("clusters.svg",),
        "csp is better than sp on every set",
        "--runs 2 --seed 0 --quick",
    ),
    "m3ic": Typed(
        "--methods m3ic,bamic-min,kmeans-vote --quick",
        ("m3ic-grid-raw.svg", "m3ic-sensitivity.svg"),
        "m3ic is more accurate than every BAMIC",
        "starts of m3ic",
    ),
    "mi-em": Typed(
        "--methods pam-smd,pam-hausdorff",
        ("mi-em-standardized.svg",),
        "open ",
        "PAM has no randomness",
    ),
    "metric": Typed(
        "--methods sp,ldc --runs 2 --quick",
        (),
        "K = C: mean gain in NMI",
        "NMI, K = C: Euclidean → mimlca-no-limit",
    ),
    "annotation": Typed(
        "--methods mi-kernel,mimlca,frequency --quick",
        ("average-precision.svg", "training-time.svg"),
        "every method annotates better than ranking classes",
        "20 bags, 60 instances, 4 features, 3 classes; cross-validated by bag in 3",
    ),
    "instance-accuracy": Typed(
        "--methods majority,mlca,mimlca --quick",
        ("instance-accuracy-alpha.svg",),
        "mimlca as published is near mlca",
        "(b) mimlca",
    ),
}


@pytest.mark.parametrize("name", list(TYPED))
def test_the_command_writes_tables_figures_and_reports(
    name: str, write_bags_file: Write, write_problem: Write, tmp_path: Path
) -> None:
    write = write_problem if name in ("m3ic", "mi-em") else write_bags_file
    names = np.array(["<b>Wren & Co</b>", "=1+1", "O'Malley|x"])
    path = write("my <i>birds & co.npz", class_names=names)
    out = tmp_path / "out"
    arguments = ["--experiment", name, "--bags", str(path), "--out", str(out), "--jobs", "1"]
    answer = CliRunner().invoke(app, ["benchmark", *arguments, *TYPED[name].options.split()])
    assert answer.exit_code == 0, answer.output
    assert f"open {out / 'report.html'}" in answer.output
    assert TYPED[name].said in answer.output
    # Rule 16 is in the report, not in the terminal.
    assert "16, alpha chosen" not in answer.output
    written = {entry.name for entry in out.iterdir()}
    assert {"report.html", "report.md", "summary.csv", "tasks.jsonl", *TYPED[name].files} <= written
    assert {each for each in written if each.endswith(".svg")} == set(TYPED[name].files)
    runs = pd.read_csv(next(out.glob("runs-*.csv")))
    assert set(runs["dataset"]) == {"my <i>birds & co"}
    assert list(runs) == experiment_called(name).columns
    html = (out / "report.html").read_text(encoding="utf-8")
    assert "<i>birds" not in html
    assert "my &lt;i&gt;birds &amp; co" in html
    assert TYPED[name].in_report in html
    # The command can be shared: it names no folder of this machine.
    assert str(tmp_path) not in html
    assert "--bags &#39;my &lt;i&gt;birds &amp; co.npz&#39;" in html


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["no-such-set"], "no-such-set"),
        (["--bags", "no-such-file.npz"], "no-such-file.npz"),
        (["--methods", "cps"], "did you mean 'csp'"),
        (["--grid", "coarse"], "--grid has no meaning with --experiment all"),
        (["--features", "raw"], "--features has no meaning with --experiment all"),
        (["--grid", "coarse", "--experiment", "alpha"], "--grid has no meaning"),
        (["--features", "raw", "--experiment", "metric"], "no meaning with --experiment metric"),
        (["no-such-set", "--experiment", "m3ic"], "no-such-set"),
        (["--bags", "no-such-file.npz", "--experiment", "m3ic"], "no-such-file.npz"),
        (["--methods", "m3ci", "--experiment", "m3ic"], "did you mean 'm3ic'"),
        (["--methods", "m3ic", "--experiment", "mi-em"], "no method 'm3ic' in the experiment"),
        (["--features", "unti", "--experiment", "m3ic"], "did you mean 'unit'"),
        (["--runs", "3", "--experiment", "m3ic"], "--runs has no meaning"),
        (["--graph", "knn", "--experiment", "mi-em"], "--graph has no meaning"),
        (["no-such-set", "--experiment", "annotation"], "no-such-set"),
        (["--bags", "no-such-file.npz", "--experiment", "annotation"], "no-such-file.npz"),
        (["--methods", "csp", "--experiment", "annotation"], "no method 'csp' in the experiment"),
        (["--runs", "3", "--experiment", "annotation"], "--runs has no meaning with --experiment"),
        (["--n-init", "3", "--experiment", "annotation"], "--n-init has no meaning"),
        (["--grid", "full", "--experiment", "annotation"], "--grid has no meaning"),
        (["--methods", "mimlka", "--experiment", "instance-accuracy"], "did you mean 'mimlca'?"),
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


def test_the_command_of_a_report_can_be_typed_again() -> None:
    plan = make_plan(
        "m3ic", ["corel-eft"], methods=["m3ic"], grid="coarse", features=("raw", "unit")
    )
    assert plan.command == (
        "birdmodes benchmark corel-eft --experiment m3ic --methods m3ic --grid coarse "
        "--features raw,unit --seed 0"
    )
    quick = make_plan("m3ic", ["corel-eft"], quick=True, seed=3)
    assert quick.command == "birdmodes benchmark corel-eft --experiment m3ic --seed 3 --quick"


EXPECTED = Path(__file__).parent / "expected"
DOCS = Path(__file__).parents[3] / "docs"


def test_the_repository_keeps_reports_and_summaries_and_no_runs() -> None:
    assert not list((DOCS / "results").rglob("runs-*.csv"))
    assert sum(path.stat().st_size for path in DOCS.rglob("*") if path.is_file()) < 4_000_000
    for report in (DOCS / "results").rglob("report.html"):
        assert (report.parent / "summary.csv").is_file()


def test_a_small_experiment_comes_out_as_it_did(tmp_path: Path) -> None:
    # The first rows of a summary that was kept: any change of a figure is seen here.
    plan = make_plan("annotation", methods=["frequency", "euclidean", "mimlca"], quick=True)
    run_experiment(replace(plan, experiment=replace(ANNOTATION, show=without_figures)), tmp_path)
    expected = pd.read_csv(EXPECTED / "annotation-digits-words.csv")
    found = tables(tmp_path)["summary.csv"]
    # Other libraries of linear algebra may differ in the last digit.
    pd.testing.assert_frame_equal(found, expected, atol=2e-5, rtol=0)


def test_published_figures_come_out_anew(shared: Path, tmp_path: Path) -> None:
    # Rows of docs/results that take seconds; the whole takes hours.
    methods = ["majority", "euclidean", "mimlca"]
    name = "instance-accuracy"
    plan = make_plan(name, ["letter-frost"], methods=methods, data_dir=shared / "datasets")
    experiment = replace(plan.experiment, show=without_figures)
    run_experiment(replace(plan, experiment=experiment), tmp_path)
    found = tables(tmp_path)["summary.csv"]
    expected = tables(DOCS / "results" / name)["summary.csv"]
    expected = expected[expected["dataset"].eq("letter-frost") & expected["method"].isin(methods)]
    pd.testing.assert_frame_equal(found, expected.reset_index(drop=True), atol=2e-5, rtol=0)
