"""One task: all runs of a method with one setting, from bags to rows of figures."""

from __future__ import annotations

import inspect
import math
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from algorithms import metrics
from algorithms.bags import IntArray
from algorithms.bagwise.kmedoids import alternating
from algorithms.distances import BagDistance, bag_distances
from algorithms.errors import ClusteringError, ClusteringWarning
from algorithms.registry import METHODS, make_clusterer
from birdmodes.experiments.bagwise.entrants import BagEntrant
from birdmodes.experiments.bagwise.problems import Problem, ProblemSource, load_problem
from birdmodes.experiments.bagwise.protocol import BagProtocol, BagSetting
from birdmodes.experiments.seeds import child_seed
from birdmodes.experiments.work import Outcome, Row

_MEASURES = {
    "accuracy": metrics.clustering_accuracy,
    "nmi": metrics.normalized_mutual_info,
    "purity": metrics.purity,
    "f_measure": metrics.f_measure,
    "average_entropy": metrics.average_entropy,
    "ari": metrics.adjusted_rand_index,
}
BAG_MEASURES = ("accuracy", "nmi_geometric", *[name for name in _MEASURES if name != "accuracy"])
"""Columns of figures, in their order."""

_BAMIC_DISTANCE: dict[str, BagDistance] = {
    "bamic-min": "min",
    "bamic-max": "max",
    "bamic-avg": "average",
}

_OBJECTIVES = ("objective_", "cost_", "inertia_")
"""Attributes that hold what a method minimises; mi-em maximises its likelihood instead."""

_DIGITS = 5


@dataclass(frozen=True)
class BagTask:
    """A setting with all that a worker process needs."""

    setting: BagSetting
    source: ProblemSource
    entrant: BagEntrant
    protocol: BagProtocol


@dataclass(frozen=True)
class _Run:
    """One run: groups of the bags, what the method minimises, processor time in seconds."""

    labels: IntArray
    objective: float
    seconds: float


def run_bag_task(task: BagTask) -> Outcome:
    """Work through a task; runs in a worker process.

    On one thread, so that the figures are the same on any number of cores and the processes do
    not get in each other's way. The time is that of the runs, without reading the data.
    """
    failure = ""
    rows: list[Row] = []
    seconds = 0.0
    with threadpool_limits(limits=1), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", ClusteringWarning)
        problem = load_problem(task.source, task.setting.preparation)
        started = time.process_time()
        try:
            medoids = task.entrant.name in _BAMIC_DISTANCE
            runs = list((_medoid_runs if medoids else _fits)(task, problem))
            seconds = time.process_time() - started
            rows = _rows(task, problem, runs)
        except ClusteringError as error:
            failure = str(error)
    said = list(dict.fromkeys(str(warning.message) for warning in caught))
    return Outcome(rows, seconds, said, failure)


def _fits(task: BagTask, problem: Problem) -> Iterator[_Run]:
    """Fit as often as the protocol says, every time with a random start of its own."""
    for run in range(task.protocol.runs_of(task.entrant)):
        clusterer: Any = make_clusterer(task.entrant.name, **_parameters(task, run))
        started = time.process_time()
        clusterer.fit(problem.bags)
        seconds = time.process_time() - started
        yield _Run(clusterer.labels_, _objective(clusterer), seconds)


def _medoid_runs(task: BagTask, problem: Problem) -> Iterator[_Run]:
    """Run BAMIC from random medoids; the distances, which all runs share, count in each."""
    k, kind = task.setting.k, _BAMIC_DISTANCE[task.entrant.name]
    if k > problem.bags.n_bags:
        raise ClusteringError(f"{k} groups of {problem.bags.n_bags} bags: ask for fewer groups")
    started = time.process_time()
    distances = bag_distances(problem.bags, kind)
    shared = time.process_time() - started
    for run in range(task.protocol.runs_of(task.entrant)):
        started = time.process_time()
        rng = np.random.default_rng(_seed(task, run))
        start = rng.choice(problem.bags.n_bags, k, replace=False)
        found = alternating(distances, start)
        yield _Run(found.labels, found.cost, shared + time.process_time() - started)


def _parameters(task: BagTask, run: int) -> dict[str, Any]:
    """Options of one fit: a single start, and the features as the problem has them."""
    setting = task.setting
    wanted: dict[str, Any] = {
        "n_clusters": setting.k,
        "random_state": _seed(task, run),
        "scaling": "none",
    }
    if task.entrant.single_starts:
        wanted["n_init"] = 1
    if setting.cost is not None and setting.balance is not None:
        wanted |= {"C": setting.cost, "balance": setting.balance}
    known = inspect.signature(METHODS[task.entrant.name].load()).parameters
    return {name: value for name, value in wanted.items() if name in known}


def _seed(task: BagTask, run: int) -> int:
    """Seed of a run: the same for every point of the grid, so that points can be compared."""
    setting = task.setting
    names = (setting.dataset, setting.preparation, setting.entrant, setting.k)
    return child_seed(task.protocol.seed, task.protocol.experiment, *names, run)


def _rows(task: BagTask, problem: Problem, runs: list[_Run]) -> list[Row]:
    setting = task.setting
    largest_class = np.bincount(problem.truth).max() / len(problem.truth)
    agreement = _agreement(runs, setting.k) if task.entrant.has_grid else [None] * len(runs)
    rows = []
    for number, (run, agrees) in enumerate(zip(runs, agreement, strict=True)):
        scores = {name: measure(problem.truth, run.labels) for name, measure in _MEASURES.items()}
        scores["nmi_geometric"] = metrics.normalized_mutual_info(
            problem.truth, run.labels, "geometric"
        )
        rows.append(
            {
                "dataset": setting.dataset,
                "preparation": setting.preparation,
                "method": setting.entrant,
                "k": setting.k,
                "C": setting.cost,
                "balance": setting.balance,
                "run": number,
                "groups": len(np.unique(run.labels)),
                "objective": float(f"{run.objective:.6g}"),
                "agreement": agrees,
                **{name: round(scores[name], _DIGITS) for name in BAG_MEASURES},
                "largest_class": round(float(largest_class), _DIGITS),
                "seconds": round(run.seconds, 4),
            }
        )
    return rows


def _agreement(runs: list[_Run], k: int) -> list[float | None]:
    """Mean adjusted Rand index of each run with the others; with an empty group it counts 0.

    All bags in one group agree perfectly from any start, and say nothing.
    """
    n_runs = len(runs)
    table = np.zeros((n_runs, n_runs))
    full = [run for run in range(n_runs) if len(np.unique(runs[run].labels)) == k]
    for one, other in combinations(full, 2):
        index = metrics.adjusted_rand_index(runs[one].labels, runs[other].labels)
        table[one, other] = table[other, one] = index
    if n_runs < 2:
        return [None] * n_runs
    return [round(float(total), _DIGITS) for total in table.sum(axis=1) / (n_runs - 1)]


def _objective(clusterer: Any) -> float:
    """What the method made small; nan when it does not say."""
    if hasattr(clusterer, "log_likelihoods_"):
        return -float(clusterer.log_likelihoods_[-1])
    found = [getattr(clusterer, name) for name in _OBJECTIVES if hasattr(clusterer, name)]
    return float(found[0]) if found else math.nan
