"""Anyone's own multi-instance multi-label data: an ``.npz`` file or a pair of CSV tables."""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from algorithms import Bags
from algorithms.errors import BagsError
from birdmodes.errors import DatasetError
from birdmodes.experiments.datasets.miml import MIMLDataset
from birdmodes.io.files import atomic_path
from birdmodes.io.tables import Table, read_rows, read_table
from birdmodes.labels import split_species

REQUIRED_ARRAYS = ("X", "bag", "bag_labels")
OPTIONAL_ARRAYS = ("labelled", "y", "class_names")


def read_bags(path: str | Path) -> MIMLDataset:
    """Read bags from a file of NumPy arrays or from two CSV tables.

    An ``.npz`` file has the arrays ``X`` (n_instances, n_features), ``bag`` (n_instances,) with
    numbers from 0, and ``bag_labels`` (n_bags, n_classes) of 0 and 1. It may have ``labelled``
    (n_bags,) of 0 and 1, ``y`` (n_instances,) with the true class or -1, and ``class_names``
    (n_classes,). Other arrays are passed over.

    The CSV tables are called ``instances.csv`` and ``bags.csv``; see
    `birdmodes.experiments.datasets.own.read_csv_pair`.

    Parameters
    ----------
    path : str or pathlib.Path
        The ``.npz`` file, the CSV table of the instances, or the folder that holds the two tables.

    Returns
    -------
    MIMLDataset
        Named after the file or the folder.

    Raises
    ------
    DatasetError
        If anything is missing or does not fit; the message names the file and the place.
    """
    path = Path(path)
    if path.is_dir() or path.suffix.lower() == ".csv":
        return read_csv_pair(path)
    if path.suffix.lower() != ".npz":
        raise DatasetError(
            f"{path}: give an .npz file, a CSV table of instances, or a folder with instances.csv "
            "and bags.csv"
        )
    arrays = _read_arrays(path)
    missing = [name for name in REQUIRED_ARRAYS if name not in arrays]
    if missing:
        raise DatasetError(
            f"{path}: no array {' and no array '.join(missing)} (found: "
            f"{', '.join(arrays) or 'nothing'}); write them with numpy.savez(path, X=X, bag=bag, "
            "bag_labels=bag_labels)"
        )
    try:
        bags = Bags(
            arrays["X"],
            arrays["bag"],
            arrays["bag_labels"],
            arrays.get("labelled"),
            _class_names(arrays.get("class_names")),
        )
        return MIMLDataset(path.stem, bags, arrays.get("y", np.full(bags.n_instances, -1)))
    except (BagsError, DatasetError) as error:
        raise DatasetError(f"{path}: {error}") from error


def write_bags(dataset: MIMLDataset, path: str | Path) -> None:
    """Write a data set as an ``.npz`` file; the reverse of `read_bags`, but for the name.

    Parameters
    ----------
    dataset : MIMLDataset
        What to write.
    path : str or pathlib.Path
        The file, which ends in ``.npz``. Its folder must exist.

    Raises
    ------
    DatasetError
        If the name does not end in ``.npz``.
    """
    path = Path(path)
    if path.suffix.lower() != ".npz":
        raise DatasetError(f"{path}: the name of a file of bags must end in .npz")
    bags = dataset.bags
    with atomic_path(path) as temporary, temporary.open("wb") as file:
        np.savez_compressed(
            file,
            X=bags.X,
            bag=bags.bag,
            bag_labels=bags.labels.astype(np.uint8),
            labelled=bags.labelled.astype(np.uint8),
            y=dataset.y,
            class_names=np.array(bags.class_names, dtype=np.str_),
        )


