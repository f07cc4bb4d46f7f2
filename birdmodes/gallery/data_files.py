"""The data that the map, the syllable view and the review read, as scripts."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from birdmodes._version import __version__
from birdmodes.gallery.clips import Clip
from birdmodes.gallery.folder import FORMAT, GalleryFolder, write_file
from birdmodes.gallery.groups.plan import GroupsPlan
from birdmodes.gallery.map_layout import MapLayout, MapMethod, map_layout
from birdmodes.gallery.media import thumbs
from birdmodes.gallery.media.material import Material
from birdmodes.gallery.plan import PagePlan
from birdmodes.groups.grouping import grouping_digest
from birdmodes.modes.clustering import Clustering
from birdmodes.modes.digest import assignments_digest
from birdmodes.review.state import SET_ASIDE
from birdmodes.review.suggestions import clustering_space, label_next, split_suggestions
from birdmodes.workspace.store import Workspace

GALLERY, SYLLABLES = "data/gallery.js", "data/syllables.js"

LABEL_NEXT = 200


def write_data(
    gallery: GalleryFolder,
    workspace: Workspace,
    clustering: Clustering,
    syllables: pd.DataFrame,
    pages: list[PagePlan],
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
    pages : list of PagePlan
        What goes where.
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
        "base": assignments_digest(clustering.assignments),
        "grouping": _grouping(groups, alone=clustering.modes.empty),
        "nyquist_hz": nyquist_hz,
        "species": [{"name": p.title, "page": p.file} for p in pages if p.is_species],
        "modes": [mode for page in pages for mode in _modes(page)],
        "recordings": recordings,
        "clips": _clips(material, recordings, syllables, groups),
        "groups": _groups(groups),
        "set_aside": _set_aside(rows),
        "label_next": label_next(space, rows, limit=LABEL_NEXT).tolist() if sought else [],
        "thumbs": {
            "width": thumbs.WIDTH,
            "height": thumbs.HEIGHT,
            "columns": thumbs.COLUMNS,
            "per_sheet": thumbs.PER_SHEET,
            "sheets": material.sheets,
        },
        "map": {"method": layout.method, "explained": layout.explained},
    }
    columns = _columns(rows, recordings, material.clips, layout, space if sought else None)
    for address, name, content in (
        (GALLERY, "gallery", facts),
        (SYLLABLES, "syllables", columns),
    ):
        write_file(gallery.folder / address, data_script(name, content))
    return [GALLERY, SYLLABLES]


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
            "mode": mode.name if page.is_species else "",
            "name": mode.name,
            "heading": mode.heading,
            "kind": mode.kind,
            "page": f"{page.file}#cluster-{mode.cluster}",
            "syllables": mode.syllables,
            "recordings": mode.recordings,
            "confidence": None if mode.confidence is None else round(mode.confidence, 4),
        }
        for mode in page.modes
    ]


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
