"""Placed syllables as a clustering of their own workspace, for the gallery and export."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from birdmodes.assign.model import Training
from birdmodes.assign.table import UNASSIGNED
from birdmodes.modes.clustering import Clustering
from birdmodes.modes.kinds import BACKGROUND
from birdmodes.modes.model import kept_features
from birdmodes.modes.tables import centrality_by_score, modes_left

_ITS_OWN = {"labels_digest", "lists", "with_timed_labels", "with_review", "review"}
"""Parameters that tell of the clustering's own recordings: their lists, and corrections, of which
those of these recordings know nothing."""


def as_clustering(
    table: pd.DataFrame,
    features: npt.NDArray[np.float64],
    clustering: Clustering,
    training: Training,
    facts: dict[str, Any],
) -> Clustering:
    """Make a clustering of placed syllables.

    Parameters
    ----------
    table : pandas.DataFrame
        From `birdmodes.assign.table.place_syllables`, with at least one row.
    features : ndarray, shape (n_syllables, n_columns)
        From there too.
    clustering : Clustering
        What they were placed in.
    training : Training
        Its syllables.
    facts : dict
        What was done; becomes part of the parameters.

    Returns
    -------
    Clustering
        Of the same name, with the same cluster numbers. Those that took in no syllable are
        missing; the unassigned are a cluster of no species, after all others. Confidence is the
        score, 0 where there is no mode. It cannot be assigned from in its turn.
    """
    unassigned = (table["kind"] == UNASSIGNED).to_numpy()
    own_number = 1 + int(clustering.modes["cluster"].max())
    assignments = table[["syllable", "recording", "start_s", "end_s", "low_hz", "high_hz"]].copy()
    assignments["cluster"] = np.where(unassigned, own_number, table["cluster"])
    for column in ("species", "mode", "recorded_at"):
        assignments[column] = table[column]
    assignments["confidence"] = np.where(table["mode"] == "", 0.0, table["score"])
    assignments["centrality"] = centrality_by_score(assignments["cluster"], table["score"])
    assignments["review"] = ""
    modes = modes_left(assignments, training.modes, own_number)
    ours = {key: it for key, it in clustering.parameters.items() if key not in _ITS_OWN}
    parameters = {**ours, **facts}
    metrics: dict[str, float | None] = {
        "clusters": len(modes),
        "modes": int((modes["mode"] != "").sum()),
        "background_share": round(float((table["kind"] == BACKGROUND).mean()), 6),
        "unassigned_share": round(float(unassigned.mean()), 6),
    }
    model = kept_features(training.space, features)
    return Clustering(clustering.name, assignments, modes, metrics, parameters, model)
