"""What goes on which page, before anything is drawn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from birdmodes.gallery.figures.activity import Activity, activity_of
from birdmodes.gallery.figures.histograms import MEASURES, Axis, Measure, measured, shared_axis
from birdmodes.gallery.figures.places import Occurrence, Sites, find_sites, occurrence
from birdmodes.io.files import safe_name
from birdmodes.labels import split_species
from birdmodes.modes.clustering import Clustering
from birdmodes.modes.co_occurrence import Companion, co_occurrence, companions
from birdmodes.modes.competing_species import Candidates, cluster_probability, competing_species
from birdmodes.pictures.exemplars import choose_examples, typical_members
from birdmodes.pictures.scale import Scale, shared_scale
from birdmodes.pictures.statistics import SoundStatistics, sound_statistics
from birdmodes.segmentation.parameters import SegmentationParameters
from birdmodes.workspace.bags import bags_table
from birdmodes.workspace.store import Workspace
from birdmodes.workspace.times_of_day import recorded_hours

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
    measured : dict of Measure to ndarray of float64, shape (n_typical,)
        What the histograms show.
    activity : Activity
        Of `typical`, over the day.
    occurrence : Occurrence
        Of `typical`, over the sites.
    examples : pandas.DataFrame
        Rows of `typical` to be shown, with a column ``group``, see
        `birdmodes.pictures.exemplars.choose_examples`.
    listing_recordings : int
        Recordings with `typical` members among those that list the species.
    companions : list of Companion
        Clusters that occur in the same recordings more often than by chance.
    candidates : Candidates
        Species that the sound may be of.
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
    measured: dict[Measure, Floats]
    activity: Activity
    occurrence: Occurrence
    examples: pd.DataFrame
    listing_recordings: int
    companions: list[Companion]
    candidates: Candidates

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
    axes : dict of Measure to Axis
        Of all histograms of the page.
    syllables, recordings : int
        In all its modes together.
    listing_recordings : int
        Recordings that list the species.
    confidence : float or None
        Mean over the syllables of its modes.
    activity : Activity
        Of the typical members of all its modes, over the day.
    occurrence : Occurrence
        Of the typical members of all its modes, over the sites.
    n_recordings : int
        Recordings that have any syllable, among which modes are said to occur together.
    """

    title: str
    file: str
    is_species: bool
    modes: list[ModePlan]
    scale: Scale
    axes: dict[Measure, Axis]
    syllables: int
    recordings: int
    listing_recordings: int
    confidence: float | None
    activity: Activity
    occurrence: Occurrence
    n_recordings: int


def make_plan(workspace: Workspace, clustering: Clustering, examples: int) -> list[PagePlan]:
    """Decide on pages, modes, examples and scales.

    Parameters
    ----------
    workspace : Workspace
        Where the syllables are.
    clustering : Clustering
        The modes.
    examples : int
        At most so many central examples of a mode; see
        `birdmodes.pictures.exemplars.choose_examples` for the others.

    Returns
    -------
    list of PagePlan
        Species in the order of the clustering's modes, then, if there are such clusters, the page
        of background and unassigned ones.
    """
    if clustering.modes.empty:
        return []
    planner = _Planner(workspace, clustering, examples)
    pages = []
    belongs = (clustering.modes["species"] != "") & ~clustering.modes["background"]
    for species, rows in clustering.modes[belongs].groupby("species", sort=False):
        pages.append(planner.page(str(species), f"species/{safe_name(str(species))}.html", rows))
    rest = clustering.modes[~belongs]
    if not rest.empty:
        pages.append(planner.page(BACKGROUND_TITLE, BACKGROUND_PAGE, rest))
    return pages


class _Planner:
    """Plans single pages with what all of them need."""

    def __init__(self, workspace: Workspace, clustering: Clustering, examples: int) -> None:
        recordings = workspace.recordings()
        self.parameters: SegmentationParameters = workspace.settings.segmentation
        self.examples = examples
        more = workspace.syllables(["syllable", "bag", "freq-max", "truncated"])
        members = clustering.assignments.merge(more, on="syllable", how="left", validate="1:1")
        groups = dict(iter(members.groupby("cluster")))
        modes = clustering.modes
        own = dict(zip(modes["cluster"].astype(int), modes["species"], strict=True))
        self.members: Mapping[int, pd.DataFrame] = {
            cluster: groups.get(cluster, members.iloc[:0]) for cluster in own
        }
        self.typical = {
            cluster: typical_members(group) if own[cluster] else group
            for cluster, group in self.members.items()
        }
        self.recorded_h = recorded_hours(recordings)
        self.sites: Sites = find_sites(recordings)
        self.listing = _recordings_by_species(recordings)
        self.n_recordings = int(members["recording"].nunique())
        self.companions = companions(
            co_occurrence(pd.concat(self.typical.values()), self.n_recordings)
        )
        self.candidates = competing_species(
            members, bags_table(recordings), own, cluster_probability(clustering.model)
        )

    def page(self, title: str, file: str, rows: pd.DataFrame) -> PagePlan:
        """Plan a page with the given rows of the clustering's modes."""
        is_species = file != BACKGROUND_PAGE
        modes = [self._mode(title, row, is_species) for _, row in rows.iterrows()]
        together = pd.concat([self.members[mode.cluster] for mode in modes])
        typical = pd.concat([mode.typical for mode in modes])
        shown = pd.concat([mode.examples for mode in modes])
        return PagePlan(
            title=title,
            file=file,
            is_species=is_species,
            modes=modes,
            scale=shared_scale(shown, self.parameters.nyquist_hz),
            axes={
                measure: shared_axis(
                    measure, np.concatenate([mode.measured[measure] for mode in modes])
                )
                for measure in MEASURES
            },
            syllables=len(together),
            recordings=int(together["recording"].nunique()),
            listing_recordings=len(self.listing.get(title, ())) if is_species else 0,
            confidence=float(together["confidence"].mean()) if is_species else None,
            activity=activity_of(typical, self.recorded_h),
            occurrence=occurrence(typical, self.sites),
            n_recordings=self.n_recordings,
        )

    def _mode(self, title: str, row: pd.Series, is_species: bool) -> ModePlan:
        cluster = int(row["cluster"])
        if is_species:
            kind = "mode"
            name = str(row["mode"])
            heading = name.removeprefix(title).strip().capitalize() or name
        else:
            kind = "background" if row["background"] else "unassigned"
            name = heading = f"Cluster {cluster}"
        members, typical = self.members[cluster], self.typical[cluster]
        listing = self.listing.get(title, set()) if is_species else set()
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
            statistics=sound_statistics(typical, self.parameters),
            measured=measured(typical, self.parameters),
            activity=activity_of(typical, self.recorded_h),
            occurrence=occurrence(typical, self.sites),
            examples=choose_examples(typical, self.examples),
            listing_recordings=len(listing & set(typical["recording"])),
            companions=self.companions.get(cluster, []),
            candidates=self.candidates[cluster],
        )


def _recordings_by_species(recordings: pd.DataFrame) -> dict[str, set[str]]:
    """Labelled recordings that list each species."""
    listing: dict[str, set[str]] = {}
    labelled = recordings[recordings["labelled"]]
    for recording, cell in zip(labelled["recording"], labelled["species"], strict=True):
        for species in split_species(cell):
            listing.setdefault(species, set()).add(recording)
    return listing


def _defined(value: float) -> float | None:
    return None if pd.isna(value) else float(value)
