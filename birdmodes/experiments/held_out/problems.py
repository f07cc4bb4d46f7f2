"""Where the problems come from: labelled bags, some of which are to be left out."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from algorithms.bags import Bags, BoolArray, IntArray
from birdmodes.errors import BirdmodesError
from birdmodes.experiments.datasets import MIMLDataset, load_dataset, read_bags
from birdmodes.experiments.datasets.corel5k_training import (
    has_training_photographs,
    load_photographs,
    load_test_photographs,
)
from birdmodes.experiments.held_out.names import BUILT_IN_PROBLEM, PHOTOGRAPHS, TEST_PHOTOGRAPHS

_KEPT_PROBLEMS = 8  # a process may need any problem next; the largest has some 40 MB
_LEAST_BAGS = 2


@dataclass(frozen=True, eq=False)
class HeldOutProblem:
    """Bags to learn from and to be tested on.

    Attributes
    ----------
    name : str
        What tables call it.
    bags : Bags
        Features as published.
    truth : ndarray of int64, shape (n_instances,), or None
        True class of each instance, -1 where it is not known; None if none is.
    test : ndarray of bool, shape (n_bags,), or None
        The test bags of a published split; None where bags are to be cross-validated.
    note : str
        What to know of it, for the report; may be empty.
    """

    name: str
    bags: Bags
    truth: IntArray | None = None
    test: BoolArray | None = None
    note: str = ""


@dataclass(frozen=True)
class ProblemSource:
    """Where a problem comes from, so that any process can read it.

    Attributes
    ----------
    name : str
        Of a public or built-in set, when there is no `path`.
    path : pathlib.Path, optional
        A file of one's own.
    data_dir : pathlib.Path, optional
        Folder of the public sets' files.
    """

    name: str = BUILT_IN_PROBLEM
    path: Path | None = None
    data_dir: Path | None = None

    def read(self) -> HeldOutProblem:
        """Read the problem."""
        if self.path is not None:
            return _from_dataset(read_bags(self.path))
        if self.name == PHOTOGRAPHS and has_training_photographs(self.data_dir):
            split = load_photographs(self.data_dir)
            note = "the published test photographs, learned from the published training ones"
            return HeldOutProblem(PHOTOGRAPHS, split.bags, test=split.test, note=note)
        if self.name in (PHOTOGRAPHS, TEST_PHOTOGRAPHS):
            note = (
                "only the published test photographs, cross-validated, as the features of the "
                "training ones were not at hand: figures cannot be compared with the paper's"
            )
            return HeldOutProblem(TEST_PHOTOGRAPHS, load_test_photographs(self.data_dir), note=note)
        return _from_dataset(load_dataset(self.name, self.data_dir))


def _from_dataset(dataset: MIMLDataset) -> HeldOutProblem:
    known = (dataset.y >= 0).any()
    return HeldOutProblem(dataset.name, dataset.bags, dataset.y if known else None)


@lru_cache(maxsize=_KEPT_PROBLEMS)
def load_problem(source: ProblemSource) -> HeldOutProblem:
    """Read a problem once per process."""
    return source.read()


def check_problem(
    source: ProblemSource, *, needs_truth: bool = False
) -> tuple[HeldOutProblem, str]:
    """Read a problem, see that bags of it can be left out, and take its fingerprint.

    Parameters
    ----------
    source : ProblemSource
        Where it comes from.
    needs_truth : bool
        Whether instances are told, so that the class of some must be known.

    Returns
    -------
    problem : HeldOutProblem
    fingerprint : str
        Of all its figures: two problems of one name are the same when theirs are.

    Raises
    ------
    BirdmodesError
        When there is nothing to learn from, or nothing to score against.
    """
    problem = load_problem(source)
    bags, truth = problem.bags, problem.truth
    place = source.path or source.name
    useful = bags.labels.any(axis=1) & (bags.sizes > 0)
    if useful.sum() < _LEAST_BAGS:
        raise BirdmodesError(
            f"{place}: fewer than {_LEAST_BAGS} bags have labels and instances, so none can be "
            "left out; give a set with more"
        )
    if needs_truth and truth is None:
        raise BirdmodesError(f"{place}: no instance has a known class, so nothing can be scored")
    digest = hashlib.sha256(repr(bags.class_names).encode("utf-8", "surrogatepass"))
    for array in (bags.X, bags.bag, bags.labels, bags.labelled, truth, problem.test):
        if array is not None:
            digest.update(repr(array.shape).encode())
            digest.update(np.ascontiguousarray(array).tobytes())
    return problem, digest.hexdigest()[:16]
