"""Multi-instance multi-label data sets: the public ones of the papers, and anyone's own.

Importing this loads neither numpy nor any other heavy library; the names below are loaded on
first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from birdmodes.experiments.datasets.bag_problem_table import BAG_PROBLEMS as BAG_PROBLEMS
    from birdmodes.experiments.datasets.bag_problem_table import BagProblem as BagProblem
    from birdmodes.experiments.datasets.bag_problem_table import (
        all_class_subsets as all_class_subsets,
    )
    from birdmodes.experiments.datasets.bag_problem_table import bag_problem as bag_problem
    from birdmodes.experiments.datasets.bag_problems import (
        BagClusteringProblem as BagClusteringProblem,
    )
    from birdmodes.experiments.datasets.bag_problems import load_bag_problem as load_bag_problem
    from birdmodes.experiments.datasets.bag_problems import (
        problem_from_dataset as problem_from_dataset,
    )
    from birdmodes.experiments.datasets.catalogue import DATASETS as DATASETS
    from birdmodes.experiments.datasets.catalogue import DatasetInfo as DatasetInfo
    from birdmodes.experiments.datasets.catalogue import RawFile as RawFile
    from birdmodes.experiments.datasets.catalogue import dataset_info as dataset_info
    from birdmodes.experiments.datasets.load import load_dataset as load_dataset
    from birdmodes.experiments.datasets.miml import MIMLDataset as MIMLDataset
    from birdmodes.experiments.datasets.own import read_bags as read_bags
    from birdmodes.experiments.datasets.own import write_bags as write_bags
    from birdmodes.experiments.datasets.store import data_folder as data_folder
    from birdmodes.experiments.datasets.store import fetch_dataset as fetch_dataset

_HOMES = {
    "BAG_PROBLEMS": "bag_problem_table",
    "BagClusteringProblem": "bag_problems",
    "BagProblem": "bag_problem_table",
    "DATASETS": "catalogue",
    "DatasetInfo": "catalogue",
    "MIMLDataset": "miml",
    "RawFile": "catalogue",
    "all_class_subsets": "bag_problem_table",
    "bag_problem": "bag_problem_table",
    "data_folder": "store",
    "dataset_info": "catalogue",
    "fetch_dataset": "store",
    "load_bag_problem": "bag_problems",
    "load_dataset": "load",
    "problem_from_dataset": "bag_problems",
    "read_bags": "own",
    "write_bags": "own",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"birdmodes.experiments.datasets.{_HOMES[name]}"), name)
