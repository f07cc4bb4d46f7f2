"""A whole benchmark of learned metrics: tasks, tables, report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from birdmodes.errors import BirdmodesError
from birdmodes.experiments.claims import check_claims
from birdmodes.experiments.entrants import Entrant, in_order
from birdmodes.experiments.gather import (
    ExperimentResult,
    closing_facts,
    counted_warnings,
    read_all,
    shuffled,
)
from birdmodes.experiments.material import Material, Source, check_material
from birdmodes.experiments.metric.claims import CLAIMS
from birdmodes.experiments.metric.protocol import METRICS, MetricProtocol, metric_settings_of
from birdmodes.experiments.metric.report import make_report
from birdmodes.experiments.metric.results import runs_table, summary_table, write_tables
from birdmodes.experiments.metric.work import MetricTask, run_metric_task
from birdmodes.experiments.progress import OnProgress, silent, work_through
from birdmodes.experiments.report import write_report
from birdmodes.experiments.store import BenchmarkFolder, FinishedTask


@dataclass(frozen=True)
class MetricPlan:
    """What to run.

    Attributes
    ----------
    sources : sequence of Source
        The data sets.
    entrants : sequence of Entrant
        The methods.
    protocol : MetricProtocol
        How.
    command : str
        The command that asked for it, for the report.
    """

    sources: Sequence[Source]
    entrants: Sequence[Entrant]
    protocol: MetricProtocol
    command: str


def run_metric_benchmark(
    plan: MetricPlan,
    folder: Path,
    *,
    jobs: int = 1,
    on_progress: OnProgress | None = None,
) -> ExperimentResult:
    """Do what is not done yet, and write tables and reports of all that the folder has.

    Parameters
    ----------
    plan : MetricPlan
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
            run_metric_task,
            jobs,
            on_progress or silent,
            lighter="fewer --jobs or --graph knn",
        )
        finished = list(store.tasks.values())
        runs = runs_table(finished, [material.name for material in materials])
        if runs.empty:
            raise BirdmodesError("; ".join(failures) or "there is nothing to run")
        summary = summary_table(runs)
        write_tables(folder, runs, summary)
        verdicts = check_claims(runs, CLAIMS)
        notes = counted_warnings(finished) + failures
        report = make_report(summary, verdicts, _facts(plan, runs, finished), notes)
        markdown, html = write_report(folder, report)
    return ExperimentResult(markdown, html, summary, verdicts, failures)


def make_tasks(plan: MetricPlan, materials: Sequence[Material]) -> list[MetricTask]:
    """List all tasks; those in the same learned space, which is kept, follow each other."""
    spaces: dict[tuple[str, str, int], list[MetricTask]] = {}
    for source, material in zip(plan.sources, materials, strict=True):
        for entrant in plan.entrants:
            for setting in metric_settings_of(material.size, entrant, plan.protocol):
                task = MetricTask(setting, source, entrant, plan.protocol)
                spaces.setdefault(setting.space, []).append(task)
    return [task for space in shuffled(spaces.values(), plan.protocol.seed) for task in space]


def _facts(
    plan: MetricPlan, runs: pd.DataFrame, finished: Sequence[FinishedTask]
) -> list[tuple[str, str]]:
    protocol = plan.protocol
    found = set(runs["metric"])
    return [
        ("data sets", ", ".join(dict.fromkeys(runs["dataset"]))),
        ("methods", ", ".join(in_order(set(runs["method"])))),
        ("metrics", ", ".join(name for name in METRICS if name in found)),
        ("runs", f"{protocol.runs}, each the best of {protocol.n_init} starts of k-means"),
        ("mergings of classes", str(protocol.merges)),
        ("graph", protocol.graph),
        ("seed", str(protocol.seed)),
        ("command", plan.command),
        *closing_facts(finished),
    ]
