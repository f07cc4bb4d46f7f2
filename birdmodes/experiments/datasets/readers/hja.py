"""HJA birdsong: bags of one public copy joined with the species of another.

References
----------
.. [1] Briggs, Fern & Raich, Rank-loss support instance machines for MIML instance annotation,
   KDD 2012.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from algorithms import Bags
from algorithms.bags import FloatArray, IntArray
from algorithms.folds import choose_bags
from birdmodes.errors import DatasetError
from birdmodes.experiments.datasets.readers.raw import read_mat, union_of_classes

SPECIES = (
    "BRCR", "WIWR", "PSFL", "RBNU", "DEJU", "OSFL", "HETH", "CBCH", "VATH", "HEWA", "SWTH",
    "HAFL", "WETA",
)  # fmt: skip
"""Species codes in the order of the original label file."""

_RAW = Path("hja-birdsong") / "raw"


def build_unfiltered(folder: Path) -> tuple[Bags, IntArray]:
    """All segments; the species is -1 for those that nobody identified.

    Parameters
    ----------
    folder : pathlib.Path
        The data folder.

    Returns
    -------
    bags : Bags
        10232 segments in 548 recordings; a recording's label set is the species of its segments.
    y : ndarray of int64, shape (10232,)
    """
    segments = _RAW / "MILpy" / "birds_BRCR_original"
    X = read_mat(folder / segments / "X.mat")["X"]
    bag = read_mat(folder / segments / "Bag2.mat")["Bag2"].ravel().astype(np.int64) - 1
    identified = read_mat(folder / _RAW / "partial_label_realworld_dataset" / "BirdSong.mat")
    y = np.full(len(X), -1, dtype=np.int64)
    species = np.asarray(identified["target"].todense()).argmax(axis=0)
    y[_find_rows(identified["data"], X)] = species
    return Bags(X, bag, union_of_classes(y, bag, len(SPECIES)), class_names=SPECIES), y


def build_filtered(folder: Path) -> tuple[Bags, IntArray]:
    """Only the 4998 identified segments, as in the papers; see `build_unfiltered`."""
    bags, y = build_unfiltered(folder)
    known = y >= 0
    return Bags(bags.X[known], bags.bag[known], bags.labels, class_names=bags.class_names), y[known]


def build_several(folder: Path) -> tuple[Bags, IntArray]:
    """The bags of several species, of the identified segments; see `build_filtered`."""
    bags, y = build_filtered(folder)
    several = bags.labels.sum(axis=1) > 1
    return choose_bags(bags, several), y[several[bags.bag]]


def _find_rows(rounded: FloatArray, X: FloatArray) -> IntArray:
    """Row of `X` for each row of `rounded`, which holds the same numbers to five digits."""
    # Printing rounds the exact value of a number; arithmetic errs where the sixth digit is a 5.
    pattern = " ".join(["%.4e"] * X.shape[1])
    wanted, given = (
        np.array([pattern % tuple(row) for row in table.tolist()]) for table in (rounded, X)
    )
    order = np.argsort(given)
    first = np.searchsorted(given, wanted, side="left", sorter=order)
    last = np.searchsorted(given, wanted, side="right", sorter=order)
    if np.any(last - first != 1):
        raise DatasetError("the two files of hja-birdsong do not have the same segments")
    return order[first]
