"""What the page of a species shows, ready for its template."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from birdmodes.gallery.figures.activity import clock_note
from birdmodes.gallery.figures.activity_figures import ActivityFigure, activity_figure
from birdmodes.gallery.figures.axes import Mark
from birdmodes.gallery.figures.date_figures import Calendar, date_figure, season_figure
from birdmodes.gallery.figures.histogram_figures import HistogramFigure, histogram_figures
from birdmodes.gallery.figures.place_figures import PlaceFigure, place_figure
from birdmodes.gallery.figures.site_table import SiteTable, site_table
from birdmodes.gallery.figures.spectrograms import (
    CloseUp,
    ExampleFigure,
    close_up,
    example_figure,
    frequency_marks,
)
from birdmodes.gallery.figures.sun import SunHours
from birdmodes.gallery.figures.sun_figures import sun_figures
from birdmodes.gallery.media.material import Material
from birdmodes.gallery.plan import ModePlan, PagePlan
from birdmodes.gallery.windows import Windows
from birdmodes.labels.taxonomy import OtherName
from birdmodes.modes.co_occurrence import Companion
from birdmodes.modes.competing_species import Candidate
from birdmodes.modes.words.sureness import WORDS
from birdmodes.pictures import text
from birdmodes.pictures.exemplars import GROUPS
from birdmodes.workspace.sites import sites_of
from birdmodes.workspace.store import Workspace

GROUP_NAMES = {
    "good": "Good examples",
    "clear": "Clear examples",
    "edge": "At the edge",
    "random": "Random",
}
LISTED_COMPANIONS, LISTED_SITES = 6, 5
LISTED_CANDIDATES = 4

FIRST_EXAMPLES = 3
"""So many are in sight; more are folded away."""


@dataclass(frozen=True)
class Link:
    """Name of a cluster, and the address of its place from the gallery's folder."""

    name: str
    address: str


@dataclass(frozen=True)
class CompanionRow:
    """A cluster that occurs with a mode, everything as it is shown."""

    link: Link
    together: str
    expected: str
    q_value: str


@dataclass(frozen=True)
class CandidateRow:
    """A species that a mode may be of, everything as it is shown; empty where not known."""

    species: str
    is_own: bool
    listed: str
    everywhere: str
    probability: str


@dataclass(frozen=True)
class ExampleGroup:
    """Examples of one kind, with what they are called."""

    name: str
    heading: str
    figures: list[ExampleFigure]


@dataclass(frozen=True)
class ModeView:
    """A mode and its figures, for the template.

    Attributes
    ----------
    plan : ModePlan
        Its numbers.
    mean_picture : str or None
        Address of its mean patch.
    groups : list of ExampleGroup
        Those that have examples.
    histograms : list of HistogramFigure
        Of duration, peak frequency and bandwidth; none without typical syllables.
    activity : ActivityFigure or None
        Over the day.
    places : PlaceFigure or None
        Over the sites.
    close_up : CloseUp
        What the close-ups of its examples show.
    companions : list of CompanionRow
        The surest of those that occur with it.
    more_companions : int
        How many more there are.
    candidates : list of CandidateRow
        Its own species first.
    competes : bool
        Whether any species but its own is among them.
    """

    plan: ModePlan
    mean_picture: str | None
    groups: list[ExampleGroup]
    histograms: list[HistogramFigure]
    activity: ActivityFigure | None
    places: PlaceFigure | None
    close_up: CloseUp
    companions: list[CompanionRow]
    more_companions: int
    candidates: list[CandidateRow]
    competes: bool

    @property
    def examples(self) -> list[ExampleFigure]:
        """All examples in the order in which they are shown."""
        return [figure for group in self.groups for figure in group.figures]

    @property
    def more(self) -> list[ExampleGroup]:
        """The same without the first ones, those of one kind under one heading."""
        first = self.examples[:FIRST_EXAMPLES]
        left = [
            replace(group, figures=[one for one in group.figures if one not in first])
            for group in self.groups
        ]
        return [group for group in left if group.figures]

    @property
    def search_words(self) -> str:
        """What a search finds it by."""
        plan = self.plan
        words = [plan.name, plan.heading]
        words += [plan.words.title, plan.words.facts] if plan.words else []
        return " ".join([*dict.fromkeys(words), plan.in_tables])


@dataclass(frozen=True)
class PageView:
    """A page and its figures, for the template."""

    plan: PagePlan
    activity: ActivityFigure | None
    season: ActivityFigure | None
    dates: ActivityFigure | None
    sun: list[tuple[str, ActivityFigure]]
    places: PlaceFigure | None
    sites: SiteTable | None
    clock_note: str
    other_names: list[OtherName]
    frequencies: list[Mark]
    modes: list[ModeView]

    @property
    def how_sure(self) -> str:
        """How sure its modes are, counted: ``1 sure, 3 likely``."""
        found = Counter(mode.plan.sureness.word for mode in self.modes if mode.plan.sureness)
        return ", ".join(f"{found[word]} {word}" for word in reversed(WORDS) if found[word])


