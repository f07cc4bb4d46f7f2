"""A whole experiment: tasks, tables, figures, report."""

from __future__ import annotations

import datetime
import random
import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from birdmodes.errors import BirdmodesError, ParameterError
from birdmodes.experiments.claims import Verdict
from birdmodes.experiments.data import Data, Source, read_all
from birdmodes.experiments.experiment import Brief, Experiment, Measured, Protocol
from birdmodes.experiments.names import experiment_called
from birdmodes.experiments.report import Report, versions, write_report
from birdmodes.experiments.results import in_order, runs_table, whole_only, write_tables
from birdmodes.experiments.store import BenchmarkFolder, FinishedTask, commands_of, note_command
from birdmodes.experiments.tasks import Task, child_seed, run_task
from birdmodes.parallel.executors import run_tasks

OnProgress = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Plan:
    """What to run.

    Attributes
    ----------
    experiment : Experiment
        Which experiment.
    sources : sequence of Source
        The data.
    entrants : sequence of str
        The methods, of :attr:`~birdmodes.experiments.experiment.Experiment.entrants`.
    protocol : Protocol
        How.
    command : str
        The command that asked for it, for the report; it names no folder of this machine.
    """

    experiment: Experiment
    sources: Sequence[Source]
    entrants: Sequence[str]
    protocol: Protocol
    command: str = "birdmodes benchmark"


@dataclass(frozen=True)
class Results:
    """What came out of an experiment.

    Attributes
    ----------
    markdown, html : pathlib.Path
        The reports.
    summary : pandas.DataFrame
        The table that says most: means and deviations, or what every rule chose.
    brief : Brief
        What to print of it.
    verdicts : list of Verdict
        The checked list of claims.
    failures : list of str
        Tasks without a result, and why; the same command tries them again.
    """

    markdown: Path
    html: Path
    summary: pd.DataFrame
    brief: Brief
    verdicts: list[Verdict]
    failures: list[str]


def make_plan(
    name: str,
    names: Sequence[str] = (),
    *,
    methods: Sequence[str] = (),
    files: Sequence[Path] = (),
    data_dir: Path | None = None,
    quick: bool = False,
    seed: int = 0,
    **options: Any,
) -> Plan:
    """Plan an experiment.

    Parameters
    ----------
    name : str
        A key of :data:`birdmodes.experiments.names.EXPERIMENTS`.
    names : sequence of str
        Public data; the built-in ones when there are no `files` either.
    methods : sequence of str
        All unless given.
    files : sequence of pathlib.Path
        Data of one's own.
    data_dir : pathlib.Path, optional
        Folder of the public sets' files.
    quick : bool
        Fewer values of everything.
    seed : int
        Same seed, same figures.
    **options
        Further fields of the protocol: ``runs``, ``n_init``, ``graph``, ``grid``, ``features``;
        None leaves a default.

    Raises
    ------
    ParameterError, DatasetError
        For an unknown name, or an option that the experiment does not have.
    """
    experiment = experiment_called(name)
    given = {option: value for option, value in options.items() if value is not None}
    for option in given:
        if option not in experiment.options:
            raise ParameterError(
                f"--{option.replace('_', '-')} has no meaning with --experiment {name}: leave it "
                "out"
            )
    protocol = experiment.protocol(name, quick, seed=seed, **given)
    known = experiment.problems.expand(names) if names or not files else []
    sources = [Source(each, data_dir=data_dir) for each in known]
    sources += [Source(path=path) for path in files]
    typed = ["birdmodes", "benchmark", *names, "--experiment", name]
    for path in files:
        typed += ["--bags", path.name]
    if methods:
        typed += ["--methods", ",".join(methods)]
    # What --quick chooses is not typed.
    for option in [*(each for each in experiment.options if each in given or not quick), "seed"]:
        value = getattr(protocol, option)
        text = ",".join(value) if isinstance(value, tuple) else str(value)
        typed += [f"--{option.replace('_', '-')}", text]
    command = shlex.join([*typed, "--quick"] if quick else typed)
    return Plan(experiment, sources, experiment.choose(methods), protocol, command)


