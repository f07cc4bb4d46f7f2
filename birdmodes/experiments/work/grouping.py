"""Grouping whole bags: all runs of a method with one setting, from bags to rows of figures."""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from algorithms import metrics
from algorithms.bags import IntArray
from algorithms.bagwise.kmedoids import alternating
from algorithms.distances import BagDistance, bag_distances
from algorithms.errors import ClusteringError
from algorithms.registry import METHODS, make_clusterer
from birdmodes.experiments.data import Data
from birdmodes.experiments.tasks import DIGITS, Row, Stopwatch, Task, child_seed
from birdmodes.experiments.work.bags import ENTRANTS, SINGLE_STARTS, WITH_GRID, load_prepared
from birdmodes.experiments.work.instances import score

BAG_MEASURES = (
    *("accuracy", "nmi_geometric", "nmi", "purity"),
    *("f_measure", "average_entropy", "ari"),
)
"""Columns of figures, in their order."""

_BAMIC_DISTANCE: dict[str, BagDistance] = {
    "bamic-min": "min",
    "bamic-max": "max",
    "bamic-avg": "average",
}

_OBJECTIVES = ("objective_", "cost_", "inertia_")
"""Attributes that hold what a method minimises; mi-em maximises its likelihood instead."""


@dataclass(frozen=True)
class _Run:
    """One run: groups of the bags, what the method minimises, processor time in seconds."""

    labels: IntArray
    objective: float
    seconds: float


def work(task: Task) -> list[Row]:
    """Give the rows of a task; times are those of the runs, without reading the data."""
    data = load_prepared(task.source, task.setting.preparation)
    medoids = task.setting.entrant in _BAMIC_DISTANCE
    return _rows(task, data, list((_medoid_runs if medoids else _fits)(task, data)))


def n_runs(protocol: Any, entrant: str) -> int:
    """Tell how often a method is run in one setting."""
    name = ENTRANTS[entrant]
    return int(getattr(protocol, name)) if name else 1


def _fits(task: Task, data: Data) -> Iterator[_Run]:
    """Fit as often as the protocol says, every time with a random start of its own."""
    for run in range(n_runs(task.protocol, task.setting.entrant)):
        clusterer: Any = make_clusterer(task.setting.entrant, **_parameters(task, run))
        with Stopwatch() as watch:
            clusterer.fit(data.bags)
        yield _Run(clusterer.labels_, _objective(clusterer), watch.seconds)


def _medoid_runs(task: Task, data: Data) -> Iterator[_Run]:
    """Run BAMIC from random medoids; the distances, which all runs share, count in each."""
    k, kind = task.setting.k, _BAMIC_DISTANCE[task.setting.entrant]
    if k > data.bags.n_bags:
        raise ClusteringError(f"{k} groups of {data.bags.n_bags} bags: ask for fewer groups")
    with Stopwatch() as shared:
        distances = bag_distances(data.bags, kind)
    for run in range(n_runs(task.protocol, task.setting.entrant)):
        with Stopwatch() as watch:
            rng = np.random.default_rng(_seed(task, run))
            start = rng.choice(data.bags.n_bags, k, replace=False)
            found = alternating(distances, start)
        yield _Run(found.labels, found.cost, shared.seconds + watch.seconds)


def _parameters(task: Task, run: int) -> dict[str, Any]:
    """Options of one fit: a single start, and the features as the problem has them."""
    setting = task.setting
    wanted: dict[str, Any] = {
        "n_clusters": setting.k,
        "random_state": _seed(task, run),
        "scaling": "none",
    }
    if ENTRANTS[setting.entrant] in SINGLE_STARTS:
        wanted["n_init"] = 1
    if setting.cost is not None and setting.balance is not None:
        wanted |= {"C": setting.cost, "balance": setting.balance}
    known = inspect.signature(METHODS[setting.entrant].load()).parameters
    return {name: value for name, value in wanted.items() if name in known}


def _seed(task: Task, run: int) -> int:
    """Seed of a run: every point of the grid has starts of its own, as in the papers."""
    setting = task.setting
    names = [setting.dataset, setting.preparation, setting.entrant, setting.k]
    if setting.cost is not None:
        names += [setting.cost, setting.balance]
    return child_seed(task.protocol.seed, task.protocol.experiment, *names, run)


def _rows(task: Task, data: Data, runs: list[_Run]) -> list[Row]:
    setting, truth = task.setting, data.known_truth
    largest_class = np.bincount(truth).max() / len(truth)
    agreement: list[float | None] = [None] * len(runs)
    if setting.entrant in WITH_GRID:
        agreement = _agreement(runs, setting.k)
    return [
        {
            "C": setting.cost,
            "balance": setting.balance,
            "run": number,
            "groups": len(np.unique(run.labels)),
            "objective": float(f"{run.objective:.6g}"),
            "agreement": agrees,
            **score(truth, run.labels, BAG_MEASURES),
            "largest_class": round(float(largest_class), DIGITS),
            "seconds": round(run.seconds, 4),
        }
        for number, (run, agrees) in enumerate(zip(runs, agreement, strict=True))
    ]


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
    return [round(float(total), DIGITS) for total in table.sum(axis=1) / (n_runs - 1)]


def _objective(clusterer: Any) -> float:
    """What the method made small; nan when it does not say."""
    if hasattr(clusterer, "log_likelihoods_"):
        return -float(clusterer.log_likelihoods_[-1])
    found = [getattr(clusterer, name) for name in _OBJECTIVES if hasattr(clusterer, name)]
    return float(found[0]) if found else math.nan
