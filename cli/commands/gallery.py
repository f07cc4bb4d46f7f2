"""``birdmodes gallery``: modes and groups of recordings to a folder of pages."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from cli import console, options


class MapMethod(StrEnum):
    """How the map of syllables is made."""

    PCA = "pca"
    UMAP = "umap"


def gallery(
    workspace: options.Workspace = Path("birdmodes-workspace"),
    clustering: options.Clustering = None,
    grouping: options.Grouping = None,
    no_groups: options.NoGroups = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Folder for the pages. Default: gallery/NAME in the workspace.",
            show_default=False,
        ),
    ] = None,
    examples: Annotated[
        int,
        typer.Option(
            min=1,
            max=200,
            help="Clear examples to show for each mode; some from its edge and some taken "
            "at random come on top. Of each group of recordings, at most as many typical ones.",
        ),
    ] = 6,
    map_method: Annotated[
        MapMethod,
        typer.Option(
            "--map",
            help="How the map of all syllables is made: principal components, or UMAP (needs "
            "pip install 'birdmodes\\[map]').",
        ),
    ] = MapMethod.PCA,
    max_size: Annotated[
        float,
        typer.Option(
            min=1,
            help="Largest size of the gallery (MB). Of what is too much, clips without examples "
            "and with few syllables are left out: they are listed, but cannot be played.",
        ),
    ] = 280,
    workers: options.Workers = 0,
) -> None:
    """Write pages to look at and listen to the modes; they open from disk, without a network.

    Groups of recordings, as of 'birdmodes cluster --method m3ic', have pages too; without any
    clustering the gallery is of these alone. A gallery that is there is brought up to date: what
    has not changed is not made again, and a run that was interrupted goes on.
    """
    from birdmodes.errors import ParameterError
    from birdmodes.gallery import build_gallery
    from birdmodes.groups.grouping import newest_grouping
    from birdmodes.modes.clustering import clustering_names, read_clustering
    from birdmodes.workspace.labels import outdated
    from birdmodes.workspace.store import Workspace

    if no_groups and grouping is not None:
        raise ParameterError("--no-groups and --grouping contradict each other")
    store = Workspace.open(workspace)
    groups, trouble = (None, []) if no_groups else newest_grouping(store, grouping)
    modes = None
    if clustering is not None or groups is None or clustering_names(store):
        modes = read_clustering(store, clustering)
    name = modes.name if modes else groups.name if groups else ""
    target = output or store.folder / "gallery" / name
    with console.progress("gallery") as advance:
        result = build_gallery(
            store,
            modes,
            target,
            grouping=groups,
            examples=examples,
            max_size_mb=max_size,
            map_method=map_method.value,
            workers=options.worker_count(workers),
            on_progress=advance,
        )
    recordings = store.recordings()
    old = [
        line
        for made in (modes, groups)
        if made is not None
        for line in outdated(recordings, made.name, made.assignments, made.parameters)
    ]
    console.warn_all([*trouble, *old, *result.warnings])
    console.say(
        f"{console.plural(result.pages, 'page')}, {console.plural(result.pictures, 'picture')}, "
        f"{console.plural(result.sounds, 'clip')} to play: {result.size_bytes / 1e6:.1f} MB, "
        f"{console.plural(result.new, 'file')} new, {result.unchanged:,} unchanged"
    )
    console.say(f"open {result.index}")
