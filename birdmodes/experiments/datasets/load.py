"""Load a data set by its name."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from birdmodes.experiments.datasets.catalogue import dataset_info
from birdmodes.experiments.datasets.miml import MIMLDataset
from birdmodes.experiments.datasets.store import obtain_files

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
    bags, y = getattr(import_module(f"{_READERS}.{module}"), function)(folder)
    return MIMLDataset(info.name, bags, y)
