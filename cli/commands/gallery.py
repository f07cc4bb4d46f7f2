"""``birdmodes gallery``: modes to a folder of pages."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cli import console
from cli.commands import options


def gallery(
    workspace: options.Workspace = Path("birdmodes-workspace"),
    clustering: Annotated[
        str | None,
        typer.Option(help="Name of the clustering. Default: the newest.", show_default=False),
    ] = None,
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
        int, typer.Option(min=1, max=200, help="Most syllables to show for each mode.")
    ] = 12,
) -> None:
    """Write pages to look at and listen to the modes; they open from disk, without a network."""
    from birdmodes.clusterings import read_clustering
    from birdmodes.gallery import build_gallery
    from birdmodes.workspace import Workspace

    store = Workspace.open(workspace)
    chosen = read_clustering(store, clustering)
    target = output or store.folder / "gallery" / chosen.name
    with console.progress("gallery") as advance:
        result = build_gallery(store, chosen, target, examples=examples, on_progress=advance)
    console.warn_all(result.warnings)
    console.say(
        f"{console.plural(result.pages, 'page')}, {console.plural(result.pictures, 'picture')}, "
        f"{console.plural(result.sounds, 'sound')}"
    )
    console.say(f"open {result.index}")
