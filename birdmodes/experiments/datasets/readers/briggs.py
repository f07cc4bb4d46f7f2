"""The sets of Briggs, Fern & Raich, in MATLAB files: birdsong, photographs, the letters of poems.

References
----------
.. [1] Briggs, Fern & Raich, Rank-loss support instance machines for MIML instance annotation,
   KDD 2012.
.. [2] Frey & Slate, Letter recognition using Holland-style adaptive classifiers, Machine
   Learning 6, 1991.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from algorithms import Bags
from algorithms.bags import FloatArray, IntArray
from algorithms.folds import choose_bags
from birdmodes.errors import DatasetError
from birdmodes.experiments.datasets.catalogue import CLASS_NAMES
from birdmodes.experiments.datasets.readers.raw import read_mat, union_of_classes

SPECIES = CLASS_NAMES["hja-birdsong"]
"""Species codes of HJA in the order of the original label file."""

OBJECTS = CLASS_NAMES["msrc-v2"]
"""Classes of MSRC v2 in the collection's usual order; the file itself names none."""

LETTERS = np.array(list("NFTAILOSDVPCUGQBXRWZEHYJMK"))
"""Letter of each column of the raw files, found by looking the instances up in the UCI data."""

_RAW = Path("hja-birdsong") / "raw"


def build_hja_unfiltered(folder: Path) -> tuple[Bags, IntArray]:
    """All 10232 segments of 548 recordings of HJA: bags of one public copy, species of another.

    A recording's label set is the species of its segments, some of which nobody identified.
    """
    segments = _RAW / "MILpy" / "birds_BRCR_original"
    X = read_mat(folder / segments / "X.mat")["X"]
    bag = read_mat(folder / segments / "Bag2.mat")["Bag2"].ravel().astype(np.int64) - 1
    identified = read_mat(folder / _RAW / "partial_label_realworld_dataset" / "BirdSong.mat")
    y = np.full(len(X), -1, dtype=np.int64)
    species = np.asarray(identified["target"].todense()).argmax(axis=0)
    y[_find_rows(identified["data"], X)] = species
    return Bags(X, bag, union_of_classes(y, bag, len(SPECIES)), class_names=SPECIES), y


def build_hja_filtered(folder: Path) -> tuple[Bags, IntArray]:
    """Only the 4998 identified segments of HJA, as in the papers."""
    bags, y = build_hja_unfiltered(folder)
    known = y >= 0
    return Bags(bags.X[known], bags.bag[known], bags.labels, class_names=bags.class_names), y[known]


def build_hja_several(folder: Path) -> tuple[Bags, IntArray]:
    """The bags of several species, of the identified segments of HJA."""
    bags, y = build_hja_filtered(folder)
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


def build_msrc(path: Path) -> tuple[Bags, IntArray]:
    """The 1758 regions of 591 photographs of MSRC v2."""
    raw = read_mat(path)
    regions, truth = raw["Bags"].ravel().tolist(), raw["y"].ravel().tolist()
    bag = np.repeat(np.arange(len(regions)), [len(rows) for rows in regions])
    # Classes are written as +1 among -1.
    y = np.concatenate(truth).argmax(axis=1)
    return Bags(np.concatenate(regions), bag, raw["Y"] > 0, class_names=OBJECTS), y


def build_letters(path: Path) -> tuple[Bags, IntArray]:
    """The letters of a poem: Lewis Carroll's 'Jabberwocky', Robert Frost's 'The Road Not Taken'."""
    raw = read_mat(path)["DD"][0, 0]
    alphabetical = np.argsort(LETTERS)
    present = alphabetical[raw["YR"].any(axis=0)[alphabetical]]
    bags = Bags(
        raw["X"],
        raw["XtB"].ravel().astype(np.int64) - 1,
        raw["YB"][:, present] > 0,
        class_names=LETTERS[present].tolist(),
    )
    return bags, raw["YR"][:, present].argmax(axis=1)
