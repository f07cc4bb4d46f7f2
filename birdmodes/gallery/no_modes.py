"""What a gallery is of when nobody has looked for modes yet: recordings were grouped, no more."""

from __future__ import annotations

import pandas as pd

from birdmodes.modes.clustering import MODE_COLUMNS, Clustering
from birdmodes.workspace.store import Workspace
from birdmodes.workspace.times_of_day import syllable_times


def clustering_without_modes(workspace: Workspace, name: str) -> Clustering:
    """Make a clustering that says nothing: all syllables are together, and of no species.

    Parameters
    ----------
    workspace : Workspace
        Where the syllables are.
    name : str
        What the pages call it.

    Returns
    -------
    Clustering
        Kept nowhere; it has no modes, and no row for its one cluster.
    """
    columns = ["syllable", "recording", "start_s", "end_s", "low_hz", "high_hz"]
    table = workspace.syllables(columns).assign(
        cluster=0, species="", mode="", confidence=0.0, centrality=1.0, review=""
    )
    table["recorded_at"] = syllable_times(table, workspace.recordings())
    return Clustering(name, table, pd.DataFrame(columns=MODE_COLUMNS), {}, {})
