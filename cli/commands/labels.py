"""``birdmodes labels``: what would be read from label files."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from birdmodes.io.printing import shown
from cli import console, options

if TYPE_CHECKING:
    from birdmodes.labels import FittedLabels
    from birdmodes.labels.files import ReadFile
    from birdmodes.labels.summary import SpeciesCounts, TableSummary
    from birdmodes.labels.survey import LabelSurvey


def labels(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="Label files, or folders of them."),
    ],
    recordings: Annotated[
        Path | None,
        typer.Option(
            help="Folder of the recordings: say which of them the labels are for.",
            show_default=False,
        ),
    ] = None,
    min_conf: options.MinConf = 0.0,
    species_map: options.SpeciesMap = None,
    taxonomy: options.Taxonomy = None,
    language: options.Language = None,
    label_column: options.LabelColumn = None,
    encoding: options.Encoding = None,
    channel: options.Channel = None,
    json: options.Json = False,
) -> None:
    """Show what would be read from label files.

    The format of each file, its labels, the species and the recordings they are for. Files in a
    folder that hold no labels are listed as skipped. Exit code 1 means that some files could not
    be read.
    """
    from birdmodes.labels.survey import survey_labels

    survey = survey_labels(
        files,
        recordings,
        min_conf=min_conf,
        species_map=species_map,
        taxonomy=taxonomy,
        language=language,
        label_column=label_column,
        encoding=encoding,
        channel=channel,
    )
    if json:
        console.print_json(_content(survey))
    else:
        _print_tables(survey.tables, survey.not_found)
        _print_species(survey.counts)
        _print_skipped(survey.skipped)
        if survey.fitted:
            _print_fit(survey.fitted, survey.n_recordings)
        else:
            console.warn_all(survey.notes())
    for problem in survey.refused:
        console.error(str(problem))
    if survey.unfit is not None:
        raise survey.unfit
    if survey.refused:
        raise typer.Exit(1)


def _content(survey: LabelSurvey) -> dict[str, Any]:
    files = [
        {
            "file": str(table.path),
            "format": table.format,
            "labels": table.labels,
            "kept": table.kept,
            "recordings": table.recordings,
        }
        for table in survey.tables
    ]
    for file, not_found in zip(files, survey.not_found or [], strict=False):
        file["not_found"] = not_found
    content: dict[str, Any] = {
        "files": files,
        "species": [
            {"name": name, "labels": labels, "recordings": heard}
            for name, labels, heard in survey.counts.species
        ],
        "recordings": survey.counts.recordings,
        "skipped": [{"file": str(f.source.path), "reason": f.reason} for f in survey.skipped],
        "refused": [str(error) for error in survey.refused],
        "notes": survey.notes(),
    }
    if survey.fitted:
        content["fit"] = {
            "recordings": survey.n_recordings,
            "labelled": len(survey.fitted.species),
            "with_times": len(survey.fitted.timed),
            "warnings": survey.fitted.warnings,
        }
    return content


def _print_tables(tables: list[TableSummary], absent: list[int] | None) -> None:
    """Print a line for each file, or for each format where there are many files."""
    header = ["file", "format", "labels", "kept", "recordings"]
    numeric: tuple[int, ...] = (2, 3, 4)
    if len(tables) <= console.LONG_LIST:
        first = [shown(table.path.name) for table in tables]
        groups = [[number] for number in range(len(tables))]
    else:
        header[0] = "files"
        counts = Counter(table.format for table in tables)
        first = [f"{count:,}" for count in counts.values()]
        groups = [[n for n, table in enumerate(tables) if table.format == f] for f in counts]
        numeric = (0, *numeric)
    rows = []
    for name, group in zip(first, groups, strict=True):
        members = [tables[number] for number in group]
        sums = [
            sum(table.labels for table in members),
            sum(table.kept for table in members),
            sum(table.recordings for table in members),
        ]
        if absent is not None:
            sums.append(sum(absent[number] for number in group))
        rows.append([name, members[0].format, *(f"{value:,}" for value in sums)])
    if absent is not None:
        header.append("not found")
        numeric = (*numeric, 5)
    console.table(header, rows, numeric=numeric)


def _print_species(counts: SpeciesCounts) -> None:
    species = counts.species
    console.say()
    if not species:
        console.say("no species in these labels")
        return
    rows = [(shown(name), f"{labels:,}", f"{heard:,}") for name, labels, heard in species]
    console.table(("species", "labels", "recordings"), rows, numeric=(1, 2))
    console.say()
    console.say(
        f"{console.plural(len(species), 'species')} in "
        f"{console.plural(counts.recordings, 'recording')}"
    )


def _print_skipped(files: list[ReadFile]) -> None:
    if not files:
        return
    console.say()
    console.say(f"skipped, no label files: {console.plural(len(files), 'file')}")
    for file in files[: console.LONG_LIST]:
        console.paragraph(f"{shown(file.source.path)}: {file.reason}", indent=2)
    if len(files) > console.LONG_LIST:
        console.say(f"  ... and {len(files) - console.LONG_LIST:,} more")


def _print_fit(fitted: FittedLabels, n_recordings: int) -> None:
    console.say()
    console.say(
        f"{console.plural(n_recordings, 'recording')}, {len(fitted.species):,} labelled, "
        f"{len(fitted.timed):,} of them with times"
    )
    console.warn_all(fitted.warnings)
