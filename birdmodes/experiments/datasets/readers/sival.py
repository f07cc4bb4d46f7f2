"""SIVAL: objects before changing backgrounds, told by the numbers of their bags.

References
----------
.. [1] Rahmani, Goldman, Zhang, Cholleti & Fritts, Localized content-based image retrieval, IEEE
   Transactions on Pattern Analysis and Machine Intelligence 30, 2008.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from algorithms import Bags
from algorithms.bags import IntArray
from birdmodes.errors import DatasetError
from birdmodes.experiments.datasets.readers.andrews_text import read_andrews_text, renumbered

OBJECTS = (
    "ajaxorange", "apple", "banana", "bluescrunge", "candlewithholder", "cardboardbox",
    "checkeredscarf", "cokecan", "dataminingbook", "dirtyrunningshoe", "dirtyworkgloves",
    "fabricsoftenerbox", "feltflowerrug", "glazedwoodpot", "goldmedal", "greenteabox",
    "juliespot", "largespoon", "rapbook", "smileyfacedoll", "spritecan", "stripednotebook",
    "translucentbowl", "wd40can", "woodrollingpin",
)  # fmt: skip
"""The collection's 25 objects, as its bags are numbered: 60 of each, from 1."""

PHOTOGRAPHS_OF_EACH = 60


def build(folder: Path) -> tuple[Bags, IntArray]:
    """Make the data set from its raw file.

    The file names the object of a bag by its place in `OBJECTS`, from 1, or not at all (0).

    Parameters
    ----------
    folder : pathlib.Path
        The data folder.

    Returns
    -------
    bags : Bags
        11410 segments in 360 photographs, sorted by their numbers; the classes are the 6 objects
        that occur.
    y : ndarray of int64, shape (11410,)
        All -1: classes of segments are not known.
    """
    path = folder / "sival" / "sival.data"
    rows = read_andrews_text(path)
    objects = (rows.bag - 1) // PHOTOGRAPHS_OF_EACH
    last = len(OBJECTS) * PHOTOGRAPHS_OF_EACH
    wrong = (rows.bag < 1) | (rows.bag > last)
    if wrong.any():
        raise DatasetError(f"{path}: bag {rows.bag[wrong][0]} is not one of 1 to {last}")
    differs = (rows.label != 0) & (rows.label != objects + 1)
    if differs.any():
        row = int(np.argmax(differs))
        raise DatasetError(
            f"{path}: bag {rows.bag[row]} has label {rows.label[row]}, but by its number it shows "
            f"object {objects[row] + 1}"
        )
    order = np.argsort(rows.bag, kind="stable")
    _, first = np.unique(rows.bag, return_index=True)
    present = np.unique(objects)
    bags = Bags(
        rows.X[order],
        renumbered(rows.bag[order]),
        objects[first][:, None] == present,
        class_names=[OBJECTS[number] for number in present],
    )
    return bags, np.full(bags.n_instances, -1)
