"""Multi-instance multi-label data sets: the public ones of the papers, and anyone's own.

Importing this loads neither numpy nor any other heavy library; the names below are loaded on
first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from birdmodes.datasets.catalogue import DATASETS, DatasetInfo, RawFile, dataset_info
    from birdmodes.datasets.load import load_dataset
    from birdmodes.datasets.miml import MIMLDataset
    from birdmodes.datasets.read import read_bags
    from birdmodes.datasets.store import data_folder, fetch_dataset
    from birdmodes.datasets.write import write_bags

__all__ = [
    "DATASETS",
    "DatasetInfo",
    "MIMLDataset",
    "RawFile",
    "data_folder",
    "dataset_info",
    "fetch_dataset",
    "load_dataset",
    "read_bags",
    "write_bags",
]

_HOMES = {
    "DATASETS": "catalogue",
    "DatasetInfo": "catalogue",
    "MIMLDataset": "miml",
    "RawFile": "catalogue",
    "data_folder": "store",
    "dataset_info": "catalogue",
    "fetch_dataset": "store",
    "load_dataset": "load",
    "read_bags": "read",
    "write_bags": "write",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"birdmodes.datasets.{_HOMES[name]}"), name)
