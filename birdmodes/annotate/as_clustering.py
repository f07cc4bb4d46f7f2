"""Annotated syllables as a clustering of their own workspace, for the gallery and export."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from birdmodes.annotate.table import SPECIES, UNSURE
from birdmodes.modes.clustering import Clustering
from birdmodes.modes.kinds import BACKGROUND
from birdmodes.modes.tables import centrality_by_score, modes_left


def annotation_clustering(
    table: pd.DataFrame, class_names: tuple[str, ...], name: str, facts: dict[str, Any]
) -> Clustering:
    """Make a clustering of annotated syllables: one mode for each species.

    Parameters
    ----------
    table : pandas.DataFrame
        Syllables from `birdmodes.annotate.table.annotation_tables`, at least one.
    class_names : tuple of str
        Species that could be found; their positions are the cluster numbers.
    name : str
        Of the clustering.
    facts : dict
        What was done; becomes its parameters.

    Returns
    -------
    Clustering
        The mode is called as its species. Background is a cluster, and the unsure are another, of
        no species. Confidence is 0 where there is no species.
    """
    kind = table["kind"].to_numpy()
    of_background, of_unsure = len(class_names), len(class_names) + 1
    number = {name: position for position, name in enumerate(class_names)}
    is_species = kind == SPECIES
    named = table["species"].where(is_species, "")
    assignments = table[["syllable", "recording", "start_s", "end_s", "low_hz", "high_hz"]].copy()
    assignments["cluster"] = np.where(
        is_species,
        [number.get(species, -1) for species in table["species"]],
        np.where(kind == BACKGROUND, of_background, of_unsure),
    )
    assignments["species"] = assignments["mode"] = named
    assignments["recorded_at"] = table["recorded_at"]
    assignments["confidence"] = np.where(is_species, table["confidence"], 0.0)
    assignments["centrality"] = centrality_by_score(assignments["cluster"], table["confidence"])
    assignments["review"] = ""
    possible = pd.DataFrame(
        {
            "cluster": range(of_background + 1),
            "species": [*class_names, ""],
            "mode": [*class_names, ""],
            "background": [False] * len(class_names) + [True],
        }
    )
    modes = modes_left(assignments, possible, of_unsure)
    metrics: dict[str, float | None] = {
        "clusters": len(modes),
        "modes": int((modes["mode"] != "").sum()),
        "background_share": round(float((kind == BACKGROUND).mean()), 6),
        "unassigned_share": round(float((kind == UNSURE).mean()), 6),
    }
    return Clustering(name, assignments, modes, metrics, facts)
