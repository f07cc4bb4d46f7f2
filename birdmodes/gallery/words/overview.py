"""What the first page says of the whole run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from birdmodes.gallery.media.material import Material
from birdmodes.gallery.words.doubts import doubts_of_species, find_doubts, listing_recordings
from birdmodes.gallery.words.explanations import explain_metrics, repeat_commands, seek_commands
from birdmodes.gallery.words.notices import Notice, find_notices
from birdmodes.gallery.words.run_facts import run_facts
from birdmodes.gallery.words.species_view import PageView
from birdmodes.modes.clustering import Clustering
from birdmodes.workspace.store import Workspace


@dataclass(frozen=True)
class Card:
    """A species, or what belongs to none, on the first page.

    Attributes
    ----------
    view : PageView
        Its page.
    listed : int
        Labelled recordings that list the species.
    doubts : list of str
        What to look at, a word or two each.
    """

    view: PageView
    listed: int
    doubts: list[str]


def overview(
    workspace: Workspace, clustering: Clustering, views: list[PageView], material: Material
) -> dict[str, Any]:
    """Collect what the first page says of the whole run.

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
        Variables of ``index.html``.
    """
    recordings = workspace.recordings()
    plans = [view.plan for view in views]
    doubts = find_doubts(workspace, clustering, plans)
    listed = listing_recordings(recordings)
    with_modes = {plan.title for plan in plans if plan.is_species}
    cards = [
        Card(view, listed.get(view.plan.title, 0), doubts_of_species(doubts, view.plan))
        for view in views
        if view.plan.is_species
    ]
    return {
        "cards": cards,
        "rest": next((view for view in views if not view.plan.is_species), None),
        "n_recordings": len(recordings),
        "n_labelled": int(recordings["labelled"].sum()),
        "n_syllables": len(clustering.assignments),
        "n_modes": sum(len(card.view.modes) for card in cards),
        "n_doubtful": sum(bool(card.doubts) for card in cards),
        "without_modes": {name: n for name, n in listed.items() if name not in with_modes},
        "notices": [
            *find_notices(workspace, clustering, plans, doubts),
            *map(Notice, material.warnings),
        ],
        "seek": seek_commands(workspace.folder.resolve().name),
        "metric_groups": explain_metrics(clustering.metrics),
        "facts": run_facts(workspace, clustering),
        "commands": repeat_commands(
            workspace.folder.resolve().name, clustering.name, clustering.parameters
        ),
    }
