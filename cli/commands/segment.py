"""``birdmodes segment``: recordings to syllables."""

from __future__ import annotations

import enum
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli import console
from cli.commands import options

if TYPE_CHECKING:
    import pandas as pd

    from birdmodes.pipeline import SegmentSummary
    from birdmodes.workspace import Settings


class BagUnit(enum.StrEnum):
    """What becomes a bag."""

    auto = "auto"
    recording = "recording"
    clip = "clip"


class Preset(enum.StrEnum):
    """Named sets of parameters."""

    default = "default"
    briggs2012 = "briggs2012"


def segment(
    paths: Annotated[
        list[Path], typer.Argument(help="Recordings, or folders of them.", show_default=False)
    ],
    workspace: options.Workspace = Path("birdmodes-workspace"),
    labels: Annotated[
        Path | None,
        typer.Option(
            help="CSV with the columns recording,species (species separated by ';'). "
            "Default: labels.csv beside the recordings, if there is one.",
            show_default=False,
        ),
    ] = None,
    preset: Annotated[
        Preset,
        typer.Option(help="Parameters to start from; briggs2012: 16 kHz, Hamming 512, hop 128."),
    ] = Preset.default,
    sample_rate: Annotated[
        int | None,
        typer.Option(
            help="Resample to this rate (Hz). Default: 22050, or the preset's.", show_default=False
        ),
    ] = None,
    clip_seconds: Annotated[float, typer.Option(help="Length of a clip (s).")] = 10.0,
    fmin: Annotated[
        float | None,
        typer.Option(help="Ignore sound below this frequency (Hz). Default: 300."),
    ] = None,
    fmax: Annotated[
        float | None,
        typer.Option(help="Ignore sound above this frequency (Hz). Default: none."),
    ] = None,
    channel: Annotated[
        int | None,
        typer.Option(min=1, help="Channel to use, from 1. Default: all, mixed down."),
    ] = None,
    bag: Annotated[
        BagUnit,
        typer.Option(
            help="What shares a species list: a whole recording or a clip; auto takes the "
            "recording where it is longer than a clip."
        ),
    ] = BagUnit.auto,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="Change any other segmentation parameter, such as seed_z=6. May be repeated.",
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
) -> None:
    """Find the syllables of recordings.

    Safe to stop at any moment: the same command goes on where it was, and skips recordings that
    are done. Exit code 1 means that some recordings could not be read; errors.csv says which.
    """
    from birdmodes.audio import find_recordings
    from birdmodes.labels import fit_labels
    from birdmodes.pipeline import segment_recordings
    from birdmodes.workspace import Workspace

    started = time.monotonic()
    changes = {"clip_s": clip_seconds, "low_hz": fmin, "high_hz": fmax, **_changes(set_ or [])}
    if sample_rate is not None:
        changes["sample_rate_hz"] = sample_rate
    settings = _settings(preset.value, changes, channel, bag.value)
    recordings = find_recordings(paths)
    fitted = fit_labels(recordings, labels)
    labelled = len(fitted.species)
    names = {name for species in fitted.species.values() for name in species}
    console.say(
        f"{console.plural(len(recordings), 'recording')}, {labelled:,} labelled "
        f"with {console.plural(len(names), 'species')}"
    )
    for table in fitted.files:
        console.say(f"labels: {table}")
    console.warn_all(fitted.warnings)
    if not labelled:
        console.warn(
            "no labels: syllables will be found, but not which species they belong to; see "
            "'birdmodes segment --help', --labels"
        )
    target = Workspace.prepare(workspace, settings, restart=restart)
    try:
        with console.progress("segmenting") as advance:
            summary = segment_recordings(
                recordings,
                fitted,
                target,
                workers=options.worker_count(workers),
                scheduler=scheduler,
                on_progress=lambda at: advance(
                    at.done,
                    at.total,
                    f"{console.plural(at.syllables, 'syllable')}"
                    + (f", {at.failed} failed" if at.failed else ""),
                ),
            )
    except KeyboardInterrupt:
        console.say("stopped; nothing is lost: the same command goes on from here")
        raise typer.Exit(130) from None
    _report(summary, target.recordings(), workspace, time.monotonic() - started)
    if summary.failed:
        raise typer.Exit(1)


def _changes(assignments: list[str]) -> dict[str, Any]:
    """Values of ``--set NAME=VALUE``: numbers where they are numbers, else text."""
    changes: dict[str, Any] = {}
    for assignment in assignments:
        name, equals, text = assignment.partition("=")
        if not equals:
            raise typer.BadParameter(f"{assignment!r} is not NAME=VALUE", param_hint="--set")
        changes[name.strip()] = _value(text.strip())
    return changes


def _value(text: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _settings(preset: str, changes: dict[str, Any], channel: int | None, bag: str) -> Settings:
    from birdmodes.parameters import SegmentationParameters
    from birdmodes.segmentation import check_method
    from birdmodes.workspace import Settings

    wanted = {name: value for name, value in changes.items() if value is not None}
    parameters = SegmentationParameters.preset(preset, **wanted)
    check_method(parameters)
    return Settings(parameters, channel, bag)


def _report(
    summary: SegmentSummary, recordings: pd.DataFrame, workspace: Path, seconds: float
) -> None:
    if summary.segmented:
        console.say(
            f"{console.plural(summary.syllables, 'syllable')} in "
            f"{console.plural(summary.segmented, 'recording')} "
            f"({console.duration(summary.duration_s)} of sound) in {console.duration(seconds)}"
        )
    if summary.skipped:
        console.say(f"{console.plural(summary.skipped, 'recording')} done before, skipped")
    console.warn_all([f"{name}: {note}" for name, note in summary.notes])
    for _, reason in summary.failed[: console.LONG_LIST]:
        console.error(reason)
    if summary.failed:
        console.error(
            f"{console.plural(len(summary.failed), 'recording')} could not be read; all are "
            f"listed in {workspace / 'errors.csv'}"
        )
    units = recordings["bag_unit"].value_counts()
    if units.get("recording", 0):
        console.say(
            f"bags: {console.plural(int(units['recording']), 'recording')} longer than a clip "
            "are one bag each, since their species list holds for the whole recording"
            + (f"; {units['clip']} short ones are a bag of one clip" if "clip" in units else "")
        )
    elif len(recordings):
        console.say("bags: each clip is a bag with the species of its recording")
    console.say(f"workspace: {workspace}")
