"""Methods that cluster instances: who takes part, on which data, and how they are scored."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, partial
from typing import Any, Literal

import numpy as np

from algorithms import metrics
from algorithms.bags import Bags, IntArray
from algorithms.disambiguation.list_baselines import LIST_BASELINES
from algorithms.graph import Affinity, build_affinity
from algorithms.preprocessing import standardize
from algorithms.registry import METHODS, make_clusterer
from birdmodes.errors import BirdmodesError, ParameterError
from birdmodes.experiments.data import Data, Problems, Source, load
from birdmodes.experiments.datasets.catalogue import dataset_info
from birdmodes.experiments.tasks import DIGITS, Row, Stopwatch, child_seed
from birdmodes.experiments.work.tables import ON_SETS, listed

Graph = Literal["dense", "knn", "auto"]

_KEPT_GRAPHS = 8  # a process may need any set next; eight dense graphs are 2 GB at most


@dataclass(frozen=True)
class Entrant:
    """A method with fixed options.

    Attributes
    ----------
    name : str
        What tables and figures call it.
    method : str
        Its name in :data:`algorithms.registry.METHODS`, or that of a baseline of the list in
        :data:`~algorithms.disambiguation.list_baselines.LIST_BASELINES`.
    parameters : mapping
        Options that differ from the method's defaults.
    """

    name: str
    method: str
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_baseline(self) -> bool:
        """Whether it uses the list of a bag and little else; it gives classes only, so K = C."""
        return self.method in LIST_BASELINES

    @property
    def options(self) -> str:
        """The parameters as text, ``name=value`` with semicolons between."""
        return ";".join(f"{name}={value}" for name, value in self.parameters.items())

    @property
    def uses_labels(self) -> bool:
        """Whether the bags' labels change the result."""
        return self.method != "sp"

    @property
    def spectral(self) -> bool:
        """Whether one embedding serves many runs of k-means and many numbers of clusters."""
        return not self.is_baseline and hasattr(METHODS[self.method].load(), "embed")

    def accepts(self, parameter: str) -> bool:
        """Tell whether the method's constructor has `parameter`."""
        return parameter in self._known

    @cached_property
    def _known(self) -> list[str]:
        if self.is_baseline:
            return []
        return list(inspect.signature(METHODS[self.method].load()).parameters)


def _entrants() -> dict[str, Entrant]:
    """Those of the table, then every other instance method of the registry."""
    found = {}
    for fields in listed("instances"):
        name = fields["name"]
        without = {"max_per_label": None} if name.endswith("no-limit") else {}
        found[name] = Entrant(**{"method": name, "parameters": without, **fields})
    taken = {each.method for each in found.values()}
    others = {name for name, method in METHODS.items() if method.kind == "instance"} - taken
    return found | {name: Entrant(name, name) for name in sorted(others)}


ENTRANTS = _entrants()
"""In the order of the tables."""

_MEASURES: dict[str, Callable[[IntArray, IntArray], float]] = {
    "nmi": metrics.normalized_mutual_info,
    "nmi_geometric": partial(metrics.normalized_mutual_info, average="geometric"),
    "purity": metrics.purity,
    "accuracy": metrics.clustering_accuracy,
    "ari": metrics.adjusted_rand_index,
    "ami": metrics.adjusted_mutual_info,
    "f_measure": metrics.f_measure,
    "average_entropy": metrics.average_entropy,
}
MEASURES = tuple(_MEASURES)
"""Columns of figures, in their order."""


def score(truth: IntArray, found: IntArray, names: Sequence[str] = MEASURES) -> dict[str, float]:
    """Evaluate measures, rounded to :data:`~birdmodes.experiments.tasks.DIGITS`."""
    return {name: round(_MEASURES[name](truth, found), DIGITS) for name in names}


def read_instances(source: Source) -> Data:
    """Read a set, its features standardised over all instances.

    Raises
    ------
    BirdmodesError
        When there is nothing to cluster or nothing to score against.
    """
    raw = source.scored(source.read())
    if not raw.bags.labelled.any():
        raise BirdmodesError(
            f"{source.place}: no bag is labelled, so there are no labels to learn from"
        )
    return replace(raw, bags=raw.bags.with_features(standardize(raw.bags.X)))


SETS = Problems(**ON_SETS, check=dataset_info, read=read_instances)
"""What methods that cluster instances are compared on."""


def check_size(data: Data) -> None:
    """See that a set can be clustered into its classes.

    Raises
    ------
    ParameterError
        When there is no class, or there are not more instances than classes.
    """
    n_classes, n_instances = data.bags.n_classes, data.bags.n_instances
    if n_classes < 1 or n_instances <= n_classes:
        raise ParameterError(
            f"{data.name}: {n_classes} classes and {n_instances} instances are too few to "
            "benchmark; there must be a class, and more instances than classes"
        )


