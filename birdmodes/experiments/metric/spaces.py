"""A set in the space of a metric that is learned from its bags' labels."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np

from algorithms.bags import Bags, IntArray
from algorithms.graph import Affinity, build_affinity
from algorithms.metric.learned_space import in_learned_space
from birdmodes.experiments.held_out.learners import LEARNERS
from birdmodes.experiments.material import Material, Source, load_material
from birdmodes.experiments.metric.protocol import EUCLIDEAN, species_count
from birdmodes.experiments.seeds import child_seed

_KEPT_SPACES = 2  # tasks of one space follow each other, and a dense graph is 200 MB on HJA


@dataclass(frozen=True, eq=False)
class Space:
    """The instances of a set as a metric has them.

    Attributes
    ----------
    bags : Bags
        Instances in the learned space.
    affinity : Affinity
        Their graph.
    seconds : float
        Processor time of learning the metric.
    """

    bags: Bags
    affinity: Affinity
    seconds: float


@lru_cache(maxsize=_KEPT_SPACES)
def load_space(
    source: Source, metric: str, merge: int, graph: Literal["dense", "knn", "auto"], seed: int
) -> Space:
    """Learn a metric once per process, and build the graph that all methods share.

    Parameters
    ----------
    source : Source
        The set.
    metric : str
        A name in :data:`birdmodes.experiments.held_out.learners.LEARNERS`.
    merge : int
        Number of the merging of its classes; -1 for none.
    graph : {"dense", "knn", "auto"}
        The graph.
    seed : int
        Of the whole benchmark.

    Raises
    ------
    ClusteringError
        When the metric cannot be learned.
    """
    material = load_material(source)
    bags = labelled_bags(material, merge, seed)
    started = time.process_time()
    learner = LEARNERS[metric].fit(bags, None, child_seed(seed, material.name, metric, merge))
    seconds = 0.0 if metric == EUCLIDEAN else time.process_time() - started
    learned = in_learned_space(bags, learner)
    graph_seed = child_seed(seed, material.name, "graph")
    return Space(learned, build_affinity(learned.X, graph=graph, seed=graph_seed), seconds)


def labelled_bags(material: Material, merge: int, seed: int) -> Bags:
    """Give the bags of a set, with their labels or with species that hold several of them.

    Parameters
    ----------
    material : Material
        The set.
    merge : int
        Number of the merging; -1 leaves labels as they are.
    seed : int
        Of the whole benchmark.
    """
    bags = material.bags
    if merge < 0:
        return bags
    species = species_of_classes(bags.n_classes, material.name, merge, seed)
    n_species = int(species.max()) + 1
    labels = bags.labels.astype(np.int64) @ np.eye(n_species, dtype=np.int64)[species] > 0
    return Bags(bags.X, bags.bag, labels, bags.labelled)


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