def _read_arrays(path: Path) -> dict[str, npt.NDArray[Any]]:
    """Arrays that we know of, by name, and names of the others with empty arrays."""
    known = (*REQUIRED_ARRAYS, *OPTIONAL_ARRAYS)
    name = ""
    try:
        with path.open("rb") as file:
            if not zipfile.is_zipfile(file):
                raise DatasetError(f"{path}: not an .npz file; write it with numpy.savez")
            file.seek(0)
            with np.load(file, allow_pickle=False) as archive:
                arrays = {}
                for name in archive.files:
                    arrays[name] = np.asarray(archive[name]) if name in known else np.empty(0)
                return arrays
    except (ValueError, RuntimeError, zipfile.BadZipFile, zlib.error, EOFError) as error:
        if "Object arrays" in str(error):
            raise DatasetError(
                f"{path}: the array {name} holds Python objects, which are not read, as they could "
                "run code: save numbers, and names with numpy.array(names, dtype=str)"
            ) from error
        raise DatasetError(f"{path}: damaged ({error}); write it again") from error
    except OSError as error:
        raise DatasetError(f"{path}: cannot be read ({error.strerror or error})") from error


def _class_names(names: npt.NDArray[Any] | None) -> list[str] | None:
    if names is None:
        return None
    if names.ndim != 1 or names.dtype.kind != "U":
        raise DatasetError(
            f"class_names must be a list of texts, not an array of {names.dtype} and shape "
            f"{names.shape}"
        )
    return [str(name) for name in names]


INSTANCES_FILE = "instances.csv"
BAGS_FILE = "bags.csv"
BAG, CLASS, LABELS = "bag", "class", "labels"

_ADVICE = (
    "; every column but bag and class is a feature, written like 0.25: mend the cell or leave the "
    "column out"
)


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
    rows, of_bags, classes = _read_instances(instances_path)
    bags_path = _bags_path(instances_path)
    if not bags_path.exists():
        raise DatasetError(
            f"{bags_path}: cannot be read (No such file or directory); put the label sets of the "
            f"bags in {instances_path.name} there, with the columns bag and labels"
        )
    label_sets = _read_label_sets(bags_path)
    numbers = {name: m for m, name in enumerate(dict.fromkeys([*label_sets, *of_bags]))}
    names = sorted({*classes, *(n for names in label_sets.values() for n in names)} - {""})
    columns = {name: c for c, name in enumerate(names)}
    labels = np.zeros((len(numbers), len(names)), dtype=np.bool_)
    for bag, label_set in label_sets.items():
        labels[numbers[bag], [columns[name] for name in label_set]] = True
    try:
        bags = Bags(
            np.array(rows),
            [numbers[bag] for bag in of_bags],
            labels,
            [bag in label_sets for bag in numbers],
            names,
        )
    except BagsError as error:
        raise DatasetError(f"{instances_path}: {error}") from error
    y = np.array([columns.get(name, -1) for name in classes], dtype=np.int64)
    return MIMLDataset(instances_path.absolute().parent.name or "bags", bags, y)


def _bags_path(instances: Path) -> Path:
    stem, word, rest = instances.name.rpartition("instances")
    return instances.with_name(f"{stem}bags{rest}" if word else BAGS_FILE)


def _read_instances(path: Path) -> tuple[list[list[float]], list[str], list[str]]:
    """Features, bag and class (empty: not known) of each instance."""
    table = read_table(path, DatasetError)
    header = table.header.keys
    features = [name for name in header if name not in (BAG, CLASS)]
    _check_header(table, features)
    places = {name: header.index(name) for name in features}
    rows: list[list[float]] = []
    bags: list[str] = []
    classes: list[str] = []
    for line, values in table.records(header):
        if not values[BAG]:
            raise DatasetError(f"{path}, line {line}: no bag in this row")
        if len(split_species(values.get(CLASS, ""))) > 1:
            raise DatasetError(
                f"{path}, line {line}: {values[CLASS]!r} are several classes; an instance has one, "
                "or an empty cell where it is not known"
            )
        bags.append(values[BAG])
        classes.append(values.get(CLASS, ""))
        rows.append([table.number(line, i, values[name], _ADVICE) for name, i in places.items()])
    if not rows:
        raise DatasetError(f"{path}: no instances, only the names of the columns")
    return rows, bags, classes


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
