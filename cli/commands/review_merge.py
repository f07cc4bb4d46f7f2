"""``birdmodes review merge``: what two people corrected in one clustering, as one review."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated

import typer

from cli import console, options


def review_merge(
    first: Annotated[Path, typer.Argument(help="What one person saved.", show_default=False)],
    second: Annotated[Path, typer.Argument(help="What the other saved.", show_default=False)],
    workspace: options.Workspace = Path("birdmodes-workspace"),
    output: Annotated[Path, typer.Option("--output", "-o", help="File to write both to.")] = Path(
        "merged-review.json"
    ),
    decisions: Annotated[
        Path | None,
        typer.Option(
            help="Table of disagreements that an earlier merge wrote, with A or B in its column "
            "'decision'. Default: what they say differently is left out.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Merge two people's corrections of one clustering, and say where they agree."""
    from birdmodes.review.agreement import merge_files, names_of
    from birdmodes.workspace.store import Workspace

    merged = merge_files(Workspace.open(workspace), first, second, output, decisions=decisions)
    agreement = merged.agreement
    names = names_of(agreement)
    kappa = "" if math.isnan(agreement.kappa) else f"; Cohen's kappa {agreement.kappa:.2f}"
    console.say(
        f"{console.plural(agreement.twice, 'syllable')} named by both, {agreement.agreed} alike"
        f"{kappa}"
    )
    apart = agreement.disagreements
    if apart:
        rows = [
            (
                each.about,
                "" if math.isnan(each.start_s) else f"{each.start_s:.2f}",
                each.first,
                each.second,
            )
            for each in apart[: console.LONG_LIST]
        ]
        console.table(
            ("syllable or mode", "second", f"A: {names[0]}", f"B: {names[1]}"), rows, numeric=(1,)
        )
        if len(apart) > len(rows):
            console.say(f"... and {len(apart) - len(rows)} more in {merged.table}")
        undecided = len(apart) - merged.decided
        if undecided:
            console.say(
                f"{console.plural(undecided, 'disagreement')} to decide: see {merged.page}, write "
                f"A or B into {merged.table}, and merge again with --decisions {merged.table}"
            )
    console.say(f"{console.plural(len(merged.review.edits), 'edit')} written to {merged.path}")
    console.say(f"next: birdmodes review apply {merged.path}")
