"""Opens a review: the gallery of a clustering, served, with one writer."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from birdmodes.errors import ReviewError
from birdmodes.gallery import build_gallery
from birdmodes.gallery.folder import gallery_data
from birdmodes.gallery.review_server import ReviewServer
from birdmodes.groups.grouping import newest_grouping
from birdmodes.io.paths import AnyPath
from birdmodes.io.steady import unchanged
from birdmodes.modes.clustering import Clustering, read_clustering
from birdmodes.review.log import base_table, keep_base
from birdmodes.review.pending import PendingReview, only_one_review, pending_path
from birdmodes.workspace.folder import SHOWN
from birdmodes.workspace.store import Workspace


@dataclass(frozen=True)
class ReviewSession:
    """A review that is open.

    Attributes
    ----------
    server : ReviewServer
        To be run with `ReviewServer.serve_forever`.
    pending : PendingReview
        Where the edits are kept.
    notices : list of str
        What the user should know.
    """

    server: ReviewServer
    pending: PendingReview
    notices: list[str]


@contextlib.contextmanager
def review_session(
    workspace: Workspace,
    clustering: Clustering,
    gallery: AnyPath,
    *,
    port: int = 0,
    on_progress: Callable[[int, int, str], None] | None = None,
) -> Iterator[ReviewSession]:
    """Open a review; it ends with the block.

    Parameters
    ----------
    workspace : Workspace
        Where the edits are kept, in ``review/``.
    clustering : Clustering
        What is reviewed, as it is stored now.
    gallery : str or path-like
        Its gallery; built if it is not there, or of another state of the clustering.
    port : int
        Port to listen on; 0 takes a free one.
    on_progress : callable, optional
        As for `birdmodes.gallery.build_gallery`.

    Yields
    ------
    ReviewSession
        Listening, but not answering yet.

    Raises
    ------
    WorkspaceError
        If a review of this workspace is open already, or another command writes to it, or changes
        it while the gallery is built.
    ReviewError
        If the port is taken.
    """
    gallery = Path(gallery)
    notices = []
    with only_one_review(workspace.folder):
        with workspace.writing():
            # Perhaps corrections were applied to it, or it was made anew, since it was read.
            clustering = read_clustering(workspace, clustering.name)
            # Edits can be applied even if the clustering is made anew meanwhile.
            base = keep_base(workspace, base_table(clustering))
        path = pending_path(workspace.folder, clustering.name)
        pending = PendingReview(path, clustering.name, base)
        if gallery_base(gallery) != base:
            with unchanged(workspace.folder, *SHOWN) as check:
                grouping, trouble = newest_grouping(workspace)
                result = build_gallery(
                    workspace,
                    clustering,
                    gallery,
                    grouping=grouping,
                    on_progress=on_progress,
                    check=check,
                )
            notices += [*trouble, *result.warnings]
        aside = pending.set_aside()
        if aside is not None:
            notices.append(
                f"edits of another state of the clustering are kept in {aside}; "
                f"'birdmodes review apply {aside}' takes over what still fits"
            )
        try:
            server = ReviewServer(gallery, pending, port)
        except OSError as error:
            raise ReviewError(
                f"port {port} cannot be used ({error.strerror or error}); name another with --port"
            ) from error
        with server:
            yield ReviewSession(server, pending, notices)


def gallery_base(gallery: Path) -> str | None:
    """Find out of which state of a clustering a gallery is.

    Parameters
    ----------
    gallery : pathlib.Path
        Its folder.

    Returns
    -------
    str or None
        As `birdmodes.modes.digest.assignments_digest` gives it; None if there is no gallery, or
        one of an earlier format.
    """
    base = gallery_data(gallery).get("base")
    return None if base is None else str(base)
