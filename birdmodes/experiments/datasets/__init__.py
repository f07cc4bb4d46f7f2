"""Multi-instance multi-label data sets: the public ones of the papers, and anyone's own.

Importing this loads neither numpy nor any other heavy library; the names below are loaded on
first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from birdmodes.experiments.datasets.bag_problem_table import (
        BAG_PROBLEMS,
        BagProblem,
        all_class_subsets,
        bag_problem,
    )
    from birdmodes.experiments.datasets.bag_problems import (
        BagClusteringProblem,
        load_bag_problem,
        problem_from_dataset,
    )
    from birdmodes.experiments.datasets.catalogue import DATASETS, dataset_info
    from birdmodes.experiments.datasets.entry import DatasetInfo, RawFile
    from birdmodes.experiments.datasets.load import load_dataset
    from birdmodes.experiments.datasets.miml import MIMLDataset
    from birdmodes.experiments.datasets.read import read_bags
    from birdmodes.experiments.datasets.store import data_folder, fetch_dataset
    from birdmodes.experiments.datasets.write import write_bags

__all__ = [
    "BAG_PROBLEMS",
    "DATASETS",
    "BagClusteringProblem",
    "BagProblem",
    "DatasetInfo",
    "MIMLDataset",
    "RawFile",
    "all_class_subsets",
    "bag_problem",
    "data_folder",
    "dataset_info",
    "fetch_dataset",
    "load_bag_problem",
    "load_dataset",
    "problem_from_dataset",
    "read_bags",
    "write_bags",
]

_HOMES = {
    "BAG_PROBLEMS": "bag_problem_table",
    "BagClusteringProblem": "bag_problems",
    "BagProblem": "bag_problem_table",
    "DATASETS": "catalogue",
    "DatasetInfo": "entry",
    "MIMLDataset": "miml",
    "RawFile": "entry",
    "all_class_subsets": "bag_problem_table",
    "bag_problem": "bag_problem_table",
    "data_folder": "store",
    "dataset_info": "catalogue",
    "fetch_dataset": "store",
    "load_bag_problem": "bag_problems",
    "load_dataset": "load",
    "problem_from_dataset": "bag_problems",
    "read_bags": "read",
    "write_bags": "write",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"birdmodes.experiments.datasets.{_HOMES[name]}"), name)
