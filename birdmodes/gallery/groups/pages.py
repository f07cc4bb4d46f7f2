"""Renders the pages of recording groups."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jinja2

from birdmodes.gallery.groups.plan import GROUPS_PAGE
from birdmodes.gallery.groups.view import (
    CARD_PICTURES,
    CARD_SPECIES,
    LISTED_SPECIES,
    GroupsView,
)
from birdmodes.gallery.words.explanations import explain_metrics, repeat_commands
from birdmodes.gallery.words.run_facts import grouping_facts
from birdmodes.workspace.store import Workspace


def render_groups(
    environment: jinja2.Environment,
    workspace: Workspace,
    view: GroupsView,
    shared: dict[str, Any],
) -> Iterator[tuple[str, str]]:
    """Address and content of the page of all groups, and of those of each.

    Parameters
    ----------
    environment : jinja2.Environment
        The gallery's templates.
    workspace : Workspace
        Where the grouping is kept.
    view : GroupsView
        What they show.
    shared : dict
        Variables of all pages of the gallery.
    """
    grouping = view.plan.grouping
    yield (
        GROUPS_PAGE,
        environment.get_template(GROUPS_PAGE).render(
            root="",
            here="groups",
            view=view,
            hangs_on_seed=grouping.hangs_on_seed,
            asked=int(grouping.parameters.get("k") or 0),
            card_pictures=CARD_PICTURES,
            card_species=CARD_SPECIES,
            metric_groups=explain_metrics(grouping.metrics, of_groups=True),
            facts=grouping_facts(workspace, grouping),
            commands=repeat_commands(
                workspace.folder.resolve().name,
                grouping.name,
                grouping.parameters,
                option="--grouping",
            ),
            **shared,
        ),
    )
    template, further = (environment.get_template(f"{name}.html") for name in ("group", "members"))
    for number, group in enumerate(view.groups):
        common = {
            "root": "../",
            "here": "groups",
            "view": view,
            "group": group,
            "previous": view.groups[number - 1] if number else None,
            "following": view.groups[number + 1] if number + 1 < len(view.groups) else None,
            "listed_species": LISTED_SPECIES,
            **shared,
        }
        for place, part in enumerate(group.parts):
            page = further if place else template
            members = group.recordings(part)
            yield part.file, page.render(part=part, members=members, **common)
