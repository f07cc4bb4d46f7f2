"""Data sets: bags, the truth to compare with; loaded by their names."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import numpy as np

from algorithms import Bags
from algorithms.bags import BoolArray, IntArray
from algorithms.folds import choose_bags
from birdmodes.errors import BirdmodesError, DatasetError
from birdmodes.experiments.datasets.catalogue import dataset_info
from birdmodes.experiments.datasets.store import obtain_files


@dataclass(frozen=True, eq=False)
class MIMLDataset:
    """Bags with the true class of their instances.

    Attributes
    ----------
    name : str
        What the data set is called in tables and file names.
    bags : Bags
        Features as published (not standardised), bags and label sets.
    y : ndarray of int64, shape (n_instances,)
        True class of each instance, a column of ``bags.labels``; -1 where it is not known.

    Raises
    ------
    DatasetError
        If `y` does not fit the bags.
    """

    name: str
    bags: Bags
    y: IntArray

    def __post_init__(self) -> None:
        y = np.asarray(self.y)
        if y.shape != (self.bags.n_instances,) or (
            y.size and not np.issubdtype(y.dtype, np.integer)
        ):
            raise DatasetError(
                f"y must be a whole number for each of the {self.bags.n_instances} instances, "
                f"not an array of {y.dtype} and shape {y.shape}"
            )
        outside = np.flatnonzero((y < -1) | (y >= self.bags.n_classes))
        if len(outside):
            raise DatasetError(
                f"instance {int(outside[0])} has class {int(y[outside[0]])} in y, outside 0 to "
                f"{self.bags.n_classes - 1}; write -1 where the class is not known"
            )
        checked = y.astype(np.int64)
        checked.setflags(write=False)
        object.__setattr__(self, "y", checked)

    @property
    def single_label_bags(self) -> int:
        """Number of labelled bags whose label set holds one class."""
        return int(np.sum(self.bags.labels.sum(axis=1) == 1))

    @property
    def labels_per_bag(self) -> float:
        """Mean size of the label sets of the labelled bags; 0 if no bag is labelled."""
        labelled = int(self.bags.labelled.sum())
        return float(self.bags.labels.sum() / labelled) if labelled else 0.0

    @property
    def instances_per_bag(self) -> float:
        """Mean number of instances of a bag; 0 if there are no bags."""
        return self.bags.n_instances / self.bags.n_bags if self.bags.n_bags else 0.0


@dataclass(frozen=True, eq=False)
class Data:
    """Bags with truth to compare with.

    Attributes
    ----------
    name : str
        What tables call them.
    bags : Bags
        Features as the experiment wants them, all labels that there are.
    truth : ndarray of int64, or None
        True class of each instance, -1 where it is not known; None if none is. With `of_bags` the
        class of each bag, which its labels tell too.
    of_bags : bool
        Whether the truth is about bags.
    test : ndarray of bool, shape (n_bags,), or None
        The test bags of a published split.
    note : str
        What to know of the data, for the report; may be empty.
    """

    name: str
    bags: Bags
    truth: IntArray | None = None
    of_bags: bool = False
    test: BoolArray | None = None
    note: str = ""

    @property
    def known_truth(self) -> IntArray:
        """The truth, where an experiment is about it and has refused data without."""
        if self.truth is None:
            raise BirdmodesError(f"{self.name}: no instance has a known class")
        return self.truth

    @property
    def fingerprint(self) -> str:
        """Of all figures: two sets of one name are the same when theirs are."""
        bags = self.bags
        labels = () if self.of_bags else (bags.labels, bags.labelled)
        digest = hashlib.sha256(repr(bags.class_names).encode("utf-8", "surrogatepass"))
        for array in (bags.X, bags.bag, *labels, self.truth, self.test):
            if array is not None:
                digest.update(repr(array.shape).encode())
                digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()[:16]


def of_classes(bags: Bags, chosen: BoolArray, classes: IntArray) -> Bags:
    """Give some of the bags, with some of their classes.

    Parameters
    ----------
    bags : Bags
        All labelled.
    chosen : ndarray of bool, shape (n_bags,)
        Which bags; they are numbered anew in their order.
    classes : ndarray of int64
        Which classes, in the order that they are to have.
    """
    some = choose_bags(bags, chosen)
    names = [some.class_names[number] for number in classes]
    return Bags(some.X, some.bag, some.labels[:, classes], class_names=names)


_READERS = "birdmodes.experiments.datasets.readers"


def load_dataset(name: str, data_dir: str | Path | None = None) -> MIMLDataset:
    """Load one of the public data sets, or the one that is built in.

    Parameters
    ----------
    name : str
        A key of :data:`birdmodes.experiments.datasets.DATASETS`, such as ``"hja-birdsong"``.
    data_dir : str or pathlib.Path, optional
        Folder that holds the raw files; by default that of the environment variable
        ``BIRDMODES_DATA``. Nothing is downloaded then. Where neither is given, the raw files
        are kept in the user's cache folder and missing ones are downloaded to it.

    Returns
    -------
    MIMLDataset
        The same in every run; features as published.

    Raises
    ------
    DatasetError
        For an unknown name, and for files that are missing, damaged, or cannot be downloaded.
    """
    info = dataset_info(name)
    folder = obtain_files(info, data_dir)
    module, _, function = info.builder.partition(":")
    # A set of one file is made from that file, any other from the folder of all.
    place = folder / info.files[0].local if len(info.files) == 1 else folder
    bags, y = getattr(import_module(f"{_READERS}.{module}"), function)(place)
    return MIMLDataset(info.name, bags, y)
