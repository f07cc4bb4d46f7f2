"""Names of problems as they are typed; loads nothing heavy, so that the command line can."""

from __future__ import annotations

from typing import Literal

from algorithms.errors import did_you_mean
from birdmodes.errors import DatasetError
from birdmodes.experiments.datasets.catalogue import DATASETS

HeldOutName = Literal["annotation", "instance-accuracy"]

BUILT_IN_PROBLEM = "digits-words"
"""Needs no download."""

PHOTOGRAPHS = "corel5k"
"""Corel5K with its published training photographs, whose features are not always there."""

TEST_PHOTOGRAPHS = "corel5k-test"
"""Its test photographs alone, cross-validated; what corel5k stands for where the others are not."""

PAPER_PROBLEMS: dict[HeldOutName, tuple[str, ...]] = {
    "annotation": ("hja-birdsong", "msrc-v2", "natural-scene", "reuters-miml", PHOTOGRAPHS),
    "instance-accuracy": ("hja-birdsong", "msrc-v2", "letter-carroll", "letter-frost"),
}
"""What ``all`` stands for."""


def find_problems(experiment: HeldOutName, names: list[str]) -> list[str]:
    """Look up the problems that names stand for, each once.

    Parameters
    ----------
    experiment : str
        Decides on what ``all`` is.
    names : list of str
        Data sets, :data:`TEST_PHOTOGRAPHS`, or ``all``; none for the built-in set.

    Raises
    ------
    DatasetError
        For an unknown name; the message suggests the nearest.
    """
    known = (*DATASETS, TEST_PHOTOGRAPHS)
    found: list[str] = []
    for name in names or [BUILT_IN_PROBLEM]:
        if name == "all":
            found += PAPER_PROBLEMS[experiment]
        elif name in known:
            found.append(name)
        else:
            raise DatasetError(
                f"there is no data set {name!r}{did_you_mean(name, known)}: choose one of "
                f"{', '.join(known)}"
            )
    return list(dict.fromkeys(found))
