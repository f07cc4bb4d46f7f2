"""A whole benchmark: tasks, tables, figures, report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from birdmodes.errors import BirdmodesError
from birdmodes.experiments.claims import check_claims
from birdmodes.experiments.entrants import Entrant, in_order
from birdmodes.experiments.figures import write_figures
from birdmodes.experiments.gather import (
    ExperimentResult,
    closing_facts,
    read_all,
    shuffled,
    warnings_of,
)
from birdmodes.experiments.material import Material, Source, check_material
from birdmodes.experiments.progress import OnProgress, silent, work_through
from birdmodes.experiments.protocol import Experiment, Protocol, settings_of
from birdmodes.experiments.report import make_report, write_report
from birdmodes.experiments.results import runs_table, summary_table, write_tables
from birdmodes.experiments.store import BenchmarkFolder, FinishedTask
from birdmodes.experiments.work import BenchmarkTask, run_task


@dataclass(frozen=True)
class BenchmarkPlan:
    """What to run.

    Attributes
    ----------
    sources : sequence of Source
        The data sets.
    experiments : sequence of str
        Which experiments.
    entrants : sequence of Entrant
        Which methods.
    protocol : Protocol
        How.
    command : str
        The command that asked for it, for the report.
    """

    sources: Sequence[Source]
    experiments: Sequence[Experiment]
    entrants: Sequence[Entrant]
    protocol: Protocol
    command: str


def run_benchmark(
    plan: BenchmarkPlan,
    folder: Path,
    *,
    jobs: int = 1,
    on_progress: OnProgress | None = None,
) -> ExperimentResult:
    """Do what is not done yet, and write tables, figures and reports of all that the folder has.

    Parameters
    ----------
    plan : BenchmarkPlan
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
        When a set cannot be benchmarked, or the folder is of another benchmark.
    """
    materials, fingerprints = read_all(plan.sources, check_material, "data sets")
    tasks = make_tasks(plan, materials)
    with BenchmarkFolder.opened(folder, plan.protocol, fingerprints) as store:
        failures = work_through(
            store,
            tasks,
            run_task,
            jobs,
            on_progress or silent,
            lighter="fewer --jobs or --graph knn",
        )
        finished = list(store.tasks.values())
        runs = runs_table(finished, [material.name for material in materials])
        if runs.empty:
            raise BirdmodesError("; ".join(failures) or "none of the methods is in the experiment")
        summary = summary_table(runs)
        write_tables(folder, runs, summary)
        verdicts = check_claims(runs)
        report = make_report(
            summary,
            verdicts,
            write_figures(folder, summary),
            _facts(plan, runs, finished),
            sorted(warnings_of(finished)) + failures,
        )
        markdown, html = write_report(folder, report)
    return ExperimentResult(markdown, html, summary, verdicts, failures)


def make_tasks(plan: BenchmarkPlan, materials: Sequence[Material]) -> list[BenchmarkTask]:
    """List all tasks, shuffled, so that the time left can be told from any part of them."""
    tasks = (
        BenchmarkTask(setting, source, entrant, plan.protocol)
        for source, material in zip(plan.sources, materials, strict=True)
        for experiment in plan.experiments
        for entrant in plan.entrants
        for setting in settings_of(material.size, experiment, entrant, plan.protocol)
    )
    return shuffled(tasks, plan.protocol.seed)


def _facts(
    plan: BenchmarkPlan, runs: pd.DataFrame, finished: Sequence[FinishedTask]
) -> list[tuple[str, str]]:
    protocol = plan.protocol
    return [
        ("data sets", ", ".join(dict.fromkeys(runs["dataset"]))),
        ("experiments", ", ".join(dict.fromkeys(runs["experiment"]))),
        ("methods", ", ".join(in_order(set(runs["method"])))),
        ("runs", f"{protocol.runs}, each the best of {protocol.n_init} starts of k-means"),
        ("graph", protocol.graph),
        ("seed", str(protocol.seed)),
        ("command", plan.command),
        *closing_facts(finished),
    ]
