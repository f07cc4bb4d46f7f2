"""Corrections applied to a workspace's clusterings, taken back, and applied again."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
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
    is_current,
    read_clustering,
    read_original,
    write_clustering,
)
from birdmodes.modes.digest import assignments_digest
from birdmodes.modes.summary import keep_summary
from birdmodes.review.apply import Conflict, apply_edits
from birdmodes.review.box_edits import BOX_ACTIONS
from birdmodes.review.edits import Edit, Review, read_review
from birdmodes.review.log import (
    APPLIED,
    LOG_REMEDY,
    Batch,
    base_table,
    batch_numbers,
    keep_base,
    log_path,
    mark_undone,
    new_batch,
    read_base,
    read_log,
    review_folder,
    write_log,
)
from birdmodes.review.mended.mend import plan_mending
from birdmodes.review.replay import Reviewed, replay
from birdmodes.review.state import ReviewState
from birdmodes.workspace.store import Workspace


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
    if not batches:  # and it is of the syllables that are there
        return Reviewed(clustering, [])
    return replay(workspace, clustering, batches, {})


def apply_review(
    workspace: Workspace,
    review: Review,
    *,
    clustering: str | None = None,
    file: AnyPath | None = None,
    dry_run: bool = False,
    on_step: Callable[[str], None] | None = None,
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
    on_step : callable, optional
        Called with a line at the start of each step.

    Raises
    ------
    BirdmodesError
        If there is no such clustering, the state that the review was made on is not known here,
        or another process is writing.
    """
    file = None if file is None else Path(file)
    say = on_step or (lambda _: None)
    with workspace.writing():
        name = clustering or review.clustering
        say(f"reading {name}")
        current = read_clustering(workspace, name, unmended=True)
        batches = read_log(workspace)
        _check_log_has(workspace, batches, current)
        applied = batch_numbers(current.parameters)
        known = {e.id: b for b in batches if not b.undone for e in b.review.edits}
        wanted = {known[edit.id].number for edit in review.edits if edit.id in known}
        fresh = tuple(edit for edit in review.edits if edit.id not in known)
        if not fresh and wanted <= applied and is_current(workspace, current):
            if not dry_run:
                _follow(workspace, review, batches, say)
                _put_away(workspace, review, file, max(wanted, default=None), name)
            return Reviewed(current, [])
        workspace.recordings()  # where one is damaged, nothing is written
        before = [b for b in batches if not b.undone and b.number in applied | wanted]
        bases = {review.base: _base_of(workspace, review, current)}
        added = []
        if fresh:
            own = _only(replace(review, clustering=name), fresh, bases)
            added = [new_batch(workspace, batches, own)]
        original = read_original(workspace, name, checked=True)
        if any(edit.action in BOX_ACTIONS for edit in fresh):
            say("measuring the mended syllables")
        mending = plan_mending(workspace, batches + added, bases, measure=not dry_run)
        if not dry_run:
            for table in (base_table(current), *bases.values()):
                keep_base(workspace, table)
            write_log(workspace, batches + added)
            mending.write(workspace)
        # Where sounds in new boxes come to lie is known once they are measured.
        unknown = dry_run and any(edit.action in BOX_ACTIONS for edit in fresh)
        made = replay(workspace, original, before + added, bases, dry_run=unknown, on_step=on_step)
        result = replace(
            made,
            conflicts=_together(made.conflicts, mending.conflicts),
            n_edits=len(fresh),
            batch=added[0].number if added else None,
        )
        if not dry_run:
            say("writing")
            _store(workspace, result.clustering, original)
            # While the file is there: if this is killed, the next one finishes it.
            _follow(workspace, review, batches + added, say)
            done = max(wanted, default=None) if result.batch is None else result.batch
            _put_away(workspace, review, file, done, name)
        return result


def _together(conflicts: list[Conflict], of_boxes: list[Conflict]) -> list[Conflict]:
    """Conflicts of a clustering and of the boxes; what both say of an edit is said once."""
    told = {conflict.edit for conflict in of_boxes if conflict.edit}
    return [*of_boxes, *(one for one in conflicts if one.edit not in told)]


