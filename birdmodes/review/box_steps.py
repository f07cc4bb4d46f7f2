"""What corrections of the syllables themselves make of a clustering: which syllables it has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from birdmodes.review.box_edits import MisfitError, added_syllable, named_in, recording_of
from birdmodes.review.clusters import Cluster
from birdmodes.review.edits import Edit

Ints = npt.NDArray[np.int64]

UNPLACED = -1
"""Cluster of an added syllable until the batch ends."""


class SyllableState(Protocol):
    """What the steps need of a `birdmodes.review.state.ReviewState`."""

    syllables: npt.NDArray[Any]
    cluster: Ints
    mark: npt.NDArray[np.str_]
    moved: npt.NDArray[np.bool_]
    named: npt.NDArray[np.bool_]
    here: npt.NDArray[np.bool_]
    clusters: dict[int, Cluster]
    merged: dict[int, int]
    wanted: dict[int, str]
    placed: dict[str, int]

    def add_row(self, syllable: str) -> int: ...  # noqa: D102  see there
    def choose(self, rows: Ints, number: int) -> None: ...  # noqa: D102
    def missing(self, number: int) -> str: ...  # noqa: D102
    def some(self, syllables: Sequence[str]) -> tuple[Ints, list[str]]: ...  # noqa: D102
    def new_cluster(self, species: str, *, background: bool = False) -> int: ...  # noqa: D102


def _add_box(state: SyllableState, edit: Edit) -> list[str]:
    row = state.add_row(added_syllable(edit.values["recording"], edit.id))
    number, species = edit.values.get("cluster"), edit.values["species"]
    if number is not None and number in state.clusters:
        state.choose(np.array([row]), number)
        return []
    if species:
        state.wanted[row] = species
        state.moved[row] = True
    return [] if number is None else [state.missing(number)]


def _mend_box(state: SyllableState, edit: Edit) -> list[str]:
    _rows(state, edit)  # it stays in its mode
    return []


def _cut(state: SyllableState, edit: Edit) -> list[str]:
    rows, _ = _rows(state, edit)
    part = state.add_row(added_syllable(recording_of(edit.values["syllable"]), edit.id))
    # Both parts are what the whole was, until somebody says otherwise.
    for column in (state.cluster, state.mark, state.moved, state.named):
        column[part] = column[rows[0]]
    if rows[0] in state.wanted:
        state.wanted[part] = state.wanted[int(rows[0])]
    return []


def _join(state: SyllableState, edit: Edit) -> list[str]:
    rows, problems = _rows(state, edit)
    if len(rows) < 2:
        raise MisfitError("; ".join(problems))
    state.here[rows[1:]] = False
    return problems


def _discard(state: SyllableState, edit: Edit) -> list[str]:
    rows, problems = _rows(state, edit)
    state.here[rows] = False
    return problems


BOX_STEPS = {
    "add-box": _add_box,
    "mend-box": _mend_box,
    "cut": _cut,
    "join": _join,
    "discard": _discard,
}
"""What each action does to a `ReviewState`; gives what could not be done, in words."""


def place_added(state: SyllableState) -> None:
    """Give the syllables that were added a mode.

    That in `ReviewState.placed`, if it is still of the species that the person said; else the
    largest of that species, or a new one; of those of which nothing is known a cluster together.
    """
    for row in np.flatnonzero(state.here & (state.cluster == UNPLACED)):
        name, wanted = state.syllables[row], state.wanted.get(int(row), "")
        number = state.placed.get(name)
        while number in state.merged:
            number = state.merged[number]
        if (
            number is None
            or number not in state.clusters
            or (wanted and state.clusters[number].species != wanted)
        ):
            number = _largest(state, wanted)
        state.cluster[row] = state.placed[name] = number


def _largest(state: SyllableState, species: str) -> int:
    """Cluster of a species with the most syllables; a new one if there is none, or no species."""
    sizes = np.bincount(state.cluster[state.here & (state.cluster >= 0)])
    of_species = [
        number for number, found in state.clusters.items() if species and found.species == species
    ]
    if of_species:
        return max(of_species, key=lambda n: (sizes[n] if n < len(sizes) else 0, -n))
    return state.new_cluster(species)


def _rows(state: SyllableState, edit: Edit) -> tuple[Ints, list[str]]:
    return state.some(named_in(edit))
