"""Bags in two CSV tables, as a spreadsheet or R writes them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from algorithms import Bags
from algorithms.errors import BagsError
from birdmodes.errors import DatasetError
from birdmodes.experiments.datasets.miml import MIMLDataset
from birdmodes.io.tables import Table, read_rows, read_table
from birdmodes.labels import split_species

INSTANCES_FILE = "instances.csv"
BAGS_FILE = "bags.csv"
BAG, CLASS, LABELS = "bag", "class", "labels"

_ADVICE = (
    "; every column but bag and class is a feature, written like 0.25: mend the cell or leave the "
    "column out"
)


@dataclass(frozen=True)
class _Instances:
    """The table of instances: features, bag and class (empty: not known) of each."""

    rows: list[list[float]]
    bags: list[str]
    classes: list[str]


def read_csv_pair(path: Path) -> MIMLDataset:
    """Read bags from a table of instances and a table of label sets.

    ``instances.csv`` has a row for each instance: a column ``bag`` with any name, if the truth is
    known a column ``class`` (empty where it is not), and the features: every other column, all
    numbers. ``bags.csv`` has the columns ``bag`` and ``labels``; several labels stand in one cell,
    separated by ``;``, or in several rows. As in ``labels.csv``, a bag that no row names is
    unlabelled, and one whose cell is empty is known to hold no class. A bag of ``bags.csv``
    without an instance stays in the data. Encodings as in `birdmodes.io.text.read_text`.

    Bags are numbered as they come in ``bags.csv``, then as they come in ``instances.csv``; classes
    are sorted by name.

    Parameters
    ----------
    path : pathlib.Path
        The folder of the two tables, or the table of instances; then the other one lies beside it
        and has the same name with ``bags`` for ``instances``, else is called ``bags.csv``.

    Returns
    -------
    MIMLDataset
        Named after the folder.

    Raises
    ------
    DatasetError
        If a table cannot be read; the message has the file, the line and the column.
    """
    instances_path = path / INSTANCES_FILE if path.is_dir() else path
    instances = _read_instances(instances_path)
    bags_path = _bags_path(instances_path)
    if not bags_path.exists():
        raise DatasetError(
            f"{bags_path}: cannot be read (No such file or directory); put the label sets of the "
            f"bags in {instances_path.name} there, with the columns bag and labels"
        )
    label_sets = _read_label_sets(bags_path)
    numbers = {name: m for m, name in enumerate(dict.fromkeys([*label_sets, *instances.bags]))}
    names = sorted(
        {*instances.classes, *(n for names in label_sets.values() for n in names)} - {""}
    )
    columns = {name: c for c, name in enumerate(names)}
    labels = np.zeros((len(numbers), len(names)), dtype=np.bool_)
    for bag, label_set in label_sets.items():
        labels[numbers[bag], [columns[name] for name in label_set]] = True
    try:
        bags = Bags(
            np.array(instances.rows),
            [numbers[bag] for bag in instances.bags],
            labels,
            [bag in label_sets for bag in numbers],
            names,
        )
    except BagsError as error:
        raise DatasetError(f"{instances_path}: {error}") from error
    y = np.array([columns.get(name, -1) for name in instances.classes], dtype=np.int64)
    return MIMLDataset(instances_path.absolute().parent.name or "bags", bags, y)


def _bags_path(instances: Path) -> Path:
    stem, word, rest = instances.name.rpartition("instances")
    return instances.with_name(f"{stem}bags{rest}" if word else BAGS_FILE)


def _read_instances(path: Path) -> _Instances:
    table = read_table(path, DatasetError)
    header = table.header.keys
    features = [name for name in header if name not in (BAG, CLASS)]
    _check_header(table, features)
    places = {name: header.index(name) for name in features}
    result = _Instances([], [], [])
    for line, values in table.records(header):
        if not values[BAG]:
            raise DatasetError(f"{path}, line {line}: no bag in this row")
        if len(split_species(values.get(CLASS, ""))) > 1:
            raise DatasetError(
                f"{path}, line {line}: {values[CLASS]!r} are several classes; an instance has one, "
                "or an empty cell where it is not known"
            )
        result.bags.append(values[BAG])
        result.classes.append(values.get(CLASS, ""))
        result.rows.append(
            [table.number(line, i, values[name], _ADVICE) for name, i in places.items()]
        )
    if not result.rows:
        raise DatasetError(f"{path}: no instances, only the names of the columns")
    return result


def _check_header(table: Table, features: list[str]) -> None:
    path, header = table.path, table.header.keys
    if BAG not in header:
        raise DatasetError(
            f"{path}: no column bag (found: {', '.join(header) or 'nothing'}); the first line "
            "must name the columns, separated by commas: bag, class if known, and the features"
        )
    if not features:
        raise DatasetError(f"{path}: no features: give a column of numbers for each")
    for number, name in enumerate(header, start=1):
        if not name:
            raise DatasetError(
                f"{path}: column {number} has no name; give it one, or leave the column out if it "
                "only numbers the rows"
            )
        if name in header[: number - 1]:
            raise DatasetError(f"{path}: two columns are called {name!r}; rename one")


def _read_label_sets(path: Path) -> dict[str, tuple[str, ...]]:
    """Label set of each labelled bag, in the order of the table."""
    sets: dict[str, tuple[str, ...]] = {}
    for line, values in read_rows(path, (BAG, LABELS), DatasetError):
        bag, labels = values[BAG], split_species(values[LABELS])
        if not bag:
            raise DatasetError(f"{path}, line {line}: no bag in this row")
        if bag in sets and bool(sets[bag]) != bool(labels):
            raise DatasetError(
                f"{path}, line {line}: bag {bag!r} has labels in one row and none in another; an "
                "empty cell says that it holds no class"
            )
        sets[bag] = tuple(dict.fromkeys((*sets.get(bag, ()), *labels)))
    return sets
