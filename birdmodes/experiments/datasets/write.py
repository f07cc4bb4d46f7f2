"""Write bags to a file that `read_bags` reads."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from birdmodes.errors import DatasetError
from birdmodes.experiments.datasets.miml import MIMLDataset
from birdmodes.io.files import atomic_path


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
