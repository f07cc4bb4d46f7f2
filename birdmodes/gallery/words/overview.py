"""What the first page, the page of all modes and that of the run say."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Any

from birdmodes.gallery.media.material import Material
from birdmodes.gallery.words.doubts import find_doubts, listing_recordings
from birdmodes.gallery.words.explanations import explain_metrics, repeat_commands, seek_commands
from birdmodes.gallery.words.notices import Notice, find_notices, guesses_in_words
from birdmodes.gallery.words.order import alike_order
from birdmodes.gallery.words.run_facts import run_facts
from birdmodes.gallery.words.species_view import PageView
from birdmodes.modes.clustering import Clustering, named_elsewhere
from birdmodes.modes.counts.remarks import TO_MERGE
from birdmodes.modes.left_out import fit_in_words
from birdmodes.modes.words.sureness import GUESS, LEVELS, WORDS, Level
from birdmodes.pictures import text
from birdmodes.workspace.store import Workspace

_MEANINGS = {
    GUESS: "all others: of one recording, or of a species that is always listed with another, or "
    "with another that fits nearly as well, or where chance may be the reason.",
}


@dataclass(frozen=True)
class SpeciesRow:
    """A species on the first page.

    Attributes
    ----------
    view : PageView
        Its page.
    guesses : int
        Modes whose name is a guess.
    twins : list of str
        Species that are always listed together with it.
    """

    view: PageView
    guesses: int
    twins: list[str]

    @property
    def anchor(self) -> str:
        """Name of its place on the page."""
        return self.view.plan.file.removeprefix("species/").removesuffix(".html")


@dataclass(frozen=True)
class Warnings:
    """All warnings in one line: what matters most, and how much more there is."""

    short: str
    rest: str


@dataclass(frozen=True)
class LevelInWords:
    """What one of the words for how sure asks for."""

    level: int
    word: str
    meaning: str


def overview(
    workspace: Workspace, clustering: Clustering, views: list[PageView], material: Material
) -> dict[str, Any]:
    """Collect what the pages say of the whole run.

    Parameters
    ----------
    workspace : Workspace
        What the clustering is of.
    clustering : Clustering
        The run to describe.
    views : list of PageView
        All pages of modes.
    material : Material
        Their pictures and sounds.

    Returns
    -------
    dict
        Variables of ``index.html``, ``modes.html`` and ``run.html``.
    """
    recordings = workspace.recordings()
    plans = [view.plan for view in views]
    doubts = find_doubts(workspace, clustering, plans)
    listed = listing_recordings(recordings)
    with_modes = {plan.title for plan in plans if plan.is_species}
    rows = [
        SpeciesRow(
            view,
            sum(mode in doubts.guesses for mode in view.plan.modes),
            _twins(view.plan.title, doubts.inseparable),
        )
        for view in views
        if view.plan.is_species
    ]
    rows.sort(key=lambda row: (-row.view.plan.recordings, row.view.plan.title))
    notices = [
        *find_notices(workspace, clustering, plans, doubts),
        *map(Notice, material.warnings),
    ]
    rest = next((view for view in views if not view.plan.is_species), None)
    guesses = guesses_in_words(plans, doubts) if doubts.guesses else ""
    return {
        "rows": rows,
        "letters": _letters(rows),
        "rest": rest,
        "to_merge": TO_MERGE,
        "candidates": any(row.view.plan.remark == TO_MERGE for row in rows),
        "nameless": [] if rows or rest is None else [SpeciesRow(rest, 0, [])],
        "n_recordings": len(recordings),
        "n_labelled": int(recordings["labelled"].sum()),
        "n_syllables": len(clustering.assignments),
        "n_modes": sum(len(row.view.modes) for row in rows),
        "without_modes": {name: n for name, n in listed.items() if name not in with_modes},
        "notices": notices,
        "warning": _in_one_line(notices, guesses),
        "levels": _levels(elsewhere=named_elsewhere(clustering.parameters)),
        "from_others": named_elsewhere(clustering.parameters),
        "fit": _as_sentence(fit_in_words(clustering.metrics)),
        "alike": alike_order({m.cluster: m.words for p in plans for m in p.modes if m.words}),
        "seek": seek_commands(workspace.folder.resolve().name),
        "metric_groups": explain_metrics(clustering.metrics),
        "facts": run_facts(workspace, clustering),
        "commands": repeat_commands(
            workspace.folder.resolve().name, clustering.name, clustering.parameters
        ),
    }


def _twins(name: str, inseparable: list[list[str]]) -> list[str]:
    """Species that are always listed together with one."""
    return [other for group in inseparable if name in group for other in group if other != name]


def _in_one_line(notices: list[Notice], guesses: str) -> Warnings | None:
    if not notices:
        return None
    if not guesses:
        return Warnings(f"{text.count(len(notices), 'thing')} to keep in mind", "")
    more = len(notices) - 1
    return Warnings(guesses, f"; {text.count(more, 'more thing')} to keep in mind" if more else "")


def _as_sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}." if words else ""


def _letters(rows: list[SpeciesRow]) -> dict[str, str]:
    """First letters of the species, and the first species of each."""
    letters: dict[str, str] = {}
    for row in sorted(rows, key=lambda row: row.view.plan.title.casefold()):
        first = unicodedata.normalize("NFD", row.view.plan.title)[:1].upper()
        letters.setdefault(first, row.anchor)
    return letters


def _levels(*, elsewhere: bool) -> list[LevelInWords]:
    asked = _asked_elsewhere if elsewhere else _asked
    found = [
        LevelInWords(WORDS.index(level.word) + 1, level.word, asked(level)) for level in LEVELS
    ]
    guess = "all others." if elsewhere else _MEANINGS[GUESS]
    return [*found, LevelInWords(1, GUESS, guess)]


def _asked(level: Level) -> str:
    return (
        f"in {level.recordings} or more recordings, where chance alone would do that at most "
        f"{'once' if level.p_value == 0.01 else f'{100 * level.p_value:.0f} times'} in 100, "
        f"and a confidence of {level.confidence:g} or more."
    )


def _asked_elsewhere(level: Level) -> str:
    return (
        f"a confidence of {level.elsewhere:g} or more: of recordings that were left out in turn, "
        f"at least {100 * level.elsewhere:.0f} in 100 such syllables came out right."
    )
