"""What is in a workspace, and what to do next."""

from __future__ import annotations

import contextlib
import glob
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from birdmodes.errors import DamagedError, ReviewError, WorkspaceError
from birdmodes.gallery.folder import MARKER, gallery_data
from birdmodes.groups.grouping import grouping_digest, grouping_names, groupings, read_grouping
from birdmodes.info.annotations import (
    annotation_here,
    annotations_in,
    assigned_in,
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
from birdmodes.io.locks import lock_state
from birdmodes.io.paths import AnyPath
from birdmodes.io.result_files import METRICS
from birdmodes.labels.taxonomy import OtherName
from birdmodes.modes.clustering import (
    clustering_names,
    clusterings,
    learned_metric,
    read_parameters,
    used_features,
)
from birdmodes.modes.summary import PARTS as STATED
from birdmodes.modes.summary import ClusteringSummary, summary_of
from birdmodes.review.edits import read_review
from birdmodes.review.log import read_log
from birdmodes.segmentation.parameters import SegmentationParameters
from birdmodes.workspace.folder import LOCK
from birdmodes.workspace.gathering.folder_state import FolderState, entries_of, folder_state
from birdmodes.workspace.labels import changed_labels, outdated
from birdmodes.workspace.results import Results
from birdmodes.workspace.settings import Settings
from birdmodes.workspace.store import Workspace
from birdmodes.workspace.summaries.totals import totals, unread
from birdmodes.workspace.taxonomy import other_names

_TRIES = 3

PARTS = {
    "recordings": "recordings",
    "syllables": "syllables",
    "gathered": "copies to read fast",
    "clusterings": "clusterings",
    "groupings": "groups of recordings",
    "assigned": "new recordings in modes",
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
    Workspace.open(folder)
    lock, left = folder / LOCK, _TRIES
    while True:
        left -= 1
        before = lock_state(lock)
        try:
            found = _looked_at(folder)
        except Exception as error:
            # Exports and galleries are put in their places without the lock.
            moved = isinstance(error, FileNotFoundError)
            steady = before is not None and lock_state(lock) == before
            if not left or (steady and not moved):
                raise
            continue
        # Numbers of before and after what another command does would not fit each other. But if
        # one is at it for hours, who asks wants to see how far it is.
        steady = before is not None and lock_state(lock) == before
        if steady or before is None or not left:
            return replace(found, changing=not steady)


def _looked_at(folder: Path) -> WorkspaceInfo:
    workspace = Workspace.open(folder)
    damaged: list[str] = []
    states = {part: folder_state(folder / part) for part in STATED}
    digests = [states[part].digest for part in STATED]
    counted = totals(workspace, states["recordings"])
    old = _changed_labels(folder, damaged)
    label_files_changed = bool(old)
    modes = [
        _clustering(workspace, name, digests, damaged, old)
        for name in _names(clustering_names, clusterings(workspace), damaged)
    ]
    groups = [
        _grouping(workspace, name, damaged, old)
        for name in _names(grouping_names, groupings(workspace), damaged)
    ]
    annotations, evaluations = annotations_in(folder), evaluations_in(folder)
    here = annotation_here(folder)
    assigned = assigned_in(folder)
    problems = [each.problem for each in assigned]
    problems += [each.problem for each in annotations] + [each.problem for each in evaluations]
    problems += [] if here is None else [here.problem]
    names = {
        name: [other.text for other in others] for name, others in _other_names(workspace, damaged)
    }
    info = WorkspaceInfo(
        folder=str(folder),
        recordings=counted.recordings,
        labelled=counted.labelled,
        unread=_unread(workspace, damaged),
        duration_s=counted.duration_s,
        other_names=names,
        species=counted.species,
        syllables=counted.syllables,
        sizes=_sizes(folder, states),
        settings=workspace.settings.to_dict(),
        changed=_changed(workspace.settings),
        clusterings=modes,
        groupings=groups,
        galleries=_galleries(folder, modes, groups),
        pending=_pending(folder, damaged),
        corrections=_corrections(workspace, damaged),
        assigned=assigned,
        annotations=annotations,
        evaluations=evaluations,
        annotation=here,
        damaged=list(dict.fromkeys([*damaged, *filter(None, problems)])),
        outdated=old,
        label_files_changed=label_files_changed,
    )
    return replace(info, next=next_step(info))


def _names(
    names: Callable[[Workspace], list[str]], results: Results, damaged: list[str]
) -> list[str]:
    """Names of results, the newest last as far as that can be told."""
    try:
        return names(results.workspace)
    except DamagedError as error:
        damaged.append(str(error))
        return results.names(in_order=False)


def _unread(workspace: Workspace, damaged: list[str]) -> int:
    try:
        return unread(workspace)
    except DamagedError as error:
        damaged.append(str(error))
        return 0


def _other_names(workspace: Workspace, damaged: list[str]) -> list[tuple[str, list[OtherName]]]:
    try:
        return [*other_names(workspace).items()]
    except DamagedError as error:
        damaged.append(str(error))
        return []


def _corrections(workspace: Workspace, damaged: list[str]) -> int:
    try:
        return sum(len(batch.review.edits) for batch in read_log(workspace) if not batch.undone)
    except (DamagedError, ReviewError) as error:
        damaged.append(str(error))
        return 0


def _changed(settings: Settings) -> dict[str, Any]:
    """Settings of the segmentation that are not the default."""
    usual = SegmentationParameters().to_dict()
    return {
        name: value
        for name, value in settings.segmentation.to_dict().items()
        if usual[name] != value
    }


def _changed_labels(folder: Path, damaged: list[str]) -> list[str]:
    try:
        return changed_labels(folder)
    except WorkspaceError as error:
        damaged.append(str(error))
        return []


def _clustering(
    workspace: Workspace, name: str, digests: list[str], damaged: list[str], old: list[str]
) -> ClusteringInfo:
    problem = ""
    found = ClusteringSummary(base="", names="", modes=0, species=0)
    try:
        found = summary_of(workspace, name, digests)
    except DamagedError as error:
        problem = str(error)
        damaged.append(problem)
    except WorkspaceError as error:
        problem = str(error)
        found = replace(found, parameters=read_parameters(workspace, name))
    old += found.outdated
    parameters = found.parameters
    made = clusterings(workspace).folder(name) / METRICS
    return ClusteringInfo(
        name=name,
        method=str(parameters.get("method") or ""),
        k=parameters.get("k"),
        written=written(made),
        modes=found.modes,
        species=found.species,
        batches=len(parameters.get("review", {}).get("batches", [])),
        base=found.base,
        problem=problem,
        metric=learned_metric(parameters),
        features=used_features(parameters),
        names=found.names,
        other_labels=bool(found.outdated),
        exported=_is_exported(workspace, name, made),
    )


def _is_exported(workspace: Workspace, name: str, made: Path) -> bool:
    """Whether there is an export that is newer than a clustering, written as `made`."""
    if not made.exists():
        return False
    pattern = f"{glob.escape(name)}[-.]*"
    times = [path.stat().st_mtime_ns for path in (workspace.folder / "exports").glob(pattern)]
    return max(times, default=0) >= made.stat().st_mtime_ns


def _grouping(workspace: Workspace, name: str, damaged: list[str], old: list[str]) -> GroupingInfo:
    problem, base, groups, bags = "", "", 0, 0
    parameters: dict[str, Any] = {}
    try:
        grouping = read_grouping(workspace, name)
    except WorkspaceError as error:
        problem = str(error)
        if isinstance(error, DamagedError):
            damaged.append(problem)
    else:
        parameters = grouping.parameters
        old += outdated(workspace.recordings(), name, grouping.assignments, parameters)
        base = grouping_digest(grouping)
        groups, bags = len(grouping.groups), int(grouping.groups["bags"].sum())
    return GroupingInfo(
        name=name,
        method=str(parameters.get("method") or ""),
        k=parameters.get("k"),
        written=written(groupings(workspace).folder(name) / METRICS),
        groups=groups,
        bags=bags,
        base=base,
        problem=problem,
        features=used_features(parameters),
    )


def _galleries(
    folder: Path, clusterings: list[ClusteringInfo], groupings: list[GroupingInfo]
) -> list[GalleryInfo]:
    of_base = {each.base: each.name for each in clusterings if each.base}
    bases = {each.base for each in groupings if each.base}
    found = []
    beside = _markers(folder.absolute().parent)
    for marker in (*_markers(folder / "gallery"), *beside):
        data = gallery_data(marker.parent)
        base = str(data.get("base"))
        grouping: Mapping[str, Any] = data.get("grouping") or {}
        alone = bool(grouping.get("alone"))
        current = (alone or base in of_base) and (not grouping or grouping.get("base") in bases)
        if current or marker not in beside:  # what lies beside a workspace may be of another
            found.append(
                GalleryInfo(
                    folder=Path(os.path.relpath(marker.parent, folder)).as_posix(),
                    clustering=of_base.get(base, "" if alone else marker.parent.name),
                    grouping=str(grouping.get("name", "")),
                    current=current,
                    written=written(marker),
                )
            )
    return found


def _markers(folder: Path) -> list[Path]:
    """What marks the galleries in a folder."""
    try:
        with os.scandir(folder) as entries:
            names = sorted(each.name for each in entries if each.is_dir())
    except OSError:
        return []
    markers = (folder / name / MARKER for name in names if not name.startswith("."))
    return [marker for marker in markers if marker.is_file()]


def _pending(folder: Path, damaged: list[str]) -> list[PendingInfo]:
    found = []
    for path in sorted((folder / "review").glob("pending-*.json")):
        try:
            review = read_review(path)
        except ReviewError as error:
            clustering, edits = "", 0
            damaged.append(str(error))
        else:
            clustering, edits = review.clustering, len(review.edits)
        found.append(PendingInfo(path.relative_to(folder).as_posix(), clustering, edits))
    return found


def _sizes(folder: Path, states: Mapping[str, FolderState]) -> dict[str, int]:
    """Bytes on disk by part, those of `states` as they are told there."""
    sizes = dict.fromkeys([*PARTS, "others"], 0)
    sizes["others"], names = _looked_into(folder)
    for name in (name for name in names if name not in states):
        part, waiting = name if name in PARTS else "others", [folder / name]
        while waiting:
            place = waiting.pop()
            size, names_there = _looked_into(place)
            sizes[part] += size
            waiting += [place / each for each in names_there]
    sizes |= {part: state.size_bytes for part, state in states.items()}
    return {part: size for part, size in sizes.items() if size}


def _looked_into(folder: Path) -> tuple[int, list[str]]:
    """Bytes of the files of a folder, and the folders in it; of one that cannot be read, none."""
    size, folders = 0, []
    with contextlib.suppress(OSError), entries_of(folder) as entries:
        for entry in entries:
            try:
                if not entry.is_dir():
                    size += entry.stat(follow_symlinks=False).st_size
                elif not entry.is_symlink():
                    folders.append(entry.name)
            except FileNotFoundError:
                # Another command may be at work, and remove what it does not need any more.
                continue
    return size, folders
