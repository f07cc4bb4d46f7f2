"""Writes the HTML pages."""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import jinja2
import pandas as pd
from markupsafe import Markup

from birdmodes import __version__
from birdmodes.clusterings import UNSURE_BELOW, Clustering
from birdmodes.gallery import text
from birdmodes.gallery.activity import clock_note
from birdmodes.gallery.activity_figures import ActivityFigure, activity_figure
from birdmodes.gallery.explanations import explain_metrics, repeat_commands
from birdmodes.gallery.figures import ExampleFigure, Frame, example_figure
from birdmodes.gallery.material import Material
from birdmodes.gallery.plan import ModePlan, PagePlan
from birdmodes.labels import split_species
from birdmodes.workspace import Workspace

_HERE = Path(__file__).parent
_NO_PARAMETERS = ("birdmodes", "syllables", "recordings", "species")
"""Parameters that are facts of the run, shown elsewhere."""


@dataclass(frozen=True)
class ModeView:
    """A mode and its figures, for the template."""

    plan: ModePlan
    activity: ActivityFigure | None
    mean_picture: str | None
    examples: list[ExampleFigure]


@dataclass(frozen=True)
class PageView:
    """A page and its figures, for the template."""

    plan: PagePlan
    activity: ActivityFigure | None
    clock_note: str
    frame: Frame
    modes: list[ModeView]

    @property
    def cover(self) -> ExampleFigure | None:
        """The most central example of the largest mode that has one."""
        return next((mode.examples[0] for mode in self.modes if mode.examples), None)


def write_pages(
    folder: Path,
    workspace: Workspace,
    clustering: Clustering,
    plans: list[PagePlan],
    material: Material,
) -> int:
    """Write all pages, their style and their script.

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

    Returns
    -------
    int
        Number of pages.
    """
    shutil.copytree(_HERE / "assets", folder / "assets")
    (folder / "species").mkdir()
    environment = _environment()
    note = clock_note(workspace.recordings())
    views = [_page_view(workspace, plan, material, note) for plan in plans]
    shared = {"clustering": clustering.name, "version": __version__}
    species = [view for view in views if view.plan.is_species]
    rest = next((view for view in views if not view.plan.is_species), None)
    overview = _overview(workspace, clustering, views, material)
    index = environment.get_template("index.html")
    html = index.render(root="", species=species, rest=rest, **overview, **shared)
    _write(folder / "index.html", html)
    template = environment.get_template("modes.html")
    for number, view in enumerate(views):
        html = template.render(
            root="../" if view.plan.is_species else "",
            page=view,
            previous=views[number - 1].plan if number else None,
            following=views[number + 1].plan if number + 1 < len(views) else None,
            **shared,
        )
        _write(folder / view.plan.file, html)
    return 1 + len(views)


def _write(path: Path, html: str) -> None:
    path.write_text(html, encoding="utf-8", newline="\n")


def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_HERE / "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    for name in ("position", "spread_seconds", "spread_kilohertz", "share", "count"):
        environment.filters[name] = getattr(text, name)
    environment.filters["address"] = quote
    environment.globals["unsure_below"] = UNSURE_BELOW
    environment.filters["breakable"] = _breakable
    return environment


def _breakable(name: str) -> Markup:
    """Let a long file name wrap behind its separators."""
    return Markup("<wbr>").join(re.split(r"(?<=[/_])", name))


def _page_view(
    workspace: Workspace, plan: PagePlan, material: Material, clock_note: str
) -> PageView:
    parameters = workspace.settings.segmentation
    modes = [
        ModeView(
            mode,
            activity_figure(mode.name, mode.activity),
            material.mean_pictures.get(mode.cluster),
            [
                example_figure(
                    mode.name, row, material.examples[str(row["syllable"])], plan.scale, parameters
                )
                for row in mode.examples.to_dict("records")
            ],
        )
        for mode in plan.modes
    ]
    activity = activity_figure(plan.title, plan.activity, wide=True)
    return PageView(plan, activity, clock_note, Frame.of(plan.scale), modes)


def _overview(
    workspace: Workspace, clustering: Clustering, views: list[PageView], material: Material
) -> dict[str, Any]:
    """Collect what the first page says of the whole run."""
    recordings = workspace.recordings()
    listed = {name for cell in recordings["species"] for name in split_species(cell)}
    with_modes = {view.plan.title for view in views if view.plan.is_species}
    labelled = recordings.loc[recordings["labelled"], "species"]
    in_recordings = {
        name: sum(name in split_species(cell) for cell in labelled) for name in listed | with_modes
    }
    parameters = {
        name: _in_a_cell(value)
        for name, value in clustering.parameters.items()
        if name not in _NO_PARAMETERS and value not in (None, {})
    }
    return {
        "n_recordings": len(recordings),
        "n_labelled": int(recordings["labelled"].sum()),
        "n_syllables": len(clustering.assignments),
        "n_modes": sum(len(view.modes) for view in views if view.plan.is_species),
        "in_recordings": in_recordings,
        "without_modes": sorted(listed - with_modes),
        "notices": _notices(workspace, clustering, recordings) + material.warnings,
        "metrics": explain_metrics(clustering.metrics),
        "parameters": parameters,
        "made_with": clustering.parameters.get("birdmodes"),
        "commands": repeat_commands(
            workspace.folder.resolve().name, clustering.name, clustering.parameters
        ),
    }


def _in_a_cell(value: Any) -> Any:
    """Write a parameter so that it can be read in a table, also one of several parts."""
    if isinstance(value, dict):
        return ", ".join(f"{name} {part}" for name, part in value.items())
    return value


def _notices(workspace: Workspace, clustering: Clustering, recordings: pd.DataFrame) -> list[str]:
    """Say what to keep in mind when looking at the modes."""
    notices = []
    n_syllables = len(clustering.assignments)
    unlabelled = recordings.loc[~recordings["labelled"], "recording"]
    if len(unlabelled):
        inside = int(clustering.assignments["recording"].isin(unlabelled).sum())
        notices.append(
            f"{len(unlabelled)} of {text.count(len(recordings), 'recording')} "
            f"({text.percent(inside, n_syllables)} of the syllables) have no species list: their "
            "syllables take part, but do not help to tell species apart."
        )
    untimed = int((clustering.assignments["recorded_at"] == "").sum())
    if 0 < untimed < n_syllables:
        notices.append(
            f"{text.percent(untimed, n_syllables)} of the syllables are from recordings without a "
            "date and time in name or header: they are not in the figures of activity."
        )
    outside = int((clustering.assignments["mode"] == "").sum())
    if outside:
        notices.append(
            f"{text.percent(outside, n_syllables)} of the syllables are in no species' mode; they "
            "are under “Background and unassigned”."
        )
    modes = clustering.modes[clustering.modes["mode"] != ""]
    unsure = int((modes["confidence"] < UNSURE_BELOW).sum())
    if unsure:
        notices.append(
            f"{text.count(unsure, 'mode has', 'modes have')} a confidence below {UNSURE_BELOW:g}: "
            "several species share the recordings, so the name is a guess."
        )
    errors = workspace.errors()["recording"].nunique()
    if errors:
        notices.append(
            f"{text.count(errors, 'recording')} could not be segmented and are not here: see "
            "errors.csv in the workspace."
        )
    return notices
