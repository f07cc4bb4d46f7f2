"""Which command comes next in a workspace."""

from __future__ import annotations

import shlex
from pathlib import Path

from birdmodes.info_model import GroupingInfo, NextStep, WorkspaceInfo
from birdmodes.workspace import DEFAULT_FOLDER


def next_step(info: WorkspaceInfo) -> NextStep:
    """Find the next useful command.

    Parameters
    ----------
    info : WorkspaceInfo
        What there is.
    """
    place = Path(info.folder)
    where = [] if info.folder == DEFAULT_FOLDER else ["--workspace", info.folder]
    usable = [clustering for clustering in info.clusterings if not clustering.problem]
    groupings = [grouping for grouping in info.groupings if not grouping.problem]
    grouping = groupings[-1] if groupings else None
    pending = next((pending for pending in info.pending if pending.edits), None)

    def step(reason: str, *words: str) -> NextStep:
        return NextStep(shlex.join(["birdmodes", *words, *where]), reason)

    if not info.syllables:
        reason = (
            "no syllables were found: see errors.csv, and whether the recordings are silent"
            if info.recordings or info.unread
            else "no recordings are segmented yet"
        )
        return step(reason, "segment", "RECORDINGS")
    if not info.clusterings and grouping is not None and not _shown(grouping, info):
        return step(f"{grouping.name} has no gallery of its present state here", "gallery")
    if not info.labelled:
        return step(
            "no recording has a species list, without which sounds get no names (but 'birdmodes "
            "cluster --method m3ic' can group the recordings)",
            *("segment", "RECORDINGS", "--labels", "FILE"),
        )
    if not usable:
        reason = "the syllables have changed" if info.clusterings else "no clustering yet"
        return step(reason, "cluster")
    if pending is not None:
        return step(
            "corrections are saved, but not applied",
            *("review", "apply", str(place / pending.file)),
        )
    newest = usable[-1]
    galleries = [g for g in info.galleries if g.current and g.clustering == newest.name]
    if not galleries:
        return step(f"{newest.name} has no gallery of its present state here", "gallery")
    if grouping is not None and all(grouping.written > gallery.written for gallery in galleries):
        return step(f"the gallery of {newest.name} does not show {grouping.name} yet", "gallery")
    if not newest.batches:
        return step(f"{newest.name} is not reviewed", "review")
    return step(f"{newest.name} is reviewed", "export", "--format", "raven")


def _shown(grouping: GroupingInfo, info: WorkspaceInfo) -> bool:
    return any(g.current and g.grouping == grouping.name for g in info.galleries)
