"""Multi-instance multi-label data sets: the public ones of the papers, and anyone's own.

Importing this loads neither numpy nor any other heavy library; the names below are loaded on
first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_NAMES = {
    "bag_problem_table": ("BAG_PROBLEMS", "BagProblem", "all_class_subsets", "bag_problem"),
    "bag_problems": ("load_bag_problem", "problem_from_dataset"),
    "catalogue": ("DATASETS", "DatasetInfo", "RawFile", "dataset_info"),
    "miml": ("MIMLDataset", "load_dataset"),
    "own": ("read_bags", "write_bags"),
    "store": ("data_folder", "fetch_dataset"),
}
"""Names by the module that they are in."""


def __getattr__(name: str) -> Any:
    for module, names in _NAMES.items():
        if name in names:
            return getattr(import_module(f"birdmodes.experiments.datasets.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
