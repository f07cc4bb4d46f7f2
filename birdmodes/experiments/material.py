"""Data sets as the experiments use them: standardised, with one affinity graph for all methods."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

import numpy as np

from algorithms.bags import Bags, IntArray
from algorithms.graph import Affinity, build_affinity
from algorithms.preprocessing import standardize
from birdmodes.errors import BirdmodesError
from birdmodes.experiments.datasets import MIMLDataset, load_dataset, read_bags
from birdmodes.experiments.protocol import SetSize
from birdmodes.experiments.seeds import child_seed

_KEPT_SETS = 8  # a process may need any set next; eight dense graphs are 2 GB at most


@dataclass(frozen=True)
class Source:
    """Where a data set comes from, so that any process can read it.

    Attributes
    ----------
    name : str
        Of a public or built-in set, when there is no `path`.
    path : pathlib.Path, optional
        A file of one's own.
    data_dir : pathlib.Path, optional
        Folder of the public sets' files.
    """

    name: str = ""
    path: Path | None = None
    data_dir: Path | None = None

    def read(self) -> MIMLDataset:
        """Read the set, its features as they are in the file."""
        if self.path is not None:
            return read_bags(self.path)
        return load_dataset(self.name, self.data_dir)


@dataclass(frozen=True, eq=False)
class Material:
    """A set, ready for clustering.

    Attributes
    ----------
    name : str
        Its name in tables.
    bags : Bags
        Standardised features, all labels that the set has.
    truth : ndarray of int64, shape (n_instances,)
        True classes; -1 where unknown, and then not scored.
    """

    name: str
    bags: Bags
    truth: IntArray

    @property
    def size(self) -> SetSize:
        """What decides on tasks."""
        return SetSize(self.name, self.bags.n_instances, self.bags.n_classes)


def check_material(source: Source) -> tuple[Material, str]:
    """Read a set and see that it can be benchmarked.

    Returns
    -------
    material : Material
    fingerprint : str
        Of all its figures: two sets of one name are the same when theirs are.

    Raises
    ------
    BirdmodesError
        When there is nothing to cluster or nothing to score against.
    """
    material = load_material(source)
    bags, truth = material.bags, material.truth
    place = source.path or source.name
    if not (truth >= 0).any():
        raise BirdmodesError(f"{place}: no instance has a known class, so nothing can be scored")
    if not bags.labelled.any():
        raise BirdmodesError(f"{place}: no bag is labelled, so there are no labels to learn from")
    digest = hashlib.sha256(repr(bags.class_names).encode("utf-8", "surrogatepass"))
    for array in (bags.X, bags.bag, bags.labels, bags.labelled, truth):
        digest.update(repr(array.shape).encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return material, digest.hexdigest()[:16]


@lru_cache(maxsize=_KEPT_SETS)
def load_material(source: Source) -> Material:
    """Read a set once per process and standardise its features over all instances."""
    dataset = source.read()
    raw = dataset.bags
    bags = Bags(standardize(raw.X), raw.bag, raw.labels, raw.labelled, raw.class_names)
    return Material(dataset.name, bags, dataset.y)


@lru_cache(maxsize=_KEPT_SETS)
def load_affinity(source: Source, graph: Literal["dense", "knn", "auto"], seed: int) -> Affinity:
    """Build the graph that all spectral methods share, once per process."""
    material = load_material(source)
    graph_seed = child_seed(seed, material.name, "graph")
    return build_affinity(material.bags.X, graph=graph, seed=graph_seed)
