"""``birdmodes export``: modes and groups to tables and clips for other programs."""

from __future__ import annotations

import os
from contextlib import nullcontext
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from birdmodes.errors import ParameterError
from cli import console, options

if TYPE_CHECKING:
    from birdmodes.export import ExportResult


class Format(StrEnum):
    """What can be written: `birdmodes.export.FORMATS`, and the groups of recordings."""

    CSV = "csv"
    R = "r"
    EXCEL = "excel"
    PARQUET = "parquet"
    RAVEN = "raven"
    AUDACITY = "audacity"
    KALEIDOSCOPE = "kaleidoscope"
    CROWSETTA = "crowsetta"
    EBIRD = "ebird"
    INATURALIST = "inaturalist"
    DETECTIONS = "detections"
    CLIPS = "clips"
    GROUPS = "groups"


class Label(StrEnum):
    """What labels say."""

    MODE = "mode"
    SPECIES = "species"


class ClipFormat(StrEnum):
    """Formats of clips."""

    WAV = "wav"
    FLAC = "flac"


def export(
    format: Annotated[  # the option's name
        Format, typer.Option("--format", "-f", help="What to write.", show_default=False)
    ],
    workspace: options.Workspace = Path("birdmodes-workspace"),
    clustering: options.Clustering = None,
    grouping: options.Grouping = None,
    no_groups: options.NoGroups = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="File, or folder for raven, audacity, crowsetta, detections, clips. Default: in "
            "'exports' in the workspace.",
            show_default=False,
        ),
    ] = None,
    species: Annotated[
        list[str] | None,
        typer.Option(help="Only this species; may be repeated.", show_default=False),
    ] = None,
    mode: Annotated[
        list[str] | None,
        typer.Option(
            help="Only this mode ('Robin mode 1', or 'mode 1' of each species); may be repeated.",
            show_default=False,
        ),
    ] = None,
    min_confidence: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            max=1.0,
            help="Leave out syllables of a lower confidence. Default: leave out those of 0, whose "
            "recording is known to lack the species.",
            show_default=False,
        ),
    ] = None,
    include_background: Annotated[
        bool,
        typer.Option(
            "--include-background", help="Write clusters that belong to no species as well."
        ),
    ] = False,
    combined: Annotated[
        bool,
        typer.Option(
            "--combined",
            help="raven, crowsetta: one table of all recordings; in Raven's, time goes on from one "
            "to the next.",
        ),
    ] = False,
    label: Annotated[
        Label, typer.Option(help="audacity, crowsetta: what the labels say.")
    ] = Label.MODE,
    plain: Annotated[
        bool, typer.Option("--plain", help="audacity: labels without frequencies.")
    ] = False,
    features: Annotated[
        bool,
        typer.Option("--features", help="csv, r, excel, parquet: the features as columns."),
    ] = False,
    bom: Annotated[
        bool,
        typer.Option(
            "--bom",
            help="csv: begin with a byte-order mark, so that Excel and LibreOffice show names "
            "right.",
        ),
    ] = False,
    sites: options.Sites = None,
    padding: Annotated[
        float, typer.Option(min=0.0, max=10.0, help="clips: sound around the syllable (s).")
    ] = 0.1,
    per_mode: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="clips: only so many of each mode, the most central ones. Default: all.",
            show_default=False,
        ),
    ] = None,
    clip_format: Annotated[
        ClipFormat, typer.Option(help="clips: format of the files.")
    ] = ClipFormat.WAV,
    overwrite: Annotated[
        bool,
        typer.Option(
            "--overwrite", help="Replace a file that is there, or an export changed by hand."
        ),
    ] = False,
    as_json: options.Json = False,
) -> None:
    """Write the modes for Raven, Audacity, Kaleidoscope, crowsetta, R, Excel, eBird, or as clips.

    --format detections writes which species was found at which site on which day, for models of
    occupancy.

    With groups of recordings, syllables have the group of their recording, and csv and parquet
    come with the tables of the groups in a folder beside; --format groups writes only these.

    Exit code 1 means that something is missing: clips of recordings that could not be read, or
    recordings without a date in a checklist.
    """
    # Of the ways in which Arrow can take memory, the system's own keeps least of what it gave back.
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    from birdmodes.export import Choice, ClipOptions, ExportOptions, make_export

    if format is Format.GROUPS:
        _refuse(
            {
                "--no-groups": no_groups,
                "--clustering": clustering,
                "--species": species,
                "--mode": mode,
                "--min-confidence": min_confidence is not None,
                "--include-background": include_background,
                "--combined": combined,
                "--label": label is not Label.MODE,
                "--plain": plain,
                "--features": features,
                "--bom": bom,
                "--sites": sites is not None,
                "--per-mode": per_mode,
            }
        )
        _export_groups(workspace, grouping, output, overwrite=overwrite, as_json=as_json)
        return
    wanted = ExportOptions(
        format=format.value,
        choice=Choice(tuple(species or ()), tuple(mode or ()), min_confidence, include_background),
        combined=combined,
        label=label.value,
        spectral=not plain,
        features=features,
        mark=bom,
        clips=ClipOptions(padding, per_mode, clip_format.value),
        overwrite=overwrite,
    )
    with console.progress("clips") if format is Format.CLIPS else nullcontext() as advance:
        made = make_export(
            workspace,
            wanted,
            clustering,
            output,
            grouping=grouping,
            groups=not no_groups,
            sites=sites,
            on_notes=console.warn_all,
            on_progress=advance,
        )
    result = made.result
    console.warn_all(result.warnings)
    with console.messages_aside(as_json):
        _print_result(result)
    if as_json:
        console.print_json(
            {
                "output": str(result.output),
                "clustering": made.clustering,
                "grouping": made.grouping,
                "groups_output": None if result.groups is None else str(result.groups),
                "syllables": result.syllables,
                "files": result.files,
                "left_out": result.left_out,
                "warnings": made.warnings,
            }
        )
    if result.warnings:
        raise typer.Exit(1)


def _refuse(given: dict[str, object]) -> None:
    for option, value in given.items():
        if value:
            raise ParameterError(
                f"{option} does not go with --format groups, which writes groups of recordings; "
                "leave it out"
            )


def _export_groups(
    workspace: Path,
    name: str | None,
    output: Path | None,
    *,
    overwrite: bool,
    as_json: bool,
) -> None:
    from birdmodes.export import make_group_export

    made = make_group_export(workspace, name, output, overwrite=overwrite)
    result = made.result
    with console.messages_aside(as_json):
        groups = console.plural(result.groups, "group")
        console.say(f"{groups} in {console.plural(result.files, 'table')}: {result.output}")
    if as_json:
        console.print_json(
            {
                "output": str(result.output),
                "grouping": made.grouping,
                "groups": result.groups,
                "bags": result.bags,
                "files": result.files,
            }
        )


def _print_result(result: ExportResult) -> None:
    files = "" if result.files in (1, result.syllables) else f" in {result.files:,} files"
    console.say(f"{console.plural(result.syllables, 'syllable')}{files}: {result.output}")
    if result.groups is not None:
        console.say(f"groups of recordings: {result.groups}")
    if result.left_out:
        console.say(
            f"left out for their confidence: {console.plural(result.left_out, 'syllable')} "
            "(--min-confidence 0 keeps all)"
        )
