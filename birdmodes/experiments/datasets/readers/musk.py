"""Musk: molecules, the shapes that they take, and whether they smell.

References
----------
.. [1] Dietterich, Lathrop & Lozano-Perez, Solving the multiple instance problem with axis-parallel
   rectangles, Artificial Intelligence 89, 1997.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from algorithms import Bags
from algorithms.bags import IntArray
from birdmodes.errors import DatasetError
from birdmodes.experiments.datasets.readers.raw import mat_array, numbers, read_lines

CLASSES = ("non-musk", "musk")

_ENDS = {"0.": 0, "1.": 1}


def build_musk1(path: Path) -> tuple[Bags, IntArray]:
    """Make the first set from its raw file, in the form of C4.5.

    A line has the molecule, the conformation, the features and ``1.`` for musk or ``0.``,
    separated by commas; 476 conformations of 92 molecules, in the order of the file. Which
    conformation smells is not known.
    """
    X: list[list[float]] = []
    bag: list[int] = []
    molecules: dict[str, int] = {}
    classes: list[int] = []
    for line, text in read_lines(path):
        if text.count(",") < 3:
            raise DatasetError(
                f"{path}, line {line}: not a molecule, a conformation, features and a class, "
                "separated by commas"
            )
        molecule, _, *features, end = text.split(",")
        if end not in _ENDS:
            raise DatasetError(f"{path}, line {line}: {end!r} is not the class, 0. or 1.")
        if X and len(features) != len(X[0]):
            raise DatasetError(
                f"{path}, line {line}: {len(features)} features, not {len(X[0])} as before"
            )
        number = molecules.setdefault(molecule, len(molecules))
        if number == len(classes):
            classes.append(_ENDS[end])
        if classes[number] != _ENDS[end]:
            raise DatasetError(
                f"{path}, line {line}: {molecule} is {CLASSES[_ENDS[end]]} here, but "
                f"{CLASSES[classes[number]]} before"
            )
        X.append(numbers(features, path, line))
        bag.append(number)
    if not X:
        raise DatasetError(f"{path}: no instances")
    return Bags(X, bag, np.eye(2)[classes], class_names=CLASSES), np.full(len(X), -1)


def build_musk2(folder: Path) -> tuple[Bags, IntArray]:
    """Make the second set from its MATLAB files: 6598 conformations of 102 molecules."""
    place = folder / "musk2"
    X = mat_array(place / "X.mat", "X")
    bag = mat_array(place / "Bag2.mat", "Bag2").ravel()
    classes = mat_array(place / "BagI.mat", "bagI").ravel()
    if not np.isin(classes, (0, 1)).all():
        raise DatasetError(f"{place / 'BagI.mat'}: the classes are not all 0 or 1")
    if len(bag) != len(X):
        raise DatasetError(
            f"{place / 'Bag2.mat'}: bags of {len(bag)} instances, but X.mat has {len(X)}"
        )
    if set(bag.tolist()) != set(range(1, len(classes) + 1)):
        raise DatasetError(
            f"{place / 'Bag2.mat'}: the bags are not numbered 1 to {len(classes)}, as BagI.mat has"
        )
    labels = np.eye(2)[classes.astype(np.int64)]
    bags = Bags(X, bag.astype(np.int64) - 1, labels, class_names=CLASSES)
    return bags, np.full(len(X), -1)
