"""What the pages of recording groups show, ready for their templates."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from birdmodes.gallery.clips import Clip
from birdmodes.gallery.figures.activity_figures import ActivityFigure, activity_figure
from birdmodes.gallery.figures.axes import Mark
from birdmodes.gallery.figures.date_figures import Calendar, date_figure
from birdmodes.gallery.figures.place_figures import PlaceFigure, place_figure
from birdmodes.gallery.figures.spectrograms import (
    CloseUp,
    ExampleFigure,
    close_up,
    example_figure,
    frequency_marks,
)
from birdmodes.gallery.groups.plan import GroupPlan, GroupsPlan, SpeciesShare
from birdmodes.gallery.media.material import Material
from birdmodes.gallery.windows import Windows
from birdmodes.gallery.words.species_view import Link
from birdmodes.groups.make_up import STANDS_OUT_BELOW
from birdmodes.labels import split_species
from birdmodes.modes.clustering import Clustering
from birdmodes.pictures import text
from birdmodes.workspace.store import Workspace

PER_PAGE = 100
"""Recordings in one page's list; more of them go to further pages."""

CARD_SPECIES, CARD_PICTURES = 5, 3
_ROUNDING_S = 0.001
LISTED_SPECIES = 20
"""Species in a group's table; the others are folded away."""


@dataclass(frozen=True)
class SpeciesRow:
    """A species of a group, everything as it is shown.

    Attributes
    ----------
    species : str
        Its name.
    page : str
        Address of its page; empty if it has none.
    counted, share, overall, lift, q_value : str
        Figures; empty where not known.
    part, part_overall : float
        Lengths of the bars, 0 to 1.
    stands_out : bool
        Whether it is more frequent than chance would have it.
    """

    species: str
    page: str
    counted: str
    share: str
    overall: str
    lift: str
    q_value: str
    part: float
    part_overall: float
    stands_out: bool


@dataclass(frozen=True)
class GroupExample:
    """A typical syllable, its cluster (-1 if there is none), and where that is shown."""

    figure: ExampleFigure
    cluster: int
    mode: Link | None


@dataclass(frozen=True)
class Recording:
    """A recording or clip of a group, everything as it is shown; empty where not known.

    Attributes
    ----------
    rank : int
        1 for the most typical.
    name : str
        The recording's.
    place : str
        Where in it a clip lies.
    time : str
        When it begins, by the recorder's clock.
    species : tuple of str
        That are listed for it.
    labelled : bool
        Whether there is a list.
    strength : str
        How well it fits the group.
    syllables : str
        How many it has.
    link : str
        Syllable by which the syllable view shows it.
    clip : Clip or None
        What can be played of it.
    label : str
        What a screen reader says of the button.
    """

    rank: int
    name: str
    place: str
    time: str
    species: tuple[str, ...]
    labelled: bool
    strength: str
    syllables: str
    link: str
    clip: Clip | None
    label: str


@dataclass(frozen=True)
class ListPage:
    """A part of a group's recordings, which has a page of its own.

    Attributes
    ----------
    file : str
        Its address; that of the first part is the group's own.
    first, last : int
        Places in the group's list, from 1.
    """

    file: str
    first: int
    last: int


@dataclass(frozen=True)
class GroupView:
    """A group and its figures, for the templates.

    Attributes
    ----------
    plan : GroupPlan
        Its numbers.
    examples : list of GroupExample
        Most typical first.
    species : list of SpeciesRow
        Most frequent first.
    n_labelled : int
        Recordings of the group that have a species list.
    activity, dates : ActivityFigure or None
        Over the day, and over the days, months or years.
    places : PlaceFigure or None
        Over the sites.
    parts : list of ListPage
        Pages of its list.
    recordings : callable
        Gives the recordings of a `ListPage`.
    """

    plan: GroupPlan
    examples: list[GroupExample]
    species: list[SpeciesRow]
    n_labelled: int
    activity: ActivityFigure | None
    dates: ActivityFigure | None
    places: PlaceFigure | None
    parts: list[ListPage]
    recordings: Callable[[ListPage], list[Recording]]


@dataclass(frozen=True)
class GroupsView:
    """All groups, for the templates.

    Attributes
    ----------
    plan : GroupsPlan
        What they are.
    groups : list of GroupView
        In the order of their numbers.
    frequencies : list of Mark
        Axis of all pictures.
    close_up : CloseUp
        What all close-ups show.
    clock_note : str
        What to say of the recorders' clocks.
    """

    plan: GroupsPlan
    groups: list[GroupView]
    frequencies: list[Mark]
    close_up: CloseUp
    clock_note: str


def groups_view(
    workspace: Workspace,
    plan: GroupsPlan,
    material: Material,
    windows: Windows,
    clock_note: str,
    *,
    clustering: Clustering | None,
    links: Mapping[int, Link],
    species_pages: Mapping[str, str],
) -> GroupsView:
    """Work out the figures of all groups.

    Parameters
    ----------
    workspace : Workspace
        What the grouping is of.
    plan : GroupsPlan
        What goes on the pages.
    material : Material
        Their pictures and sounds.
    windows : Windows
        What the pictures show.
    clock_note : str
        What to say of the recorders' clocks.
    clustering : Clustering or None
        Says which mode a syllable belongs to.
    links : mapping of int to Link
        Of all clusters.
    species_pages : mapping of str to str
        Addresses of the pages of species.
    """
    maker = _Maker(workspace, plan, material, windows, clustering, links, species_pages)
    return GroupsView(
        plan=plan,
        groups=[maker.view(group) for group in plan.groups],
        frequencies=frequency_marks(0.0, windows.scale.top_hz),
        close_up=maker.close_up,
        clock_note=clock_note,
    )