def cluster_links(plans: Iterable[PagePlan]) -> dict[int, Link]:
    """Where the pages show each cluster."""
    return {
        mode.cluster: Link(mode.name, f"{page.file}#cluster-{mode.cluster}")
        for page in plans
        for mode in page.modes
    }


@dataclass(frozen=True, eq=False)
class TimesAndPlaces:
    """When and where the recordings of a workspace were made.

    Attributes
    ----------
    recordings : pandas.DataFrame
        Of the workspace.
    calendar : Calendar or None
        Their dates.
    sun : SunHours or None
        Their times by the sun.
    sites : pandas.Series of str
        Their sites.
    clock_note : str
        What to say of the recorders' clocks.
    """

    recordings: pd.DataFrame
    calendar: Calendar | None
    sun: SunHours | None
    sites: pd.Series
    clock_note: str

    @classmethod
    def of(cls, workspace: Workspace) -> TimesAndPlaces:
        """Look them up."""
        table = workspace.recordings()
        sites = sites_of(workspace, table)
        return cls(table, Calendar.of(table), SunHours.of(table), sites, clock_note(table))


def page_view(
    plan: PagePlan,
    material: Material,
    windows: Windows,
    times_and_places: TimesAndPlaces,
    links: Mapping[int, Link],
    other_names: Sequence[OtherName] = (),
) -> PageView:
    """Work out the figures of a page.

    Parameters
    ----------
    plan : PagePlan
        What goes on the page.
    material : Material
        Its pictures and sounds.
    windows : Windows
        What the pictures show.
    times_and_places : TimesAndPlaces
        Of the workspace's recordings.
    links : mapping of int to Link
        Of all clusters, from `cluster_links`.
    other_names : sequence of OtherName
        What the species is called otherwise.
    """
    modes = [_mode_view(plan, mode, material, windows, links) for mode in plan.modes]
    typical = pd.concat([mode.typical for mode in plan.modes])
    places = place_figure(plan.called, plan.occurrence, wide=True)
    here = times_and_places
    calendar = here.calendar
    # The months of one year are its seasons already.
    if calendar and calendar.unit == "month" and calendar.names[0][:4] == calendar.names[-1][:4]:
        calendar = None
    dates = date_figure(plan.called, typical["recorded_at"], calendar, "syllable")
    return PageView(
        plan=plan,
        activity=activity_figure(plan.called, plan.activity, wide=True),
        season=season_figure(plan.called, typical["recorded_at"], here.recordings, "syllable"),
        dates=dates,
        sun=sun_figures(plan.called, typical, here.sun),
        places=places,
        sites=None if places else site_table(typical, here.sites, here.recordings),
        clock_note=here.clock_note,
        other_names=list(other_names),
        frequencies=frequency_marks(0.0, windows.scale.top_hz),
        modes=modes,
    )


def _mode_view(
    page: PagePlan,
    plan: ModePlan,
    material: Material,
    windows: Windows,
    links: Mapping[int, Link],
) -> ModeView:
    close = close_up(plan.words, windows.scale)
    figures = [
        example_figure(
            plan.name,
            row,
            material.examples[str(row["syllable"])],
            windows.of(str(row["syllable"])),
            windows.scale,
            close,
        )
        for row in plan.examples.to_dict("records")
    ]
    groups = [
        ExampleGroup(name, GROUP_NAMES[name], [one for one in figures if one.group == name])
        for name in GROUPS
    ]
    found = plan.candidates
    candidates = [_candidate(found.own, is_own=True)] if found.own else []
    candidates += [_candidate(one) for one in found.others[:LISTED_CANDIDATES]]
    return ModeView(
        plan=plan,
        mean_picture=material.mean_pictures.get(plan.cluster),
        groups=[group for group in groups if group.figures],
        histograms=histogram_figures(plan.name, plan.measured, page.axes),
        activity=activity_figure(plan.name, plan.activity),
        places=place_figure(plan.name, plan.occurrence, rows=LISTED_SITES),
        close_up=close,
        companions=[_companion(one, links) for one in plan.companions[:LISTED_COMPANIONS]],
        more_companions=max(0, len(plan.companions) - LISTED_COMPANIONS),
        candidates=candidates,
        competes=bool(found.others),
    )


def _companion(companion: Companion, links: Mapping[int, Link]) -> CompanionRow:
    return CompanionRow(
        link=links[companion.cluster],
        together=f"{companion.together:,}",
        expected=text.expected(companion.expected),
        q_value=text.probability(companion.q_value),
    )


def _candidate(candidate: Candidate, *, is_own: bool = False) -> CandidateRow:
    return CandidateRow(
        species=candidate.species,
        is_own=is_own,
        listed=text.percent(candidate.listed, 1.0),
        everywhere=text.percent(candidate.everywhere, 1.0),
        probability="" if candidate.probability is None else text.share(candidate.probability),
    )
