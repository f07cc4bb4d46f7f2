"""``birdmodes assign``: new recordings into the modes of a clustering."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from birdmodes.io.printing import shown
from cli import console, options, segment_report

if TYPE_CHECKING:
    from birdmodes.assign.run import Assigned


def assign(
    paths: Annotated[
        list[Path],
        typer.Argument(help="New recordings, or folders of them.", show_default=False),
    ],
    workspace: options.Workspace = Path("birdmodes-workspace"),
    clustering: options.Clustering = None,
    labels: Annotated[
        list[Path] | None,
        typer.Option(
            "--labels",
            help="Label file, or folder of them; may be repeated. A recording with labels gets "
            "modes of its species only. Default: none, also if there is a labels.csv.",
            show_default=False,
        ),
    ] = None,
    min_conf: options.MinConf = 0.0,
    species_map: options.SpeciesMap = None,
    label_column: options.LabelColumn = None,
    encoding: options.Encoding = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Folder for the result, a workspace of the new recordings. Default: "
            "assigned/NAME in the workspace.",
            show_default=False,
        ),
    ] = None,
    threshold: Annotated[
        float,
        typer.Option(min=0.0, max=1.0, help="Leave syllables of a lower score unassigned."),
    ] = 0.5,
    novelty: Annotated[
        float,
        typer.Option(
            help="Leave syllables unassigned that are further from all known ones than this many "
            "times the distance that holds 99 of 100 known ones."
        ),
    ] = 1.0,
    table: options.FeatureTable = None,
    workers: options.Workers = 0,
    json: options.Json = False,
) -> None:
    """Segment new recordings and place each syllable in a mode, or leave it unassigned.

    Uses the settings that the workspace was segmented with. Safe to stop at any moment: the same
    command goes on where it was. Exit code 1 means that some recordings could not be read.
    """
    from birdmodes.assign.make import make_assignments
    from birdmodes.assign.table import Limits
    from birdmodes.labels import LabelRequest

    asked = LabelRequest(
        tuple(map(str, labels or ())),
        min_conf,
        None if species_map is None else str(species_map),
        label_column,
        encoding,
    )
    with console.messages_aside(json):
        try:
            with segment_report.Steps() as steps:
                made = make_assignments(
                    workspace,
                    paths,
                    clustering,
                    output,
                    labels=asked if labels else None,
                    limits=Limits(threshold, novelty),
                    table=table,
                    workers=options.worker_count(workers),
                    on_found=steps.found,
                    on_plan=steps.planned if labels else None,
                    on_progress=steps.segmented,
                )
        except KeyboardInterrupt:
            console.say("stopped; nothing is lost: the same command goes on from here")
            raise typer.Exit(130) from None
        print_result(made.result, made.folder)
    if json:
        console.print_json(made.content())
    if made.result.summary.failed:
        raise typer.Exit(1)


def print_result(result: Assigned, target: Path) -> None:
    """Print how many syllables came to which mode, and what that is worth."""
    segment_report.print_problems(result.summary, target)
    rows = [
        (
            shown(str(row.name)) or "(unassigned)",
            f"{row.syllables:,}",
            f"{row.recordings:,}",
            f"{row.score:.2f}",
        )
        for row in result.modes.itertuples(index=False, name="Row")
    ]
    console.say()
    console.table(("mode", "syllables", "recordings", "mean score"), rows, numeric=(1, 2, 3))
    console.say()
    reasons = result.table["unassigned"].value_counts()
    for reason in sorted(reason for reason in reasons.index if reason):
        console.say(f"unassigned, {reason}: {console.plural(int(reasons[reason]), 'syllable')}")
    tried = result.tried_out
    trial = (
        "tried out on the clustering's own syllables, each recording left out in turn: "
        f"{tried.right:.0%} come to their own cluster; "
    )
    if tried.assigned:
        trial += f"of the {tried.assigned:.0%} that are assigned, {tried.right_of_assigned:.0%} do"
    else:
        trial += "none of them is assigned at this threshold"
    console.paragraph(trial)
    console.warn_all(result.warnings)
    following = console.command("gallery", folder=target)
    console.say(f"written to {result.path}; next: {following}")
