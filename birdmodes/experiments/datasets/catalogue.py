"""The table of data sets: what is in each, where it comes from, and its files.

Reading the table loads nothing heavy, so that the command line can name the data sets at once.
"""

from __future__ import annotations

from algorithms.errors import did_you_mean
from birdmodes.errors import DatasetError
from birdmodes.experiments.datasets import sets_of_bags, sets_of_instances
from birdmodes.experiments.datasets.entry import DatasetInfo

DATASETS: dict[str, DatasetInfo] = {
    info.name: info for info in (*sets_of_instances.SETS, *sets_of_bags.SETS)
}


def dataset_info(name: str) -> DatasetInfo:
    """Look up a data set.

    Parameters
    ----------
    name : str
        A key of :data:`DATASETS`.

    Returns
    -------
    DatasetInfo

    Raises
    ------
    DatasetError
        If there is none of that name; the message has the nearest name and all of them.
    """
    if name in DATASETS:
        return DATASETS[name]
    raise DatasetError(
        f"there is no data set {name!r}{did_you_mean(name, DATASETS)}: "
        f"choose one of {', '.join(DATASETS)}"
    )
