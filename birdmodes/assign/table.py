"""The table of placed syllables."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from algorithms.placement.placer import Placer, Places
from birdmodes.assign.model import Training
from birdmodes.modes.features.material import SyllableMaterial
from birdmodes.modes.kinds import cluster_names, kinds
from birdmodes.modes.placing import allowed_clusters
from birdmodes.workspace.bags import bags_table
from birdmodes.workspace.store import Workspace
from birdmodes.workspace.times_of_day import syllable_times

COLUMNS = [
    "syllable",
    "recording",
    "start_s",
    "end_s",
    "low_hz",
    "high_hz",
    "kind",
    "cluster",
    "species",
    "mode",
    "score",
    "unassigned",
    "best",
    "second_best",
    "recorded_at",
]

UNASSIGNED = "unassigned"
"""Kind of the syllables that are in no cluster; others in `birdmodes.modes.kinds`."""

UNLIKE_ANYTHING = "unlike anything"
UNDECIDED = "undecided"


@dataclass(frozen=True)
class Limits:
    """When a syllable is left unassigned.

    Attributes
    ----------
    threshold : float
        One whose score is lower is undecided.
    novelty : float
        One that is further than so many times the reach from all syllables of the clustering is
        unlike anything; see `algorithms.placement.placer.Placer`.
    """

    threshold: float = 0.5
    novelty: float = 1.0


@dataclass(frozen=True, eq=False)
class Placed:
    """Syllables that were placed.

    Attributes
    ----------
    table : pandas.DataFrame
        `COLUMNS`, a row per syllable, in the order of the workspace; see docs/assign.md.
    features : ndarray, shape (n_syllables, n_columns)
        What they were placed by, standardised as those of the clustering.
    """

    table: pd.DataFrame
    features: npt.NDArray[np.float64]


def place_syllables(
    workspace: Workspace, training: Training, placer: Placer, limits: Limits
) -> Placed:
    """Place all syllables of a workspace of new recordings.

    Parameters
    ----------
    workspace : Workspace
        Segmented with the settings of the clustering's workspace; labels of its recordings
        restrict the modes.
    training : Training
        The clustering.
    placer : Placer
        Learned from it.
    limits : Limits
        When not to place.
    """
    material = SyllableMaterial(workspace)
    syllables = material.syllables
    recordings = workspace.recordings()
    bags = bags_table(recordings)
    position = pd.Series(np.arange(len(bags)), index=bags["bag"])
    allowed = allowed_clusters(bags, training.modes)
    columns = training.space.columns(material)
    allowed = allowed[position.loc[syllables["bag"]].to_numpy()]
    places = placer.place(training.places(columns), allowed)
    table = syllables[COLUMNS[:6]].copy()
    table["unassigned"] = _reasons(places, limits)
    known = (table["unassigned"] == "").to_numpy()
    chosen = training.modes.iloc[np.where(places.cluster < 0, 0, places.cluster)]
    for column, nothing in (("species", ""), ("mode", ""), ("cluster", -1)):
        table[column] = np.where(known, chosen[column].to_numpy(), nothing)
    table["kind"] = np.where(known, kinds(chosen), UNASSIGNED)
    names = np.array([*cluster_names(training.modes), ""], dtype=object)
    table["best"] = names[places.cluster]
    table["second_best"] = names[places.second]
    table["score"] = places.score.round(6)
    table["recorded_at"] = syllable_times(syllables, recordings)
    return Placed(table[COLUMNS], training.scale.transform(columns))


def _reasons(places: Places, limits: Limits) -> npt.NDArray[np.str_]:
    """Why each syllable is left unassigned; empty if it is not."""
    undecided = (places.score < limits.threshold) | (places.cluster < 0)
    reason = np.where(undecided, UNDECIDED, "")
    return np.where(places.remoteness > limits.novelty, UNLIKE_ANYTHING, reason)
