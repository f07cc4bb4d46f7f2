"""The bags that a workspace's recordings make, with their species."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pandas as pd

from birdmodes.workspace.tables import bag_name

BAG_COLUMNS = ["bag", "recording", "labelled", "species"]


def bags_table(recordings: pd.DataFrame) -> pd.DataFrame:
    """List every bag of the recordings, those without syllables included.

    Parameters
    ----------
    recordings : pandas.DataFrame
        Rows of `birdmodes.workspace.tables.RECORDINGS_SCHEMA`.

    Returns
    -------
    pandas.DataFrame
        Columns bag, recording, labelled, species. A bag has the species of its clip where the
        labels have times, else those of its recording.
    """
    rows = cast("list[dict[str, Any]]", recordings.to_dict("records"))
    bags = [bag for row in rows for bag in _bags_of(row)]
    table = pd.DataFrame(bags, columns=BAG_COLUMNS)
    return table.astype({"labelled": bool})


def bag_times(
    recordings: pd.DataFrame, clip_s: float
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Where the bags of `bags_table` begin and end in their recordings (s).

    Parameters
    ----------
    recordings : pandas.DataFrame
        As for `bags_table`.
    clip_s : float
        Length of a clip; the last one of a recording lasts to its end.

    Returns
    -------
    start_s, end_s : ndarray, shape (n_bags,)
    """
    times: list[tuple[float, float]] = []
    for row in cast("list[dict[str, Any]]", recordings.to_dict("records")):
        n_bags = row["n_clips"] if row["bag_unit"] == "clip" else 1
        starts = [clip_s * clip for clip in range(n_bags)]
        times += zip(starts, [*starts[1:], row["duration_s"]], strict=n_bags > 0)
    array = np.array(times, dtype=np.float64).reshape(-1, 2)
    return array[:, 0], array[:, 1]


def _bags_of(row: dict[str, Any]) -> Iterator[tuple[str, str, bool, str]]:
    recording, unit = row["recording"], row["bag_unit"]
    n_bags = row["n_clips"] if unit == "clip" else 1
    by_clip = row.get("clip_species")
    if unit != "clip" or by_clip is None or not len(by_clip):
        by_clip = [row["species"]] * n_bags
    for clip in range(n_bags):
        yield bag_name(recording, clip, unit), recording, row["labelled"], by_clip[clip]
