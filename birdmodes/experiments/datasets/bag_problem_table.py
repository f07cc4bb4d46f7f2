"""Which bags of which data sets the papers group: the table, which loads nothing heavy.

It is data, in ``problems.toml``, which says how the classes were chosen.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from algorithms.errors import did_you_mean
from birdmodes.errors import DatasetError
from birdmodes.experiments.datasets.catalogue import dataset_info


@dataclass(frozen=True)
class BagProblem:
    """Bags of some classes, to be told apart without labels.

    Attributes
    ----------
    name : str
        What users type.
    dataset : str
        The data set that they are from.
    classes : tuple of str
        The classes: of each, the bags that have no other.
    why : str
        How these classes were chosen.
    """

    name: str
    dataset: str
    classes: tuple[str, ...]
    why: str


_TABLE = tomllib.loads(Path(__file__).with_name("problems.toml").read_text(encoding="utf-8"))

CLASSES: dict[str, tuple[str, ...]] = {
    name: tuple(classes) for name, classes in _TABLE["classes"].items()
}
"""Classes of the sets that problems are made of, in the order of their labels."""


def _problem(name: str, why: str, dataset: str = "", classes: tuple[str, ...] = ()) -> BagProblem:
    dataset = dataset or name
    return BagProblem(name, dataset, tuple(classes) or CLASSES[dataset], why)


BAG_PROBLEMS: dict[str, BagProblem] = {
    fields["name"]: _problem(**fields) for fields in _TABLE["problems"]
}


def bag_problem(name: str) -> BagProblem:
    """Look up a problem.

    Parameters
    ----------
    name : str
        A key of :data:`BAG_PROBLEMS`, or a name that `all_class_subsets` gives.

    Returns
    -------
    BagProblem

    Raises
    ------
    DatasetError
        If there is none of that name; the message has the nearest name and all of them.
    """
    if name in BAG_PROBLEMS:
        return BAG_PROBLEMS[name]
    dataset, _, classes = name.partition(":")
    some = classes.split("+")
    if len(some) > 1 and set(some) <= set(CLASSES.get(dataset, ())):
        return next(each for each in all_class_subsets(dataset, len(some)) if each.name == name)
    raise DatasetError(
        f"there is no bag problem {name!r}{did_you_mean(name, BAG_PROBLEMS)}: "
        f"choose one of {', '.join(BAG_PROBLEMS)}"
    )


def all_class_subsets(dataset: str, size: int) -> list[BagProblem]:
    """Make a problem of every set of classes of one size.

    Parameters
    ----------
    dataset : str
        A key of :data:`CLASSES`.
    size : int
        Number of classes in each problem, at least 2.

    Returns
    -------
    list of BagProblem
        In the order of the classes, named ``dataset:class+class+...``.

    Raises
    ------
    DatasetError
        If the data set is unknown or has not as many classes.
    """
    classes = CLASSES.get(dataset_info(dataset).name)
    if classes is None:
        raise DatasetError(
            f"no bag problems are made of {dataset}: choose one of {', '.join(CLASSES)}"
        )
    if not 2 <= size <= len(classes):
        raise DatasetError(
            f"{dataset} has {len(classes)} classes: ask for problems of 2 to {len(classes)}, not "
            f"{size}"
        )
    why = f"one of all problems of {size} classes"
    return [
        BagProblem(f"{dataset}:{'+'.join(some)}", dataset, some, why)
        for some in combinations(classes, size)
    ]
