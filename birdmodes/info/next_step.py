"""Which command comes next in a workspace."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from birdmodes.info.model import AnnotationInfo, GroupingInfo, NextStep, WorkspaceInfo
from birdmodes.workspace.commands import command_line


class _Step(Protocol):
    def __call__(self, reason: str, *words: str) -> NextStep: ...


def next_step(info: WorkspaceInfo) -> NextStep | None:
    """Find the next useful command, if there is one.

    Parameters
    ----------
    info : WorkspaceInfo
        What there is.
    """
    place = Path(info.folder)
    usable = [clustering for clustering in info.clusterings if not clustering.problem]
    groupings = [grouping for grouping in info.groupings if not grouping.problem]
    grouping = groupings[-1] if groupings else None
    pending = next((pending for pending in info.pending if pending.edits), None)

    def step(reason: str, *words: str) -> NextStep:
        return NextStep(command_line(*words, folder=info.folder), reason)

    if info.annotation is not None:
        return _after_annotation(info, info.annotation, step)
    if not info.syllables:
        reason = (
            "no syllables were found: see errors.csv, and whether the recordings are silent"
            if info.recordings or info.unread
            else "no recordings are segmented yet"
        )
        return step(reason, "segment", "RECORDINGS")
    if not info.clusterings and grouping is not None and not _shown(grouping, info):
        return step(f"{grouping.name} has no gallery of its present state here", "gallery")
    if not info.species:
        lacking = (
            "every species list is empty" if info.labelled else "no recording has a species list"
        )
        return step(
            f"{lacking}, without which sounds get no names (but 'birdmodes cluster --method m3ic' "
            "can group the recordings)",
            *("segment", "RECORDINGS", "--labels", "FILE"),
        )
    if not info.clusterings and (info.annotations or info.evaluations):
        return _for_annotating(info, step)
    if not usable:
        reason = "the syllables have changed" if info.clusterings else "no clustering yet"
        return step(reason, "cluster")
    if pending is not None:
        return step(
            "corrections are saved, but not applied",
            *("review", "apply", str(place / pending.file)),
        )
    newest = usable[-1]
    if info.label_files_changed:
        return step("label files have changed since they were read", "segment", "RECORDINGS")
    if newest.other_labels:
        return step(f"the labels have changed since {newest.name} was made", "cluster")
    galleries = [g for g in info.galleries if g.current and g.clustering == newest.name]
    if not galleries:
        return step(f"{newest.name} has no gallery of its present state here", "gallery")
    # One that was asked to leave out the groups is newer than they are.
    if grouping is not None and not any(
        gallery.grouping == grouping.name or gallery.written >= grouping.written
        for gallery in galleries
    ):
        return step(f"the gallery of {newest.name} does not show {grouping.name} yet", "gallery")
    if newest.exported:
        return None
    if not newest.batches:
        return step(f"{newest.name} is not reviewed", "review")
    return step(f"{newest.name} is reviewed", "export", "--format", "raven")


def _after_annotation(
    info: WorkspaceInfo, annotation: AnnotationInfo, step: _Step
) -> NextStep | None:
    """What to do with annotated recordings."""
    if not annotation.named or not any(not each.problem for each in info.clusterings):
        return None
    if not any(gallery.current for gallery in info.galleries):
        return step("the named syllables have no gallery here: look and listen", "gallery")
    return step("the named syllables can be taken to Raven", "export", "--format", "raven")


def _for_annotating(info: WorkspaceInfo, step: _Step) -> NextStep:
    """What to do where recordings serve to annotate others, and are not clustered."""
    annotated = [each for each in info.annotations if not each.problem]
    evaluated = [each for each in info.evaluations if not each.problem]
    if annotated:
        newest = annotated[-1]
        if newest.method in {each.method for each in evaluated}:
            reason = f"{newest.folder} is evaluated; the recordings here have no modes yet"
            return step(reason, "cluster")
        reason = f"how good {newest.folder} is can be tried out on the recordings with lists"
        return step(reason, "evaluate", "--method", newest.method)
    best = max(evaluated, key=lambda each: each.micro_f1 or 0.0, default=None)
    if best is None:
        return step("no annotations and no evaluation can be read", "evaluate")
    reason = f"{best.method} is evaluated, and no new recordings are annotated here"
    return step(reason, "annotate", "NEW_RECORDINGS", "--method", best.method)


def _shown(grouping: GroupingInfo, info: WorkspaceInfo) -> bool:
    return any(g.current and g.grouping == grouping.name for g in info.galleries)
