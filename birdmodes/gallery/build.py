"""Builds a gallery, unless the one that is there is made from the same things already.

What makes pages and pictures is imported only when it is needed: importing it takes longer than to
see that nothing has changed.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from pathlib import Path

from birdmodes.errors import BirdmodesError
from birdmodes.gallery.folder import remove_abandoned_lock
from birdmodes.gallery.result import MAX_SIZE_MB, GalleryResult, MapMethod
from birdmodes.gallery.unchanged import keep_result, kept_result, made_from
from birdmodes.groups.grouping import Grouping
from birdmodes.io.paths import AnyPath
from birdmodes.io.steady import Check
from birdmodes.modes.clustering import Clustering
from birdmodes.review.log import base_table, keep_base
from birdmodes.workspace.store import Workspace


def build_gallery(
    workspace: Workspace,
    clustering: Clustering | None,
    output: AnyPath,
    *,
    grouping: Grouping | None = None,
    examples: int = 6,
    max_size_mb: float = MAX_SIZE_MB,
    map_method: MapMethod = "pca",
    workers: int = 1,
    on_progress: Callable[[int, int, str], None] | None = None,
    check: Check = lambda: None,
) -> GalleryResult:
    """Write a folder of HTML pages that shows the modes of every species, and groups of recordings.

    The pages open from disk, need no network, and are the same bytes for the same clustering and
    recordings, on any number of workers. The folder appears only when all is done. What the
    gallery that is there has already, or one whose making was interrupted, is not made again.

    Parameters
    ----------
    workspace : Workspace
        Where syllables and recordings are listed.
    clustering : Clustering or None
        The modes to show; None if nobody has looked for modes yet: then the gallery shows the
        groups of recordings, the map and the syllables.
    output : str or path-like
        Folder to write; a gallery that is already there is replaced.
    grouping : Grouping, optional
        Groups of recordings to show.
    examples : int
        At most so many clear syllables are shown of each mode, and typical ones of each group.
    max_size_mb : float
        About how large the folder may become (millions of bytes): clips without examples and with
        few syllables are left out.
    map_method : {"pca", "umap"}
        How the map is made; UMAP needs the package umap-learn.
    workers : int
        Processes.
    on_progress : callable, optional
        Called with the number of clips done, that of all clips, and a recording's name.
    check : callable, optional
        Called when all pages are made, before they take the place of others; may raise.

    Returns
    -------
    GalleryResult
        A recording that is gone or has changed is a warning: its syllables are shown as the
        workspace has them, without sound.

    Raises
    ------
    BirdmodesError
        If `output` holds something else than a gallery, or cannot be written, or there is neither
        a clustering nor a grouping.
    """
    if clustering is None and grouping is None:
        raise BirdmodesError("nothing to show: give a clustering, a grouping, or both")
    output = Path(os.path.abspath(output))  # noqa: PTH100  keeps symbolic links
    options = {"examples": examples, "max_size_mb": max_size_mb, "map_method": map_method}
    state = made_from(workspace, clustering, grouping, options)
    result = kept_result(workspace, output, state)
    if result is not None:
        remove_abandoned_lock(output)
    else:
        from birdmodes.gallery.making import write_gallery

        result = write_gallery(
            workspace,
            clustering,
            output,
            grouping=grouping,
            examples=examples,
            max_size_mb=max_size_mb,
            map_method=map_method,
            workers=workers,
            on_progress=on_progress,
            check=check,
            when_placed=lambda made: keep_result(workspace, output, state, made),
        )
    # So that edits made in these pages can be applied even if the clustering is made anew before.
    if clustering is not None and clustering.sample_of is None:
        with contextlib.suppress(OSError):
            keep_base(workspace, base_table(clustering))
    return result