def run_experiment(
    plan: Plan,
    folder: Path,
    *,
    jobs: int = 1,
    on_progress: OnProgress | None = None,
) -> Results:
    """Do what is not done yet, and write tables, figures and reports of all that the folder has.

    Parameters
    ----------
    plan : Plan
        What to run.
    folder : pathlib.Path
        Keeps finished tasks and takes the results.
    jobs : int
        Processes; no figure depends on it, but the time does.
    on_progress : callable, optional
        Called with done, total and a short text.

    Raises
    ------
    BirdmodesError
        When data cannot be used, or the folder is of another experiment.
    """
    experiment, protocol = plan.experiment, plan.protocol
    data = read_all(experiment.problems.read, plan.sources, experiment.problems.kind)
    tasks = make_tasks(plan, data)
    fingerprints = {each.name: each.fingerprint for each in data}
    settings = protocol.as_dict(experiment.extent)
    with BenchmarkFolder.opened(folder, settings, fingerprints) as store:
        failures = _work_through(store, plan, tasks, jobs, on_progress or (lambda *_: None))
        finished = list(store.tasks.values())
        runs = runs_table(experiment, finished, [each.name for each in data])
        unfinished: list[str] = []
        if experiment.repetition == "fold":
            runs, unfinished = whole_only(runs, list(experiment.orders))
        if runs.empty:
            said = "; ".join(failures + unfinished)
            raise BirdmodesError(said or "nothing to run: none of the methods is in the experiment")
        measured = Measured(runs, experiment.summarise(runs))
        write_tables(experiment, folder, measured)
        verdicts = experiment.verdicts(measured)
        shown = experiment.show(folder, measured)
        facts = _facts(plan, data, runs, finished, commands_of(folder, len(finished)))
        notes = [*shown.notes, *unfinished, *counted_warnings(finished), *failures]
        report = Report(experiment.words, facts, verdicts, shown.main, shown.sections, notes)
        markdown, html = write_report(folder, report)
    brief = experiment.brief(measured.summary)
    return Results(markdown, html, measured.summary, brief, verdicts, failures)


def make_tasks(plan: Plan, data: Sequence[Data]) -> list[Task]:
    """List all tasks, shuffled, but for those that are to follow each other."""
    together: dict[object, list[Task]] = {}
    for source, each in zip(plan.sources, data, strict=True):
        for entrant in plan.entrants:
            for setting in plan.experiment.settings(each, entrant, plan.protocol):
                task = Task(setting, source, plan.protocol)
                together.setdefault(plan.experiment.together(setting), []).append(task)
    groups = list(together.values())
    random.Random(child_seed(plan.protocol.seed, "order")).shuffle(groups)
    return [task for group in groups for task in group]


def _work_through(
    store: BenchmarkFolder,
    plan: Plan,
    tasks: Sequence[Task],
    jobs: int,
    on_progress: OnProgress,
) -> list[str]:
    """Run the tasks that are not kept yet; tell which have no result, and why."""
    todo = [task for task in tasks if not store.finished(task.setting)]
    note_command(store.folder, plan.command, len(todo), len(store.tasks))
    failures: dict[str, None] = {}
    if todo:
        on_progress(0, len(todo), "")
    jobs = max(1, min(jobs, len(todo)))
    lighter = "fewer --jobs" + (" or --graph knn" if "graph" in plan.experiment.options else "")
    work = partial(run_task, plan.experiment.work)
    for done, (task, outcome) in enumerate(run_tasks(work, todo, workers=jobs), start=1):
        name = plan.experiment.title(task.setting)
        if outcome is None:
            failures[f"{name}: the process died (out of memory?); use {lighter}"] = None
        elif outcome.failure:
            failures[f"{name}: {outcome.failure}"] = None
        else:
            store.keep(task.setting, outcome)
        on_progress(done, len(todo), name)
    return list(failures)


def counted_warnings(finished: Iterable[FinishedTask]) -> list[str]:
    """What methods warned of, each once with the number of settings that it was said in."""
    counts = Counter(
        f"{task.setting['dataset']}, {task.setting['entrant']}: {text}"
        for task in finished
        for text in task.warnings
    )
    return [f"{text} (in {count} settings)" for text, count in sorted(counts.items())]


def _facts(
    plan: Plan,
    data: Sequence[Data],
    runs: pd.DataFrame,
    finished: Sequence[FinishedTask],
    commands: Sequence[str],
) -> list[tuple[str, str]]:
    """What, how and when, for the report."""
    experiment, protocol = plan.experiment, plan.protocol
    minutes = sum(task.seconds for task in finished) / 60
    return [
        ("data sets", ", ".join(dict.fromkeys(runs["dataset"]))),
        ("methods", ", ".join(in_order(runs["method"], list(experiment.entrants)))),
        *experiment.facts(protocol, data, runs),
        ("seed", str(protocol.seed)),
        *(("command", command) for command in commands),
        ("versions", versions()),
        ("date", datetime.datetime.now(datetime.UTC).date().isoformat()),
        ("processor time", f"{minutes:.1f} minutes"),
    ]
