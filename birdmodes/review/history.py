"""Corrections applied to a workspace's clusterings, taken back, and applied again."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

from birdmodes.errors import DamagedError, ReviewError, WorkspaceError
from birdmodes.io.files import atomic_path
from birdmodes.io.paths import AnyPath
from birdmodes.io.stored import damaged
from birdmodes.modes.clustering import (
    Clustering,
    clustering_names,
    read_clustering,
    read_original,
    write_clustering,
)
from birdmodes.modes.digest import assignments_digest
from birdmodes.modes.model import features_of
from birdmodes.review.apply import Conflict, apply_edits, reviewed_clustering, start_state
from birdmodes.review.edits import Edit, Review, read_review
from birdmodes.review.log import (
    LOG_REMEDY,
    Batch,
    base_table,
    keep_base,
    log_path,
    mark_undone,
    new_batch,
    read_base,
    read_log,
    review_folder,
    write_log,
)
from birdmodes.review.matching import Carrier, match_rows
from birdmodes.review.state import ReviewState
from birdmodes.review.suggestions import clustering_space
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


def check_corrections(workspace: Workspace) -> None:
    """See that the log, and what its corrections were made on, can be read.

    Raises
    ------
    ReviewError
        If the log is damaged.
    DamagedError
        If one of their files is.
    """
    for batch in read_log(workspace):
        if not batch.undone:
            read_base(workspace, batch.review.base)


def reapply(workspace: Workspace, clustering: Clustering) -> Reviewed:
    """Apply the whole log to a clustering that has just been made.

    Parameters
    ----------
    workspace : Workspace
        With the log.
    clustering : Clustering
        As the method made it.
    """
    batches = [batch for batch in read_log(workspace) if not batch.undone]
    return _replay(workspace, clustering, batches, {})


def apply_review(
    workspace: Workspace,
    review: Review,
    *,
    clustering: str | None = None,
    file: AnyPath | None = None,
    dry_run: bool = False,
) -> Reviewed:
    """Take a review into the log and into its clustering.

    Edits that are in the log already are not applied twice.

    Parameters
    ----------
    workspace : Workspace
        Where.
    review : Review
        From `birdmodes.review.edits.read_review`.
    clustering : str, optional
        Apply it to this clustering instead of the one it names.
    file : str or path-like, optional
        Where `review` was read from. A copy of it is kept in the log's folder; a file in that
        folder is moved, as what is pending is then done.
    dry_run : bool
        Only find out what would happen.

    Raises
    ------
    BirdmodesError
        If there is no such clustering, the state that the review was made on is not known here,
        or another process is writing.
    """
    file = None if file is None else Path(file)
    with workspace.writing():
        name = clustering or review.clustering
        current = read_clustering(workspace, name)
        batches = read_log(workspace)
        _check_log_has(workspace, batches, current)
        applied = _numbers(current)
        known = {e.id: b for b in batches if not b.undone for e in b.review.edits}
        wanted = {known[edit.id].number for edit in review.edits if edit.id in known}
        fresh = tuple(edit for edit in review.edits if edit.id not in known)
        if not fresh and wanted <= applied:
            if not dry_run:
                _put_away(workspace, review, file, max(wanted, default=None), name)
            return Reviewed(current, [])
        before = [b for b in batches if not b.undone and b.number in applied | wanted]
        bases = {review.base: _base_of(workspace, review, current)}
        added = []
        if fresh:
            own = _only(replace(review, clustering=name), fresh, bases)
            added = [new_batch(batches, own)]
        result = _replay(workspace, read_original(workspace, name), before + added, bases)
        number = added[0].number if added else None
        if not dry_run:
            for table in (base_table(current), *bases.values()):
                keep_base(workspace, table)
            write_log(workspace, batches + added)
            _store(workspace, result.clustering)
            _put_away(workspace, review, file, number or max(wanted, default=None), name)
        return replace(result, n_edits=len(fresh), batch=number)


@dataclass(frozen=True)
class Undone:
    """A batch that was taken back.

    Attributes
    ----------
    batch : Batch
        What was taken back. It stays in the log.
    reviewed : list of Reviewed
        The clusterings that had it, made again from what the method found and the other batches.
    damaged : list of str
        Lines about clusterings that cannot be read, and so may still have it.
    """

    batch: Batch
    reviewed: list[Reviewed]
    damaged: list[str]


def undo_last(workspace: Workspace, clustering: str | None = None) -> Undone:
    """Take back the last batch of the log.

    If the program is killed meanwhile, the batch counts as not taken back, and the next call
    finishes what this one has begun.

    Parameters
    ----------
    workspace : Workspace
        Where.
    clustering : str, optional
        The last one that was made on this clustering.

    Raises
    ------
    ReviewError
        If there is nothing to take back.
    """
    with workspace.writing():
        batches = read_log(workspace)
        open_ones = [
            batch
            for batch in batches
            if not batch.undone and clustering in (None, batch.review.clustering)
        ]
        if not open_ones:
            raise ReviewError(f"{workspace.folder}: no corrections to take back")
        last = open_ones[-1]
        remaining = mark_undone(batches, last.number)
        having, unread = _clusterings_with(workspace, last)
        reviewed = []
        for current in having:
            _check_log_has(workspace, batches, current)
            numbers = _numbers(current)
            kept = [b for b in remaining if not b.undone and b.number in numbers]
            original = read_original(workspace, current.name)
            reviewed.append(_replay(workspace, original, kept, {}))
        for current, result in zip(having, reviewed, strict=True):
            keep_base(workspace, base_table(current))
            _store(workspace, result.clustering)
        write_log(workspace, remaining)
        return Undone(last, reviewed, unread)


def _clusterings_with(workspace: Workspace, batch: Batch) -> tuple[list[Clustering], list[str]]:
    """The clusterings that have a batch, and lines about those that are damaged."""
    having, unread = [], []
    workspace.syllables(["syllable"])  # where these are damaged, no clustering can be read
    for name in clustering_names(workspace):
        try:
            current = read_clustering(workspace, name)
        except DamagedError as error:
            unread.append(str(error))
        except WorkspaceError:
            continue  # of syllables that are not there any more
        else:
            if batch.number in _numbers(current):
                having.append(current)
    return having, unread


def _check_log_has(workspace: Workspace, batches: list[Batch], current: Clustering) -> None:
    """Refuse a log that has lost what a clustering has."""
    lost = sorted(_numbers(current) - {batch.number for batch in batches})
    if lost:
        raise damaged(
            log_path(workspace),
            f"batch {lost[0]}, which {current.name} has, is missing",
            f"{LOG_REMEDY}, and run 'birdmodes cluster --name {current.name}' again",
        )


def store_made(workspace: Workspace, made: Clustering, reviewed: Clustering) -> Path:
    """Store a clustering that has just been made.

    The state of the one that it replaces is kept, so that a review of that can still be applied.

    Parameters
    ----------
    workspace : Workspace
        Where.
    made : Clustering
        As the method made it.
    reviewed : Clustering
        The same with corrections, or as it is.

    Returns
    -------
    pathlib.Path
        Its folder.
    """
    with workspace.writing():
        if made.name in clustering_names(workspace):
            # Nobody can review one of syllables that are not there any more, or that is damaged.
            with contextlib.suppress(WorkspaceError):
                keep_base(workspace, base_table(read_clustering(workspace, made.name)))
        original = made if _numbers(reviewed) else None
        return write_clustering(workspace, reviewed, original=original)


def _store(workspace: Workspace, clustering: Clustering) -> None:
    original = read_original(workspace, clustering.name)
    if _numbers(clustering):
        write_clustering(workspace, clustering, original=original)
    else:
        write_clustering(workspace, original)


def _numbers(clustering: Clustering) -> set[int]:
    """Batches that a clustering has."""
    return set(clustering.parameters.get("review", {}).get("batches", []))


def _base_of(workspace: Workspace, review: Review, current: Clustering) -> pd.DataFrame:
    if assignments_digest(current.assignments) == review.base:
        return base_table(current)
    base = read_base(workspace, review.base)
    if base is None and review.clustering != current.name:
        with contextlib.suppress(WorkspaceError):
            other = read_clustering(workspace, review.clustering)
            if assignments_digest(other.assignments) == review.base:
                return base_table(other)
    if base is None:
        raise ReviewError(
            f"the review was made on a state of {review.clustering!r} that is not kept in "
            f"{workspace.folder} (base {review.base[:12]}...); give its --workspace, or build the "
            "gallery again and make the corrections there"
        )
    return base


def _only(review: Review, fresh: tuple[Edit, ...], bases: dict[str, pd.DataFrame]) -> Review:
    """The part of a review that is new, and the state that this part was made on."""
    new = {edit.id for edit in fresh}
    known = [edit for edit in review.edits if edit.id not in new]
    if not known:
        return review
    base = bases[review.base]
    state = ReviewState(base)
    # The batch has not ended: the numbers of the new edits' clusters follow those of these edits.
    apply_edits(state, known, end_batch=False)
    numbers = {number: found.background for number, found in state.clusters.items()}
    table = base.assign(cluster=state.where(), species=state.species(), mode=state.modes())
    table["background"] = [numbers.get(int(n), False) for n in table["cluster"]]
    digest = state.digest()
    bases[digest] = table
    return replace(review, base=digest, edits=fresh)


def _replay(
    workspace: Workspace,
    original: Clustering,
    batches: Sequence[Batch],
    bases: dict[str, pd.DataFrame],
) -> Reviewed:
    """Apply batches to what a method made; those of another state are carried over."""
    if not batches:
        return Reviewed(original, [])
    state = start_state(original)
    conflicts: list[Conflict] = []
    for batch in batches:
        edits = batch.review.edits
        base = bases.get(batch.review.base)
        if state.digest() == batch.review.base:
            found = apply_edits(state, edits)
        elif base is not None or (base := read_base(workspace, batch.review.base)) is not None:
            rows = match_rows(base, original.assignments)
            found = Carrier(ReviewState(base), state, rows).apply_edits(edits)
        else:
            problem = "what it was made on is missing in review/bases"
            found = [Conflict(edit.id, edit.action, problem) for edit in edits]
        conflicts += [replace(conflict, batch=batch.number) for conflict in found]
    features = features_of(workspace, original)
    bags = bags_with(workspace.recordings(), workspace.syllables(["bag"]), features)
    about = {"batches": [batch.number for batch in batches], "conflicts": len(conflicts)}
    embedding = clustering_space(workspace, original)
    made = reviewed_clustering(original, state, embedding, bags, about=about)
    return Reviewed(made, conflicts)


def _put_away(
    workspace: Workspace, review: Review, file: Path | None, batch: int | None, name: str
) -> None:
    """Keep the file as it was given to its batch; one that was pending is done."""
    if file is None:
        return
    folder = review_folder(workspace) / "applied"
    folder.mkdir(parents=True, exist_ok=True)
    copy = folder / f"{batch}-{name}.json"
    # It is there, unless the program that applied the batch was killed.
    if batch is not None and not copy.exists():
        with atomic_path(copy) as temporary:
            temporary.write_bytes(file.read_bytes())
    # Unless 'birdmodes review' has saved more since.
    if file.resolve().parent == review_folder(workspace).resolve() and read_review(file) == review:
        file.unlink()
