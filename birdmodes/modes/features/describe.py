"""Describe the syllables of a workspace for a method."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pandas as pd

from birdmodes.errors import BirdmodesError
from birdmodes.modes.features.base import Floats
from birdmodes.modes.features.material import SyllableMaterial
from birdmodes.modes.features.sets import FEATURE_SETS, PUBLISHED, default_features, parse_features
from birdmodes.modes.features.space import FeatureSpace
from birdmodes.segmentation.features import FEATURE_NAMES
from birdmodes.segmentation.windows import PLACE_NAMES
from birdmodes.workspace.store import Workspace

if TYPE_CHECKING:
    from algorithms.preprocessing.standardizer import Standardizer


@dataclass(frozen=True, eq=False)
class DescribedSyllables:
    """The syllables of a workspace in a feature space.

    Attributes
    ----------
    space : FeatureSpace
        Learned on them.
    syllables : pandas.DataFrame
        All columns but features, places in time and images.
    features : ndarray, shape (n_syllables, n_columns)
        Brought to one scale, or as the sets give them; read-only.
    scale : Standardizer
        What brings further syllables' columns to that scale.
    notes : list of str
        What the user should know, a line each.
    """

    space: FeatureSpace
    syllables: pd.DataFrame
    features: Floats
    scale: Standardizer
    notes: list[str] = field(default_factory=list)

    @property
    def summary(self) -> str:
        """Feature sets and their numbers of columns, in words."""
        counted = zip(self.space.called, self.space.described(), strict=True)
        return "features: " + ", ".join(f"{name} ({facts['columns']})" for name, facts in counted)


def describe_syllables(
    workspace: Workspace,
    features: Sequence[str] | str | None,
    method: str,
    *,
    seed: int = 0,
    standardized: bool = True,
) -> DescribedSyllables:
    """Learn feature sets on a workspace's syllables, and describe these.

    Parameters
    ----------
    workspace : Workspace
        With at least one syllable.
    features : sequence of str, str or None
        Names of sets, as ``--features`` takes them; None takes those that suit the method, as far
        as the workspace has what they are made of.
    method : str
        Who will look at the features.
    seed : int
        Same seed, same result.
    standardized : bool
        Whether to bring the columns to one scale.

    Raises
    ------
    BirdmodesError
        If the workspace has no syllables, or lacks what a set that was named is made of.
    """
    material = SyllableMaterial(workspace)
    if material.syllables.empty:
        raise BirdmodesError(
            f"{workspace.folder}: no syllables to cluster; see errors.csv there, and check that "
            "the recordings are not silent"
        )
    notes = []
    chosen = parse_features(features)
    names = default_features(method) if chosen is None else chosen
    if chosen is None and not material.has_windows:
        lacking = [name for name in names if FEATURE_SETS[name].needs_windows]
        if lacking:
            names = PUBLISHED
            notes.append(
                f"the workspace is of an earlier birdmodes and has nothing to make the features "
                f"{' and '.join(lacking)} of, which name species better: only briggs38 was used; "
                "run 'birdmodes segment --restart' on the recordings again"
            )
    space = FeatureSpace.learn(names, material, seed)
    columns = space.columns(material)
    syllables = material.syllables.drop(columns=[*FEATURE_NAMES, *PLACE_NAMES])
    del material  # its windows are as large as the columns
    scale = space.scale(columns)
    if standardized:
        columns = space.standardized(columns)
    columns.setflags(write=False)  # so bags need no copy
    return DescribedSyllables(space, syllables, columns, scale, notes)
