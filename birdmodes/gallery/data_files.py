"""The data that the map, the syllable view and the review read, as scripts."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from birdmodes._version import __version__
from birdmodes.gallery.clips import Clip
from birdmodes.gallery.figures.spectrograms import ExampleFigure
from birdmodes.gallery.folder import FORMAT, GalleryFolder, write_file
from birdmodes.gallery.groups.plan import GroupsPlan
from birdmodes.gallery.map_layout import MapLayout, features_in_words, map_layout
from birdmodes.gallery.media import thumbs
from birdmodes.gallery.media.material import Material
from birdmodes.gallery.plan import PagePlan
from birdmodes.gallery.result import MapMethod
from birdmodes.gallery.words.species_view import PageView
from birdmodes.groups.grouping import grouping_digest
from birdmodes.labels import split_species
from birdmodes.modes.clustering import Clustering
from birdmodes.modes.digest import assignments_digest
from birdmodes.modes.model import clustering_space
from birdmodes.review.state import SET_ASIDE
from birdmodes.review.suggestions import label_next, split_suggestions
from birdmodes.workspace.store import Workspace

GALLERY, SYLLABLES, EXAMPLES = "data/gallery.js", "data/syllables.js", "data/examples.js"

LABEL_NEXT = 200

LOOK_ALIKES = 4
"""Examples of a mode that are shown beside a syllable."""


def write_data(
    gallery: GalleryFolder,
    workspace: Workspace,
    clustering: Clustering,
    syllables: pd.DataFrame,
    views: list[PageView],
    material: Material,
    map_method: MapMethod,
    groups: GroupsPlan | None = None,
) -> list[str]:
    """Write ``data/``.

    Parameters
    ----------
    gallery : GalleryFolder
        Where.
    workspace : Workspace
        What the clustering is of.
    clustering : Clustering
        The run.
    syllables : pandas.DataFrame
        Those that the gallery is of, in the order of ``workspace.syllables()``.
    views : list of PageView
        What the pages show.
    material : Material
        Clips and thumbs.
    map_method : {"pca", "umap"}
        How the map is made.
    groups : GroupsPlan, optional
        Recording groups.

    Returns
    -------
    list of str
        Addresses of the files.
    """
    pages = [view.plan for view in views]
    rows = _with_assignments(syllables, clustering.assignments)
    space = np.zeros((0, 0))
    if len(rows):
        space = clustering_space(workspace, clustering)
    sought = len(rows) > 0 and not clustering.modes.empty
    layout = map_layout(space, map_method, seed=int(clustering.parameters.get("seed") or 0))
    recordings = sorted(set(rows["recording"]))
    nyquist_hz = workspace.settings.segmentation.nyquist_hz
    facts = {
        "format": FORMAT,
        "version": __version__,
        "clustering": clustering.name,
        "base": _base(clustering),
        "grouping": _grouping(groups, alone=clustering.modes.empty),
        "nyquist_hz": nyquist_hz,
        "species": [
            {
                "name": view.plan.title,
                "page": view.plan.file,
                "others": [name.text for name in view.other_names],
            }
            for view in views
            if view.plan.is_species
        ],
        "lists": _lists(workspace, recordings),
        "modes": [mode for page in pages for mode in _modes(page)],
        "recordings": recordings,
        "clips": _clips(material, recordings, syllables, groups),
        "groups": _groups(groups),
        "set_aside": _set_aside(rows),
        "label_next": _label_next(space, rows, clustering).tolist() if sought else [],
        "thumbs": {
            "width": thumbs.WIDTH,
            "height": thumbs.HEIGHT,
            "columns": thumbs.COLUMNS,
            "per_sheet": thumbs.PER_SHEET,
            "sheets": material.sheets,
        },
        "map": {
            "method": layout.method,
            "explained": layout.explained,
            "features": features_in_words(clustering),
        },
    }
    columns = _columns(rows, recordings, material.clips, layout, space if sought else None)
    for address, name, content in (
        (GALLERY, "gallery", facts),
        (SYLLABLES, "syllables", columns),
        (EXAMPLES, "examples", _examples(views)),
    ):
        write_file(gallery.folder / address, data_script(name, content))
    return [GALLERY, SYLLABLES, EXAMPLES]


def _label_next(
    space: npt.NDArray[np.float64], rows: pd.DataFrame, clustering: Clustering
) -> npt.NDArray[np.int64]:
    method = str(clustering.parameters.get("method") or "")
    shares = clustering.model.get("cluster_species_probability")
    return label_next(space, rows, limit=LABEL_NEXT, method=method, shares=shares)


def _base(clustering: Clustering) -> str:
    if clustering.sample_of is not None:
        return clustering.sample_of.base
    return assignments_digest(clustering.assignments)


def data_script(name: str, content: dict[str, Any]) -> bytes:
    """Script that gives some data to the pages."""
    text = json.dumps(content, separators=(",", ":"), allow_nan=False)
    return f"(globalThis.birdmodesData ??= {{}}).{name} = {text};\n".encode("ascii")


def _with_assignments(syllables: pd.DataFrame, assignments: pd.DataFrame) -> pd.DataFrame:
    """Clusters in the order of the syllables."""
    columns = ["syllable", "cluster", "mode", "confidence"]
    if "review" in assignments:
        columns.append("review")
    rows = syllables.merge(assignments[columns], on="syllable", how="left", validate="1:1")
    return rows if "review" in assignments else rows.assign(review="")


def _set_aside(rows: pd.DataFrame) -> dict[str, int]:
    """Clusters of what earlier reviews set aside, by the mark that put it there."""
    marked = rows[rows["review"].isin(SET_ASIDE)]
    numbers = marked.groupby("review")["cluster"].first()
    return {str(mark): int(number) for mark, number in numbers.items()}


def _modes(page: PagePlan) -> list[dict[str, Any]]:
    return [
        {
            "cluster": mode.cluster,
            "species": page.title if page.is_species else "",
            "mode": mode.in_tables,
            "name": mode.name,
            "heading": mode.heading,
            "letter": mode.letter,
            "words": mode.words.facts if mode.words else "",
            "title": mode.words.title if mode.words else "",
            "sure": mode.sureness.word if mode.sureness else "",
            "reasons": list(mode.sureness.reasons) if mode.sureness else [],
            "pitch_hz": round(mode.words.pitch_hz) if mode.words else None,
            "duration_s": round(mode.words.duration_s, 3) if mode.words else None,
            "examples": mode.examples["syllable"].head(LOOK_ALIKES).tolist(),
            "kind": mode.kind,
            "page": f"{page.file}#cluster-{mode.cluster}",
            "syllables": mode.syllables,
            "recordings": mode.recordings,
            "confidence": None if mode.confidence is None else round(mode.confidence, 4),
        }
        for mode in page.modes
    ]


def _lists(workspace: Workspace, recordings: list[str]) -> dict[str, Any]:
    """Species lists: names, and for every recording their numbers; None without a list."""
    table = workspace.recordings().set_index("recording")
    listed = [
        split_species(str(table.loc[name, "species"])) if table.loc[name, "labelled"] else None
        for name in recordings
    ]
    names = sorted({name for one in listed for name in one or ()})
    number = {name: at for at, name in enumerate(names)}
    of = [None if one is None else [number[name] for name in one] for one in listed]
    return {"names": names, "of": of}


def _examples(views: list[PageView]) -> dict[str, Any]:
    """Small pictures of the first examples of every mode, by syllable."""
    figures = (one for view in views for mode in view.modes for one in mode.examples[:LOOK_ALIKES])
    return {one.syllable: _tile(one) for one in figures}


def _tile(figure: ExampleFigure) -> dict[str, Any]:
    view, heard = figure.tile, figure.hearing
    box = view.box
    content: dict[str, Any] = {
        "recording": figure.recording,
        "label": figure.label,
        "picture": figure.picture,
        "crop": figure.crop,
        "box": [box.left, box.top, box.width, box.height],
        "start_s": view.start_s,
        "width_s": view.width_s,
    }
    if heard is not None:
        content |= {
            "clip": heard.clip,
            "gain": heard.gain,
            "low_hz": heard.low_hz,
            "high_hz": heard.high_hz,
            "from_s": max(heard.context[0], view.start_s),
            "to_s": min(heard.context[1], round(view.start_s + view.width_s, 4)),
        }
    return content


def _grouping(groups: GroupsPlan | None, *, alone: bool) -> dict[str, Any] | None:
    """Which grouping it is, and whether nobody has looked for modes."""
    if groups is None:
        return None
    grouping = groups.grouping
    return {"name": grouping.name, "base": grouping_digest(grouping), "alone": alone}


def _groups(groups: GroupsPlan | None) -> list[dict[str, Any]]:
    return [
        {"group": one.number, "name": one.name, "page": one.file}
        for one in (groups.groups if groups else ())
    ]


def _clips(
    material: Material,
    recordings: list[str],
    syllables: pd.DataFrame,
    groups: GroupsPlan | None,
) -> list[dict[str, Any]]:
    number = {name: at for at, name in enumerate(recordings)}
    clips: list[dict[str, Any]] = [
        {
            "name": clip.name,
            "recording": number[clip.recording],
            "start_s": round(clip.start_s, 6),
            "end_s": round(clip.end_s, 6),
            "media": clip.name in material.media,
        }
        for clip in material.clips
    ]
    if groups is not None:
        bags = syllables["bag"].to_numpy()
        for entry, clip in zip(clips, material.clips, strict=True):
            entry["group"] = groups.group_of_bag.get(bags[clip.rows[0]])
    return clips


def _columns(
    rows: pd.DataFrame,
    recordings: list[str],
    clips: list[Clip],
    layout: MapLayout,
    space: npt.NDArray[np.float64] | None,
) -> dict[str, Any]:
    """All syllables, column by column; without a space, no cluster is offered to be split."""
    clip_of_row = np.zeros(len(rows), dtype=np.int64)
    for number, clip in enumerate(clips):
        clip_of_row[clip.rows] = number
    cluster = rows["cluster"].to_numpy(dtype=int)
    groups = {} if space is None else split_suggestions(space, cluster)
    recording = pd.Categorical(rows["recording"], categories=recordings).codes
    return {
        "recording": recording.tolist(),
        "number": [int(name.rpartition("#")[2]) for name in rows["syllable"]],
        "clip": clip_of_row.tolist(),
        "start_s": rows["start_s"].round(3).tolist(),
        "end_s": rows["end_s"].round(3).tolist(),
        "low_hz": rows["low_hz"].round().astype(int).tolist(),
        "high_hz": rows["high_hz"].round().astype(int).tolist(),
        "cluster": rows["cluster"].astype(int).tolist(),
        "confidence": rows["confidence"].round(2).tolist(),
        "review": rows["review"].tolist(),
        "x": layout.xy[:, 0].tolist(),
        "y": layout.xy[:, 1].tolist(),
        "sub": {str(k): group.tolist() for k, group in groups.items()},
    }
