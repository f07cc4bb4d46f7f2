"""Where the problems come from: bags with one class each, their features prepared."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

import numpy as np

from algorithms.bags import Bags, FloatArray, IntArray
from algorithms.bagwise.linear_scores import unit_length
from algorithms.preprocessing import standardize
from birdmodes.experiments.bagwise.builtin import digits_bags
from birdmodes.experiments.bagwise.names import BUILT_IN_PROBLEM
from birdmodes.experiments.datasets import read_bags
from birdmodes.experiments.datasets.bag_problem_table import BagProblem
from birdmodes.experiments.datasets.bag_problems import (
    BagClusteringProblem,
    load_bag_problem,
    problem_from_dataset,
)

Preparation = Literal[
    "standardized-centred", "unit", "standardized-unit", "standardized", "raw", "centred"
]
PREPARATIONS: dict[Preparation, str] = {
    "standardized-centred": "standardized, less the mean of the bags' means, so that l has no "
    "effect",
    "unit": "every instance scaled to length 1",
    "standardized-unit": "standardized, then every instance scaled to length 1",
    "standardized": "every feature with mean 0 and standard deviation 1 over all instances",
    "raw": "features as published",
    "centred": "as published, less the mean of the bags' means, so that l has no effect",
}
"""What is done to features before clustering."""

CENTRED: tuple[Preparation, ...] = ("standardized-centred", "centred")
"""Those after which the balance between groups is kept whatever l is."""

_KEPT_PROBLEMS = 32  # a process may need any problem next; all of them take less than 300 MB


@dataclass(frozen=True)
class ProblemSource:
    """Where a problem comes from, so that any process can read it.

    Attributes
    ----------
    problem : BagProblem or str
        Of public data, or the name of the built-in one, when there is no `path`.
    path : pathlib.Path, optional
        A file of one's own.
    data_dir : pathlib.Path, optional
        Folder of the public sets' files.
    """

    problem: BagProblem | str = BUILT_IN_PROBLEM
    path: Path | None = None
    data_dir: Path | None = None

    def read(self) -> BagClusteringProblem:
        """Read the problem, its features as they are in the file."""
        if self.path is not None:
            return problem_from_dataset(read_bags(self.path))
        if self.problem == BUILT_IN_PROBLEM:
            return digits_bags()
        return load_bag_problem(self.problem, self.data_dir)


@dataclass(frozen=True, eq=False)
class Problem:
    """A problem, ready for clustering.

    Attributes
    ----------
    name : str
        Its name in tables.
    bags : Bags
        Features prepared; every class has a bag, and every bag an instance.
    truth : ndarray of int64, shape (n_bags,)
        Class of each bag.
    """

    name: str
    bags: Bags
    truth: IntArray


@lru_cache(maxsize=_KEPT_PROBLEMS)
def load_problem(source: ProblemSource, preparation: Preparation) -> Problem:
    """Read a problem once per process and prepare its features."""
    raw = source.read()
    bags = Bags(
        prepare(raw.bags, preparation),
        raw.bags.bag,
        raw.bags.labels,
        class_names=raw.bags.class_names,
    )
    return Problem(raw.name, bags, raw.truth)


def prepare(bags: Bags, preparation: Preparation) -> FloatArray:
    """Prepare features; an instance of nothing but zeros has no length and stays so.

    Parameters
    ----------
    bags : Bags
        None of them empty.
    preparation : str
        A key of :data:`PREPARATIONS`.

    Returns
    -------
    ndarray of float64, shape (n_instances, n_features)
    """
    prepared = standardize(bags.X) if preparation.startswith("standardized") else bags.X
    if preparation in CENTRED:
        # Every bag counts as one, however many instances it has.
        weights = 1.0 / (bags.n_bags * bags.sizes[bags.bag])
        return prepared - weights @ prepared
    if preparation.endswith("unit"):
        return unit_length(prepared)
    return prepared


def check_problem(source: ProblemSource) -> tuple[Problem, str]:
    """Read a problem and take its fingerprint.

    Returns
    -------
    problem : Problem
        With features as published.
    fingerprint : str
        Of all its figures: two problems of one name are the same when theirs are.
    """
    problem = load_problem(source, "raw")
    digest = hashlib.sha256(repr(problem.bags.class_names).encode("utf-8", "surrogatepass"))
    for array in (problem.bags.X, problem.bags.bag, problem.truth):
        digest.update(repr(array.shape).encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return problem, digest.hexdigest()[:16]
