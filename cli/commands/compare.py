"""``birdmodes compare``: two clusterings side by side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from birdmodes.io.printing import shown
from cli import console, options

if TYPE_CHECKING:
    from birdmodes.compare.comparison import Comparison


def compare(
    first: Annotated[
        str,
        typer.Argument(
            help="Name of a clustering.",
            show_default=False,
            autocompletion=options.complete_clustering,
        ),
    ],
    second: Annotated[
        str,
        typer.Argument(
            help="Name of another one.",
            show_default=False,
            autocompletion=options.complete_clustering,
        ),
    ],
    workspace: options.Workspace = Path("birdmodes-workspace"),
    other_workspace: Annotated[
        Path | None,
        typer.Option(
            help="Workspace of the second clustering, if it is another one; syllables are then "
            "matched by recording and box.",
            show_default=False,
            autocompletion=options.complete_workspace,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="File for the page. Default: compare/FIRST--SECOND.html in the workspace.",
            show_default=False,
        ),
    ] = None,
    json: options.Json = False,
) -> None:
    """Show which modes of two clusterings stay, split, merge, and which syllables move."""
    from birdmodes.compare.comparison import content
    from birdmodes.compare.make import make_comparison

    made = make_comparison(workspace, first, second, output, other_workspace=other_workspace)
    if json:
        console.print_json({**content(made.comparison), "page": str(made.page)})
        return
    print_comparison(made.comparison)
    console.say(f"open {made.page}")


def print_comparison(comparison: Comparison) -> None:
    """Print how well two clusterings agree and what becomes of the modes."""
    from birdmodes.compare.comparison import SCORES, sentence

    for name, (label, _) in SCORES.items():
        console.say(f"{label:<30} {comparison.scores[name]:.3f}")
    for side in (comparison.first, comparison.second):
        console.say(f"{f'features of {side.name}':<30} {shown(', '.join(side.features))}")
    for side in (comparison.first, comparison.second):
        if side.unmatched:
            console.warn(
                f"{console.plural(side.unmatched, 'syllable')} of {side.name} not in the other, "
                "left out"
            )
    console.say()
    rows = [
        (
            change.kind,
            f"{change.syllables:,}" if change.syllables else "",
            f"{change.share:.0%}" if change.syllables else "",
            sentence(comparison, change),
        )
        for change in comparison.changes
    ]
    console.table(("mode", "syllables", "shared", "first → second"), rows, numeric=(1, 2))
    console.say()
    names = [
        [shown(n) for n in side.modes["name"]] for side in (comparison.first, comparison.second)
    ]
    moves = [
        (f"{move.syllables:,}", f"{names[0][move.first]} → {names[1][move.second]}")
        for move in comparison.moves[: console.LONG_LIST]
    ]
    if moves:
        console.table(("syllables", "move"), moves, numeric=(0,))
    rest = sum(move.syllables for move in comparison.moves[console.LONG_LIST :])
    rest += comparison.small_moves
    console.say(f"{console.plural(rest, 'syllable')} more in smaller moves")
