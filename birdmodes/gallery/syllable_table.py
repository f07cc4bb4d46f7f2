"""All that the pages need to know of every syllable, in one table."""

from __future__ import annotations

import pandas as pd

from birdmodes.modes.clustering import Clustering
from birdmodes.modes.words.describe import with_shapes
from birdmodes.modes.words.isolation import isolation_db
from birdmodes.workspace.store import Workspace

_MORE = ["syllable", "clip", "bag", "freq-max", "truncated"]


def syllable_table(
    workspace: Workspace, clustering: Clustering, measures: pd.DataFrame
) -> pd.DataFrame:
    """Join what is known of the syllables of a clustering.

    Parameters
    ----------
    workspace : Workspace
        Where they are.
    clustering : Clustering
        The modes.
    measures : pandas.DataFrame
        From `birdmodes.modes.words.syllable_measures`.

    Returns
    -------
    pandas.DataFrame
        Rows of the clustering's assignments with clip, bag, freq-max, truncated, duration_s, the
        measures, shape and isolation_db.
    """
    more = workspace.syllables(_MORE)
    table = clustering.assignments.merge(more, on="syllable", how="left", validate="1:1")
    table = with_shapes(table, measures)
    return table.assign(isolation_db=isolation_db(table))
