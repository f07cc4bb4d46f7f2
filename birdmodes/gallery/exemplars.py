"""Which syllables of a mode are shown as its examples."""

from __future__ import annotations

import pandas as pd

PER_RECORDING = 3
"""Examples taken from one recording while other recordings have some left."""


def typical_members(members: pd.DataFrame) -> pd.DataFrame:
    """Members that can stand for their mode.

    Parameters
    ----------
    members : pandas.DataFrame
        One cluster's rows of a clustering's assignments.

    Returns
    -------
    pandas.DataFrame
        Those with a confidence above 0. A syllable of a bag that is known to lack the species has
        confidence 0: it is in the cluster, but it is not the species.
    """
    return members[members["confidence"] > 0]


def choose_examples(members: pd.DataFrame, count: int) -> pd.DataFrame:
    """Pick the most central members, spread over recordings.

    Parameters
    ----------
    members : pandas.DataFrame
        Columns syllable, recording and centrality at least.
    count : int
        How many are wanted.

    Returns
    -------
    pandas.DataFrame
        At most `count` rows, most central first. At most `PER_RECORDING` come from one recording,
        unless the others have too few.
    """
    ordered = members.sort_values(["centrality", "syllable"], ascending=[False, True])
    turn = ordered.groupby("recording", sort=False).cumcount()
    spread = ordered[turn < PER_RECORDING].head(count)
    rest = ordered[turn >= PER_RECORDING].head(count - len(spread))
    # The order of `ordered` again, whichever of the two a row came from.
    return ordered[ordered.index.isin(spread.index.append(rest.index))]
