"""What goes on which page, before anything is drawn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from birdmodes.clusterings import Clustering
from birdmodes.files import safe_name
from birdmodes.gallery.activity import Activity, activity_of
from birdmodes.gallery.exemplars import choose_examples, typical_members
from birdmodes.gallery.scale import Scale, shared_scale
from birdmodes.gallery.statistics import SoundStatistics, sound_statistics
from birdmodes.times_of_day import recorded_hours
from birdmodes.workspace import Workspace

BACKGROUND_TITLE = "Background and unassigned"
BACKGROUND_PAGE = "background.html"

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ModePlan:
    """One cluster as it will be shown.

    Attributes
    ----------
    cluster : int
        Its number.
    name : str
        Whole name, such as "European Robin mode 1", or "Cluster 7".
    heading : str
        Name below the page's title, such as "Mode 1".
    kind : {"mode", "background", "unassigned"}
        What it is.
    syllables, recordings : int
        Members, and recordings they come from.
    confidence, consistency, p_value : float or None
        As in the clustering's modes; None where not defined.
    typical : pandas.DataFrame
        Members that statistics and the mean patch are made of.
    statistics : SoundStatistics or None
        Of `typical`; None if there are none.
    activity : Activity
        Of `typical`, over the day.
    examples : pandas.DataFrame
        Rows of `typical` to be shown, most central first.
    """

    cluster: int
    name: str
    heading: str
    kind: str
    syllables: int
    recordings: int
    confidence: float | None
    consistency: float | None
    p_value: float | None
    typical: pd.DataFrame
    statistics: SoundStatistics | None
    activity: Activity
    examples: pd.DataFrame

    @property
    def left_out(self) -> int:
        """Members that are not typical."""
        return self.syllables - len(self.typical)


@dataclass(frozen=True, eq=False)
class PagePlan:
    """One page: a species, or what belongs to none.

    Attributes
    ----------
    title : str
        The species, or `BACKGROUND_TITLE`.
    file : str
        Address from the gallery's folder.
    is_species : bool
        False for the page of background and unassigned clusters.
    modes : list of ModePlan
        Largest first.
    scale : Scale
        Of all pictures of the page.
    syllables, recordings : int
        In all its modes together.
    confidence : float or None
        Mean over the syllables of its modes.
    activity : Activity
        Of the typical members of all its modes, over the day.
    """

    title: str
    file: str
    is_species: bool
    modes: list[ModePlan]
    scale: Scale
    syllables: int
    recordings: int
    confidence: float | None
    activity: Activity


def make_plan(workspace: Workspace, clustering: Clustering, examples: int) -> list[PagePlan]:
    """Decide on pages, modes, examples and scales.

    Parameters
    ----------
    workspace : Workspace
        Where the syllables are.
    clustering : Clustering
        The modes.
    examples : int
        At most so many examples of a mode.

    Returns
    -------
    list of PagePlan
        Species in the order of the clustering's modes, then, if there are such clusters, the page
        of background and unassigned ones.
    """
    more = workspace.syllables(["syllable", "freq-max", "truncated"])
    members = clustering.assignments.merge(more, on="syllable", how="left", validate="1:1")
    clusters = [int(number) for number in clustering.modes["cluster"]]
    by_cluster = {number: members[members["cluster"] == number] for number in clusters}
    recorded_h = recorded_hours(workspace.recordings())
    pages = []
    belongs = (clustering.modes["species"] != "") & ~clustering.modes["background"]
    for species, rows in clustering.modes[belongs].groupby("species", sort=False):
        file = f"species/{safe_name(str(species))}.html"
        pages.append(_page(workspace, str(species), file, rows, by_cluster, examples, recorded_h))
    rest = clustering.modes[~belongs]
    if not rest.empty:
        title, file = BACKGROUND_TITLE, BACKGROUND_PAGE
        pages.append(_page(workspace, title, file, rest, by_cluster, examples, recorded_h))
    return pages


def _page(
    workspace: Workspace,
    title: str,
    file: str,
    rows: pd.DataFrame,
    by_cluster: dict[int, pd.DataFrame],
    examples: int,
    recorded_h: Floats,
) -> PagePlan:
    is_species = file != BACKGROUND_PAGE
    members = [by_cluster[cluster] for cluster in rows["cluster"]]
    modes = [
        _mode(workspace, title, row, group, examples, is_species, recorded_h)
        for (_, row), group in zip(rows.iterrows(), members, strict=True)
    ]
    together = pd.concat(members)
    shown = pd.concat([mode.examples for mode in modes])
    typical = pd.concat([mode.typical for mode in modes])
    return PagePlan(
        title=title,
        file=file,
        is_species=is_species,
        modes=modes,
        scale=shared_scale(shown, workspace.settings.segmentation.nyquist_hz),
        syllables=len(together),
        recordings=int(together["recording"].nunique()),
        confidence=float(together["confidence"].mean()) if is_species else None,
        activity=activity_of(typical, recorded_h),
    )


def _mode(
    workspace: Workspace,
    title: str,
    row: pd.Series,
    members: pd.DataFrame,
    examples: int,
    is_species: bool,
    recorded_h: Floats,
) -> ModePlan:
    cluster = int(row["cluster"])
    if is_species:
        kind = "mode"
        name = str(row["mode"])
        heading = name.removeprefix(title).strip().capitalize() or name
        typical = typical_members(members)
    else:
        kind = "background" if row["background"] else "unassigned"
        name = heading = f"Cluster {cluster}"
        typical = members
    return ModePlan(
        cluster=cluster,
        name=name,
        heading=heading,
        kind=kind,
        syllables=len(members),
        recordings=int(members["recording"].nunique()),
        confidence=_defined(row["confidence"]),
        consistency=_defined(row["consistency"]),
        p_value=_defined(row["p_value"]),
        typical=typical,
        statistics=sound_statistics(typical, workspace.settings.segmentation),
        activity=activity_of(typical, recorded_h),
        examples=choose_examples(typical, examples),
    )


def _defined(value: float) -> float | None:
    return None if pd.isna(value) else float(value)
