"""What to keep in mind when looking at the modes, in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import pandas as pd

from birdmodes.gallery.plan import BACKGROUND_PAGE, BACKGROUND_TITLE, ModePlan, PagePlan
from birdmodes.gallery.words.doubts import FEW_RECORDINGS, Doubts
from birdmodes.gallery.words.species_view import Link, cluster_links
from birdmodes.modes.clustering import Clustering, named_elsewhere
from birdmodes.pictures import text
from birdmodes.workspace.store import Workspace

_FEW_LISTS = (
    "Several species share their recordings, or all their syllables are from one. More recordings "
    "with few species would help."
)
_LOW_SCORES = "Their scores are low: these sounds are not much like those that the names come from."

MUCH = 0.5
"""A larger share of background is worth a remark."""


@dataclass(frozen=True)
class Notice:
    """A warning.

    Attributes
    ----------
    title : str
        What it is about in a few words; may be empty.
    text : str
        A sentence or two.
    links : list of Link
        What it is about.
    """

    text: str
    links: list[Link] = field(default_factory=list)
    title: str = ""


def find_notices(
    workspace: Workspace, clustering: Clustering, pages: list[PagePlan], doubts: Doubts
) -> list[Notice]:
    """Say what to keep in mind when looking at the modes.

    Parameters
    ----------
    workspace : Workspace
        What the clustering is of.
    clustering : Clustering
        The modes.
    pages : list of PagePlan
        All pages.
    doubts : Doubts
        What may be wrong with the modes.

    Returns
    -------
    list of Notice
        Those of the material first, then, if there are modes, those of species and of modes.
    """
    if clustering.modes.empty:
        return [*_of_material(workspace, clustering)]
    elsewhere = named_elsewhere(clustering.parameters)  # lists of these recordings took no part
    return [
        *_of_material(workspace, clustering),
        *(() if elsewhere else _of_species(pages, doubts)),
        *_of_modes(pages, doubts, _LOW_SCORES if elsewhere else _FEW_LISTS),
    ]


def _of_material(workspace: Workspace, clustering: Clustering) -> Iterator[Notice]:
    """What is missing in recordings and syllables."""
    recordings, assignments = workspace.recordings(), clustering.assignments
    n_syllables = len(assignments)
    whole = clustering.sample_of
    if whole is not None:
        yield Notice(
            f"These pages show {n_syllables:,} of {whole.syllables:,} syllables, all those of "
            f"{len(recordings):,} of {whole.recordings:,} recordings, drawn by lot so that every "
            "mode is among them. All numbers here are of these; modes.csv and 'birdmodes export' "
            "have all. What is renamed, merged or set aside as a mode here is so in all.",
            title="A sample is shown",
        )
    unlabelled = recordings.loc[~recordings["labelled"], "recording"]
    if len(unlabelled) and not named_elsewhere(clustering.parameters):
        inside = int(assignments["recording"].isin(unlabelled).sum())
        has, their = ("has", "its") if len(unlabelled) == 1 else ("have", "their")
        effect = (
            f"{their} syllables take part, but do not help to tell species apart."
            if len(clustering.modes)
            else "nothing is said there of the species in a group."
        )
        yield Notice(
            f"{len(unlabelled)} of {text.count(len(recordings), 'recording')} "
            f"({text.percent(inside, n_syllables)} of the syllables) "
            f"{has} no species list: {effect}"
        )
    untimed = int((assignments["recorded_at"] == "").sum())
    if 0 < untimed < n_syllables:
        yield Notice(
            f"{text.percent(untimed, n_syllables)} of the syllables are from recordings without a "
            "date and time in name or header: they are not in the figures of activity."
        )
    yield from _of_the_rest(assignments, clustering.modes)
    errors = workspace.errors()["recording"].nunique()
    if errors:
        yield Notice(
            f"{text.count(errors, 'recording')} could not be segmented and are not here: see "
            "errors.csv in the workspace."
        )


def _of_the_rest(assignments: pd.DataFrame, modes: pd.DataFrame) -> Iterator[Notice]:
    """How much is in no mode."""
    n_syllables = len(assignments)
    outside = int((assignments["mode"] == "").sum())
    if not outside or modes.empty:
        return
    background = set(modes.loc[modes["background"], "cluster"])
    links = [Link(BACKGROUND_TITLE, BACKGROUND_PAGE)]
    n_background = int(assignments["cluster"].isin(background).sum())
    parts = [
        (number, what)
        for number, what in (
            (n_background, "in background clusters, which occur whatever species are listed"),
            (outside - n_background, "in clusters that fit no species well enough"),
        )
        if number
    ]
    if len(parts) == 1:
        where = parts[0][1]
    else:
        where = f"in no species' mode: {', '.join(f'{n:,} {what}' for n, what in parts)}"
    if outside == n_syllables:
        yield Notice(f"No syllable is in a mode: all are {where}.", links)
        return
    much = (
        " That is much: look for noise that takes many syllables, and for species that the lists "
        "leave out."
        if outside > MUCH * n_syllables
        else ""
    )
    yield Notice(
        f"{outside:,} of {text.count(n_syllables, 'syllable')} "
        f"({text.percent(outside, n_syllables)}) are {where}.{much}",
        links,
    )


def _of_species(pages: list[PagePlan], doubts: Doubts) -> Iterator[Notice]:
    """What the species lists do not tell."""
    files = {page.title: page.file for page in pages if page.is_species}
    if doubts.few:
        yield Notice(
            f"{text.count(len(doubts.few), 'species is', 'species are')} listed for fewer than "
            f"{FEW_RECORDINGS} recordings, too few to tell their sounds from those of the others. "
            "More recordings would help, best with few other species.",
            [Link(name, files[name]) for name in doubts.few if name in files],
        )
    for group in doubts.inseparable:
        yield Notice(
            f"{_in_words(group)} are always listed together: nothing tells whose sound is whose, "
            f"{_effect(group, files)}. Recordings of one alone would help.",
            [Link(name, files[name]) for name in group if name in files],
        )


def _effect(group: list[str], named: Mapping[str, str]) -> str:
    """What comes of it that some species are always listed together."""
    if not any(name in named for name in group):
        return "so no sound is given to any of them"
    return f"so each of their modes may be of {'the other' if len(group) == 2 else 'another'}"


def _of_modes(pages: list[PagePlan], doubts: Doubts, why_guesses: str) -> Iterator[Notice]:
    """What may be wrong with modes."""
    links = cluster_links(pages)
    if doubts.guesses:
        yield Notice(
            why_guesses,
            _links(doubts.guesses, links),
            guesses_in_words(pages, doubts),
        )
    if doubts.single:
        yield Notice(
            "It may be one bird, or a noise of that place.",
            _links(doubts.single, links),
            f"{text.count(len(doubts.single), 'mode comes', 'modes come')} from a single recording",
        )
    if doubts.similar:
        short = {mode.cluster: mode.letter for page in pages for mode in page.modes}
        number = text.count(len(doubts.similar), "pair of modes", "pairs of modes")
        yield Notice(
            "They are hardly further apart than two parts of one sound: compare them, and merge "
            "those that sound alike.",
            [
                Link(f"{links[a].name} and {short[b]}", links[a].address)
                for a, b in ((pair.first, pair.second) for pair in doubts.similar)
            ],
            f"{number} of one species may be one",
        )


def guesses_in_words(pages: list[PagePlan], doubts: Doubts) -> str:
    """Say how many names are a guess: ``20 of 52 names are a guess``."""
    names = sum(len(page.modes) for page in pages if page.is_species)
    of, are = (
        ("name", "is") if names == 1 else ("names", "is" if len(doubts.guesses) == 1 else "are")
    )
    return f"{len(doubts.guesses):,} of {names:,} {of} {are} a guess"


def _links(modes: Iterable[ModePlan], links: dict[int, Link]) -> list[Link]:
    return [links[mode.cluster] for mode in modes]


def _in_words(names: list[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"
