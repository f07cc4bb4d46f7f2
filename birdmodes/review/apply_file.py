"""Corrections that were saved, taken into a clustering: all of ``review apply``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from birdmodes.errors import ReviewError
from birdmodes.io.paths import AnyPath
from birdmodes.modes.clustering import clustering_names
from birdmodes.review.edits import Review, read_review
from birdmodes.review.history import apply_review
from birdmodes.review.pending import only_one_review, pending_reviews
from birdmodes.review.replay import Reviewed
from birdmodes.workspace.store import Workspace


@dataclass(frozen=True)
class AppliedReview:
    """A file of corrections that was applied.

    Attributes
    ----------
    reviewed : Reviewed
        The clustering with them, and what could not be done.
    review : Review
        What the file holds.
    file : pathlib.Path
        Where it was read from.
    """

    reviewed: Reviewed
    review: Review
    file: Path


def apply_review_file(
    workspace: Workspace | AnyPath,
    file: AnyPath | None = None,
    *,
    clustering: str | None = None,
    dry_run: bool = False,
    on_step: Callable[[str], None] | None = None,
) -> AppliedReview:
    """Take the corrections of a file into the log and into their clustering.

    Parameters
    ----------
    workspace : Workspace, str or path-like
        Where the clustering is.
    file : str or path-like, optional
        What the gallery saved; by default what ``birdmodes review`` has saved in the workspace.
    clustering : str, optional
        Name of the clustering; by default the one that `file` names, else the only one of
        which something is saved.
    dry_run : bool
        Only find out what would happen.
    on_step : callable, optional
        Called with a line at the start of each step.

    Raises
    ------
    BirdmodesError
        If there is no such file, or what `birdmodes.review.history.apply_review` raises.
    """
    store = Workspace.open(workspace)
    path = _saved(store, clustering) if file is None else Path(file)
    read_review(path)  # what is wrong with it shows before anybody has to wait
    # Nobody may be making edits on the state that they are applied to.
    with only_one_review(store.folder):
        # Another may have applied what was saved since.
        path = _saved(store, clustering) if file is None else path
        review = read_review(path)
        reviewed = apply_review(
            store, review, clustering=clustering, file=path, dry_run=dry_run, on_step=on_step
        )
    return AppliedReview(reviewed, review, path)


def _saved(store: Workspace, clustering: str | None) -> Path:
    """File that ``birdmodes review`` has saved, for a clustering or for the only one."""
    names = clustering_names(store)
    pending = pending_reviews(store.folder, names)
    if clustering is not None:
        pending = {name: path for name, path in pending.items() if name == clustering}
    if not pending:
        wanted = clustering or next(reversed(names), "a clustering")
        raise ReviewError(
            f"{store.folder}: 'birdmodes review' has saved nothing for {wanted}; name the file "
            "that the gallery saved: birdmodes review apply review.json"
        )
    if len(pending) > 1:
        counts = {name: len(read_review(path).edits) for name, path in pending.items()}
        listed = ", ".join(f"{name} ({n} edit{'s' * (n != 1)})" for name, n in counts.items())
        raise ReviewError(
            f"{store.folder}: there are edits of {len(pending)} clusterings: {listed}; name one "
            "with --clustering"
        )
    return next(iter(pending.values()))
