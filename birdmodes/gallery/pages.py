"""Writes the HTML pages."""

from __future__ import annotations

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
from birdmodes.gallery.figures.palettes import filter_tables
from birdmodes.gallery.groups.pages import render_groups
from birdmodes.gallery.groups.plan import GroupsPlan
from birdmodes.gallery.groups.view import groups_view
from birdmodes.gallery.media.material import Material
from birdmodes.gallery.media.means import MEAN_SHARE
from birdmodes.gallery.plan import PagePlan
from birdmodes.gallery.sounds import slowing
from birdmodes.gallery.windows import Windows
from birdmodes.gallery.words.overview import overview
from birdmodes.gallery.words.species_view import (
    FIRST_EXAMPLES,
    PageView,
    TimesAndPlaces,
    cluster_links,
    page_view,
)
from birdmodes.io.files import atomic_path
from birdmodes.io.html import breakable, html_environment
from birdmodes.modes.clustering import Clustering
from birdmodes.pictures import text
from birdmodes.workspace.store import Workspace
from birdmodes.workspace.taxonomy import other_names

_HERE = Path(__file__).parent

TEXT_FILTERS = (
    "position", "spread_seconds", "spread_kilohertz", "share", "percent", "count", "probability",
)  # fmt: skip

OVERVIEWS = ("modes", "run")

APPLICATIONS = ("map", "syllable", "label")
"""Pages without content of their own: their scripts draw them from the gallery's data."""

OF_MODES = ("modes", "run", "label")
"""Pages that are of no use without modes."""


def make_views(
    workspace: Workspace, plans: list[PagePlan], material: Material, windows: Windows
) -> list[PageView]:
    """Work out what the pages of species show.

    Parameters
    ----------
    workspace : Workspace
        Where the recordings are listed.
    plans : list of PagePlan
        What goes where.
    material : Material
        The pictures and sounds.
    windows : Windows
        What the pictures show.
    """
    here = TimesAndPlaces.of(workspace)
    links = cluster_links(plans)
    names = other_names(workspace)
    return [
        page_view(plan, material, windows, here, links, names.get(plan.title, ())) for plan in plans
    ]


def write_pages(
    folder: Path,
    workspace: Workspace,
    clustering: Clustering,
    views: list[PageView],
    material: Material,
    windows: Windows,
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
    views : list of PageView
        From `make_views`.
    material : Material
        The pictures and sounds, already in `folder`.
    windows : Windows
        What the pictures show.
    groups : GroupsPlan, optional
        Recording groups.
    unsought : bool
        True if nobody has looked for modes yet, so that `clustering` says nothing.

    Returns
    -------
    list of str
        Addresses of all pages, styles and scripts from `folder`, pages first.
    """
    plans = [view.plan for view in views]
    scale = windows.scale
    environment = page_templates()
    shared = {
        "clustering": clustering.name,
        "grouping": groups.grouping.name if groups else "",
        "unsought": unsought,
        "version": __version__,
        "scale": scale,
        "scale_words": f"{scale.width_s:g} s × {scale.top_hz / 1000:g} kHz",
        "tile_words": f"{scale.tile_s:g} s × {scale.top_hz / 1000:g} kHz in every picture",
        "mean_words": f"{MEAN_SHARE * scale.width_s:g} s × {scale.top_hz / 1000:g} kHz",
        "first_examples": FIRST_EXAMPLES,
        "slowed": _slowed(workspace),
    }
    facts = overview(workspace, clustering, views, material)
    rendered = _render(environment, views, {"groups": groups, **facts}, shared)
    if groups is not None:
        group_views = groups_view(
            workspace,
            groups,
            material,
            windows,
            clock_note(workspace.recordings()),
            clustering=clustering,
            links=cluster_links(plans),
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


def _slowed(workspace: Workspace) -> tuple[int, int]:
    """How many times slower the recordings' sounds are played: least and most."""
    shown_hz = workspace.settings.segmentation.sample_rate_hz
    rates = workspace.recordings()["sample_rate_hz"].unique()
    found = [slowing(int(rate), shown_hz) for rate in rates] or [1]
    return min(found), max(found)


def _render(
    environment: jinja2.Environment,
    views: list[PageView],
    facts: dict[str, Any],
    shared: dict[str, Any],
) -> Iterator[tuple[str, str]]:
    """Address and content of every page but those of recording groups."""
    for name in ("index", *OVERVIEWS, *APPLICATIONS):
        if name in OF_MODES and shared["unsought"]:
            continue
        template = environment.get_template(f"{name}.html")
        about = {} if name in APPLICATIONS else facts
        yield f"{name}.html", template.render(root="", here=name, **about, **shared)
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
def page_templates() -> jinja2.Environment:
    """Templates are compiled once per process, which takes longer than filling them in."""
    environment = html_environment(_HERE / "templates")
    for name in TEXT_FILTERS:
        environment.filters[name] = getattr(text, name)
    environment.filters["address"] = quote
    environment.filters["place"] = lambda address: quote(address, safe="/#")
    environment.globals["palettes"] = filter_tables()
    environment.filters["breakable"] = breakable
    environment.filters["unbroken"] = _unbroken
    return environment


def _unbroken(words: str) -> Markup:
    """Let facts in a line wrap behind the dots between them, and nowhere else."""
    *before, last = words.split(" · ")
    parts = [*(f"{part} ·" for part in before), last]
    return Markup(" ").join(Markup('<span class="whole">{}</span>').format(part) for part in parts)
