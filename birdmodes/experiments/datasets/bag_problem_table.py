"""Which bags of which data sets the papers group: the table, which loads nothing heavy.

The paper on M3IC numbers its problems (natural scenes 1 to 4, Reuters 1 to 6) in a table that we do
not have. What is known of it is used; where nothing is known the choice is ours, made by the order
of the classes and before any method was run.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

from algorithms.errors import did_you_mean
from birdmodes.errors import DatasetError
from birdmodes.experiments.datasets.catalogue import dataset_info

CLASSES = {
    "musk1": ("non-musk", "musk"),
    "musk2": ("non-musk", "musk"),
    "corel-eft": ("elephant", "fox", "tiger"),
    "sival": (
        "bluescrunge", "checkeredscarf", "dirtyrunningshoe", "feltflowerrug", "greenteabox",
        "smileyfacedoll",
    ),
    "natural-scene": ("desert", "mountains", "sea", "sunset", "trees"),
    "reuters-miml": tuple(f"label{number}" for number in range(1, 8)),
}  # fmt: skip
"""Classes of the sets that problems are made of, in the order of their labels."""


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


def _all_of(name: str) -> BagProblem:
    return BagProblem(name, name, CLASSES[name], "all of the set")


def _sival(number: int, first: int) -> BagProblem:
    why = "our choice, as only 6 of 25 objects are public: three by the alphabet"
    return BagProblem(f"sival-{number}", "sival", CLASSES["sival"][first : first + 3], why)


def _scenes(number: int, first: int, last: int, why: str) -> BagProblem:
    classes = CLASSES["natural-scene"][first - 1 : last]
    return BagProblem(f"natural-scene-{number}", "natural-scene", classes, why)


def _reuters(number: int, labels: tuple[int, ...], why: str) -> BagProblem:
    classes = tuple(f"label{label}" for label in labels)
    return BagProblem(f"reuters-{number}", "reuters-miml", classes, why)


_OURS = "our choice: "
_INFERRED = "follows from the paper's sizes, but that label5 would do for label4 as well: "

BAG_PROBLEMS: dict[str, BagProblem] = {
    problem.name: problem
    for problem in (
        _all_of("musk1"),
        _all_of("musk2"),
        _all_of("corel-eft"),
        _all_of("sival"),
        _sival(1, first=0),
        _sival(2, first=3),
        _scenes(1, 1, 3, _OURS + "the first three classes"),
        _scenes(2, 2, 4, _OURS + "the middle three classes"),
        _scenes(3, 3, 5, _OURS + "the last three classes"),
        _scenes(4, 1, 5, _OURS + "all five classes, as the paper's accuracy is lowest here"),
        _reuters(1, (1, 2), _OURS + "the two largest classes"),
        _reuters(2, (3, 4, 6, 7), _INFERRED + "4 classes of 73 to 109 bags, 89.25 in the mean"),
        _reuters(3, (1, 2, 3), _OURS + "the first three classes"),
        _reuters(4, (3, 4, 5, 6, 7), _OURS + "the five classes of about one size"),
        _reuters(5, (1, 3, 4, 7), _INFERRED + "4 classes, 1061 bags"),
        _reuters(6, (1, 2, 3, 4, 5, 6, 7), _OURS + "all seven classes"),
    )
}


def bag_problem(name: str) -> BagProblem:
    """Look up a problem.

    Parameters
    ----------
    name : str
        A key of :data:`BAG_PROBLEMS`.

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
    raise DatasetError(
        f"there is no bag problem {name!r}{did_you_mean(name, BAG_PROBLEMS)}: "
        f"choose one of {', '.join(BAG_PROBLEMS)}"
    )


def all_class_subsets(dataset: str, size: int) -> list[BagProblem]:
    """Make a problem of every set of classes of one size.

    So that a figure of the paper, whose classes are not known, can be seen among those of all the
    problems that may have been meant.

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