def _follow(
    workspace: Workspace, review: Review, batches: list[Batch], say: Callable[[str], None]
) -> None:
    """Bring the other clusterings to the syllables that a review has mended, if it has any."""
    if not any(edit.action in BOX_ACTIONS for edit in review.edits):
        return
    for name in clustering_names(workspace):
        # Of an earlier run, or damaged: that is said where somebody reads it.
        with contextlib.suppress(WorkspaceError):
            current = read_clustering(workspace, name, unmended=True)
            if not is_current(workspace, current):
                say(f"{name}: the mended syllables")
                # What somebody corrects in it just now can still be applied.
                keep_base(workspace, base_table(current))
                numbers = batch_numbers(current.parameters)
                own = [b for b in batches if not b.undone and b.number in numbers]
                original = read_original(workspace, name, checked=True)
                made = replay(workspace, original, own, {}).clustering
                _store(workspace, made, original, newest=False)


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
        workspace.recordings()  # where one is damaged, nothing is written
        remaining = mark_undone(batches, last.number)
        having, unread = _clusterings_with(workspace, last)
        for current in having:
            _check_log_has(workspace, batches, current)
        mending = plan_mending(workspace, remaining)
        for current in having:
            keep_base(workspace, base_table(current))
        mending.write(workspace)
        reviewed = []
        for current in having:
            numbers = batch_numbers(current.parameters)
            kept = [b for b in remaining if not b.undone and b.number in numbers]
            original = read_original(workspace, current.name, checked=True)
            reviewed.append(replay(workspace, original, kept, {}))
            _store(workspace, reviewed[-1].clustering, original)
        _follow(workspace, last.review, remaining, lambda _: None)
        write_log(workspace, remaining)
        return Undone(last, reviewed, unread)


def _clusterings_with(workspace: Workspace, batch: Batch) -> tuple[list[Clustering], list[str]]:
    """The clusterings that have a batch, and lines about those that are damaged."""
    having, unread = [], []
    workspace.syllables(["syllable"])  # where these are damaged, no clustering can be read
    for name in clustering_names(workspace):
        try:
            current = read_clustering(workspace, name, unmended=True)
        except DamagedError as error:
            unread.append(str(error))
        except WorkspaceError:
            continue  # of syllables that are not there any more
        else:
            if batch.number in batch_numbers(current.parameters):
                having.append(current)
    return having, unread


def _check_log_has(workspace: Workspace, batches: list[Batch], current: Clustering) -> None:
    """Refuse a log that has lost what a clustering has."""
    lost = sorted(batch_numbers(current.parameters) - {batch.number for batch in batches})
    if lost:
        raise damaged(
            log_path(workspace),
            f"batch {lost[0]}, which {current.name} has, is missing",
            f"{LOG_REMEDY}, and run 'birdmodes cluster --name {current.name}' again",
        )


def store_made(
    workspace: Workspace, made: Clustering, reviewed: Clustering, *, keep_as: str | None = None
) -> Path:
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
    keep_as : str, optional
        Keep the one that it replaces under this name.

    Returns
    -------
    pathlib.Path
        Its folder.
    """
    with workspace.writing():
        if made.name in clustering_names(workspace):
            # Nobody can review one of syllables that are not there any more, or that is damaged.
            with contextlib.suppress(WorkspaceError):
                old = read_clustering(workspace, made.name, unmended=True)
                keep_base(workspace, base_table(old))
                if keep_as is not None:
                    before = read_original(workspace, made.name, checked=True)
                    kept = replace(old, name=keep_as)
                    write_clustering(
                        workspace, kept, original=before if batch_numbers(old.parameters) else None
                    )
        original = made if batch_numbers(reviewed.parameters) else None
        return write_clustering(workspace, reviewed, original=original)


def store_again(workspace: Workspace, made: Clustering) -> list[str]:
    """Store what has just been made, corrected again; gives lines about what fits no more."""
    reviewed = reapply(workspace, made)
    store_made(workspace, made, reviewed.clustering)
    keep_summary(workspace, reviewed.clustering)
    return [
        f"batch {conflict.batch} of corrections, {conflict.action}: {conflict.problem}"
        for conflict in reviewed.conflicts
    ]


def _store(
    workspace: Workspace, clustering: Clustering, original: Clustering, *, newest: bool = True
) -> None:
    beside = None if clustering is original else original
    write_clustering(workspace, clustering, original=beside, newest=newest)
    keep_summary(workspace, clustering)


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


def _put_away(
    workspace: Workspace, review: Review, file: Path | None, batch: int | None, name: str
) -> None:
    """Keep the file as it was given to its batch; one that was pending is done."""
    if file is None:
        return
    folder = review_folder(workspace) / APPLIED
    folder.mkdir(parents=True, exist_ok=True)
    copy = folder / f"{batch}-{name}.json"
    # It is there, unless the program that applied the batch was killed.
    if batch is not None and not copy.exists():
        with atomic_path(copy) as temporary:
            temporary.write_bytes(file.read_bytes())
    # Unless 'birdmodes review' has saved more since.
    if file.resolve().parent == review_folder(workspace).resolve() and read_review(file) == review:
        file.unlink()
