"""Builds a gallery: plan, pictures and sounds, data, pages."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from birdmodes.errors import BirdmodesError
from birdmodes.gallery.data_files import write_data
from birdmodes.gallery.folder import new_gallery_folder
from birdmodes.gallery.groups.plan import plan_groups
from birdmodes.gallery.map_layout import MapMethod, check_umap
from birdmodes.gallery.media.material import MEGABYTE, make_material
from birdmodes.gallery.no_modes import clustering_without_modes
from birdmodes.gallery.pages import write_pages
from birdmodes.gallery.plan import make_plan
from birdmodes.groups.grouping import Grouping
from birdmodes.io.paths import AnyPath
from birdmodes.modes.clustering import Clustering
from birdmodes.review.log import base_table, keep_base
from birdmodes.workspace.store import Workspace

MAX_SIZE_MB = 280


@dataclass(frozen=True)
class GalleryResult:
    """What was written.

    Attributes
    ----------
    index : pathlib.Path
        The page to open first.
    pages, pictures, sounds : int
        How many pages, pictures of examples and means, and clips that can be played.
    new, unchanged : int
        How many files were made, and how many are those of the gallery that was there before.
    size_bytes : int
        Of all files.
    warnings : list of str
        What is missing in the gallery, and why.
    """

    index: Path
    pages: int
    pictures: int
    sounds: int
    new: int
    unchanged: int
    size_bytes: int
    warnings: list[str]


def build_gallery(
    workspace: Workspace,
    clustering: Clustering | None,
    output: AnyPath,
    *,
    grouping: Grouping | None = None,
    examples: int = 12,
    max_size_mb: float = MAX_SIZE_MB,
    map_method: MapMethod = "pca",
    workers: int = 1,
    on_progress: Callable[[int, int, str], None] | None = None,
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
        At most so many central syllables are shown of each mode, and typical ones of each group.
    max_size_mb : float
        About how large the folder may become (millions of bytes): clips without examples and with
        few syllables are left out.
    map_method : {"pca", "umap"}
        How the map is made; UMAP needs the package umap-learn.
    workers : int
        Processes.
    on_progress : callable, optional
        Called with the number of clips done, that of all clips, and a recording's name.

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
    if map_method == "umap":
        check_umap()
    output = Path(os.path.abspath(output))  # noqa: PTH100  keeps symbolic links
    shown = clustering or _without_modes(workspace, grouping)
    syllables = workspace.syllables()
    clustered = syllables["syllable"].isin(shown.assignments["syllable"])
    syllables = syllables[clustered].reset_index(drop=True)
    plans = make_plan(workspace, shown, examples)
    groups = plan_groups(workspace, grouping, syllables, examples) if grouping else None
    with new_gallery_folder(output) as gallery:
        material = make_material(
            workspace,
            syllables,
            plans,
            gallery,
            on_progress or _silent,
            further=groups.examples() if groups else (),
            max_bytes=max_size_mb * MEGABYTE,
            workers=workers,
        )
        gallery.seed_pages()
        data = write_data(gallery, workspace, shown, syllables, plans, material, map_method, groups)
        pages = write_pages(
            gallery.folder, workspace, shown, plans, material, groups, unsought=clustering is None
        )
        counts = gallery.complete({*material.addresses(), *data, *pages})
    # So that edits made in these pages can be applied even if the clustering is made anew before.
    if clustering is not None:
        with contextlib.suppress(OSError):
            keep_base(workspace, base_table(clustering))
    return GalleryResult(
        index=output / "index.html",
        pages=sum(address.endswith(".html") for address in pages),
        pictures=material.n_pictures,
        sounds=material.n_sounds,
        new=counts.new,
        unchanged=counts.unchanged,
        size_bytes=counts.size_bytes,
        warnings=material.warnings,
    )


def _without_modes(workspace: Workspace, grouping: Grouping | None) -> Clustering:
    """What stands in for a clustering where there is none."""
    if grouping is None:
        raise BirdmodesError("nothing to show: give a clustering, a grouping, or both")
    return clustering_without_modes(workspace, grouping.name)


def _silent(done: int, total: int, recording: str) -> None:
    """Report nothing."""
