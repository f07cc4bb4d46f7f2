"""``birdmodes review``: correct the modes in the gallery, and apply what was corrected."""

from __future__ import annotations

import contextlib
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from cli import console, options
from cli.commands import review_apply

app = typer.Typer(
    help="Correct modes in the gallery: opens it in the browser and saves every edit at once. "
    "'birdmodes review apply' then takes the edits into the clustering.",
    invoke_without_command=True,
)


@app.callback()
def review(
    context: typer.Context,
    workspace: options.Workspace = Path("birdmodes-workspace"),
    clustering: options.Clustering = None,
    gallery: Annotated[
        Path | None,
        typer.Option(
            help="Folder of its gallery; built if needed. Default: gallery/NAME in the workspace.",
            show_default=False,
        ),
    ] = None,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port on this machine; 0 takes a free one.")
    ] = 0,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Only print the address, open nothing.")
    ] = False,
) -> None:
    """Open the gallery for corrections; only this machine can reach it."""
    if context.invoked_subcommand is not None:
        return
    from birdmodes.gallery.review_session import review_session
    from birdmodes.modes.clustering import read_clustering
    from birdmodes.workspace.folder import read_steadily
    from birdmodes.workspace.store import Workspace

    store = Workspace.open(workspace)
    chosen = read_steadily(store.folder, lambda _: read_clustering(store, clustering))
    target = gallery or store.folder / "gallery" / chosen.name
    with contextlib.ExitStack() as stack:
        with console.progress("gallery") as advance:
            session = stack.enter_context(
                review_session(store, chosen, target, port=port, on_progress=advance)
            )
        console.warn_all(session.notices)
        console.say(f"review of {chosen.name}: {session.server.address}")
        console.say("every edit is saved at once; end with Ctrl-C")
        if not no_browser:
            webbrowser.open(session.server.address)
        try:
            session.server.serve_forever()
        except KeyboardInterrupt:
            console.say()
    _say_next(session.pending.path, workspace)


def _say_next(pending: Path, workspace: Path) -> None:
    if pending.exists():
        console.say(f"edits: {pending}")
        name = pending.stem.removeprefix("pending-")
        following = console.command("review", "apply", "--clustering", name, folder=workspace)
        console.say(f"next: {following}")
    else:
        console.say("no edits were made")


for name, command in (
    ("apply", review_apply.review_apply),
    ("log", review_apply.review_log),
    ("undo", review_apply.review_undo),
    ("merge", review_apply.review_merge),
):
    app.command(name)(command)
