"""``birdmodes review apply``, ``merge``, ``log`` and ``undo``: corrections into a clustering."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli import console, options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from birdmodes.review.apply import Conflict
    from birdmodes.review.log import Batch


def review_apply(
    file: Annotated[
        Path | None,
        typer.Argument(
            help="What the gallery saved. Default: what 'birdmodes review' has saved here.",
            show_default=False,
        ),
    ] = None,
    workspace: options.Workspace = Path("birdmodes-workspace"),
    clustering: Annotated[
        str | None,
        typer.Option(
            help="Name of the clustering. Default: the one that FILE names, else the newest.",
            show_default=False,
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show what would happen; change nothing.")
    ] = False,
) -> None:
    """Take corrections into the clustering; they are kept in a log and never lost."""
    from birdmodes.review.apply_file import apply_review_file

    applied = apply_review_file(
        workspace, file, clustering=clustering, dry_run=dry_run, on_step=console.say
    )
    result = applied.reviewed
    name = result.clustering.name
    if not result.n_edits and result.batch is None:
        console.say(
            f"{name} has all {console.plural(len(applied.review.edits), 'edit')} of {applied.file}"
        )
    else:
        verb = "would be applied" if dry_run else "applied"
        console.say(f"{console.plural(result.n_edits, 'edit')} {verb} to {name}")
    _print_conflicts([c for c in result.conflicts if result.batch in (None, c.batch)])
    if dry_run:
        console.say("nothing was changed")
        return
    counts = result.clustering.metrics
    console.say(
        f"{name}: {console.plural(int(counts['modes'] or 0), 'mode')}, "
        f"{console.plural(int(counts.get('reviewed_syllables') or 0), 'reviewed syllable')}"
    )
    gallery = console.command("gallery", "--clustering", name, folder=workspace)
    again = console.command("cluster", "--with-review", folder=workspace)
    console.say(f"next: {gallery}; or {again}")


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
    following = console.command("review", "apply", merged.path, folder=workspace)
    console.say(f"next: {following}")


def review_log(workspace: options.Workspace = Path("birdmodes-workspace")) -> None:
    """List what was applied: when, by whom, to which clustering."""
    from birdmodes.review.log import read_log
    from birdmodes.workspace.store import Workspace

    batches = read_log(Workspace.open(workspace))
    if not batches:
        console.say("no corrections have been applied")
        return
    rows = [
        (
            str(batch.number),
            batch.applied_at,
            _on_one_line(batch.review.who) or "-",
            batch.review.clustering,
            str(len(batch.review.edits)),
            _summary(batch),
        )
        for batch in batches
    ]
    console.table(("batch", "applied", "who", "clustering", "edits", "what"), rows, numeric=(0, 4))


def review_undo(
    workspace: options.Workspace = Path("birdmodes-workspace"),
    clustering: Annotated[
        str | None,
        typer.Option(
            help="Take back the last batch of this clustering. Default: the last of all.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Take back the last corrections that were applied; the log keeps them."""
    from birdmodes.review.history import undo_last
    from birdmodes.workspace.store import Workspace

    undone = undo_last(Workspace.open(workspace), clustering)
    batch = undone.batch
    console.say(
        f"batch {batch.number} ({console.plural(len(batch.review.edits), 'edit')} of "
        f"{batch.review.clustering}, applied {batch.applied_at}) is taken back"
    )
    for result in undone.reviewed:
        console.say(f"{result.clustering.name} is made again without it")
        _print_conflicts(result.conflicts)
    console.warn_all(undone.damaged)
    console.say(f"next: {console.command('gallery', folder=workspace)}")


def _print_conflicts(conflicts: Sequence[Conflict]) -> None:
    for conflict in conflicts:
        console.warn(_on_one_line(str(conflict)))
    if conflicts:
        console.say(
            f"{console.plural(len(conflicts), 'conflict')}; the edits stay in the log, and count "
            "again where they fit"
        )


def print_mended(conflicts: Sequence[Conflict]) -> None:
    """Say what of corrected boxes does not fit recordings that were segmented anew."""
    _print_conflicts(conflicts)


def print_reapplied(result: Any) -> None:
    """Say what became of the log when a clustering was made anew."""
    batches = len(result.clustering.parameters.get("review", {}).get("batches", []))
    if batches:
        console.say(f"corrections of {console.plural(batches, 'batch')} are applied again")
        _print_conflicts(result.conflicts)


def _summary(batch: Batch) -> str:
    actions = [edit.action for edit in batch.review.edits]
    counts = {action: actions.count(action) for action in dict.fromkeys(actions)}
    text = ", ".join(f"{count} {action}" for action, count in counts.items())
    return f"{text} (taken back)" if batch.undone else text


def _on_one_line(text: str) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())
