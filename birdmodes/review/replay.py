"""All corrections of a clustering applied to what the method made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from birdmodes.modes.clustering import Clustering
from birdmodes.modes.model import clustering_space, features_of
from birdmodes.review.apply import Conflict, apply_edits, reviewed_clustering, start_state
from birdmodes.review.box_edits import added_syllable
from birdmodes.review.log import Batch, read_base
from birdmodes.review.matching import Carrier, match_after
from birdmodes.review.mended.fit import Fit
from birdmodes.review.state import ReviewState
from birdmodes.workspace.bags import bags_with
from birdmodes.workspace.store import Workspace


@dataclass(frozen=True)
class Reviewed:
    """A clustering with corrections.

    Attributes
    ----------
    clustering : Clustering
        With them applied.
    conflicts : list of Conflict
        What could not be done, of all batches.
    n_edits : int
        Edits that are new; 0 where everything had been applied before.
    batch : int or None
        Number of the new batch in the log.
    """

    clustering: Clustering
    conflicts: list[Conflict]
    n_edits: int = 0
    batch: int | None = None


def replay(
    workspace: Workspace,
    original: Clustering,
    batches: Sequence[Batch],
    bases: dict[str, pd.DataFrame],
    *,
    dry_run: bool = False,
    on_step: Callable[[str], None] | None = None,
) -> Reviewed:
    """Apply batches to what a method made; those of another state are carried over.

    Parameters
    ----------
    workspace : Workspace
        Its syllables have been mended as the log says.
    original : Clustering
        As the method made it.
    batches : sequence of Batch
        Those that the clustering is to have.
    bases : dict of str to pandas.DataFrame
        States that are not kept yet, by digest.
    dry_run : bool
        Only find the conflicts; the clustering comes back as it is.
    on_step : callable, optional
        Called with a line at the start of each step.
    """
    say = on_step or (lambda _: None)
    fit = None if dry_run else Fit(workspace, original)
    if fit is not None and not fit.is_needed:
        fit = None
    if not batches and fit is None:
        return Reviewed(original, [])
    placed: dict[str, tuple[int, float]] = {}
    if fit is not None:
        say("placing new syllables")
        placed = fit.places_of_added(_wanted(batches))
    state = start_state(original, {name: number for name, (number, _) in placed.items()})
    conflicts: list[Conflict] = []
    for batch in batches:
        conflicts += _apply(workspace, state, batch, bases, original)
    if dry_run:
        return Reviewed(original, conflicts)
    say("counting anew")
    started = original
    if fit is not None:
        started = fit.clustering({name: score for name, (_, score) in placed.items()})
    # Boxes that did not fit are in the state, and not in the workspace.
    state = state.of(started.assignments["syllable"].tolist())
    features = features_of(workspace, started)
    bags = bags_with(workspace.recordings(), workspace.syllables(["bag"]), features)
    made = reviewed_clustering(
        started,
        state,
        clustering_space(workspace, started),
        bags,
        about={"batches": [batch.number for batch in batches], "conflicts": len(conflicts)},
        disturbed=() if fit is None else fit.disturbed(),
    )
    return Reviewed(made, conflicts)


def _apply(
    workspace: Workspace,
    state: ReviewState,
    batch: Batch,
    bases: dict[str, pd.DataFrame],
    original: Clustering,
) -> list[Conflict]:
    edits = batch.review.edits
    base = bases.get(batch.review.base)
    if state.digest() == batch.review.base:
        found = apply_edits(state, edits)
    elif base is not None or (base := read_base(workspace, batch.review.base)) is not None:
        rows = match_after(base, original.assignments, edits)
        found = Carrier(ReviewState(base), state, rows).apply_edits(edits)
    else:
        problem = "what it was made on is missing in review/bases"
        found = [Conflict(edit.id, edit.action, problem) for edit in edits]
    return [replace(conflict, batch=batch.number) for conflict in found]


def _wanted(batches: Sequence[Batch]) -> dict[str, str]:
    """Species that persons said of the sounds they added."""
    return {
        added_syllable(edit.values["recording"], edit.id): edit.values["species"]
        for batch in batches
        for edit in batch.review.edits
        if edit.action == "add-box"
    }