def with_labels_of_some(bags: Bags, share: float, run: int, dataset: str, seed: int) -> Bags:
    """Take the labels from all but a random `share` of the labelled bags.

    Every method gets the same subset in the same run. The subsets of one run are nested: those
    labelled at 20 % are so at 40 % too, so that the curve over shares shows what labels add and
    not which bags happened to be drawn.

    Parameters
    ----------
    bags : Bags
        With the labels of all.
    share : float
        0 to 1; rounded to whole bags, at least one.
    run : int
        Number of the repetition.
    dataset : str
        Name of the set.
    seed : int
        Of the whole benchmark.

    Returns
    -------
    Bags
        `bags` itself when all keep their labels.
    """
    known = np.flatnonzero(bags.labelled)
    n_kept = max(1, round(share * len(known)))
    if n_kept >= len(known):
        return bags
    shuffled = np.random.default_rng(child_seed(seed, dataset, "labels", run)).permutation(known)
    labelled = np.zeros(bags.n_bags, dtype=np.bool_)
    labelled[shuffled[:n_kept]] = True
    labels = bags.labels & labelled[:, None]
    return Bags(bags.X, bags.bag, labels, labelled, bags.class_names)


def rows_of_runs(
    entrant: Entrant,
    truth: IntArray,
    affinity_of: Callable[[], Affinity | None],
    bags_of: Callable[[int], Bags],
    ks: Sequence[int],
    runs: Sequence[int],
    seed_of: Callable[..., int],
    more: Callable[[IntArray, Any], Row] = lambda labels, clusterer: {},
    **options: Any,
) -> list[Row]:
    """Cluster as often as is asked for, and score what is found.

    A spectral method is embedded once for the same bags; only k-means differs between its runs,
    and one embedding serves all numbers of clusters. Any other is fitted anew each time.

    Parameters
    ----------
    entrant : Entrant
        The method.
    truth : ndarray of int64, shape (n_instances,)
        Classes.
    affinity_of : callable
        Gives the graph, of spectral methods; the time that it takes counts.
    bags_of : callable
        From a run to its bags.
    ks, runs : sequence of int
        Numbers of clusters and of repetitions.
    seed_of : callable
        From the parts that name a computation to its seed.
    more : callable
        From clusters and the method, None of a baseline of the list, to further columns.
    **options
        Further options of the method.

    Returns
    -------
    list of dict
        A row for each run and number of clusters, with the mean time of one.
    """
    with Stopwatch() as watch:
        found = list(_fits(entrant, affinity_of(), bags_of, ks, runs, seed_of, options))
    names = {"options": entrant.options, "seconds": round(watch.seconds / len(found), 3)}
    return [
        {**names, "k": k, "run": run, **score(truth, labels), **more(labels, clusterer)}
        for k, run, labels, clusterer in found
    ]


def _fits(
    entrant: Entrant,
    affinity: Affinity | None,
    bags_of: Callable[[int], Bags],
    ks: Sequence[int],
    runs: Sequence[int],
    seed_of: Callable[..., int],
    options: dict[str, Any],
) -> Iterator[tuple[int, int, IntArray, Any]]:
    """Number of clusters, run, cluster of each instance, and the method."""
    make = partial(make_clusterer, entrant.method, **entrant.parameters, **options)
    clusterer: Any = None
    embedding: Any = None
    embedded: Bags | None = None
    for run in runs:
        bags = bags_of(run)
        if affinity is not None and bags is not embedded:
            clusterer = make(n_clusters=max(ks), random_state=seed_of("vectors"))
            embedded, embedding = bags, clusterer.embed(bags, affinity=affinity)
        for k in ks:
            seed = seed_of(k, run)
            if entrant.is_baseline:
                labels = LIST_BASELINES[entrant.method](bags, seed)
            elif affinity is not None:
                labels = embedding.cluster(k, n_init=options["n_init"], seed=seed)
            else:
                clusterer = make(n_clusters=k, random_state=seed)
                labels = clusterer.fit(bags).labels_
            yield k, run, labels, clusterer


@lru_cache(maxsize=_KEPT_GRAPHS)
def load_affinity(source: Source, graph: Graph, seed: int) -> Affinity:
    """Build the graph that all spectral methods share, once per process."""
    data = load(read_instances, source)
    return build_affinity(data.bags.X, graph=graph, seed=child_seed(seed, data.name, "graph"))
