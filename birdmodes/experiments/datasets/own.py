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
from birdmodes.experiments.datasets.readers.csv_pair import read_csv_pair
from birdmodes.io.files import atomic_path

REQUIRED_ARRAYS = ("X", "bag", "bag_labels")
OPTIONAL_ARRAYS = ("labelled", "y", "class_names")


def read_bags(path: str | Path) -> MIMLDataset:
    """Read bags from a file of NumPy arrays or from two CSV tables.

    An ``.npz`` file has the arrays ``X`` (n_instances, n_features), ``bag`` (n_instances,) with
    numbers from 0, and ``bag_labels`` (n_bags, n_classes) of 0 and 1. It may have ``labelled``
    (n_bags,) of 0 and 1, ``y`` (n_instances,) with the true class or -1, and ``class_names``
    (n_classes,). Other arrays are passed over.

    The CSV tables are called ``instances.csv`` and ``bags.csv``; see
    `birdmodes.experiments.datasets.readers.csv_pair.read_csv_pair`.

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
