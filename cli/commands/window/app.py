"""``birdmodes app``: the window."""

from __future__ import annotations

import sys
from collections.abc import Callable
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from birdmodes.errors import BirdmodesError
from cli import console

if TYPE_CHECKING:
    from birdmodes.app.forms import CommandForm


class System(StrEnum):
    """Systems with desktops."""

    windows = "windows"
    macos = "macos"
    linux = "linux"


def app(
    folder: Annotated[
        Path | None,
        typer.Argument(
            help="Folder of recordings, or workspace, to open at once.", show_default=False
        ),
    ] = None,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port on this machine; 0 takes a free one.")
    ] = 0,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Only print the address, open nothing.")
    ] = False,
    shortcut: Annotated[
        bool,
        typer.Option(
            "--shortcut",
            help="Write a file to double-click that starts the window, on the desktop or else "
            "here, and open nothing.",
        ),
    ] = False,
    system: Annotated[
        System | None,
        typer.Option(help="System that --shortcut is for. Default: this one.", show_default=False),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Folder for the file of --shortcut. Default: the desktop.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Open a window: choose recordings, see them, start, look, correct and export, without typing.

    It is a page in your browser that only this machine can reach. Work that is started there goes
    on when the page, or this command, is ended.
    """
    if shortcut:
        _write_shortcut(system, output)
        return
    missing = [name for name in ("starlette", "uvicorn") if find_spec(name) is None]
    if missing:
        raise BirdmodesError(
            f"the window needs {' and '.join(missing)}: pip install 'birdmodes[app]'"
        )
    from birdmodes.app.server import serve

    # -P: a folder that happens to be called like one of ours is not taken for it.
    program = (sys.executable, "-P", "-m", "cli")
    serve(
        program,
        window_forms(),
        folder=None if folder is None else str(folder.absolute()),
        port=port,
        open_browser=not no_browser,
        say=console.say,
    )


def _write_shortcut(system: System | None, output: Path | None) -> None:
    from birdmodes.app.shortcut import this_system, write_shortcut

    made = write_shortcut((sys.executable, "-P", "-m", "cli"), system or this_system(), output)
    console.say(f"double-click {made}")


def window_forms() -> dict[str, CommandForm]:
    """What the commands of the window can be told."""
    from cli.commands import annotate, assign, cluster, evaluate, export, gallery, segment
    from cli.commands.review_apply import review_apply, review_undo
    from cli.commands.window.forms import command_form

    commands: dict[str, Callable[..., Any]] = {
        "segment": segment.segment,
        "cluster": cluster.cluster,
        "gallery": gallery.gallery,
        "review apply": review_apply,
        "review undo": review_undo,
        "export": export.export,
        "assign": assign.assign,
        "annotate": annotate.annotate,
        "evaluate": evaluate.evaluate,
    }
    return {name: command_form(name, command) for name, command in commands.items()}
