"""The bags that a workspace's recordings make, with their species."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from algorithms.bags import Bags
from algorithms.errors import did_you_mean
from algorithms.preprocessing import standardize
from birdmodes.errors import ParameterError
from birdmodes.labels import split_species
from birdmodes.segmentation.features import FEATURE_NAMES
from birdmodes.workspace.tables import bag_name

if TYPE_CHECKING:
    import pandas as pd

_LEAST_WEIGHT = 0.01  # of what is listed though a detector gave it no chance

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
    import pandas as pd  # slow to import: `info` does without

    rows = cast("list[dict[str, Any]]", recordings.to_dict("records"))
    bags = [bag for row in rows for bag in _bags_of(row)]
    table = pd.DataFrame(bags, columns=BAG_COLUMNS)
    return table.astype({"labelled": bool})


def species_named(recordings: pd.DataFrame) -> list[str]:
    """Names that recordings, their clips and the sounds in them are labelled with, in order.

    Parameters
    ----------
    recordings : pandas.DataFrame
        Rows of `birdmodes.workspace.tables.RECORDINGS_SCHEMA`.
    """
    texts = set(recordings["species"].dropna())
    for column in {"clip_species", "timed_labels"}.intersection(recordings.columns):
        for several in recordings[column].dropna():
            texts.update(each["species"] if isinstance(each, dict) else each for each in several)
    return sorted({name for text in texts for name in split_species(text)})


def make_bags(
    recordings: pd.DataFrame,
    syllables: pd.DataFrame,
    features: Sequence[str] | str | None = None,
    *,
    standardized: bool = True,
) -> Bags:
    """Put syllables into bags that carry the species of their recordings.

    Parameters
    ----------
    recordings : pandas.DataFrame
        Rows of `birdmodes.workspace.tables.RECORDINGS_SCHEMA`.
    syllables : pandas.DataFrame
        Column bag, and the features.
    features, standardized
        As for `birdmodes.workspace.store.Workspace.bags`.

    Raises
    ------
    ParameterError
        If there is no such feature.
    """
    values = syllables[_features(features, syllables)].to_numpy(dtype=float)
    return bags_with(recordings, syllables, standardize(values) if standardized else values)


def bags_with(
    recordings: pd.DataFrame, syllables: pd.DataFrame, features: npt.NDArray[np.float64]
) -> Bags:
    """Put syllables, described by any features, into bags; see `make_bags`.

    Parameters
    ----------
    recordings : pandas.DataFrame
        Rows of `birdmodes.workspace.tables.RECORDINGS_SCHEMA`.
    syllables : pandas.DataFrame
        Column bag.
    features : ndarray, shape (n_syllables, n_features)
        A row for each of them.
    """
    import pandas as pd  # slow to import: `info` does without

    table = bags_table(recordings)
    species = [set(split_species(text)) for text in table["species"]]
    class_names = sorted(set().union(*species))
    labels = np.array([[name in names for name in class_names] for names in species], dtype=bool)
    weights = _weights(recordings, table["bag"].tolist(), class_names)
    number = pd.Series(np.arange(len(table)), index=table["bag"])
    return Bags(
        features,
        number.loc[syllables["bag"]].to_numpy(),
        labels.reshape(len(table), len(class_names)),
        labelled=table["labelled"].to_numpy(dtype=bool),
        class_names=class_names,
        bag_names=table["bag"].tolist(),
        weights=weights,
    )


def _weights(
    recordings: pd.DataFrame, bags: Sequence[str], class_names: Sequence[str]
) -> npt.NDArray[np.float64] | None:
    """How sure lists are of their species; None where no detector said, 1 where it said nothing."""
    if "confidences" not in recordings:
        return None
    bag_of = {name: place for place, name in enumerate(bags)}
    class_of = {name: place for place, name in enumerate(class_names)}
    highest = np.zeros((len(bags), len(class_names)))
    read = recordings[["recording", "bag_unit", "confidences"]]
    for row in cast("list[dict[str, Any]]", read.to_dict("records")):
        for told in _confidences(row):
            bag = bag_of.get(bag_name(row["recording"], told["clip"], row["bag_unit"]))
            if bag is not None and told["species"] in class_of:
                place = bag, class_of[told["species"]]
                highest[place] = max(highest[place], told["confidence"], _LEAST_WEIGHT)
    return np.where(highest > 0, highest, 1.0) if highest.any() else None


def _confidences(row: dict[str, Any]) -> Sequence[dict[str, Any]]:
    told = row["confidences"]
    # nothing where a version that had no such column wrote the row
    return () if told is None or isinstance(told, float) else list(told)


def _features(features: Sequence[str] | str | None, syllables: pd.DataFrame) -> list[str]:
    if features is None:
        return FEATURE_NAMES
    wanted = [features] if isinstance(features, str) else list(features)
    there = [str(name) for name in syllables.select_dtypes("number")]
    for name in wanted:
        if name not in there:
            raise ParameterError(
                f"no feature {name!r}{did_you_mean(str(name), there)}; there are: "
                f"{', '.join(there)}"
            )
    if not wanted:
        raise ParameterError(f"no features: name some of {', '.join(there)}")
    return wanted


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
