"""One task: from bags to rows of figures."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from algorithms import metrics
from algorithms.bags import Bags, IntArray
from algorithms.errors import ClusteringError, ClusteringWarning
from algorithms.registry import make_clusterer
from birdmodes.experiments.entrants import Entrant
from birdmodes.experiments.material import Source, load_affinity, load_material
from birdmodes.experiments.protocol import Protocol, Setting, with_labels_of_some
from birdmodes.experiments.seeds import child_seed

Row = dict[str, Any]

_MEASURES = {
    "nmi": metrics.normalized_mutual_info,
    "purity": metrics.purity,
    "accuracy": metrics.clustering_accuracy,
    "ari": metrics.adjusted_rand_index,
    "ami": metrics.adjusted_mutual_info,
    "f_measure": metrics.f_measure,
    "average_entropy": metrics.average_entropy,
}
MEASURES = ("nmi", "nmi_geometric", *[name for name in _MEASURES if name != "nmi"])
"""Columns of figures, in their order."""

DIGITS = 5
"""Digits of figures that are kept."""


@dataclass(frozen=True)
class BenchmarkTask:
    """A setting with all that a worker process needs."""

    setting: Setting
    source: Source
    entrant: Entrant
    protocol: Protocol


@dataclass(frozen=True)
class Outcome:
    """What became of a task.

    Attributes
    ----------
    rows : list of dict
        One per run and number of clusters.
    seconds : float
        Processor time, which other programs on the machine do not change much; reading the set
        and building its graph included where this task was the first of its process to need them.
    warnings : list of str
        What the method had to say, each once.
    failure : str
        Why there are no rows, or empty.
    """

    rows: list[Row] = field(default_factory=list)
    seconds: float = 0.0
    warnings: list[str] = field(default_factory=list)
    failure: str = ""


def run_task(task: BenchmarkTask) -> Outcome:
    """Work through a task; runs in a worker process.

    On one thread, so that the figures are the same on any number of cores and the processes do
    not get in each other's way.
    """
    started = time.process_time()
    failure = ""
    rows: list[Row] = []
    with threadpool_limits(limits=1), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", ClusteringWarning)
        try:
            rows = list(_spectral_rows(task) if task.entrant.spectral else _fitted_rows(task))
        except ClusteringError as error:
            failure = str(error)
    seconds = time.process_time() - started
    for row in rows:
        row["seconds"] = round(seconds / len(rows), 3)
    said = list(dict.fromkeys(str(warning.message) for warning in caught))
    return Outcome(rows, seconds, said, failure)


def _spectral_rows(task: BenchmarkTask) -> Iterator[Row]:
    """Rows from one embedding per label subset; only k-means differs between runs."""
    setting, protocol = task.setting, task.protocol
    affinity = load_affinity(task.source, protocol.graph, protocol.seed)
    parameters = _parameters(task, n_clusters=max(setting.ks), seed=_seed(task, "vectors"))
    clusterer: Any = make_clusterer(task.entrant.method, **parameters)
    embedded: Bags | None = None
    embedding: Any = None
    for run in setting.runs:
        bags = _bags_of_run(task, run)
        if bags is not embedded:
            embedded, embedding = bags, clusterer.embed(bags, affinity=affinity)
        for k in setting.ks:
            found = embedding.cluster(k, n_init=protocol.n_init, seed=_seed(task, k, run))
            yield _row(task, clusterer, k, run, found)


def _fitted_rows(task: BenchmarkTask) -> Iterator[Row]:
    """Rows from a method that is fitted anew each time."""
    for run in task.setting.runs:
        bags = _bags_of_run(task, run)
        for k in task.setting.ks:
            parameters = _parameters(task, n_clusters=k, seed=_seed(task, k, run))
            clusterer = make_clusterer(task.entrant.method, **parameters)
            yield _row(task, clusterer, k, run, clusterer.fit(bags).labels_)


def _bags_of_run(task: BenchmarkTask, run: int) -> Bags:
    """Bags with the labels of this run; always all when the method does not look at them."""
    bags = load_material(task.source).bags
    if not task.entrant.uses_labels:
        return bags
    setting = task.setting
    return with_labels_of_some(bags, setting.share, run, setting.dataset, task.protocol.seed)


def _parameters(task: BenchmarkTask, *, n_clusters: int, seed: int) -> dict[str, Any]:
    parameters = {**task.entrant.parameters, "n_clusters": n_clusters, "random_state": seed}
    if task.setting.alpha is not None:
        parameters["alpha"] = task.setting.alpha
    for name in ("graph", "n_init"):
        if task.entrant.accepts(name):
            parameters[name] = getattr(task.protocol, name)
    return parameters


def _seed(task: BenchmarkTask, *parts: str | int) -> int:
    setting = task.setting
    return child_seed(
        task.protocol.seed,
        setting.dataset,
        setting.experiment,
        setting.entrant,
        setting.alpha,
        setting.share,
        *parts,
    )


def _row(task: BenchmarkTask, clusterer: Any, k: int, run: int, found: IntArray) -> Row:
    setting = task.setting
    truth = load_material(task.source).truth
    return {
        "dataset": setting.dataset,
        "experiment": setting.experiment,
        "method": setting.entrant,
        "options": task.entrant.options,
        "alpha": clusterer.get_params().get("alpha"),
        "labelled_share": setting.share,
        "k": k,
        "run": run,
        **score(truth, found),
    }


def score(truth: IntArray, found: IntArray) -> dict[str, float]:
    """Evaluate :data:`MEASURES`, rounded to :data:`DIGITS`."""
    scores = {name: measure(truth, found) for name, measure in _MEASURES.items()}
    scores["nmi_geometric"] = metrics.normalized_mutual_info(truth, found, "geometric")
    return {name: round(scores[name], DIGITS) for name in MEASURES}
