"""Corel's elephants, foxes and tigers: the photographs of three published files.

References
----------
.. [1] Andrews, Tsochantaridis & Hofmann, Support vector machines for multiple-instance learning,
   NIPS 2002.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from algorithms import Bags
from algorithms.bags import IntArray
from birdmodes.errors import DatasetError
from birdmodes.experiments.datasets.readers.andrews_text import read_andrews_text, renumbered

ANIMALS = ("elephant", "fox", "tiger")


def build(folder: Path) -> tuple[Bags, IntArray]:
    """Make the data set from its raw files: the positive bags of each.

    Parameters
    ----------
    folder : pathlib.Path
        The data folder.

    Returns
    -------
    bags : Bags
        1953 regions in 300 photographs, by animal.
    y : ndarray of int64, shape (1953,)
        All -1: classes of regions are not known.
    """
    X, bag = [], []
    animals: list[int] = []
    for number, animal in enumerate(ANIMALS):
        path = folder / "corel-eft" / f"{animal}.data"
        rows = read_andrews_text(path)
        positive = rows.label == 1
        if not positive.any():
            raise DatasetError(f"{path}: no bag with label 1, so there is no {animal}")
        photographs = renumbered(rows.bag[positive])
        X.append(rows.X[positive])
        bag.append(photographs + len(animals))
        animals += [number] * (int(photographs.max()) + 1)
    if len({rows.shape[1] for rows in X}) > 1:
        raise DatasetError(f"{folder / 'corel-eft'}: the files differ in the number of features")
    labels = np.eye(len(ANIMALS), dtype=np.bool_)[animals]
    bags = Bags(np.concatenate(X), np.concatenate(bag), labels, class_names=ANIMALS)
    return bags, np.full(bags.n_instances, -1)
