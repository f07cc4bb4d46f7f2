"""One task: a method with a metric, from bags to rows of figures."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from algorithms.bags import IntArray
from algorithms.errors import ClusteringError, ClusteringWarning
from algorithms.metrics import adjusted_rand_index
from algorithms.registry import make_clusterer
from algorithms.threads import one_thread
from birdmodes.experiments.entrants import Entrant
from birdmodes.experiments.material import Source, load_material
from birdmodes.experiments.metric.protocol import OWN, MetricProtocol, MetricSetting
from birdmodes.experiments.metric.spaces import (
    Space,
    labelled_bags,
    load_space,
    species_of_classes,
)
from birdmodes.experiments.seeds import child_seed
from birdmodes.experiments.work import DIGITS, Outcome, Row, score


@dataclass(frozen=True)
class MetricTask:
    """A setting with all that a worker process needs."""

    setting: MetricSetting
    source: Source
    entrant: Entrant
    protocol: MetricProtocol


def run_metric_task(task: MetricTask) -> Outcome:
    """Work through a task; runs in a worker process, on one thread.

    The time is that of clustering, without reading the data, learning the metric (a column of its
    own) and building the graph, which tasks share.
    """
    failure = ""
    rows: list[Row] = []
    started = time.process_time()
    with one_thread(), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", ClusteringWarning)
        try:
            space = _space(task)
            clustering = time.process_time()
            found = list(_fitted(task) if space is None else _spectral(task, space))
            seconds = (time.process_time() - clustering) / len(found)
            learning = None if space is None else space.seconds
            rows = [_row(task, run, labels, learning, seconds) for run, labels in found]
        except ClusteringError as error:
            failure = str(error)
    said = list(dict.fromkeys(str(warning.message) for warning in caught))
    return Outcome(rows, time.process_time() - started, said, failure)


def within_species(truth: IntArray, species: IntArray, found: IntArray) -> float:
    """Mean over species of the adjusted Rand index of classes and clusters within the species.

    So it tells nothing of how well species are told apart, only their classes.

    Parameters
    ----------
    truth : ndarray of int64, shape (n_instances,)
        Classes; -1 where unknown.
    species : ndarray of int64, shape (n_classes,)
        Species of each class.
    found : ndarray of int64, shape (n_instances,)
        Clusters.

    Returns
    -------
    float
        Species weigh as much as they have instances; those with a single class do not count. NaN
        if none does.
    """
    known = truth >= 0
    truth, found = truth[known], found[known]
    of_instance = species[truth]
    indices, sizes = [], []
    for one in np.unique(of_instance):
        inside = of_instance == one
        if len(np.unique(truth[inside])) > 1:
            indices.append(adjusted_rand_index(truth[inside], found[inside]))
            sizes.append(int(inside.sum()))
    return float(np.average(indices, weights=sizes)) if indices else float("nan")


def _space(task: MetricTask) -> Space | None:
    setting, protocol = task.setting, task.protocol
    if setting.metric == OWN:
        return None
    return load_space(task.source, setting.metric, setting.merge, protocol.graph, protocol.seed)


def _spectral(task: MetricTask, space: Space) -> Iterator[tuple[int, IntArray]]:
    """Labels from one embedding; only k-means differs between runs."""
    setting, protocol = task.setting, task.protocol
    clusterer: Any = make_clusterer(
        task.entrant.method, **_parameters(task, _seed(task, "vectors"))
    )
    embedding = clusterer.embed(space.bags, affinity=space.affinity)
    for run in setting.runs:
        seed = _seed(task, run)
        yield run, embedding.cluster(setting.k, n_init=protocol.n_init, seed=seed)


def _fitted(task: MetricTask) -> Iterator[tuple[int, IntArray]]:
    """Labels of a method that is fitted anew each time, from the features."""
    material = load_material(task.source)
    bags = labelled_bags(material, task.setting.merge, task.protocol.seed)
    for run in task.setting.runs:
        clusterer: Any = make_clusterer(task.entrant.method, **_parameters(task, _seed(task, run)))
        yield run, clusterer.fit(bags).labels_


def _parameters(task: MetricTask, seed: int) -> dict[str, Any]:
    parameters = {**task.entrant.parameters, "n_clusters": task.setting.k, "random_state": seed}
    for name in ("graph", "n_init"):
        if task.entrant.spectral:
            parameters[name] = getattr(task.protocol, name)
    return parameters


def _seed(task: MetricTask, *parts: str | int) -> int:
    """Seed of a run: the same for every metric, so that metrics can be compared run by run."""
    setting = task.setting
    names = (setting.dataset, "metric", setting.part, setting.entrant, setting.k)
    return child_seed(task.protocol.seed, *names, *parts)


def _row(
    task: MetricTask, run: int, found: IntArray, learning: float | None, seconds: float
) -> Row:
    setting = task.setting
    truth = load_material(task.source).truth
    row: Row = {
        "dataset": setting.dataset,
        "part": setting.part,
        "method": setting.entrant,
        "metric": setting.metric,
        "options": task.entrant.options,
        "k": setting.k,
        "run": run,
        **score(truth, found),
        "ari_within": None,
        "learning_seconds": learning if learning is None else round(learning, 3),
        "seconds": round(seconds, 3),
    }
    if setting.merge >= 0:
        n_classes = load_material(task.source).bags.n_classes
        species = species_of_classes(n_classes, setting.dataset, setting.merge, task.protocol.seed)
        row["ari_within"] = round(within_species(truth, species, found), DIGITS)
    return row
