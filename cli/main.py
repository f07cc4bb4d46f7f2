"""Entry point of the ``birdmodes`` command.

Nothing heavy is imported here: the libraries that a command needs are imported when it runs, so
that ``birdmodes --help`` answers at once.
"""

from __future__ import annotations

import gc
import inspect
import io
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated

import typer

from algorithms.errors import OptionError
from birdmodes._version import __version__
from birdmodes.errors import BirdmodesError
from cli import console
from cli.commands import (
    annotate,
    assign,
    cluster,
    compare,
    demo,
    evaluate,
    export,
    figure,
    gallery,
    info,
    labels,
    repair,
    review,
    segment,
    train_segmenter,
)
from cli.commands.research import benchmark, datasets, methods
from cli.commands.window import app as window
from cli.later import SELDOM_NEEDED, load_later


def _help(command: Callable[..., None]) -> str:
    """Text of a command's docstring, each paragraph on one line so that it flows."""
    paragraphs = inspect.cleandoc(command.__doc__ or "").split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


_FIRST, _MORE, _RESEARCH = "From recordings to modes", "With modes", "For methods researchers"

_COMMANDS: dict[str, tuple[Callable[..., None], ...]] = {
    _FIRST: (
        window.app,
        labels.labels,
        train_segmenter.train_segmenter,
        segment.segment,
        cluster.cluster,
        gallery.gallery,
        demo.demo,
    ),
    _MORE: (
        export.export,
        figure.figure,
        assign.assign,
        annotate.annotate,
        evaluate.evaluate,
        compare.compare,
        info.info,
        repair.repair,
    ),
    _RESEARCH: (methods.methods, benchmark.benchmark),
}


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"birdmodes {__version__}")
        raise typer.Exit


def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version and stop.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    """Take the options that stand before a command's name."""


def _application(commands: Mapping[str, tuple[Callable[..., None], ...]]) -> typer.Typer:
    """Make the program with some of its commands, by panel."""
    made = typer.Typer(
        name="birdmodes",
        help="From a folder of field recordings with species lists to the vocal modes of every "
        "species.\n\nIn a window: birdmodes app. "
        "Usual order: segment, cluster, gallery, review, export.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    made.callback()(_options)
    for panel, members in commands.items():
        for command in members:
            made.command(
                help=_help(command),
                no_args_is_help=command is segment.segment,
                rich_help_panel=panel,
            )(command)
    return made


app = _application(_COMMANDS)
app.add_typer(review.app, name="review", rich_help_panel=_MORE)
app.add_typer(datasets.app, name="datasets", rich_help_panel=_RESEARCH)


def _needed(words: Sequence[str]) -> typer.Typer:
    """Give the program, or that with the one command that is asked for: the others take time."""
    asked = [
        command
        for members in _COMMANDS.values()
        for command in members
        if words and words[0] == command.__name__.replace("_", "-")
    ]
    return _application({"": tuple(asked)}) if asked else app


def main() -> None:
    """Run the command line; errors that are the user's to mend get one line and exit code 2."""
    # Libraries make many objects that stay; Python would look through them hundreds of times.
    gc.set_threshold(5_000)
    load_later(*SELDOM_NEEDED)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A species name must not stop the program where the output is not in Unicode.
            stream.reconfigure(errors="replace")
    try:
        _needed(sys.argv[1:])(prog_name="birdmodes")
    except (BirdmodesError, OptionError) as error:
        console.error(str(error))
        sys.exit(2)
    except BrokenPipeError:
        # The reader of a pipe, such as `head`, has seen enough.
        sys.stderr.close()
        sys.exit(1)
    except OSError as error:
        # A full disk, a folder without permission: what was done so far is kept.
        place = f"{error.filename}: " if error.filename else ""
        console.error(f"{place}{error.strerror or error}; mend that and run the command again")
        sys.exit(2)
