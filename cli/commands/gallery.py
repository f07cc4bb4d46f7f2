"""``birdmodes gallery``: modes to a folder of pages."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from cli import console
from cli.commands import options


class MapMethod(StrEnum):
    """How the map of syllables is made."""

    PCA = "pca"
    UMAP = "umap"


def gallery(
    workspace: options.Workspace = Path("birdmodes-workspace"),
    clustering: options.Clustering = None,
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
            help="Most central syllables to show for each mode; some from its edge and some taken "
            "at random come on top.",
        ),
    ] = 12,
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

    A gallery that is there is brought up to date: what has not changed is not made again, and a
    run that was interrupted goes on.
    """
    from birdmodes.clusterings import read_clustering
    from birdmodes.gallery import build_gallery
    from birdmodes.workspace import Workspace

    store = Workspace.open(workspace)
    chosen = read_clustering(store, clustering)
    target = output or store.folder / "gallery" / chosen.name
    with console.progress("gallery") as advance:
        result = build_gallery(
            store,
            chosen,
            target,
            examples=examples,
            max_size_mb=max_size,
            map_method=map_method.value,
            workers=options.worker_count(workers),
            on_progress=advance,
        )
    console.warn_all(result.warnings)
    console.say(
        f"{console.plural(result.pages, 'page')}, {console.plural(result.pictures, 'picture')}, "
        f"{console.plural(result.sounds, 'clip')} to play: {result.size_bytes / 1e6:.1f} MB, "
        f"{console.plural(result.new, 'file')} new, {result.unchanged:,} unchanged"
    )
    console.say(f"open {result.index}")
