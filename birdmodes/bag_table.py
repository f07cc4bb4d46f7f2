"""The bags that a workspace's recordings make, with their species."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import pandas as pd

from birdmodes.tables import bag_name

BAG_COLUMNS = ["bag", "recording", "labelled", "species"]


def bags_table(recordings: pd.DataFrame) -> pd.DataFrame:
    """List every bag of the recordings, those without syllables included.

    Parameters
    ----------
    recordings : pandas.DataFrame
        Rows of `birdmodes.tables.RECORDINGS_SCHEMA`.

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


def _bags_of(row: dict[str, Any]) -> Iterator[tuple[str, str, bool, str]]:
    recording, unit = row["recording"], row["bag_unit"]
    n_bags = row["n_clips"] if unit == "clip" else 1
    by_clip = row.get("clip_species")
    if unit != "clip" or by_clip is None or not len(by_clip):
        by_clip = [row["species"]] * n_bags
    for clip in range(n_bags):
        yield bag_name(recording, clip, unit), recording, row["labelled"], by_clip[clip]