class _Maker:
    """Makes the views of single groups with what all of them need."""

    def __init__(
        self,
        workspace: Workspace,
        plan: GroupsPlan,
        material: Material,
        windows: Windows,
        clustering: Clustering | None,
        links: Mapping[int, Link],
        species_pages: Mapping[str, str],
    ) -> None:
        self.windows = windows
        self.close_up = close_up(None, windows.scale)
        self.plan = plan
        self.calendar = Calendar.of(workspace.recordings())
        self.material = material
        self.links = links
        self.species_pages = species_pages
        self.cluster_of: dict[str, int] = {}
        if clustering is not None:
            table = clustering.assignments
            self.cluster_of = dict(zip(table["syllable"], table["cluster"].tolist(), strict=True))
        playable = [clip for clip in material.clips if clip.name in material.media]
        self.clips = {(clip.recording, clip.number): clip for clip in playable}
        syllables = workspace.syllables(["syllable", "clip"])
        self.clip_of = dict(zip(syllables["syllable"], syllables["clip"].tolist(), strict=True))
        strengths = plan.grouping.assignments["strength"]
        self.digits = _digits(strengths.to_numpy(dtype=float))

    def view(self, group: GroupPlan) -> GroupView:
        """Work out the figures of a group."""
        noun = self.plan.noun
        return GroupView(
            plan=group,
            examples=[self._example(group, row) for row in group.examples.to_dict("records")],
            species=[self._species(one) for one in group.species],
            n_labelled=int(group.bags["labelled"].sum()),
            activity=activity_figure(group.name, group.activity, wide=True, noun=noun),
            dates=date_figure(group.name, group.bags["recorded_at"], self.calendar, noun),
            places=place_figure(group.name, group.occurrence, wide=True, noun=noun),
            parts=_parts(group),
            recordings=lambda part: self._recordings(group, part),
        )

    def _example(self, group: GroupPlan, row: dict[Any, Any]) -> GroupExample:
        name = str(row["syllable"])
        figure = example_figure(
            group.name,
            row,
            self.material.examples[name],
            self.windows.of(name),
            self.windows.scale,
            self.close_up,
        )
        cluster = self.cluster_of.get(name, -1)
        return GroupExample(figure, cluster, self.links.get(cluster))

    def _species(self, found: SpeciesShare) -> SpeciesRow:
        lift, q_value = found.lift, found.q_value
        return SpeciesRow(
            species=found.species,
            page=self.species_pages.get(found.species, ""),
            counted=f"{found.with_it:,} of {found.labelled:,}",
            share=text.percent(found.share, 1.0),
            overall=text.percent(found.overall, 1.0) if lift else "",
            lift="" if lift is None else text.times(lift),
            q_value="" if q_value is None else text.probability(q_value).removeprefix("= "),
            part=found.share,
            part_overall=min(found.overall, 1.0),
            stands_out=bool(lift and lift > 1) and q_value is not None
            and q_value <= STANDS_OUT_BELOW,
        )  # fmt: skip

    def _recordings(self, group: GroupPlan, part: ListPage) -> list[Recording]:
        rows = group.bags.iloc[part.first - 1 : part.last].to_dict("records")
        return [self._recording(row) for row in rows]

    def _recording(self, row: dict[Any, Any]) -> Recording:
        name, link, strength = str(row["recording"]), str(row["link"]), float(row["strength"])
        place = ""
        if self.plan.noun == "clip":
            place = text.stretch(float(row["start_s"]), float(row["end_s"]))
        clip = self.clips.get((name, self.clip_of.get(link, -1)))
        return Recording(
            rank=int(row["rank"]),
            name=name,
            place=place,
            time=text.clock_time(row["recorded_at"]),
            species=split_species(row["species"]),
            labelled=bool(row["labelled"]),
            strength="" if math.isnan(strength) else text.axis_number(strength, self.digits),
            syllables=f"{row['n_syllables']:,}",
            link=link,
            clip=clip,
            label=_play_label(name, clip, float(row["end_s"] - row["start_s"])),
        )


def _play_label(name: str, clip: Clip | None, bag_s: float) -> str:
    """Say what is played: all of a recording, or only a part of it."""
    if clip is None:
        return ""
    if clip.start_s == 0 and clip.end_s > bag_s - _ROUNDING_S:
        return f"Play {name}"
    return f"Play {name}, {text.stretch(clip.start_s, clip.end_s)}"


def _parts(group: GroupPlan) -> list[ListPage]:
    """Divide the list of a group's recordings into pages; the first is there even if empty."""
    count = len(group.bags)
    starts = range(0, max(count, 1), PER_PAGE)
    stem = group.file.removesuffix(".html")
    return [
        ListPage(
            file=f"{stem}-{number}.html" if number > 1 else group.file,
            first=start + 1,
            last=min(start + PER_PAGE, count),
        )
        for number, start in enumerate(starts, start=1)
    ]


def _digits(strengths: np.ndarray) -> int:
    """Decimals that keep nine of ten strengths apart: three digits of a usual one."""
    known = np.abs(strengths[np.isfinite(strengths)])
    usual = float(np.median(known)) if known.size else 0.0
    if usual <= 0:
        return 2
    return min(max(2 - math.floor(math.log10(usual)), 0), 6)
