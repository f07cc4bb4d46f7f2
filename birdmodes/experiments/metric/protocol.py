"""What the experiment on learned metrics varies, and the tasks that makes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Literal

from birdmodes.errors import ParameterError
from birdmodes.experiments.entrants import Entrant
from birdmodes.experiments.protocol import SetSize

EUCLIDEAN = "euclidean"
METRICS = (EUCLIDEAN, "mimlca", "mimlca-no-limit", "miml", "mildml")
"""Names in :data:`birdmodes.experiments.held_out.learners.LEARNERS`, in the order of the tables."""

OWN = "own"
"""In place of a metric, for methods that are not told one."""

Part = Literal["classes", "sub-classes"]
SUB_CLASS_METHODS = ("sp", "splearn-symmetric", "csp")
"""Spectral methods that are to find classes again that were merged."""

_MOST_RUNS_BESIDE = 5  # of methods that are fitted anew each time and hardly vary
_CLASSES_PER_SPECIES = 3
_FEWEST_CLASSES = 4


@dataclass(frozen=True)
class MetricProtocol:
    """Everything that changes the figures, besides data, methods and metrics.

    Attributes
    ----------
    runs : int
        Starts of k-means.
    merges : int
        How often classes are merged at random, to be looked for as sub-classes.
    n_init : int
        Starts of k-means in one run, the best of which counts.
    graph : {"dense", "knn", "auto"}
        Affinity graph of the spectral methods.
    seed : int
        Same seed, same figures.
    """

    runs: int = 20
    merges: int = 4
    n_init: int = 5
    graph: Literal["dense", "knn", "auto"] = "dense"
    seed: int = 0

    @classmethod
    def quick(cls) -> MetricProtocol:
        """Fewer runs, to try it out in minutes."""
        return cls(runs=3, merges=2)

    def as_dict(self) -> dict[str, Any]:
        """The settings, as JSON would give them back."""
        return {"experiment": "metric", **asdict(self)}


@dataclass(frozen=True)
class MetricSetting:
    """The unit of work: some runs of one method with one metric.

    Attributes
    ----------
    dataset, entrant, metric : str
        Names; the metric is :data:`OWN` for methods that are not told one.
    k : int
        Number of clusters.
    runs : tuple of int
        Which repetitions. Among sub-classes, the number of the merging.
    part : {"classes", "sub-classes"}
        Whether the bags' labels are the classes, or classes merged.
    """

    dataset: str
    entrant: str
    metric: str
    k: int
    runs: tuple[int, ...]
    part: Part = "classes"

    @property
    def key(self) -> str:
        """Text that no other setting has."""
        return json.dumps(list(asdict(self).values()))

    @property
    def title(self) -> str:
        """The set, the method and its metric."""
        metric = "" if self.metric == OWN else f" with {self.metric}"
        return f"{self.dataset}, {self.part}, {self.entrant}{metric}"

    @property
    def space(self) -> tuple[str, str, int]:
        """What tasks with the same learned metric have in common."""
        return self.dataset, self.metric, self.merge

    @property
    def merge(self) -> int:
        """Number of the merging of classes; -1 for none."""
        return self.runs[0] if self.part == "sub-classes" else -1


def species_count(n_classes: int) -> int:
    """Tell into how many species classes are merged: a third, so that each has about three."""
    return max(2, round(n_classes / _CLASSES_PER_SPECIES))


def metric_settings_of(
    size: SetSize, entrant: Entrant, protocol: MetricProtocol
) -> Iterator[MetricSetting]:
    """List the settings of one method on one set.

    Parameters
    ----------
    size : SetSize
        The set. Among fewer than four classes no sub-classes are looked for.
    entrant : Entrant
        A spectral method meets every metric; of these, sub-classes are looked for with three. Any
        other is beside them, for comparison, and fitted anew in each of at most 5 runs.
    protocol : MetricProtocol
        How.

    Raises
    ------
    ParameterError
        When the set is too small.
    """
    if size.n_classes < 1 or size.n_instances <= size.n_classes:
        raise ParameterError(
            f"{size.name}: {size.n_classes} classes and {size.n_instances} instances are too few "
            "to benchmark; there must be a class, and more instances than classes"
        )
    every = tuple(range(protocol.runs))
    one_by_one = [(run,) for run in every[:_MOST_RUNS_BESIDE]]
    ks = [k for k in (size.n_classes, 2 * size.n_classes) if k < size.n_instances]
    for metric in METRICS if entrant.spectral else (OWN,):
        base = (size.name, entrant.name, metric)
        for k in ks:
            for runs in [every] if entrant.spectral else one_by_one:
                yield MetricSetting(*base, k, runs)
        if size.n_classes >= _FEWEST_CLASSES and _looks_for_sub_classes(entrant):
            for merge in range(protocol.merges):
                yield MetricSetting(*base, size.n_classes, (merge,), "sub-classes")


def _looks_for_sub_classes(entrant: Entrant) -> bool:
    return not entrant.spectral or entrant.name in SUB_CLASS_METHODS
