"""The labelled bags of a workspace, as examples for annotating others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pandas as pd

from algorithms import Bags
from algorithms.bags import IntArray
from birdmodes.errors import BirdmodesError
from birdmodes.modes.features.describe import describe_syllables
from birdmodes.modes.features.space import FeatureSpace
from birdmodes.workspace.bags import bags_table, bags_with
from birdmodes.workspace.copies import sound_of_bags, with_copies_as_one
from birdmodes.workspace.store import Workspace


@dataclass(frozen=True, eq=False)
class Material:
    """Bags to learn from.

    Attributes
    ----------
    bags : Bags
        With features that are not standardised; unlabelled bags are among them, and the empty ones
        of copies.
    group : ndarray of int64, shape (n_bags,)
        Recording of each bag, the same for copies: what is left out together when methods are
        tried out.
    bag_names, recordings : ndarray of str, shape (n_bags,)
        Name of each bag, and of its recording.
    syllables : pandas.DataFrame
        The instances, in their order.
    by_clip : bool
        Whether every labelled bag is a clip, so that new bags should be clips too.
    space : FeatureSpace
        Of the features. It was learned on all recordings, without their labels.
    notes : list of str
        What the user should know of the features, a line each.
    """

    bags: Bags
    group: IntArray
    bag_names: npt.NDArray[np.object_]
    recordings: npt.NDArray[np.object_]
    syllables: pd.DataFrame
    by_clip: bool
    space: FeatureSpace
    notes: list[str] = field(default_factory=list)


def read_material(
    workspace: Workspace, method: str, features: Sequence[str] | None = None, seed: int = 0
) -> Material:
    """Read what a workspace has to learn from.

    Parameters
    ----------
    workspace : Workspace
        With species lists of two or more recordings.
    method : str
        Who will learn.
    features : sequence of str, optional
        Feature sets, see `birdmodes.modes.features.sets`; by default those that suit the method.
    seed : int
        Of the feature sets.

    Raises
    ------
    BirdmodesError
        If it has no syllables, or fewer than two recordings with species lists.
    """
    described = describe_syllables(workspace, features, method, seed=seed, standardized=False)
    syllables = described.syllables
    rows = workspace.recordings()
    bags = with_copies_as_one(bags_with(rows, syllables, described.features), rows)
    table = bags_table(rows)
    group = sound_of_bags(rows)
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
        group,
        table["bag"].to_numpy(dtype=object),
        table["recording"].to_numpy(dtype=object),
        syllables,
        by_clip=not bool(whole.any()),
        space=described.space,
        notes=described.notes,
    )


def _recordings(count: int) -> str:
    return f"{count} recording{'' if count == 1 else 's'}"
