"""The labelled bags of a workspace, as examples for annotating others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from algorithms import Bags
from algorithms.bags import IntArray
from birdmodes.errors import BirdmodesError
from birdmodes.modes.find import workspace_bags
from birdmodes.segmentation.features import FEATURE_NAMES
from birdmodes.workspace.bags import bags_table
from birdmodes.workspace.store import Workspace


@dataclass(frozen=True, eq=False)
class Material:
    """Bags to learn from.

    Attributes
    ----------
    bags : Bags
        With the features as they are stored; unlabelled bags are among them.
    group : ndarray of int64, shape (n_bags,)
        Recording of each bag: what is left out together when methods are tried out.
    bag_names, recordings : ndarray of str, shape (n_bags,)
        Name of each bag, and of its recording.
    syllables : pandas.DataFrame
        The instances, in their order.
    by_clip : bool
        Whether every labelled bag is a clip, so that new bags should be clips too.
    """

    bags: Bags
    group: IntArray
    bag_names: npt.NDArray[np.object_]
    recordings: npt.NDArray[np.object_]
    syllables: pd.DataFrame
    by_clip: bool


def read_material(workspace: Workspace) -> Material:
    """Read what a workspace has to learn from.

    Raises
    ------
    BirdmodesError
        If it has no syllables, or fewer than two recordings with species lists.
    """
    scaled, syllables = workspace_bags(workspace)
    raw = syllables[FEATURE_NAMES].to_numpy(dtype=float)
    bags = Bags(raw, scaled.bag, scaled.labels, scaled.labelled, scaled.class_names)
    rows = workspace.recordings()
    table = bags_table(rows)
    group = np.unique(table["recording"].to_numpy(dtype=object), return_inverse=True)[1]
    useful = bags.labelled & (bags.sizes > 0)
    labelled = len(np.unique(group[useful]))
    if labelled < 2 or not bags.labels[useful].any():
        raise BirdmodesError(
            f"{workspace.folder}: {_recordings(labelled)} with a species list and syllables, and "
            "annotating needs two or more, with species among them; run 'birdmodes segment' with "
            "--labels"
        )
    whole = (rows["bag_unit"] == "recording") & (rows["n_clips"] > 1) & rows["labelled"]
    return Material(
        bags,
        group.astype(np.int64),
        table["bag"].to_numpy(dtype=object),
        table["recording"].to_numpy(dtype=object),
        syllables,
        by_clip=not bool(whole.any()),
    )


def _recordings(count: int) -> str:
    return f"{count} recording{'' if count == 1 else 's'}"
