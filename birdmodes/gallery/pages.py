"""Writes the HTML pages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import quote

import jinja2
from markupsafe import Markup

from birdmodes._version import __version__
from birdmodes.gallery.figures.activity import clock_note
from birdmodes.gallery.groups.pages import render_groups
from birdmodes.gallery.groups.plan import GroupsPlan
from birdmodes.gallery.groups.view import groups_view
from birdmodes.gallery.media.material import Material
from birdmodes.gallery.plan import PagePlan
from birdmodes.gallery.words.overview import overview
from birdmodes.gallery.words.species_view import PageView, cluster_links, page_view
from birdmodes.io.files import atomic_path
from birdmodes.io.html import html_environment
from birdmodes.modes.clustering import UNSURE_BELOW, Clustering
from birdmodes.pictures import text
from birdmodes.workspace.store import Workspace

_HERE = Path(__file__).parent

TEXT_FILTERS = (
    "position", "spread_seconds", "spread_kilohertz", "share", "percent", "count", "probability",
)  # fmt: skip

APPLICATIONS = ("map", "syllable", "label")
"""Pages without content of their own: their scripts draw them from the gallery's data."""

LABEL_NEXT = "label"
"""The one of them that is of no use without modes."""


def write_pages(
    folder: Path,
    workspace: Workspace,
    clustering: Clustering,
    plans: list[PagePlan],
    material: Material,
    groups: GroupsPlan | None = None,
    *,
    unsought: bool = False,
) -> list[str]:
    """Write all pages, their styles and their scripts; those that are right stay as they are.

    Parameters
    ----------
    folder : pathlib.Path
        The gallery's folder.
    workspace : Workspace
        What the clustering is of.
    clustering : Clustering
        The run to describe.
    plans : list of PagePlan
        What goes where.
    material : Material
        The pictures and sounds, already in `folder`.
    groups : GroupsPlan, optional
        Recording groups.
    unsought : bool
        True if nobody has looked for modes yet, so that `clustering` says nothing.

    Returns
    -------
    list of str
        Addresses of all pages, styles and scripts from `folder`, pages first.
    """
    note = clock_note(workspace.recordings())
    links = cluster_links(plans)
    views = [page_view(workspace, plan, material, note, links) for plan in plans]
    environment = _environment()
    shared = {
        "clustering": clustering.name,
        "grouping": groups.grouping.name if groups else "",
        "unsought": unsought,
        "version": __version__,
    }
    facts = overview(workspace, clustering, views, material)
    rendered = _render(environment, views, {"groups": groups, **facts}, shared)
    if groups is not None:
        group_views = groups_view(
            workspace,
            groups,
            material,
            note,
            clustering=clustering,
            links=links,
            species_pages={plan.title: plan.file for plan in plans if plan.is_species},
        )
        rendered = chain(rendered, render_groups(environment, workspace, group_views, shared))
    written = []
    for address, html in rendered:
        _write_if_new(folder / address, html.encode())
        written.append(address)
    for path in sorted(path for path in (_HERE / "assets").rglob("*") if path.is_file()):
        address = path.relative_to(_HERE).as_posix()
        _write_if_new(folder / address, path.read_bytes())
        written.append(address)
    return written


def _render(
    environment: jinja2.Environment,
    views: list[PageView],
    facts: dict[str, Any],
    shared: dict[str, Any],
) -> Iterator[tuple[str, str]]:
    """Address and content of every page but those of recording groups."""
    yield (
        "index.html",
        environment.get_template("index.html").render(root="", here="index", **facts, **shared),
    )
    for name in APPLICATIONS:
        if name == LABEL_NEXT and shared["unsought"]:
            continue
        template = environment.get_template(f"{name}.html")
        yield f"{name}.html", template.render(root="", here=name, **shared)
    template = environment.get_template("species.html")
    for number, view in enumerate(views):
        html = template.render(
            root="../" if view.plan.is_species else "",
            here="species",
            page=view,
            previous=views[number - 1].plan if number else None,
            following=views[number + 1].plan if number + 1 < len(views) else None,
            **shared,
        )
        yield view.plan.file, html


def _write_if_new(path: Path, content: bytes) -> None:
    """Write a file unless it is there already, so that copies to a web host stay small."""
    if path.is_file() and path.read_bytes() == content:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_path(path) as temporary:
        temporary.write_bytes(content)


@cache
def _environment() -> jinja2.Environment:
    """Templates are compiled once per process, which takes longer than filling them in."""
    environment = html_environment(_HERE / "templates")
    for name in TEXT_FILTERS:
        environment.filters[name] = getattr(text, name)
    environment.filters["address"] = quote
    environment.filters["place"] = lambda address: quote(address, safe="/#")
    environment.globals["unsure_below"] = UNSURE_BELOW
    environment.filters["breakable"] = _breakable
    return environment


def _breakable(name: str) -> Markup:
    """Let a long file name wrap behind its separators."""
    return Markup("<wbr>").join(re.split(r"(?<=[/_])", name))
