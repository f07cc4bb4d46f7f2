"""What the page of a species shows, ready for its template."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from birdmodes.gallery.figures.activity_figures import ActivityFigure, activity_figure
from birdmodes.gallery.figures.axes import ExampleFigure, Frame, example_figure
from birdmodes.gallery.figures.histogram_figures import HistogramFigure, histogram_figures
from birdmodes.gallery.figures.place_figures import PlaceFigure, place_figure
from birdmodes.gallery.media.material import Material
from birdmodes.gallery.plan import ModePlan, PagePlan
from birdmodes.modes.co_occurrence import Companion
from birdmodes.modes.competing_species import Candidate
from birdmodes.pictures import text
from birdmodes.pictures.exemplars import GROUPS
from birdmodes.workspace.store import Workspace

GROUP_NAMES = {
    "good": "Good examples",
    "central": "Most central",
    "edge": "At the edge",
    "random": "Random",
}
LISTED_COMPANIONS, LISTED_SITES = 6, 5
LISTED_CANDIDATES = 4


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
    companions: list[CompanionRow]
    more_companions: int
    candidates: list[CandidateRow]
    competes: bool

    @property
    def examples(self) -> list[ExampleFigure]:
        """All examples in the order in which they are shown."""
        return [figure for group in self.groups for figure in group.figures]


@dataclass(frozen=True)
class PageView:
    """A page and its figures, for the template."""

    plan: PagePlan
    activity: ActivityFigure | None
    places: PlaceFigure | None
    clock_note: str
    frame: Frame
    modes: list[ModeView]

    @property
    def cover(self) -> ExampleFigure | None:
        """The first example of the largest mode that has one."""
        return next((mode.examples[0] for mode in self.modes if mode.examples), None)


def cluster_links(plans: Iterable[PagePlan]) -> dict[int, Link]:
    """Where the pages show each cluster."""
    return {
        mode.cluster: Link(mode.name, f"{page.file}#cluster-{mode.cluster}")
        for page in plans
        for mode in page.modes
    }


def page_view(
    workspace: Workspace,
    plan: PagePlan,
    material: Material,
    clock_note: str,
    links: Mapping[int, Link],
) -> PageView:
    """Work out the figures of a page.

    Parameters
    ----------
    workspace : Workspace
        What the clustering is of.
    plan : PagePlan
        What goes on the page.
    material : Material
        Its pictures and sounds.
    clock_note : str
        What to say of the recorders' clocks.
    links : mapping of int to Link
        Of all clusters, from `cluster_links`.
    """
    modes = [_mode_view(workspace, plan, mode, material, links) for mode in plan.modes]
    return PageView(
        plan=plan,
        activity=activity_figure(plan.title, plan.activity, wide=True),
        places=place_figure(plan.title, plan.occurrence, wide=True),
        clock_note=clock_note,
        frame=Frame.of(plan.scale),
        modes=modes,
    )


def _mode_view(
    workspace: Workspace,
    page: PagePlan,
    plan: ModePlan,
    material: Material,
    links: Mapping[int, Link],
) -> ModeView:
    parameters = workspace.settings.segmentation
    figures = [
        example_figure(
            plan.name,
            row,
            material.examples[str(row["syllable"]), page.scale],
            page.scale,
            parameters,
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
