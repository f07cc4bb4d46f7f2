"""Natural scenes (18000 places of 2000 photographs), news of Reuters (7119 windows of 2000 texts).

Tables in Weka's ARFF, with a table of instances in a cell.

References
----------
.. [1] Zhou, Zhang, Huang & Li, Multi-instance multi-label learning, Artificial Intelligence 176,
   2012.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from algorithms import Bags
from algorithms.bags import IntArray
from birdmodes.errors import DatasetError
from birdmodes.experiments.datasets.readers.raw import numbers, read_lines

_ATTRIBUTE = re.compile(r"@attribute\s+(\S+)\s+(.+)", re.IGNORECASE)
_ROW = re.compile(r"""(?P<id>[^,"]+),"(?P<instances>[^"]*)",(?P<labels>[^"]*)""")


@dataclass(frozen=True)
class _Header:
    """Names of what the rows hold."""

    features: list[str] = field(default_factory=list)
    classes: list[str] = field(default_factory=list)


def read_miml_arff(path: Path) -> tuple[Bags, IntArray]:
    r"""Read a table of bags: a name, the instances and a column of 0 and 1 for each class.

    The instances are one text between quotes: features separated by commas, instances by the two
    characters ``\n``.

    Parameters
    ----------
    path : pathlib.Path
        The file, which may lie gzipped.

    Returns
    -------
    bags : Bags
    y : ndarray of int64, shape (n_instances,)
        All -1.

    Raises
    ------
    DatasetError
        If anything is not as it should be; the message names the line.
    """
    lines = ((line, text) for line, text in read_lines(path) if not text.startswith("%"))
    header = _read_header(lines, path)
    X, sizes, labels = [], [], []
    names: set[str] = set()
    for line, text in lines:
        row = _ROW.fullmatch(text)
        if row is None:
            raise DatasetError(
                f"{path}, line {line}: not a bag's name, its instances between quotes and its "
                "labels, separated by commas"
            )
        if row["id"] in names:
            raise DatasetError(f"{path}, line {line}: a second bag {row['id']}")
        names.add(row["id"])
        instances = _instances(row["instances"], len(header.features), path, line)
        X += instances
        sizes.append(len(instances))
        labels.append(_labels(row["labels"], len(header.classes), path, line))
    if not X:
        raise DatasetError(f"{path}: no bags after @data")
    bag = np.repeat(np.arange(len(sizes)), sizes)
    return Bags(X, bag, labels, class_names=header.classes), np.full(len(X), -1)


def _read_header(lines: Iterator[tuple[int, str]], path: Path) -> _Header:
    header = _Header()
    before_bag, in_bag = True, False
    for line, text in lines:
        word = text.split()[0].lower()
        if word == "@data":
            if before_bag or in_bag or not (header.features and header.classes):
                raise DatasetError(
                    f"{path}, line {line}: @data comes before the features and the classes are "
                    "declared"
                )
            return header
        if word == "@end" and in_bag:
            in_bag = False
        elif found := _ATTRIBUTE.fullmatch(text):
            name, kind = found[1], found[2].replace(" ", "").lower()
            if name in (*header.features, *header.classes):
                raise DatasetError(f"{path}, line {line}: a second {name}")
            if kind == "relational" and before_bag:
                before_bag, in_bag = False, True
            elif in_bag and kind == "numeric":
                header.features.append(name)
            elif not before_bag and not in_bag and kind == "{0,1}":
                header.classes.append(name)
            elif not before_bag:
                raise DatasetError(f"{path}, line {line}: {name} cannot be of the kind {kind!r}")
        elif word != "@relation":
            raise DatasetError(f"{path}, line {line}: {text[:40]!r} does not belong before @data")
    raise DatasetError(f"{path}: no line @data")


def _instances(text: str, n_features: int, path: Path, line: int) -> list[list[float]]:
    rows = [row.split(",") for row in text.split("\\n")]
    for number, cells in enumerate(rows, start=1):
        if len(cells) != n_features:
            raise DatasetError(
                f"{path}, line {line}: instance {number} has {len(cells)} features, not "
                f"{n_features}"
            )
    return [numbers(cells, path, line) for cells in rows]


def _labels(text: str, n_classes: int, path: Path, line: int) -> list[bool]:
    cells = text.split(",")
    if len(cells) != n_classes or not {"0", "1"}.issuperset(cells):
        raise DatasetError(f"{path}, line {line}: the labels are not {n_classes} times 0 or 1")
    return [cell == "1" for cell in cells]
