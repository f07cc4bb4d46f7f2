"""Problems for methods that group whole bags: bags of a single class each, and which.

A bag with several classes has no place in a grouping that could be called right, so only those
with one class take part, as in the papers.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from algorithms.bags import BoolArray
from algorithms.errors import did_you_mean
from birdmodes.errors import DatasetError
from birdmodes.experiments.datasets.bag_problem_table import BagProblem, bag_problem
from birdmodes.experiments.datasets.miml import Data, MIMLDataset, load_dataset, of_classes


def load_bag_problem(problem: str | BagProblem, data_dir: str | Path | None = None) -> Data:
    """Load one of the problems of the papers.

    Parameters
    ----------
    problem : str or BagProblem
        A key of :data:`~birdmodes.experiments.datasets.BAG_PROBLEMS`, such as ``"reuters-2"``, or
        an entry, such as `all_class_subsets` gives.
    data_dir : str or pathlib.Path, optional
        See `birdmodes.experiments.datasets.load_dataset`.

    Returns
    -------
    Data
        As `problem_from_dataset` gives it.

    Raises
    ------
    DatasetError
        For an unknown name, and as `birdmodes.experiments.datasets.load_dataset`.
    """
    entry = bag_problem(problem) if isinstance(problem, str) else problem
    return problem_from_dataset(load_dataset(entry.dataset, data_dir), entry.classes, entry.name)


def problem_from_dataset(
    dataset: MIMLDataset, classes: Sequence[str] | None = None, name: str | None = None
) -> Data:
    """Make a problem of any data set: of those bags that have a single class.

    Left out are bags with several labels or none, unlabelled ones, those without instances, and
    with them their instances. The other bags are numbered anew in their order.

    Parameters
    ----------
    dataset : MIMLDataset
        From `birdmodes.experiments.datasets.load_dataset` or
        `birdmodes.experiments.datasets.read_bags`.
    classes : sequence of str, optional
        Use only bags of these classes; all that a single-label bag has unless given.
    name : str, optional
        Its name; that of the data set unless given.

    Returns
    -------
    Data
        Bags that are not empty, each labelled with one class, features as published. Its truth is
        the class of each bag, a column of ``bags.labels``; every class has a bag. Classes in the
        order of the data set's labels.

    Raises
    ------
    DatasetError
        If a class is unknown or no bag has it alone, or fewer than two classes are left.
    """
    bags = dataset.bags
    single = (bags.labels.sum(axis=1) == 1) & (bags.sizes > 0)
    present = bags.labels[single].any(axis=0)
    chosen = present if classes is None else _chosen(dataset, classes, present)
    if chosen.sum() < 2:
        raise DatasetError(
            f"{dataset.name}: a problem needs bags of two classes or more, each with one class "
            f"only, and here there are bags of {int(chosen.sum())}"
        )
    kept = single & bags.labels[:, chosen].any(axis=1)
    grouped = of_classes(bags, kept, np.flatnonzero(chosen))
    truth = grouped.labels.argmax(axis=1).astype(np.int64)
    return Data(name or dataset.name, grouped, truth, of_bags=True)


def _chosen(dataset: MIMLDataset, classes: Sequence[str], present: BoolArray) -> BoolArray:
    names = dataset.bags.class_names
    for name in classes:
        if name not in names:
            raise DatasetError(
                f"{dataset.name} has no class {name!r}{did_you_mean(name, names)}: choose from "
                f"{', '.join(names)}"
            )
        if not present[names.index(name)]:
            raise DatasetError(f"{dataset.name}: no bag has the class {name!r} and no other")
    return np.array([name in classes for name in names], dtype=np.bool_)
