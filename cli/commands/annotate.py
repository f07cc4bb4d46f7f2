"""``birdmodes annotate``: the species of new recordings, from those that have species lists."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from birdmodes.io.printing import shown
from cli import console, options, segment_report

if TYPE_CHECKING:
    from birdmodes.annotate.run import AnnotateResult


class Method(StrEnum):
    """What can annotate: the keys of `birdmodes.annotate.methods.ANNOTATORS`."""

    LDC = "ldc"
    MIMLCA = "mimlca"
    CITATION_KNN = "citation-knn"


MethodOption = Annotated[
    Method,
    typer.Option(
        "--method",
        "-m",
        help="How: ldc, or the learned metric mimlca, for syllables and recordings; citation-knn "
        "for whole recordings only.",
    ),
]

MinConfidence = Annotated[
    float,
    typer.Option(min=0.0, max=1.0, help="Syllables of a lower confidence are unsure."),
]

MinScore = Annotated[
    float,
    typer.Option(
        min=0.0, max=1.0, help="A species of this score or more is present in a recording."
    ),
]

MinLikeness = Annotated[
    float,
    typer.Option(
        min=0.0,
        max=1.0,
        help="Syllables farther from all that was learned from than all but this share of left-out "
        "ones are unsure, whatever their confidence; 0 lets all be named.",
    ),
]

Seed = Annotated[int, typer.Option(min=0, help="Same seed, same result.")]


def annotate(
    paths: Annotated[
        list[Path],
        typer.Argument(help="New recordings, or folders of them.", show_default=False),
    ],
    workspace: options.Workspace = Path("birdmodes-workspace"),
    method: MethodOption = Method.LDC,
    features: options.Features = None,
    table: options.FeatureTable = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Folder for the result, a workspace of the new recordings. Default: "
            "annotated/METHOD in the workspace, with the features if they are not the default.",
            show_default=False,
        ),
    ] = None,
    min_confidence: MinConfidence = 0.5,
    min_score: MinScore = 0.5,
    min_likeness: MinLikeness = 0.05,
    seed: Seed = 0,
    workers: options.Workers = 0,
    json: options.Json = False,
) -> None:
    """Segment new recordings and tell which species each syllable, and each recording, is of.

    Learns from the recordings of the workspace that have species lists; no clustering is needed.
    'birdmodes evaluate' tells how good that is. Safe to stop at any moment: the same command goes
    on where it was. Exit code 1 means that some recordings could not be read.
    """
    from birdmodes.annotate.make import make_annotations
    from birdmodes.annotate.run import AnnotateOptions
    from birdmodes.annotate.thresholds import Thresholds
    from birdmodes.modes.features.sets import parse_features

    thresholds = Thresholds(min_confidence, min_score, min_likeness)
    sets = parse_features(features or [])
    wanted = AnnotateOptions(method.value, thresholds, seed=seed, features=sets)
    with console.messages_aside(json):
        try:
            with segment_report.Steps("annotating") as steps:
                result = make_annotations(
                    workspace,
                    paths,
                    output,
                    wanted,
                    table=table,
                    workers=options.worker_count(workers),
                    on_found=steps.found,
                    on_fold=steps.learned,
                    on_progress=steps.segmented,
                )
        except KeyboardInterrupt:
            console.say("stopped; nothing is lost: the same command goes on from here")
            raise typer.Exit(130) from None
        _print_result(result)
    if json:
        console.print_json(result.content())
    if result.summary.failed:
        raise typer.Exit(1)


def _print_result(result: AnnotateResult) -> None:
    """Print what was found of each species, and what that is worth."""
    segment_report.print_problems(result.summary, result.folder)
    by_syllable = "syllables" in result.species
    columns = ("recordings", "syllables") if by_syllable else ("recordings",)
    found = result.species[result.species[list(columns)].any(axis=1)]
    rows = [
        (shown(row["species"]), *(f"{row[column]:,}" for column in columns))
        for row in found.to_dict("records")
    ]
    console.say()
    console.table(("species", *columns), rows, numeric=range(1, 1 + len(columns)))
    console.say()
    if len(found) < len(result.species):
        console.say(f"not found: {len(result.species) - len(found)} species")
    kinds = result.facts["kinds"]
    if "background" in kinds:
        console.say(f"background: {console.plural(kinds['background'], 'syllable')}")
    for reason, count in result.facts["unsure"].items():
        console.say(f"unsure, {reason}: {console.plural(count, 'syllable')}")
    unlike = result.facts["unlike_recordings"]
    if unlike:
        console.say(
            f"{console.plural(unlike, 'recording')}: half of the sounds or more are unlike "
            "anything that was learned from"
        )
    console.paragraph(
        "tried out on the recordings with species lists, parts of them left out in turn: "
        + _trial(result)
    )
    console.warn_all(result.warnings)
    for path in result.paths:
        console.say(f"written to {path}")
    if by_syllable and result.species["syllables"].any():
        following = console.command("export", "--format", "raven", folder=result.folder)
        console.say(f"next: {following}")


def _trial(result: AnnotateResult) -> str:
    right, found = result.tried_out["micro_precision"], result.tried_out["micro_recall"]
    if right is None or found is None:
        return "no species reaches the score anywhere, so expect nothing to be found"
    return (
        f"{right:.0%} of the species said to be present are, and {found:.0%} of those present are "
        "found"
    )
