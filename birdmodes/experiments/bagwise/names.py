"""Names of problems as they are typed; loads nothing heavy, so that the command line can."""

from __future__ import annotations

from birdmodes.experiments.datasets.bag_problem_table import (
    BAG_PROBLEMS,
    BagProblem,
    all_class_subsets,
    bag_problem,
)

BUILT_IN_PROBLEM = "digits-bags"
"""Needs no download."""

SUBSETS_OF = "natural-scene"
"""Set whose subsets of classes are problems of their own."""

SUBSETS = f"{SUBSETS_OF}-subsets"
"""Name that stands for all of them."""

_SUBSET_SIZES = (3, 4, 5)
_OF_KRIEGEL = ("musk1", "musk2")


def paper_problems(experiment: str) -> list[str]:
    """Names that ``all`` stands for: the problems of the experiment's paper, or what there is."""
    if experiment == "mi-em":
        return list(_OF_KRIEGEL)
    return [name for name in BAG_PROBLEMS if name not in _OF_KRIEGEL]


def find_problems(experiment: str, names: list[str]) -> list[BagProblem | str]:
    """Look up the problems that names stand for, each once.

    Parameters
    ----------
    experiment : str
        Decides on what ``all`` is.
    names : list of str
        Problems, ``all``, or :data:`SUBSETS`; none for the built-in problem.

    Raises
    ------
    DatasetError
        For an unknown name; the message suggests the nearest.
    """
    found: list[BagProblem | str] = []
    for name in names or [BUILT_IN_PROBLEM]:
        if name == "all":
            found += [bag_problem(each) for each in paper_problems(experiment)]
        elif name == SUBSETS:
            for size in _SUBSET_SIZES:
                found += all_class_subsets(SUBSETS_OF, size)
        else:
            found.append(name if name == BUILT_IN_PROBLEM else bag_problem(name))
    return list(dict.fromkeys(found))
