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
    workers: options.Workers = 0,
) -> None:
    """Run segment, cluster and gallery on the sample recordings and score them."""
    from birdmodes.demo import run_demo

    with console.progress("demo") as advance:
        result = run_demo(
            folder, workers=options.worker_count(workers), on_step=console.say, on_progress=advance
        )
    console.say()
    print_modes(result.clustering)
    console.say()
    console.metrics(result.clustering.metrics)
    console.say()
    console.say(f"open {result.index}")
