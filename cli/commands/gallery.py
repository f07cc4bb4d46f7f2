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
    taxonomy: options.Taxonomy = None,
    language: options.Language = None,
    sites: options.Sites = None,
    workers: options.Workers = 0,
) -> None:
    """Write pages to look at and listen to the modes; they open from disk, without a network.

    Groups of recordings, as of 'birdmodes cluster --method m3ic', have pages too; without any
    clustering the gallery is of these alone. A gallery that is there is brought up to date: what
    has not changed is not made again, and a run that was interrupted goes on.
    """
    from birdmodes.gallery import make_gallery

    with console.progress("gallery") as advance:
        made = make_gallery(
            workspace,
            clustering,
            output,
            grouping=grouping,
            groups=not no_groups,
            taxonomy=taxonomy,
            language=language,
            sites=sites,
            examples=examples,
            max_size_mb=max_size,
            map_method=map_method.value,
            workers=options.worker_count(workers),
            on_progress=advance,
        )
    console.warn_all(made.warnings)
    result = made.result
    console.say(
        f"{console.plural(result.pages, 'page')}, {console.plural(result.pictures, 'picture')}, "
        f"{console.plural(result.sounds, 'clip')} to play: {result.size_bytes / 1e6:.1f} MB, "
        f"{console.plural(result.new, 'file')} new, {result.unchanged:,} unchanged"
    )
    console.say(f"open {result.index}")
