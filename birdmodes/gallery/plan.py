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
from birdmodes.gallery.names import Names, names_of_modes
from birdmodes.gallery.windows import Windows
from birdmodes.io.files import safe_name
from birdmodes.labels import split_species
from birdmodes.modes.clustering import Clustering, named_elsewhere
from birdmodes.modes.co_occurrence import Companion, co_occurrence, companions
from birdmodes.modes.competing_species import Candidates, cluster_probability, competing_species
from birdmodes.modes.counts.remarks import remark
from birdmodes.modes.words import ModeWords, Sureness, describe_modes, how_sure, how_sure_elsewhere
from birdmodes.modes.words.shared_names import shared_species, whole_species
from birdmodes.modes.words.sureness import WORDS, Evidence
from birdmodes.pictures.exemplars import choose_examples, typical_members
from birdmodes.pictures.statistics import SoundStatistics, sound_statistics
from birdmodes.segmentation.parameters import SegmentationParameters
from birdmodes.workspace.bags import bags_table
from birdmodes.workspace.sites import sites_of
from birdmodes.workspace.store import Workspace
from birdmodes.workspace.times_of_day import recorded_hours

BACKGROUND_TITLE = "Background and unassigned"
BACKGROUND_PAGE = "background.html"

RIVAL_SHARE = 2 / 3
"""Another species that so many of a mode's recordings list may be the one that calls."""

Floats = npt.NDArray[np.float64]

_ONLY_SPECIES = (
    "No other species is listed for any recording.",
    "Lists cannot tell the bird from noise: listen whether all of it is the bird's.",
)


@dataclass(frozen=True, eq=False)
class ModePlan:
    """One cluster as it will be shown.

    Attributes
    ----------
    cluster : int
        Its number.
    name : str
        Whole name, such as "European Robin A", or "Cluster 7".
    letter : str
        Its letter among the modes of its species; empty where there is none.
    heading : str
        What it sounds like, such as "Falling whistle", or the name that a person gave it.
    in_tables : str
        Name in the tables, such as "European Robin mode 1"; empty where it has none.
    words : ModeWords or None
        What it sounds like; None without typical members.
    sureness : Sureness or None
        How sure its species is; None where it has none.
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
    letter: str
    heading: str
    in_tables: str
    words: ModeWords | None
    sureness: Sureness | None
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
    remark : str
        What is to be said of its modes, see `birdmodes.modes.counts.remarks`; mostly empty.
    or_species : str
        Species that its modes may be of as well, as in the table of modes; mostly empty.
    """

    title: str
    file: str
    is_species: bool
    modes: list[ModePlan]
    axes: dict[Measure, Axis]
    syllables: int
    recordings: int
    listing_recordings: int
    confidence: float | None
    activity: Activity
    occurrence: Occurrence
    n_recordings: int
    remark: str = ""
    or_species: str = ""

    @property
    def called(self) -> str:
        """What it is called: "Owl or Wren" where lists cannot tell these apart."""
        return whole_species(self.title, self.or_species)


def make_plan(
    workspace: Workspace,
    clustering: Clustering,
    syllables: pd.DataFrame,
    windows: Windows,
    examples: int,
) -> list[PagePlan]:
    """Decide on pages, modes and examples.

    Parameters
    ----------
    workspace : Workspace
        Where the syllables are.
    clustering : Clustering
        The modes.
    syllables : pandas.DataFrame
        From `birdmodes.gallery.syllable_table.syllable_table`.
    windows : Windows
        Of them.
    examples : int
        At most so many clear examples of a mode; see
        `birdmodes.pictures.exemplars.choose_examples` for the others.

    Returns
    -------
    list of PagePlan
        Species in the order of the clustering's modes, then, if there are such clusters, the page
        of background and unassigned ones.
    """
    if clustering.modes.empty:
        return []
    planner = _Planner(workspace, clustering, syllables, windows, examples)
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

    def __init__(
        self,
        workspace: Workspace,
        clustering: Clustering,
        members: pd.DataFrame,
        windows: Windows,
        examples: int,
    ) -> None:
        recordings = workspace.recordings()
        self.parameters: SegmentationParameters = workspace.settings.segmentation
        self.run = clustering.parameters
        self.examples = examples
        self.windows = windows
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
        self.words = describe_modes(pd.concat(self.typical.values()), own)
        self.names = names_of_modes(modes, self.words)
        self.recorded_h = recorded_hours(recordings)
        self.sites: Sites = find_sites(recordings, sites_of(workspace, recordings))
        self.listing = _recordings_by_species(recordings)
        self.labelled = set(recordings.loc[recordings["labelled"], "recording"])
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
        return PagePlan(
            title=title,
            file=file,
            is_species=is_species,
            modes=modes,
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
            remark=remark(self.run, title) if is_species else "",
            or_species=shared_species(rows) if is_species else "",
        )

    def _mode(self, title: str, row: pd.Series, is_species: bool) -> ModePlan:
        cluster = int(row["cluster"])
        kind = "mode" if is_species else "background" if row["background"] else "unassigned"
        names, words = self.names[cluster], self.words.get(cluster)
        members, typical = self.members[cluster], self.typical[cluster]
        listing = self.listing.get(title, set()) if is_species else set()
        return ModePlan(
            cluster=cluster,
            name=names.name,
            letter=names.letter,
            heading=names.heading,
            in_tables=str(row["mode"]) if is_species else "",
            words=words,
            sureness=self._sureness(title, row, names) if is_species else None,
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
            examples=self._examples(typical, words),
            listing_recordings=len(listing & set(typical["recording"])),
            companions=self.companions.get(cluster, []),
            candidates=self.candidates[cluster],
        )

    def _examples(self, typical: pd.DataFrame, words: ModeWords | None) -> pd.DataFrame:
        runs = self.windows.run(typical["syllable"])
        return choose_examples(typical.assign(run=runs), self.examples, words)

    def _sureness(self, title: str, row: pd.Series, names: Names) -> Sureness:
        cluster = int(row["cluster"])
        listing = self.listing.get(title, set())
        sounding = set(self.members[cluster]["recording"])
        if named_elsewhere(self.run) and not names.given:
            return how_sure_elsewhere(_defined(row["confidence"]), len(sounding))
        if listing and len(self.listing) == 1:
            return Sureness(WORDS[-1], _ONLY_SPECIES)
        listing_with = listing & set(self.typical[cluster]["recording"])
        rival, rival_with = _rival(title, listing_with, self.listing)
        others = self.labelled - listing
        return how_sure(
            Evidence(
                species=title,
                confidence=_defined(row["confidence"]),
                p_value=_defined(row["p_value"]),
                recordings=len(sounding),
                listing_with=len(listing_with),
                listing=len(listing),
                others_with=len(others & sounding),
                others=len(others),
                rival=rival,
                rival_with=rival_with,
                twin=_twin(title, self.listing),
                named_by_person=names.given,
            )
        )


def _rival(title: str, recordings: set[str], listing: Mapping[str, set[str]]) -> tuple[str, int]:
    """The other species that most of some recordings list, and how many do; none if few do."""
    with_them = {name: len(recordings & where) for name, where in listing.items() if name != title}
    best = max(with_them, key=lambda name: (with_them[name], name), default="")
    often = bool(best) and with_them[best] >= RIVAL_SHARE * max(len(recordings), 1)
    return (best, with_them[best]) if often else ("", 0)


def _twin(title: str, listing: Mapping[str, set[str]]) -> str:
    """The first species that is listed for the same recordings as another, or an empty text."""
    where = listing.get(title, set())
    return min(
        (name for name, other in listing.items() if name != title and other == where), default=""
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
