"""A set in the space of a metric that is learned from its bags' labels."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from algorithms.bags import Bags, IntArray
from algorithms.graph import Affinity, build_affinity
from algorithms.metric.learned_space import in_learned_space
from algorithms.metrics import adjusted_rand_index
from birdmodes.experiments.data import Data, Source, load
from birdmodes.experiments.tasks import Stopwatch, child_seed
from birdmodes.experiments.work.instances import Graph, read_instances
from birdmodes.experiments.work.learners import EUCLIDEAN, LEARNERS

_CLASSES_PER_SPECIES = 3
_KEPT_SPACES = 2  # tasks of one space follow each other, and a dense graph is 200 MB on HJA


@lru_cache(maxsize=_KEPT_SPACES)
def load_space(
    source: Source, metric: str, merge: int, graph: Graph, seed: int
) -> tuple[Bags, Affinity, float]:
    """Learn a metric once per process, and build the graph that all methods share.

    Parameters
    ----------
    source : Source
        The set.
    metric : str
        A name in :data:`birdmodes.experiments.work.learners.LEARNERS`.
    merge : int
        Number of the merging of its classes; -1 for none.
    graph : {"dense", "knn", "auto"}
        The graph.
    seed : int
        Of the whole benchmark.

    Returns
    -------
    bags : Bags
        Instances in the learned space.
    affinity : Affinity
        Their graph.
    seconds : float
        Processor time of learning the metric.

    Raises
    ------
    ClusteringError
        When the metric cannot be learned.
    """
    data = load(read_instances, source)
    bags = labelled_bags(data, merge, seed)
    with Stopwatch() as watch:
        learner = LEARNERS[metric].fit(bags, None, child_seed(seed, data.name, metric, merge))
    seconds = 0.0 if metric == EUCLIDEAN else watch.seconds
    learned = in_learned_space(bags, learner)
    graph_seed = child_seed(seed, data.name, "graph")
    return learned, build_affinity(learned.X, graph=graph, seed=graph_seed), seconds


def labelled_bags(data: Data, merge: int, seed: int) -> Bags:
    """Give the bags of a set, with their labels or with species that hold several of them.

    Parameters
    ----------
    data : Data
        The set.
    merge : int
        Number of the merging; -1 leaves labels as they are.
    seed : int
        Of the whole benchmark.
    """
    bags = data.bags
    if merge < 0:
        return bags
    species = species_of_classes(bags.n_classes, data.name, merge, seed)
    n_species = int(species.max()) + 1
    labels = bags.labels.astype(np.int64) @ np.eye(n_species, dtype=np.int64)[species] > 0
    return Bags(bags.X, bags.bag, labels, bags.labelled)


def species_count(n_classes: int) -> int:
    """Tell into how many species classes are merged: a third, so that each has about three."""
    return max(2, round(n_classes / _CLASSES_PER_SPECIES))


def species_of_classes(n_classes: int, dataset: str, merge: int, seed: int) -> IntArray:
    """Merge classes at random into species of about equal numbers of classes.

    Returns
    -------
    ndarray of int64, shape (n_classes,)
        Species of each class.
    """
    rng = np.random.default_rng(child_seed(seed, dataset, "merge", merge))
    turn = np.arange(n_classes) % species_count(n_classes)
    return rng.permutation(turn).astype(np.int64)


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
