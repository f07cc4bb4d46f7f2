"""What a person's corrections say about single syllables, for methods that can use it."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from birdmodes.modes.knowledge import Knowledge
from birdmodes.review.box_edits import MisfitError
from birdmodes.review.edits import Edit
from birdmodes.review.log import Batch, read_base, read_log
from birdmodes.review.matching import match_after
from birdmodes.review.state import ReviewState
from birdmodes.workspace.store import Workspace

Ints = npt.NDArray[np.int64]


def review_knowledge(workspace: Workspace) -> Knowledge:
    """Collect what the log says about the syllables that the workspace has now.

    Good examples, and syllables that were moved, are of their mode's species, and belong to it
    together. So do all syllables of modes that were merged; those of the parts of a mode that was
    split belong apart. Of noise the species is known too: none. That a whole cluster was given a
    species says nothing about each of its syllables.

    Parameters
    ----------
    workspace : Workspace
        With a log or without.
    """
    knowledge = Knowledge()
    now = workspace.syllables()
    chain, reached = 0, ""
    for batch in read_log(workspace):
        base = None if batch.undone else read_base(workspace, batch.review.base)
        if base is None:
            continue
        # Numbers of clusters mean the same as long as one batch goes on where another ended.
        chain += batch.review.base != reached
        state = ReviewState(base)
        matched = match_after(base, now, batch.review.edits)
        place = {name: at for at, name in enumerate(now["syllable"])}
        _collect(knowledge, state, batch, _Rows(matched, place), chain)
        reached = state.digest()
    return knowledge


class _Rows:
    """Rows that syllables of a state have now, -1 for none; those it adds keep their names."""

    def __init__(self, of_base: Ints, place: Mapping[str, int]) -> None:
        self._of_base, self._place = of_base, place

    def of(self, state: ReviewState) -> Ints:
        added = [self._place.get(name, -1) for name in state.syllables[len(self._of_base) :]]
        return np.concatenate([self._of_base, np.array(added, dtype=np.int64)])


def _collect(
    knowledge: Knowledge, state: ReviewState, batch: Batch, rows: _Rows, chain: int
) -> None:
    """Add what a batch says; what it says otherwise than an earlier one counts."""
    whole: set[int] = set()
    for edit in batch.review.edits:
        with contextlib.suppress(MisfitError):
            state.apply(edit)
        whole |= _whole_modes(edit)
        if edit.action == "mark":
            marked = state.rows(edit.values["syllables"])[0]
            _take_mark(knowledge, edit, rows.of(state)[marked])
    state.end_batch()
    row = rows.of(state)
    where, species, review = state.where(), state.species(), state.review()
    sure = (review == "good") | (review == "moved")
    # A mode whose parts were told apart, or brought together, is known as a whole.
    together = (sure | np.isin(where, sorted(whole))) & (species != "")
    here = state.here & (row >= 0)
    for then in np.flatnonzero(here & (sure & (species != "") | (review == "noise"))):
        knowledge.species[int(row[then])] = str(species[then])
        knowledge.denied.pop(int(row[then]), None)
    for then in np.flatnonzero(here & together):
        knowledge.mode[int(row[then])] = (chain, int(where[then]))
    knowledge.batches.append(batch.number)


def _whole_modes(edit: Edit) -> set[int]:
    if edit.action == "split":
        return {edit.values["cluster"], *edit.values["new_clusters"]}
    return {edit.values["clusters"][0]} if edit.action == "merge" else set()


def _take_mark(knowledge: Knowledge, edit: Edit, rows: Ints) -> None:
    """A mark takes back what was said before, and may deny a species."""
    for row in rows[rows >= 0].tolist():
        knowledge.species.pop(row, None)
        knowledge.mode.pop(row, None)
        if edit.values["as"] == "not-species":
            knowledge.denied.setdefault(row, set()).add(edit.values["species"])
        else:
            knowledge.denied.pop(row, None)
