"""Bags as text in the form of Andrews et al.: ``instance:bag:label index:value index:value ...``.

So are Corel's elephants, foxes and tigers, and SIVAL's objects before changing backgrounds.

References
----------
.. [1] Andrews, Tsochantaridis & Hofmann, Support vector machines for multiple-instance learning,
   NIPS 2002.
.. [2] Rahmani, Goldman, Zhang, Cholleti & Fritts, Localized content-based image retrieval, IEEE
   Transactions on Pattern Analysis and Machine Intelligence 30, 2008.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from algorithms import Bags
from algorithms.bags import FloatArray, IntArray
from birdmodes.errors import DatasetError
from birdmodes.experiments.datasets.catalogue import CLASS_NAMES
from birdmodes.experiments.datasets.readers.raw import numbers, read_lines, whole_numbers

ANIMALS = ("elephant", "fox", "tiger")

OBJECTS = CLASS_NAMES["sival"]
"""The 25 objects of SIVAL, as its bags are numbered: 60 of each, from 1."""

PHOTOGRAPHS_OF_EACH = 60

_START = re.compile(r"(\d{1,9}):(\d{1,9}):(-?\d{1,9})", re.ASCII)
_PAIRS = re.compile(r"(?:\d{1,9}:[^ :]+ )*", re.ASCII)


def read_andrews_text(path: Path) -> tuple[FloatArray, IntArray, IntArray]:
    """Read a file whose first line says how many instances and features follow.

    Parameters
    ----------
    path : pathlib.Path
        The file, which may lie gzipped.

    Returns
    -------
    X : ndarray, shape (n_instances, n_features)
        Features; 0 where the file leaves one out.
    bag, label : ndarray of int64, shape (n_instances,)
        Numbers of each instance's bag, and its label, as in the file.

    Raises
    ------
    DatasetError
        If anything is not as it should be, or a bag has two labels; the message names the line.
    """
    lines = read_lines(path)
    line, header = next(lines, (1, ""))
    size = whole_numbers(header.split(), path, line)
    if len(size) != 2 or min(size) < 1:
        raise DatasetError(
            f"{path}, line {line}: {header!r} is not the number of instances and of features"
        )
    n_instances, n_features = size
    X: list[FloatArray] = []
    bag: list[int] = []
    label: list[int] = []
    for line, text in lines:
        start, *cells = text.split()
        found = _START.fullmatch(start)
        if found is None or int(found[1]) != len(X):
            raise DatasetError(
                f"{path}, line {line}: {start!r} is not {len(X)}:bag:label, as instance "
                f"{len(X)} begins"
            )
        X.append(_features(cells, n_features, path, line))
        bag.append(int(found[2]))
        label.append(int(found[3]))
    if len(X) != n_instances:
        raise DatasetError(f"{path}: {len(X)} instances, not {n_instances} as the first line says")
    label_of: dict[int, int] = {}
    for one, has in zip(bag, label, strict=True):
        if label_of.setdefault(one, has) != has:
            raise DatasetError(f"{path}: bag {one} has labels {label_of[one]} and {has}")
    return np.array(X), np.array(bag), np.array(label)


def _features(cells: list[str], n_features: int, path: Path, line: int) -> FloatArray:
    text = " ".join([*cells, ""])
    if not _PAIRS.fullmatch(text):
        wrong = next(cell for cell in cells if not _PAIRS.fullmatch(f"{cell} "))
        raise DatasetError(f"{path}, line {line}: {wrong!r} is not index:value")
    parts = text.replace(":", " ").split()
    index = np.array([int(part) for part in parts[::2]], dtype=np.int64)
    if len(index) and (index[0] < 1 or index[-1] > n_features or (np.diff(index) < 1).any()):
        raise DatasetError(
            f"{path}, line {line}: the indices of the features do not rise within 1 to {n_features}"
        )
    features = np.zeros(n_features)
    features[index - 1] = numbers(parts[1::2], path, line)
    return features


def renumbered(ids: IntArray) -> IntArray:
    """Number bags from 0, without gaps, in the order of the numbers that they have."""
    return np.unique(ids, return_inverse=True)[1].astype(np.int64)


def build_corel_eft(folder: Path) -> tuple[Bags, IntArray]:
    """Corel's animals: of the three files the positive bags, 1953 regions in 300 photographs."""
    regions, photographs = [], []
    animals: list[int] = []
    for number, animal in enumerate(ANIMALS):
        path = folder / "corel-eft" / f"{animal}.data"
        X, bag, label = read_andrews_text(path)
        positive = label == 1
        if not positive.any():
            raise DatasetError(f"{path}: no bag with label 1, so there is no {animal}")
        own = renumbered(bag[positive])
        regions.append(X[positive])
        photographs.append(own + len(animals))
        animals += [number] * (int(own.max()) + 1)
    if len({rows.shape[1] for rows in regions}) > 1:
        raise DatasetError(f"{folder / 'corel-eft'}: the files differ in the number of features")
    labels = np.eye(len(ANIMALS), dtype=np.bool_)[animals]
    bags = Bags(np.concatenate(regions), np.concatenate(photographs), labels, class_names=ANIMALS)
    return bags, np.full(bags.n_instances, -1)


def build_sival(path: Path) -> tuple[Bags, IntArray]:
    """SIVAL's 11410 segments in 360 photographs, sorted by their numbers; 6 objects occur.

    The file names the object of a bag by its place in `OBJECTS`, from 1, or not at all (0).
    """
    X, bag, label = read_andrews_text(path)
    objects = (bag - 1) // PHOTOGRAPHS_OF_EACH
    last = len(OBJECTS) * PHOTOGRAPHS_OF_EACH
    wrong = (bag < 1) | (bag > last)
    if wrong.any():
        raise DatasetError(f"{path}: bag {bag[wrong][0]} is not one of 1 to {last}")
    differs = (label != 0) & (label != objects + 1)
    if differs.any():
        row = int(np.argmax(differs))
        raise DatasetError(
            f"{path}: bag {bag[row]} has label {label[row]}, but by its number it shows "
            f"object {objects[row] + 1}"
        )
    order = np.argsort(bag, kind="stable")
    _, first = np.unique(bag, return_index=True)
    present = np.unique(objects)
    bags = Bags(
        X[order],
        renumbered(bag[order]),
        objects[first][:, None] == present,
        class_names=[OBJECTS[number] for number in present],
    )
    return bags, np.full(bags.n_instances, -1)
