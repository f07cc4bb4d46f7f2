"""What is in a workspace, and what to do next."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from birdmodes.errors import ReviewError, WorkspaceError
from birdmodes.gallery.folder import MARKER
from birdmodes.gallery.review_session import gallery_data
from birdmodes.groups.grouping import FOLDER as GROUPINGS
from birdmodes.groups.grouping import grouping_digest, grouping_names, read_grouping
from birdmodes.info.annotations import (
    annotation_here,
    annotations_in,
    evaluations_in,
    written,
)
from birdmodes.info.model import (
    ClusteringInfo,
    GalleryInfo,
    GroupingInfo,
    PendingInfo,
    WorkspaceInfo,
)
from birdmodes.info.next_step import next_step
from birdmodes.io.paths import AnyPath
from birdmodes.labels import split_species
from birdmodes.modes.clustering import clustering_names, learned_metric, read_clustering
from birdmodes.modes.digest import assignments_digest
from birdmodes.review.edits import read_review
from birdmodes.review.log import read_log
from birdmodes.segmentation.parameters import SegmentationParameters
from birdmodes.workspace.settings import Settings
from birdmodes.workspace.store import Workspace

PARTS = {
    "recordings": "recordings",
    "syllables": "syllables",
    "gathered": "copies to read fast",
    "clusterings": "clusterings",
    "groupings": "groups of recordings",
    "annotated": "annotations",
    "evaluations": "evaluations",
    "gallery": "galleries",
    "review": "corrections",
    "replaced": "replaced results",
}
"""Folders of a workspace, and what they hold; other files are counted as ``others``."""


def workspace_info(folder: AnyPath) -> WorkspaceInfo:
    """Look what is in a workspace.

    Parameters
    ----------
    folder : str or path-like
        Of the workspace.

    Raises
    ------
    WorkspaceError
        If there is none, or it cannot be read.
    """
    folder = Path(folder)
    workspace = Workspace.open(folder)
    recordings = workspace.recordings()
    clusterings = [_clustering(workspace, name) for name in clustering_names(workspace)]
    groupings = [_grouping(workspace, name) for name in grouping_names(workspace)]
    galleries = _galleries(folder, clusterings, groupings)
    pending = _pending(folder)
    info = WorkspaceInfo(
        folder=str(folder),
        recordings=len(recordings),
        labelled=int(recordings["labelled"].sum()),
        unread=int(workspace.errors()["recording"].nunique()),
        duration_s=round(float(recordings["duration_s"].sum()), 3),
        species=sorted({name for cell in recordings["species"] for name in split_species(cell)}),
        syllables=int(recordings["n_syllables"].sum()),
        sizes=_sizes(folder),
        settings=workspace.settings.to_dict(),
        changed=_changed(workspace.settings),
        clusterings=clusterings,
        groupings=groupings,
        galleries=galleries,
        pending=pending,
        corrections=sum(len(b.review.edits) for b in read_log(workspace) if not b.undone),
        annotations=annotations_in(folder),
        evaluations=evaluations_in(folder),
        annotation=annotation_here(folder),
    )
    return replace(info, next=next_step(info))


def _changed(settings: Settings) -> dict[str, Any]:
    """Settings of the segmentation that are not the default."""
    usual = SegmentationParameters().to_dict()
    return {
        name: value
        for name, value in settings.segmentation.to_dict().items()
        if usual[name] != value
    }


def _clustering(workspace: Workspace, name: str) -> ClusteringInfo:
    path = workspace.folder / "clusterings" / name / "metrics.json"
    problem, base, modes, species = "", "", 0, 0
    try:
        clustering = read_clustering(workspace, name)
    except WorkspaceError as error:
        problem = str(error)
        parameters = json.loads(path.read_text(encoding="utf-8"))["parameters"]
    else:
        parameters = clustering.parameters
        base = assignments_digest(clustering.assignments)
        named = clustering.modes[clustering.modes["mode"] != ""]
        modes, species = len(named), int(named["species"].nunique())
    return ClusteringInfo(
        name=name,
        method=str(parameters.get("method") or ""),
        k=parameters.get("k"),
        written=written(path),
        modes=modes,
        species=species,
        batches=len(parameters.get("review", {}).get("batches", [])),
        base=base,
        problem=problem,
        metric=learned_metric(parameters),
    )


def _grouping(workspace: Workspace, name: str) -> GroupingInfo:
    problem, base, groups, bags = "", "", 0, 0
    parameters: dict[str, Any] = {}
    try:
        grouping = read_grouping(workspace, name)
    except WorkspaceError as error:
        problem = str(error)
    else:
        parameters = grouping.parameters
        base = grouping_digest(grouping)
        groups, bags = len(grouping.groups), int(grouping.groups["bags"].sum())
    return GroupingInfo(
        name=name,
        method=str(parameters.get("method") or ""),
        k=parameters.get("k"),
        written=written(workspace.folder / GROUPINGS / name / "metrics.json"),
        groups=groups,
        bags=bags,
        base=base,
        problem=problem,
    )


def _galleries(
    folder: Path, clusterings: list[ClusteringInfo], groupings: list[GroupingInfo]
) -> list[GalleryInfo]:
    of_base = {each.base: each.name for each in clusterings if each.base}
    bases = {each.base for each in groupings if each.base}
    found = []
    for marker in sorted((folder / "gallery").glob(f"[!.]*/{MARKER}")):
        data = gallery_data(marker.parent)
        base = str(data.get("base"))
        grouping: Mapping[str, Any] = data.get("grouping") or {}
        alone = bool(grouping.get("alone"))
        found.append(
            GalleryInfo(
                folder=marker.parent.relative_to(folder).as_posix(),
                clustering=of_base.get(base, "" if alone else marker.parent.name),
                grouping=str(grouping.get("name", "")),
                current=(alone or base in of_base)
                and (not grouping or grouping.get("base") in bases),
                written=written(marker),
            )
        )
    return found


def _pending(folder: Path) -> list[PendingInfo]:
    found = []
    for path in sorted((folder / "review").glob("pending-*.json")):
        try:
            review = read_review(path)
        except ReviewError:
            clustering, edits = "", 0
        else:
            clustering, edits = review.clustering, len(review.edits)
        found.append(PendingInfo(path.relative_to(folder).as_posix(), clustering, edits))
    return found


def _sizes(folder: Path) -> dict[str, int]:
    sizes = dict.fromkeys(PARTS, 0)
    sizes["others"] = 0
    for root, _, files in os.walk(folder):
        inside = Path(root).relative_to(folder).parts
        part = inside[0] if inside and inside[0] in PARTS else "others"
        for file in files:
            # Another command may be at work, and remove what it does not need any more.
            with contextlib.suppress(FileNotFoundError):
                sizes[part] += (Path(root) / file).lstat().st_size
    return {part: size for part, size in sizes.items() if size}
