"""The log's boxes in the workspace: which recordings' syllables they change, and to what.

The log says what every recording's syllables are to be; bringing the workspace there again does
nothing. Where a recording has been segmented anew, its syllables are found by their place.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import pandas as pd
import pyarrow as pa

from birdmodes.errors import BirdmodesError
from birdmodes.io.printing import shown
from birdmodes.review.apply import Conflict
from birdmodes.review.box_edits import (
    BOX_ACTIONS,
    Box,
    Boxes,
    MisfitError,
    box_of,
    named_in,
    overlap,
    recordings_of,
)
from birdmodes.review.edits import Edit
from birdmodes.review.log import Batch, read_base, read_log
from birdmodes.review.matching import BOX, MIN_IOU
from birdmodes.workspace.mending import (
    boxes_in,
    found_rows,
    is_mended_to,
    mended_table,
)
from birdmodes.workspace.store import Workspace


@dataclass(frozen=True)
class Mending:
    """What is to be done to a workspace so that it has the log's boxes.

    Attributes
    ----------
    tables : dict of str to pyarrow.Table
        Syllables of the recordings that have to change.
    conflicts : list of Conflict
        What of the log does not fit.
    """

    tables: dict[str, pa.Table] = field(default_factory=dict)
    conflicts: list[Conflict] = field(default_factory=list)

    def write(self, workspace: Workspace) -> None:
        """Do it; the workspace must be locked, and may be killed between two recordings."""
        for recording, table in self.tables.items():
            workspace.mend(recording, table)


def plan_mending(
    workspace: Workspace,
    batches: Sequence[Batch],
    bases: Mapping[str, pd.DataFrame] | None = None,
    *,
    measure: bool = True,
) -> Mending:
    """Find out what the log's boxes make of the recordings that they are about.

    Parameters
    ----------
    workspace : Workspace
        Where.
    batches : sequence of Batch
        The log; what was undone is left out.
    bases : mapping of str to pandas.DataFrame, optional
        States of clusterings that are not kept yet, by digest.
    measure : bool
        Measure the sounds in new boxes; else only the conflicts are found.

    Raises
    ------
    BirdmodesError
        If a recording cannot be read.
    """
    plan = Mending()
    active = [batch for batch in batches if not batch.undone]
    touched = {name for b in active for edit in b.review.edits for name in recordings_of(edit)}
    rows = {}
    if touched or workspace.found.folder.is_dir():
        rows = {row["recording"]: row for row in workspace.recording_rows()}
    touched |= set(workspace.mended(rows))
    for recording in sorted(touched):
        if recording not in rows:
            plan.conflicts.extend(_not_here(recording, active))
            continue
        boxes, conflicts = _boxes_of(workspace, recording, active, bases or {})
        plan.conflicts.extend(conflicts)
        outside = _outside(boxes, rows[recording]["duration_s"], workspace)
        plan.conflicts.extend(Conflict("", "", f"{name}: outside of it") for name in outside)
        boxes = {name: box for name, box in boxes.items() if name not in outside}
        if measure and not is_mended_to(workspace, recording, boxes):
            plan.tables[recording] = _table(workspace, rows[recording], boxes)
    return plan


def mend_again(workspace: Workspace) -> list[Conflict]:
    """Bring the log's boxes into recordings that were segmented anew.

    Returns
    -------
    list of Conflict
        What does not fit any more; it stays in the log. Empty if no recording had to change.
    """
    batches = read_log(workspace)
    if not any(edit.action in BOX_ACTIONS for b in batches for edit in b.review.edits):
        return []
    with workspace.writing():
        plan = plan_mending(workspace, batches)
        plan.write(workspace)
    return plan.conflicts


def _table(workspace: Workspace, row: dict[str, object], boxes: dict[str, Box]) -> pa.Table:
    try:
        return mended_table(workspace, row, boxes)
    except BirdmodesError as error:
        raise BirdmodesError(
            f"{error}; the sounds in new boxes cannot be measured without it, so nothing was "
            "applied: put it back, or take its boxes out of the review"
        ) from error


def _not_here(recording: str, batches: Sequence[Batch]) -> list[Conflict]:
    problem = f"{shown(recording)} is not in the workspace"
    return [
        Conflict(edit.id, edit.action, problem, batch.number)
        for batch in batches
        for edit in batch.review.edits
        if recording in recordings_of(edit)
    ]


def _outside(boxes: Mapping[str, Box], duration_s: float, workspace: Workspace) -> list[str]:
    highest_hz = workspace.settings.segmentation.nyquist_hz
    return [name for name, box in boxes.items() if box[0] >= duration_s or box[2] >= highest_hz]


def _boxes_of(
    workspace: Workspace,
    recording: str,
    batches: Sequence[Batch],
    bases: Mapping[str, pd.DataFrame],
) -> tuple[dict[str, Box], list[Conflict]]:
    """Syllables that a recording is to have, and what of the log does not fit."""
    now = Boxes(boxes_in(found_rows(workspace, recording)))
    conflicts: list[Conflict] = []
    for batch in batches:
        edits = [edit for edit in batch.review.edits if recording in recordings_of(edit)]
        if not edits:
            continue
        base = bases.get(batch.review.base)
        if base is None:
            base = read_base(workspace, batch.review.base)
        if base is None:
            problem = "what it was made on is missing in review/bases"
            conflicts += [Conflict(e.id, e.action, problem, batch.number) for e in edits]
            continue
        mine = base[base["recording"] == recording]
        boxes = mine[BOX].itertuples(index=False, name=None)
        carrier = _BoxCarrier(Boxes(dict(zip(mine["syllable"], boxes, strict=True))), now)
        for edit in edits:
            conflicts += [replace(c, batch=batch.number) for c in carrier.carry(edit, recording)]
    return now.box, conflicts


class _BoxCarrier:
    """Carry box edits of one recording from the syllables that they were made on to those of now.

    A syllable is the one of the same name, if that overlaps with it, else the one that overlaps
    most; both above `MIN_IOU`.
    """

    def __init__(self, then: Boxes, now: Boxes) -> None:
        self.then, self.now = then, now
        self._first_then, self._first_now = dict(then.box), dict(now.box)

    def carry(self, edit: Edit, recording: str) -> list[Conflict]:
        """Apply an edit to both; gives what could not be done now."""
        if edit.action == "discard":  # it may name syllables of several recordings
            mine = [name for name in named_in(edit) if name.rpartition("#")[0] == recording]
            edit = replace(edit, values={**edit.values, "syllables": mine})
        try:
            carried = self._translate(edit)
            problems = [] if carried is None else self.now.apply(carried)
        except MisfitError as misfit:
            problems = [str(misfit)]
        with contextlib.suppress(MisfitError):
            self.then.apply(edit)
        return [Conflict(edit.id, edit.action, f"{recording}: {text}") for text in problems]

    def _translate(self, edit: Edit) -> Edit | None:
        """The edit with today's names; None where it is so already."""
        if edit.action == "add-box":
            self._make_room(box_of(edit))
            return edit
        names = list(dict.fromkeys(filter(None, map(self._today, named_in(edit)))))
        if edit.action == "discard":
            return _with(edit, syllables=names) if names else None
        if edit.action == "join":
            if not names:
                raise MisfitError("none of these syllables is found any more")
            return _with(edit, syllables=names) if len(names) > 1 else None
        if not names and edit.action == "mend-box":
            # Perhaps it is found now where the person put it.
            best, iou = overlap(box_of(edit), self.now.box)
            names = [best] if iou > MIN_IOU else []
        if not names:
            raise MisfitError("this syllable is not found any more")
        return _with(edit, syllable=names[0])

    def _make_room(self, box: Box) -> None:
        """Let a drawn box take the place of what is found there now and was not found then."""
        best, iou = overlap(box, self.now.box)
        if iou > MIN_IOU and overlap(self.now.box[best], self.then.box)[1] <= MIN_IOU:
            del self.now.box[best]

    def _today(self, name: str) -> str:
        """Name of a syllable of then now, or empty."""
        if name not in self._first_then:
            return name if name in self.now.box else ""  # added by this batch
        before = self._first_then[name]
        same = self._first_now.get(name)
        found = name if same and overlap(before, {name: same})[1] > MIN_IOU else ""
        if not found:
            best, iou = overlap(before, self._first_now)
            found = best if iou > MIN_IOU else ""
        return found if found in self.now.box else ""


def _with(edit: Edit, **values: object) -> Edit:
    return replace(edit, values={**edit.values, **values})
