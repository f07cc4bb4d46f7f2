"""A whole experiment on bags: tasks, tables, figures, report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from birdmodes.errors import BirdmodesError
from birdmodes.experiments.bagwise.claims import CLAIMS
from birdmodes.experiments.bagwise.entrants import BagEntrant, in_order
from birdmodes.experiments.bagwise.names import SUBSETS_OF
from birdmodes.experiments.bagwise.problems import (
    Preparation,
    Problem,
    ProblemSource,
    check_problem,
)
from birdmodes.experiments.bagwise.protocol import BagProtocol, Grid, settings_of
from birdmodes.experiments.bagwise.report import make_report
from birdmodes.experiments.bagwise.results import choices_table, runs_table, write_tables
from birdmodes.experiments.bagwise.work import BagTask, run_bag_task
from birdmodes.experiments.claims import check_claims
from birdmodes.experiments.gather import (
    ExperimentResult,
    closing_facts,
    counted_warnings,
    read_all,
    shuffled,
)
from birdmodes.experiments.progress import OnProgress, silent, work_through
from birdmodes.experiments.report import write_report
from birdmodes.experiments.store import BenchmarkFolder, FinishedTask


@dataclass(frozen=True)
class BagPlan:
    """What to run.

    Attributes
    ----------
    sources : sequence of ProblemSource
        The problems.
    preparations : sequence of str
        What is done to their features.
    entrants : sequence of BagEntrant
        The methods.
    grid : Grid
        Where methods with C and l are searched.
    protocol : BagProtocol
        How.
    command : str
        The command that asked for it, for the report.
    """

    sources: Sequence[ProblemSource]
    preparations: Sequence[Preparation]
    entrants: Sequence[BagEntrant]
    grid: Grid
    protocol: BagProtocol
    command: str


def run_bag_benchmark(
    plan: BagPlan,
    folder: Path,
    *,
    jobs: int = 1,
    on_progress: OnProgress | None = None,
) -> ExperimentResult:
    """Do what is not done yet, and write tables, figures and reports of all that the folder has.

    Parameters
    ----------
    plan : BagPlan
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
    problems, fingerprints = read_all(plan.sources, check_problem, "problems")
    tasks = make_tasks(plan, problems)
    with BenchmarkFolder.opened(folder, plan.protocol, fingerprints) as store:
        failures = work_through(store, tasks, run_bag_task, jobs, on_progress or silent)
        finished = list(store.tasks.values())
        runs = runs_table(finished, [problem.name for problem in problems])
        if runs.empty:
            raise BirdmodesError("; ".join(failures) or "there is nothing to run")
        choices = choices_table(runs)
        write_tables(folder, runs, choices)
        # Subsets of classes have problems in common, and with those of the paper.
        subset = choices["dataset"].str.startswith(f"{SUBSETS_OF}:")
        verdicts = check_claims(choices[~subset], CLAIMS[plan.protocol.experiment])
        report = make_report(
            folder,
            plan.protocol,
            runs,
            choices,
            verdicts,
            _facts(plan, runs, finished),
            counted_warnings(finished) + failures,
        )
        markdown, html = write_report(folder, report)
    return ExperimentResult(markdown, html, choices, verdicts, failures)


def make_tasks(plan: BagPlan, problems: Sequence[Problem]) -> list[BagTask]:
    """List all tasks, shuffled, so that the time left can be told from any part of them."""
    tasks = (
        BagTask(setting, source, entrant, plan.protocol)
        for source, problem in zip(plan.sources, problems, strict=True)
        for entrant in plan.entrants
        for setting in settings_of(
            problem.name,
            problem.bags.n_classes,
            plan.preparations,
            entrant,
            plan.grid,
            plan.protocol,
        )
    )
    return shuffled(tasks, plan.protocol.seed)


def _facts(
    plan: BagPlan, runs: pd.DataFrame, finished: Sequence[FinishedTask]
) -> list[tuple[str, str]]:
    protocol = plan.protocol
    return [
        ("data sets", ", ".join(dict.fromkeys(runs["dataset"]))),
        ("features", ", ".join(dict.fromkeys(runs["preparation"]))),
        ("methods", ", ".join(in_order(runs["method"]))),
        ("runs", _runs(protocol)),
        ("pairs of C and l", _grids(runs)),
        ("seed", str(protocol.seed)),
        ("last command", plan.command),
        *closing_facts(finished),
    ]


def _runs(protocol: BagProtocol) -> str:
    """Tell how often methods were run."""
    if protocol.experiment == "mi-em":
        return f"{protocol.mixture_runs} of mi-em; PAM has no randomness"
    return (
        f"{protocol.starts} starts of m3ic, cpm3c and m3ic-kernel, {protocol.medoid_runs} runs of "
        f"BAMIC, {protocol.vote_runs} of kmeans-vote, {protocol.mixture_runs} of mi-em"
    )


def _grids(runs: pd.DataFrame) -> str:
    """Tell how many pairs of C and l were tried, by method and features."""
    searched = runs[runs["C"].notna()]
    names = ["method", "preparation", "dataset"]
    distinct = searched[[*names, "C", "balance"]].drop_duplicates()
    points = distinct.groupby(names, sort=False).size()
    said = []
    for method in in_order(searched["method"]):
        of_method: pd.Series[int] = points.loc[[method]].droplevel(0)
        for preparation in dict.fromkeys(of_method.index.get_level_values(0)):
            counts = Counter(of_method.loc[[preparation]])
            extent = ", ".join(f"{count} on {n} problems" for count, n in counts.items())
            said.append(f"{method}, {preparation}: {extent}")
    return "; ".join(said) or "none"
