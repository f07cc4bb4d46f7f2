"""A whole experiment: tasks, tables, figures, report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from birdmodes.errors import BirdmodesError
from birdmodes.experiments.claims import check_claims
from birdmodes.experiments.gather import (
    ExperimentResult,
    closing_facts,
    counted_warnings,
    read_all,
    shuffled,
)
from birdmodes.experiments.held_out.experiment import Closing, HeldOutExperiment
from birdmodes.experiments.held_out.problems import HeldOutProblem, ProblemSource, check_problem
from birdmodes.experiments.held_out.protocol import HeldOutProtocol, HeldOutTask, settings_of
from birdmodes.experiments.held_out.results import (
    HeldOutTables,
    runs_table,
    summary_table,
    whole_only,
    write_tables,
)
from birdmodes.experiments.held_out.splits import folds_of
from birdmodes.experiments.progress import OnProgress, silent, work_through
from birdmodes.experiments.report import write_report
from birdmodes.experiments.store import BenchmarkFolder


@dataclass(frozen=True)
class HeldOutPlan:
    """What to run.

    Attributes
    ----------
    experiment : HeldOutExperiment
        Which experiment.
    sources : sequence of ProblemSource
        The problems.
    entrants : sequence of str
        The methods, of :attr:`HeldOutExperiment.entrants`.
    protocol : HeldOutProtocol
        How.
    command : str
        The command that asked for it, for the report.
    """

    experiment: HeldOutExperiment
    sources: Sequence[ProblemSource]
    entrants: Sequence[str]
    protocol: HeldOutProtocol
    command: str


def run_held_out(
    plan: HeldOutPlan,
    folder: Path,
    *,
    jobs: int = 1,
    on_progress: OnProgress | None = None,
) -> ExperimentResult:
    """Do what is not done yet, and write tables, figures and reports of all that the folder has.

    Parameters
    ----------
    plan : HeldOutPlan
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
        When a problem cannot be used, or the folder is of another benchmark.
    """
    experiment = plan.experiment
    check = partial(check_problem, needs_truth=experiment.needs_truth)
    problems, fingerprints = read_all(plan.sources, check, "data sets")
    tasks = make_tasks(plan, problems)
    with BenchmarkFolder.opened(folder, plan.protocol, fingerprints) as store:
        failures = work_through(store, tasks, experiment.run_task, jobs, on_progress or silent)
        finished = list(store.tasks.values())
        columns = (experiment.setting_columns, experiment.measures)
        names = [problem.name for problem in problems]
        every = runs_table(finished, names, experiment.entrants, *columns)
        runs, unfinished = whole_only(every)
        if runs.empty:
            raise BirdmodesError("; ".join(failures + unfinished) or "there is nothing to run")
        tables = HeldOutTables(runs, summary_table(runs, *columns))
        write_tables(folder, tables)
        verdicts = check_claims(runs, experiment.claims)
        facts = [*_facts(plan, problems, runs), *closing_facts(finished)]
        notes = unfinished + counted_warnings(finished) + failures
        report = experiment.make_report(folder, tables, Closing(facts, verdicts, notes))
        markdown, html = write_report(folder, report)
    return ExperimentResult(markdown, html, tables.summary, verdicts, failures)


def make_tasks(plan: HeldOutPlan, problems: Sequence[HeldOutProblem]) -> list[HeldOutTask]:
    """List all tasks, shuffled, so that the time left can be told from any part of them."""
    tasks = (
        HeldOutTask(setting, source, plan.protocol)
        for source, problem in zip(plan.sources, problems, strict=True)
        for setting in settings_of(
            problem.name, _numbers(problem, plan.protocol), plan.entrants, plan.protocol
        )
    )
    return shuffled(tasks, plan.protocol.seed)


def _numbers(problem: HeldOutProblem, protocol: HeldOutProtocol) -> list[int]:
    """Folds that a problem has."""
    folds = folds_of(problem, protocol)
    return [int(fold) for fold in np.unique(folds[folds >= 0])]


def _facts(
    plan: HeldOutPlan, problems: Sequence[HeldOutProblem], runs: pd.DataFrame
) -> list[tuple[str, str]]:
    methods = [name for name in plan.experiment.entrants if name in set(runs["method"])]
    return [
        ("data sets", ", ".join(dict.fromkeys(runs["dataset"]))),
        *[(problem.name, _size(problem, plan.protocol)) for problem in problems],
        ("methods", ", ".join(methods)),
        ("seed", str(plan.protocol.seed)),
        ("last command", plan.command),
    ]


def _size(problem: HeldOutProblem, protocol: HeldOutProtocol) -> str:
    """Tell how large a problem is, and how it is tested."""
    bags = problem.bags
    how = (
        f"{problem.test.sum()} bags left out"
        if problem.test is not None
        else f"cross-validated by bag in {len(_numbers(problem, protocol))} folds"
    )
    size = (
        f"{bags.n_bags} bags, {bags.n_instances} instances, {bags.n_features} features, "
        f"{bags.n_classes} classes; {how}"
    )
    return f"{size}; {problem.note}" if problem.note else size
