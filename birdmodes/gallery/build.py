"""Builds a gallery: plan, pictures and sounds, pages."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from birdmodes.clusterings import Clustering
from birdmodes.gallery.folder import new_gallery_folder
from birdmodes.gallery.material import make_material
from birdmodes.gallery.pages import write_pages
from birdmodes.gallery.plan import make_plan
from birdmodes.workspace import Workspace


@dataclass(frozen=True)
class GalleryResult:
    """What was written.

    Attributes
    ----------
    index : pathlib.Path
        The page to open first.
    pages, pictures, sounds : int
        How many files of each.
    warnings : list of str
        What is missing in the gallery, and why.
    """

    index: Path
    pages: int
    pictures: int
    sounds: int
    warnings: list[str]


def build_gallery(
    workspace: Workspace,
    clustering: Clustering,
    output: Path,
    *,
    examples: int = 12,
    on_progress: Callable[[int, int, str], None] | None = None,
) -> GalleryResult:
    """Write a folder of HTML pages that shows the modes of every species.

    The pages open from disk, need no network, and are the same bytes for the same clustering and
    recordings. The folder appears only when all is done.

    Parameters
    ----------
    workspace : Workspace
        Where syllables and recordings are listed.
    clustering : Clustering
        The modes to show.
    output : pathlib.Path
        Folder to write; a gallery that is already there is replaced.
    examples : int
        At most so many syllables are shown of each mode.
    on_progress : callable, optional
        Called with done, total and a recording's name after each recording.

    Returns
    -------
    GalleryResult
        A recording that is gone or has changed is a warning: its syllables are shown as the
        workspace has them, without sound.

    Raises
    ------
    BirdmodesError
        If `output` holds something else than a gallery, or cannot be written.
    """
    output = Path(os.path.abspath(output))  # noqa: PTH100  keeps symbolic links
    plans = make_plan(workspace, clustering, examples)
    with new_gallery_folder(output) as folder:
        material = make_material(workspace, plans, folder, on_progress or _silent)
        pages = write_pages(folder, workspace, clustering, plans, material)
    return GalleryResult(
        output / "index.html", pages, material.n_pictures, material.n_sounds, material.warnings
    )


def _silent(done: int, total: int, recording: str) -> None:
    """Report nothing."""
