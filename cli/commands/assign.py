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
    from birdmodes.assign.run import assign_recordings, result_content
    from birdmodes.assign.table import Limits
    from birdmodes.audio.read import find_recordings
    from birdmodes.labels import FittedLabels, fit_labels
    from birdmodes.modes.clustering import read_clustering
    from birdmodes.workspace.store import Workspace

    limits = Limits(threshold, novelty)
    with console.messages_aside(json):
        store = Workspace.open(workspace)
        chosen = read_clustering(store, clustering)
        target = output or store.folder / "assigned" / chosen.name
        try:
            with console.counting("looking for recordings") as found:
                recordings = find_recordings(paths, on_progress=found)
            fitted = FittedLabels({}, [], [])
            if labels:
                fitted = fit_labels(
                    recordings,
                    labels,
                    min_conf=min_conf,
                    species_map=species_map,
                    label_column=label_column,
                    encoding=encoding,
                    channel=store.settings.channel,
                )
                segment_report.print_labels(recordings, fitted)
            with console.progress("segmenting") as advance:
                result = assign_recordings(
                    store,
                    chosen,
                    recordings,
                    fitted,
                    target,
                    limits=limits,
                    table=table,
                    workers=options.worker_count(workers),
                    on_progress=lambda at: advance(at.done, at.total, segment_report.so_far(at)),
                )
        except KeyboardInterrupt:
            console.say("stopped; nothing is lost: the same command goes on from here")
            raise typer.Exit(130) from None
        print_result(result, target)
    if json:
        console.print_json(result_content(result, chosen, limits))
    if result.summary.failed:
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
    console.say(f"written to {result.path}; next: birdmodes gallery --workspace {target}")
