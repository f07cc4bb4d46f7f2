"""A gallery of what a workspace holds: all of ``gallery``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from birdmodes.gallery.build import build_gallery
from birdmodes.gallery.result import MAX_SIZE_MB, GalleryResult, MapMethod
from birdmodes.groups.grouping import Grouping, newest_grouping
from birdmodes.io.paths import AnyPath
from birdmodes.io.steady import Check, steadily, unchanged
from birdmodes.modes.clustering import clustering_names, read_clustering
from birdmodes.modes.sample import sampled
from birdmodes.workspace.folder import SHOWN
from birdmodes.workspace.labels import outdated
from birdmodes.workspace.sites import keep_sites
from birdmodes.workspace.store import Workspace
from birdmodes.workspace.taxonomy import keep_names

_AGAIN = "another birdmodes command changed the workspace meanwhile: the gallery was made again"


@dataclass(frozen=True)
class MadeGallery:
    """A gallery that was made, or that was there already.

    Attributes
    ----------
    result : GalleryResult
        Where it is and what it holds.
    clustering, grouping : str or None
        Names of what it shows.
    warnings : list of str
        What the user should know, a line each.
    """

    result: GalleryResult
    clustering: str | None
    grouping: str | None
    warnings: list[str]


def make_gallery(
    workspace: Workspace | AnyPath,
    clustering: str | None = None,
    output: AnyPath | None = None,
    *,
    grouping: str | None = None,
    groups: bool = True,
    taxonomy: AnyPath | None = None,
    language: str | None = None,
    sites: AnyPath | None = None,
    examples: int = 6,
    max_size_mb: float = MAX_SIZE_MB,
    map_method: MapMethod = "pca",
    workers: int = 1,
    on_progress: Callable[[int, int, str], None] | None = None,
) -> MadeGallery:
    """Write pages to look at and listen to the modes, and to groups of recordings.

    Parameters
    ----------
    workspace : Workspace, str or path-like
        Where the results are.
    clustering : str, optional
        Name of the clustering. By default the newest; where there is none, the gallery is of the
        groups alone.
    output : str or path-like, optional
        Folder for the pages; by default ``gallery/NAME`` in the workspace.
    grouping : str, optional
        Name of the groups of recordings; by default the newest, if there are any.
    groups : bool
        Whether to show groups at all.
    taxonomy, language : str or path-like, optional
        Further names of the species, see `birdmodes.workspace.taxonomy.keep_names`.
    sites : str or path-like, optional
        Table of the recordings' sites, see `birdmodes.workspace.sites.keep_sites`.
    examples, max_size_mb, map_method, workers, on_progress
        As for `birdmodes.build_gallery`.

    Raises
    ------
    BirdmodesError
        If there is no such clustering or grouping, or nothing to show, a file is damaged, or
        `output` holds something else; or if others change what it shows again and again.
    """
    kept = Workspace.open(workspace)
    told = keep_names(kept, taxonomy, language)
    told += [] if sites is None else keep_sites(kept, sites)

    def made(check: Check) -> MadeGallery:
        store = Workspace.open(kept.folder)  # perhaps made anew with other settings meanwhile
        grouped, trouble = newest_grouping(store, grouping, wanted=groups)
        return _made(
            store,
            clustering,
            grouped,
            [*told, *trouble],
            output,
            check=check,
            examples=examples,
            max_size_mb=max_size_mb,
            map_method=map_method,
            workers=workers,
            on_progress=on_progress,
        )

    # What others change meanwhile must not be on some pages and missing on others.
    result, again = steadily(made, lambda: unchanged(kept.folder, *SHOWN))
    return replace(result, warnings=[*result.warnings, _AGAIN]) if again else result


def _made(
    store: Workspace,
    clustering: str | None,
    grouped: Grouping | None,
    told: list[str],
    output: AnyPath | None,
    **how: Any,
) -> MadeGallery:
    """Make a gallery of what there is now; see `make_gallery`."""
    modes, shown = None, store
    if clustering is not None or grouped is None or clustering_names(store):
        sample = sampled(store, clustering) if grouped is None else None
        shown, modes = sample or (store, read_clustering(store, clustering))
    made = [each for each in (modes, grouped) if each is not None]
    if modes is not None and modes.sample_of is not None:
        old = modes.sample_of.outdated
    else:
        recordings = store.recordings()
        old = [
            line
            for each in made
            for line in outdated(recordings, each.name, each.assignments, each.parameters)
        ]
    result = build_gallery(
        shown,
        modes,
        store.folder / "gallery" / made[0].name if output is None else output,
        grouping=grouped,
        **how,
    )
    return MadeGallery(
        result,
        None if modes is None else modes.name,
        None if grouped is None else grouped.name,
        [*told, *old, *result.warnings],
    )
