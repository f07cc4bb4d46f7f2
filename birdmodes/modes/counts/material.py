"""What ``--k auto`` looks at: features of syllables, and of syllables among those of a bout."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from algorithms import Bags
from birdmodes.modes.counts.found import CountMaterial
from birdmodes.modes.features.base import Floats
from birdmodes.modes.features.describe import DescribedSyllables
from birdmodes.modes.features.own import Briggs38, Mel, Rhythm
from birdmodes.modes.features.space import FeatureSpace

KINDS = (Mel.name,)
"""Sets that tell kinds of syllables apart."""

BOUTS = (Briggs38.name, Mel.name, Rhythm.name)
"""Sets that tell kinds of bouts apart: series or single, as well as what they consist of."""


def count_material(described: DescribedSyllables, bags: Bags) -> CountMaterial:
    """Choose what to look at.

    Parameters
    ----------
    described : DescribedSyllables
        In a workspace of an earlier version, without some of the sets, what there is has to do.
    bags : Bags
        The same syllables.
    """
    recording = pd.factorize(described.syllables["recording"])[0].astype(np.int64)
    return CountMaterial(bags, _sets(described, KINDS), _sets(described, BOUTS), recording)


def _sets(described: DescribedSyllables, names: Sequence[str]) -> Floats:
    """Columns of some sets, each of total variance 1."""
    there = list(zip(described.space.sets, described.space.parts, strict=True))
    chosen = [part for one, part in there if one.name in names] or [part for _, part in there]
    blocks = []
    for part in chosen:
        block = described.features[:, part]
        variance = float(block.var(axis=0).sum())
        blocks.append(block / np.sqrt(variance) if variance > 0 else block)
    return np.hstack(blocks)


def bout_weights(space: FeatureSpace) -> list[float]:
    """Weight of every column where kinds of bouts are told apart: each of `BOUTS` counts the same.

    Parameters
    ----------
    space : FeatureSpace
        If it has none of the sets, all that it has count the same.
    """
    there = [one for one in space.sets if one.name in BOUTS] or list(space.sets)
    found = []
    for one in space.sets:
        n_columns = len(one.column_names())
        found += n_columns * [1 / n_columns if one in there else 0.0]
    return found
