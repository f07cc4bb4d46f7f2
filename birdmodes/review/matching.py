"""Corrections of one clustering carried over to another one, of the same sounds."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from birdmodes.review.apply import Conflict
from birdmodes.review.box_edits import (
    BOX_ACTIONS,
    Boxes,
    MisfitError,
    added_syllable,
    named_in,
    recording_of,
)
from birdmodes.review.box_steps import BOX_STEPS
from birdmodes.review.edits import Edit
from birdmodes.review.state import ReviewState

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

BOX = ["start_s", "end_s", "low_hz", "high_hz"]

MIN_IOU = 0.5
"""Syllables with other numbers are the same when their boxes overlap by more than this."""

_SAME = 1e-6


def match_rows(then: pd.DataFrame, now: pd.DataFrame) -> Ints:
    """Find the syllables of an earlier table in a later one.

    Parameters
    ----------
    then, now : pandas.DataFrame
        Columns syllable, recording, start_s, end_s, low_hz and high_hz.

    Returns
    -------
    ndarray of int64, shape (n_then,)
        Row of `now` that has the same name and the same box, else the one in the same recording
        whose box overlaps most, by intersection over union above `MIN_IOU`; -1 for none.
    """
    row = pd.Series(np.arange(len(now)), index=now["syllable"].to_numpy())
    found = row.reindex(then["syllable"].to_numpy()).fillna(-1).to_numpy().astype(np.int64)
    old, new = (table[BOX].to_numpy(dtype=float) for table in (then, now))
    same = np.zeros(len(then), dtype=bool)
    named = found >= 0
    same[named] = (np.abs(old[named] - new[found[named]]) <= _SAME).all(axis=1)
    found[~same] = -1
    rows_of = {str(name): rows for name, rows in now.groupby("recording").indices.items()}
    left = then[~same].groupby("recording").indices
    left_rows = np.flatnonzero(~same)
    for recording, positions in left.items():
        candidates = rows_of.get(str(recording))
        if candidates is not None:
            own = left_rows[positions]
            rows = np.asarray(candidates, dtype=np.int64)
            found[own] = _most_alike(old[own], new[rows], rows)
    return found


def match_after(then: pd.DataFrame, now: pd.DataFrame, edits: Iterable[Edit]) -> Ints:
    """Find the syllables that edits were made on in a later table, which may have their boxes.

    Parameters
    ----------
    then, now : pandas.DataFrame
        As for `match_rows`.
    edits : iterable of Edit
        Made on `then`.

    Returns
    -------
    ndarray of int64, shape (n_then,)
        As `match_rows`; where it has both, the syllable as the edits left it comes first.
    """
    of_boxes = [edit for edit in edits if edit.action in BOX_ACTIONS]
    if not of_boxes:
        return match_rows(then, now)
    boxes = then[BOX].itertuples(index=False, name=None)
    left = Boxes(dict(zip(then["syllable"], boxes, strict=True)))
    before = dict(left.box)
    for edit in of_boxes:
        with contextlib.suppress(MisfitError):
            left.apply(edit)
    moved = then["syllable"].map(lambda name: left.box.get(name, before[name]))
    after = then.assign(**dict(zip(BOX, np.array(moved.tolist()).T, strict=True)))
    found = match_rows(after, now)
    return np.where(found >= 0, found, match_rows(then, now))


def _most_alike(old: Floats, new: Floats, rows: Ints) -> Ints:
    best = np.full(len(old), -1, dtype=np.int64)
    area = (new[:, 1] - new[:, 0]) * (new[:, 3] - new[:, 2])
    for number, box in enumerate(old):
        time = np.minimum(box[1], new[:, 1]) - np.maximum(box[0], new[:, 0])
        band = np.minimum(box[3], new[:, 3]) - np.maximum(box[2], new[:, 2])
        common = np.maximum(time, 0.0) * np.maximum(band, 0.0)
        union = (box[1] - box[0]) * (box[3] - box[2]) + area - common
        iou = np.divide(common, union, out=np.zeros_like(common), where=union > 0)
        if len(iou) and iou.max() > MIN_IOU:
            best[number] = rows[int(iou.argmax())]
    return best


class Carrier:
    """Carry edits over from the state they were made on to another one.

    Both states take every edit, so that what an edit is about can always be looked up in the
    clusters as they are at that moment. A cluster corresponds to another one when each holds more
    than half of the other's syllables.

    Parameters
    ----------
    then : ReviewState
        State that the edits were made on; changed.
    now : ReviewState
        State to apply them to; changed.
    row : ndarray of int64
        For each row of `then` the row of `now`, or -1; from `match_rows`.
    """

    def __init__(self, then: ReviewState, now: ReviewState, row: Ints) -> None:
        self.then = then
        self.now = now
        self._known = row

    @property
    def _row(self) -> Ints:
        """For each row of `then` that of `now`, or -1; what edits added has one name in both."""
        added = self.then.syllables[len(self._known) :]
        rows = [self.now.row_of(name) for name in added]
        found = np.concatenate([self._known, np.array(rows, dtype=np.int64)])
        gone = (found >= 0) & ~self.now.here[found]
        return np.where(gone, -1, found)

    def apply_edits(self, edits: Iterable[Edit]) -> list[Conflict]:
        """Apply a batch of edits to both states.

        Returns
        -------
        list of Conflict
            What could not be done in `now`. The rest is.
        """
        conflicts = []
        for edit in edits:
            try:
                problems = self._carry(edit)
            except MisfitError as misfit:
                problems = [str(misfit)]
            conflicts += [Conflict(edit.id, edit.action, problem) for problem in problems]
        self.then.end_batch()
        return conflicts + [Conflict("", "", problem) for problem in self.now.end_batch()]

    def _carry(self, edit: Edit) -> list[str]:
        try:
            carried, problems = self._translate(edit)
        finally:
            self._follow(edit)
        for one in carried:
            problems += self.now.apply(one)
        return problems

    def _follow(self, edit: Edit) -> None:
        # What does not fit was a conflict already when it was first applied.
        with contextlib.suppress(MisfitError):
            self.then.apply(edit)

    def _translate(self, edit: Edit) -> tuple[list[Edit], list[str]]:
        """Edits of `now` that say the same, and what of it gets lost."""
        values = edit.values
        if edit.action in BOX_STEPS:
            return self._boxes(edit)
        if edit.action in ("rename", "species"):
            return [_with(edit, cluster=self._cluster(values["cluster"]))], []
        if edit.action == "merge":
            return self._merge(edit)
        if edit.action == "split":
            return self._split(edit)
        syllables, problems = self._syllables(values["syllables"])
        if edit.action == "move":
            target = self._cluster(values["cluster"])
            return [_with(edit, syllables=syllables, cluster=target)], problems
        if edit.action == "new-mode":
            return [_with(edit, syllables=syllables, cluster=self.now.fresh())], problems
        if values["as"] == "good":
            return self._good(edit, syllables), problems
        return [_with(edit, syllables=syllables)], problems

    def _boxes(self, edit: Edit) -> tuple[list[Edit], list[str]]:
        """What of it the syllables of now do not have already."""
        if edit.action == "add-box":
            return self._add_box(edit)
        rows, missing = self.then.rows(named_in(edit))
        found = self._row[rows]
        names = list(dict.fromkeys(self.now.syllables[found[found >= 0]].tolist()))
        if "syllables" not in edit.values:
            if not names:
                raise MisfitError("1 of 1 syllables are not here")
            part = added_syllable(recording_of(named_in(edit)[0]), edit.id)
            is_done = edit.action == "cut" and part in self.now
            return ([] if is_done else [_with(edit, syllable=names[0])]), []
        is_done = len(names) < (2 if edit.action == "join" else 1) and not missing
        return ([] if is_done else [_with(edit, syllables=names)]), []

    def _add_box(self, edit: Edit) -> tuple[list[Edit], list[str]]:
        values = {name: value for name, value in edit.values.items() if name != "cluster"}
        problems = []
        if "cluster" in edit.values:
            try:
                values["cluster"] = self._cluster(edit.values["cluster"])
            except MisfitError as misfit:
                problems.append(str(misfit))
        name = added_syllable(values["recording"], edit.id)
        if name in self.now and "cluster" not in values and not values["species"]:
            return [], problems
        return [Edit(edit.id, edit.at, edit.action, values)], problems

    def _merge(self, edit: Edit) -> tuple[list[Edit], list[str]]:
        numbers = edit.values["clusters"]
        with contextlib.suppress(MisfitError):
            if len({self._home(number) for number in numbers}) == 1:
                return [], []  # they are one cluster anyway
        clusters: list[int] = []
        problems: list[str] = []
        for number in numbers:
            try:
                clusters.append(self._cluster(number))
            except MisfitError as misfit:
                problems.append(str(misfit))
        if len(clusters) < 2:
            raise MisfitError("; ".join(problems))
        return [_with(edit, clusters=clusters)], problems

    def _split(self, edit: Edit) -> tuple[list[Edit], list[str]]:
        target = self._home(edit.values["cluster"])
        groups, problems = [], []
        for group in edit.values["groups"]:
            names, lost = self._syllables(group)
            groups.append(names)
            problems += lost
        first = self.now.fresh()
        new = list(range(first, first + len(groups) - 1))
        inside = self.now.where() == target
        if not any(inside[self.now.rows(group)[0]].any() for group in groups[1:]):
            return [], problems  # they lie apart already
        return [_with(edit, cluster=target, groups=groups, new_clusters=new)], problems

    def _good(self, edit: Edit, syllables: list[str]) -> list[Edit]:
        """A good example confirms its mode: what lies in another species' goes back there."""
        carried = []
        row_then = {int(now): then for then, now in enumerate(self._row) if now >= 0}
        rows, _ = self.now.rows(syllables)
        meant = self.then.species()[[row_then[int(row)] for row in rows]]
        where = self.then.where()
        away = rows[(meant != "") & (meant != self.now.species()[rows])]
        for row in away:
            target = self._cluster(int(where[row_then[int(row)]]))
            moved = {"syllables": [self.now.syllables[row]], "cluster": target}
            carried.append(Edit(edit.id, edit.at, "move", moved))
        return [*carried, _with(edit, syllables=syllables)]

    def _syllables(self, names: Sequence[str]) -> tuple[list[str], list[str]]:
        """Names that the syllables have now, and a line if some are not there any more."""
        rows, missing = self.then.rows(names)
        found = self._row[rows]
        missing += int((found < 0).sum())
        kept = list(dict.fromkeys(self.now.syllables[found[found >= 0]].tolist()))
        problems = [f"{missing} of {len(names)} syllables are not here"] if missing else []
        if not kept:
            raise MisfitError("; ".join(problems))
        return kept, problems

    def _overlap(self, number: int) -> tuple[Ints, Ints, Ints, int]:
        """Clusters of now that share syllables with a cluster of then.

        Their numbers, how many syllables each shares, how many each has, and how many of the
        cluster of then are still here; only syllables that both states have count.
        """
        here = self._row >= 0
        rows = self._row[here]
        inside = (self.then.where() == number)[here]
        size = int(inside.sum())
        where = self.now.where()[rows]
        names, common = np.unique(where[inside], return_counts=True)
        total = np.array([(where == name).sum() for name in names], dtype=np.int64)
        return names.astype(np.int64), common.astype(np.int64), total, size

    def _home(self, number: int) -> int:
        """Cluster of now that holds more than half of a cluster of then."""
        self._check(number)
        names, common, _, size = self._overlap(number)
        best = int(common.argmax()) if len(common) else 0
        if not size or 2 * common[best] <= size:
            raise MisfitError(
                f"the syllables of {self.then.describe(number)} are spread over "
                f"{len(names)} clusters now"
            )
        return int(names[best])

    def _cluster(self, number: int) -> int:
        """Cluster of now that corresponds to a cluster of then."""
        home = self._home(number)
        names, common, total, _ = self._overlap(number)
        place = int(np.flatnonzero(names == home)[0])
        if 2 * common[place] <= total[place]:
            raise MisfitError(
                f"{self.then.describe(number)} is a part of {self.now.describe(home)} now"
            )
        return home

    def _check(self, number: int) -> None:
        if number not in self.then.clusters:
            raise MisfitError(f"there was no cluster {number}")


def _with(edit: Edit, **changed: Any) -> Edit:
    values: Mapping[str, Any] = {**edit.values, **changed}
    return Edit(edit.id, edit.at, edit.action, values)
