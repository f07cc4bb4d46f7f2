"""``birdmodes segment``: recordings to syllables."""

from __future__ import annotations

import enum
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from cli import console, options, segment_report
from cli.commands import review_apply


class BagUnit(enum.StrEnum):
    """What becomes a bag."""

    auto = "auto"
    recording = "recording"
    clip = "clip"


class Segmenter(enum.StrEnum):
    """How sounds are found."""

    energy = "energy"
    forest = "forest"


class Preset(enum.StrEnum):
    """Named sets of parameters."""

    default = "default"
    briggs2012 = "briggs2012"


def segment(
    paths: Annotated[
        list[Path], typer.Argument(help="Recordings, or folders of them.", show_default=False)
    ],
    workspace: options.Workspace = Path("birdmodes-workspace"),
    labels: options.Labels = None,
    no_labels: Annotated[
        bool,
        typer.Option(
            "--no-labels",
            help="Use no labels. Otherwise those of an earlier run are used again, if none are "
            "named.",
        ),
    ] = False,
    min_conf: options.MinConf = 0.0,
    species_map: options.SpeciesMap = None,
    taxonomy: options.Taxonomy = None,
    language: options.Language = None,
    label_column: options.LabelColumn = None,
    encoding: options.Encoding = None,
    labels_as: options.LabelsAs = options.LabelKind.auto,
    boxes_as_syllables: Annotated[
        bool,
        typer.Option(
            "--boxes-as-syllables",
            help="Sounds that labels mark with times and frequencies, and that are not found, "
            "become syllables as large as their boxes.",
        ),
    ] = False,
    preset: Annotated[
        Preset | None,
        typer.Option(
            help="Parameters to start from; briggs2012: 16 kHz, Hamming 512, hop 128.",
            show_default="default, or the model's",
        ),
    ] = None,
    segmenter: Annotated[
        Segmenter,
        typer.Option(help="How sounds are found: by energy, or by a trained pixel forest."),
    ] = Segmenter.energy,
    model: Annotated[
        Path | None,
        typer.Option(
            help="Model for --segmenter forest; 'birdmodes train-segmenter' makes one.",
            show_default=False,
        ),
    ] = None,
    sample_rate: options.SampleRate = None,
    clip_seconds: Annotated[
        float | None,
        typer.Option(help="Length of a clip (s).", show_default="10, or the model's"),
    ] = None,
    fmin: options.Fmin = None,
    fmax: options.Fmax = None,
    channel: options.Channel = None,
    bag: Annotated[
        BagUnit,
        typer.Option(
            help="What shares a species list: a whole recording or a clip; auto takes the "
            "recording where it is longer than a clip, unless its labels have times."
        ),
    ] = BagUnit.auto,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="Change any segmentation parameter, such as seed_z=6; none for no value. May be "
            "repeated.",
            show_default=False,
        ),
    ] = None,
    workers: options.Workers = 0,
    scheduler: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Use a Dask cluster, as tcp://host:8786 (needs birdmodes\\[cluster]).",
            show_default=False,
        ),
    ] = None,
    restart: Annotated[
        bool,
        typer.Option("--restart", help="Drop what the workspace holds and segment all anew."),
    ] = False,
    fail_fast: Annotated[
        bool,
        typer.Option("--fail-fast", help="Stop at the first recording that cannot be read."),
    ] = False,
) -> None:
    """Find the syllables of recordings.

    Safe to stop at any moment: the same command goes on where it was, and skips recordings that
    are done. Exit code 1 means that some recordings could not be read; errors.csv says which.
    """
    from birdmodes.labels import LabelRequest
    from birdmodes.review.segment import NO_LABELS, SegmentOptions, make_syllables

    started = time.monotonic()
    if no_labels and labels:
        raise typer.BadParameter("contradicts --labels; leave out one", param_hint="--no-labels")
    asked = LabelRequest(
        labels=None if labels is None else tuple(map(str, labels)),
        min_conf=min_conf,
        species_map=None if species_map is None else str(species_map),
        label_column=label_column,
        encoding=encoding,
        labels_as=labels_as.value,
        taxonomy=None if taxonomy is None else str(taxonomy),
        language=language,
    )
    changes = _changes(
        set_ or [],
        {
            "sample_rate_hz": ("--sample-rate", sample_rate),
            "clip_s": ("--clip-seconds", clip_seconds),
            "low_hz": ("--fmin", fmin),
            "high_hz": ("--fmax", fmax),
        },
    )
    chosen = SegmentOptions(
        NO_LABELS if no_labels else asked,
        _model(segmenter, model),
        None if preset is None else preset.value,
        changes,
        channel,
        bag.value,
        boxes_as_syllables,
    )
    try:
        with segment_report.Steps() as steps:
            made = make_syllables(
                paths,
                workspace,
                chosen,
                workers=options.worker_count(workers),
                scheduler=scheduler,
                restart=restart,
                fail_fast=fail_fast,
                on_warnings=console.warn_all,
                on_found=steps.found,
                on_plan=steps.planned,
                on_progress=steps.segmented,
            )
        review_apply.print_mended(made.conflicts)
    except KeyboardInterrupt:
        console.say("stopped; nothing is lost: the same command goes on from here")
        raise typer.Exit(130) from None
    segment_report.print_summary(
        made.summary, made.workspace.recordings(), workspace, time.monotonic() - started
    )
    if made.summary.failed:
        raise typer.Exit(1)


def _changes(assignments: list[str], options: dict[str, tuple[str, Any]]) -> dict[str, Any]:
    """Parameters that were set, by ``--set NAME=VALUE`` or an option of their own."""
    from birdmodes.segmentation.parameters import parse_changes

    changes = parse_changes(assignments)
    for name, (option, value) in options.items():
        if value is not None and name in changes:
            raise typer.BadParameter(f"{name} is given twice, also as {option}", param_hint="--set")
        if value is not None:
            changes[name] = value
    return changes


def _model(segmenter: Segmenter, model: Path | None) -> Path | None:
    """Model of ``--segmenter forest``."""
    if segmenter is Segmenter.forest and model is None:
        raise typer.BadParameter(
            "needs --model; 'birdmodes train-segmenter' makes one", param_hint="--segmenter forest"
        )
    if segmenter is not Segmenter.forest and model is not None:
        raise typer.BadParameter("is for --segmenter forest; add that", param_hint="--model")
    return model
