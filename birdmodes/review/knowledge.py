"""What a person's corrections say about single syllables, for methods that can use it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pandas as pd

from algorithms import Bags
from algorithms.bags import Known
from birdmodes.review.edits import Edit
from birdmodes.review.log import Batch, read_base, read_log
from birdmodes.review.matching import match_rows
from birdmodes.review.state import MisfitError, ReviewState
from birdmodes.workspace.store import Workspace

Ints = npt.NDArray[np.int64]


@dataclass
class Knowledge:
    """What is known of syllables, by their rows in ``workspace.syllables()``.

    Attributes
    ----------
    species : dict of int to str
        Species of syllables that a person confirmed or moved; empty for noise.
    denied : dict of int to set of str
        Species that syllables are not of.
    mode : dict of int to tuple
        Syllables with the same value belong together, those with different ones apart.
    batches : list of int
        Batches of the log that it comes from.
    """

    species: dict[int, str] = field(default_factory=dict)
    denied: dict[int, set[str]] = field(default_factory=dict)
    mode: dict[int, tuple[int, int]] = field(default_factory=dict)
    batches: list[int] = field(default_factory=list)

    def summary(self) -> dict[str, int]:
        """Numbers for the parameters of a run."""
        noise = sum(not species for species in self.species.values())
        return {
            "species_known": len(self.species) - noise,
            "noise_known": noise,
            "not_of_species": len(self.denied),
            "modes_known": len(set(self.mode.values())),
        }


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
        _collect(knowledge, state, batch, match_rows(base, now), chain)
        reached = state.digest()
    return knowledge


def _collect(knowledge: Knowledge, state: ReviewState, batch: Batch, row: Ints, chain: int) -> None:
    """Add what a batch says; what it says otherwise than an earlier one counts."""
    whole: set[int] = set()
    for edit in batch.review.edits:
        with contextlib.suppress(MisfitError):
            state.apply(edit)
        whole |= _whole_modes(edit)
        if edit.action == "mark":
            _take_mark(knowledge, edit, row[state.rows(edit.values["syllables"])[0]])
    state.end_batch()
    where, species, review = state.where(), state.species(), state.review()
    sure = (review == "good") | (review == "moved")
    # A mode whose parts were told apart, or brought together, is known as a whole.
    together = (sure | np.isin(where, sorted(whole))) & (species != "")
    here = row >= 0
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


def with_knowledge(bags: Bags, knowledge: Knowledge) -> Bags:
    """Bags with what is known of their instances.

    Parameters
    ----------
    bags : Bags
        From `birdmodes.modes.find.workspace_bags`.
    knowledge : Knowledge
        Of the same syllables. Species that no recording is labelled with become classes.

    Returns
    -------
    Bags
        With ``known``.
    """
    extra = set(knowledge.species.values()) - set(bags.class_names) - {""}
    names = sorted({*bags.class_names, *extra})
    labels = pd.DataFrame(bags.labels, columns=pd.Index(bags.class_names))
    wide = labels.reindex(columns=names, fill_value=False).to_numpy(dtype=bool)
    column = {name: number for number, name in enumerate([*names, ""])}
    may_be = np.ones((bags.n_instances, len(column)), dtype=bool)
    for row, species in knowledge.species.items():
        may_be[row] = False
        may_be[row, column[species]] = True
    for row, denied in knowledge.denied.items():
        may_be[row, _columns(denied, column)] = False
    mode = np.full(bags.n_instances, -1, dtype=np.int64)
    rows = np.array(sorted(knowledge.mode), dtype=np.int64)
    if len(rows):
        keys = np.array([knowledge.mode[row] for row in rows.tolist()])
        mode[rows] = np.unique(keys, axis=0, return_inverse=True)[1].ravel()
    known = Known(may_be, mode)
    return Bags(bags.X, bags.bag, wide, bags.labelled, names, known=known)


def _columns(names: Iterable[str], column: dict[str, int]) -> list[int]:
    return [column[name] for name in names if name in column]
