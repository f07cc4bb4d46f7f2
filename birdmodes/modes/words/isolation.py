"""How far a syllable stands out from what sounds at the same time."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd

NEAR_S = 0.25
"""What is so close in time is heard with a syllable."""


def isolation_db(syllables: pd.DataFrame) -> npt.NDArray[np.float64]:
    """How much louder each syllable is than the loudest other sound near it.

    Parameters
    ----------
    syllables : pandas.DataFrame
        All of a workspace; columns recording, start_s, end_s, level_db and beside_db.

    Returns
    -------
    ndarray of float64, shape (n_syllables,)
        In decibels, in the order of `syllables`; the level itself where nothing else is near.
    """
    level = syllables["level_db"].to_numpy(dtype=np.float64)
    others = syllables["beside_db"].to_numpy(dtype=np.float64).copy()
    start = syllables["start_s"].to_numpy(dtype=np.float64)
    end = syllables["end_s"].to_numpy(dtype=np.float64)
    recording = pd.factorize(syllables["recording"])[0]
    by_recording = np.lexsort((start, recording))
    ends = np.flatnonzero(np.diff(recording[by_recording])) + 1
    for order in np.split(by_recording, ends):
        if not order.size:
            continue
        longest = float((end[order] - start[order]).max())
        first = np.searchsorted(start[order], start[order] - NEAR_S - longest)
        stop = np.searchsorted(start[order], end[order] + NEAR_S, side="right")
        for place, row in enumerate(order):
            near = order[first[place] : stop[place]]
            near = near[(end[near] > start[row] - NEAR_S) & (near != row)]
            others[row] = max(others[row], level[near].max(initial=0.0))
    isolation: npt.NDArray[np.float64] = level - others
    return isolation
