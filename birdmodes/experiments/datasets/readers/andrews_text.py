"""Bags as text in the form of Andrews et al.: ``instance:bag:label index:value index:value ...``.

References
----------
.. [1] Andrews, Tsochantaridis & Hofmann, Support vector machines for multiple-instance learning,
   NIPS 2002.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from algorithms.bags import FloatArray, IntArray
from birdmodes.errors import DatasetError
from birdmodes.experiments.datasets.readers.raw import numbers, read_lines, whole_numbers

_START = re.compile(r"(\d{1,9}):(\d{1,9}):(-?\d{1,9})", re.ASCII)
_PAIRS = re.compile(r"(?:\d{1,9}:[^ :]+ )*", re.ASCII)


@dataclass(frozen=True, eq=False)
class LabelledRows:
    """Instances with the numbers that the file gives their bags.

    Attributes
    ----------
    X : ndarray, shape (n_instances, n_features)
        Features; 0 where the file leaves one out.
    bag, label : ndarray of int64, shape (n_instances,)
        Numbers as in the file.
    """

    X: FloatArray
    bag: IntArray
    label: IntArray


def read_andrews_text(path: Path) -> LabelledRows:
    """Read a file whose first line says how many instances and features follow.

    Parameters
    ----------
    path : pathlib.Path
        The file, which may lie gzipped.

    Returns
    -------
    LabelledRows

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
    rows = LabelledRows(np.array(X), np.array(bag), np.array(label))
    _check_labels(rows, path)
    return rows


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


def _check_labels(rows: LabelledRows, path: Path) -> None:
    label_of: dict[int, int] = {}
    for bag, label in zip(rows.bag.tolist(), rows.label.tolist(), strict=True):
        if label_of.setdefault(bag, label) != label:
            raise DatasetError(f"{path}: bag {bag} has labels {label_of[bag]} and {label}")


def renumbered(ids: IntArray) -> IntArray:
    """Number bags from 0, without gaps, in the order of the numbers that they have."""
    return np.unique(ids, return_inverse=True)[1].astype(np.int64)
