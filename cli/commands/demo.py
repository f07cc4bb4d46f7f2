"""``birdmodes demo``: everything, on the sample recordings."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cli import console, options
from cli.commands.cluster import print_modes


def demo(
    folder: Annotated[
        Path, typer.Argument(help="Where to put the sample recordings and the results.")
    ] = Path("birdmodes-demo"),
    truth: Annotated[
        bool,
        typer.Option(
            "--truth",
            help="Score the modes against the truth, which is known of the sample recordings.",
        ),
    ] = False,
    workers: options.Workers = 0,
) -> None:
    """Run segment, cluster and gallery on the sample recordings.

    Prints each command as it would be typed, and where everything is.
    """
    from birdmodes.demo import run_demo
    from birdmodes.modes.left_out import fit_in_words

    program = console.program()
    with console.progress("demo") as advance:
        result = run_demo(
            folder,
            workers=options.worker_count(workers),
            on_step=console.say,
            on_progress=advance,
            truth=truth,
            program=program,
        )
    console.say()
    print_modes(result.clustering)
    console.say()
    if truth:
        console.metrics(result.clustering.metrics)
    else:
        console.say(fit_in_words(result.clustering.metrics) or "")
    console.say()
    console.say(f"workspace: {result.workspace}")
    console.say(f"what is in it: {console.command('info', folder=result.workspace)}")
    console.say(f"to correct the modes: {console.command('review', folder=result.workspace)}")
    console.say(f"open {result.index}")
