"""Options that several commands share."""

from __future__ import annotations

import enum
import os
from pathlib import Path
from typing import Annotated

import typer


class LabelKind(enum.StrEnum):
    """How much labels with times say of single sounds."""

    auto = "auto"
    lists = "lists"
    spans = "spans"
    boxes = "boxes"


def complete_workspace(incomplete: str) -> list[str]:
    """Folders that a shell offers for ``--workspace``: workspaces, and what may hold some."""
    start = Path(incomplete)
    inside = start if not incomplete or incomplete.endswith("/") else start.parent
    head = "" if inside == Path() and not incomplete.startswith("./") else f"{inside}/"
    head = head.replace("//", "/")
    try:
        folders = sorted(each.name for each in inside.iterdir() if each.is_dir())
    except OSError:
        return []
    hidden = incomplete.rpartition("/")[2].startswith(".")
    names = [head + name for name in folders if hidden or not name.startswith(".")]
    fitting = [name for name in names if name.startswith(incomplete)]
    workspaces = [name for name in fitting if (Path(name) / "workspace.json").is_file()]
    return workspaces or [f"{name}/" for name in fitting]


def complete_clustering(context: typer.Context, incomplete: str) -> list[str]:
    """Names that a shell offers for ``--clustering``: those in the workspace."""
    return _results(context, "clusterings", incomplete)


def complete_grouping(context: typer.Context, incomplete: str) -> list[str]:
    """Names that a shell offers for ``--grouping``: those in the workspace."""
    return _results(context, "groupings", incomplete)


def _results(context: typer.Context, part: str, incomplete: str) -> list[str]:
    folder = Path(context.params.get("workspace") or "birdmodes-workspace")
    done = sorted((folder / part).glob("[!.]*/metrics.json"))
    return [path.parent.name for path in done if path.parent.name.startswith(incomplete)]


def complete_method(incomplete: str) -> list[tuple[str, str]]:
    """Names that a shell offers for ``--method``, and what they do."""
    from algorithms.registry import METHODS

    return [
        (name, method.summary) for name, method in METHODS.items() if name.startswith(incomplete)
    ]


Workspace = Annotated[
    Path,
    typer.Option(
        "--workspace",
        "-w",
        help="Folder that keeps the results of all commands.",
        autocompletion=complete_workspace,
    ),
]

Clustering = Annotated[
    str | None,
    typer.Option(
        "--clustering",
        help="Name of the clustering. Default: the newest.",
        show_default=False,
        autocompletion=complete_clustering,
    ),
]

Grouping = Annotated[
    str | None,
    typer.Option(
        "--grouping",
        help="Name of the groups of recordings. Default: the newest, if there are any.",
        show_default=False,
        autocompletion=complete_grouping,
    ),
]

Sites = Annotated[
    Path | None,
    typer.Option(
        "--sites",
        metavar="FILE",
        help="Where recordings were made: a CSV with the columns recording (or folder) and site. "
        "The workspace remembers it. Default: a folder is a site.",
        show_default=False,
    ),
]

Taxonomy = Annotated[
    Path | None,
    typer.Option(
        "--taxonomy",
        metavar="FILE",
        help="Scientific names, and names in your language, to be shown beside those of the "
        "labels: eBird's or IOC's table, or any with a column of scientific names. The workspace "
        "remembers it.",
        show_default=False,
    ),
]

Language = Annotated[
    str | None,
    typer.Option(
        "--language",
        metavar="COLUMN",
        help="Column of --taxonomy that has the names in your language.",
        show_default=False,
    ),
]

NoGroups = Annotated[bool, typer.Option("--no-groups", help="Leave out the groups of recordings.")]

Features = Annotated[
    list[str] | None,
    typer.Option(
        "--features",
        metavar="SETS",
        help="What syllables are described by: mel, modulation, briggs38, learned, rhythm, "
        "with commas between, or table:FILE for features of your own; may be repeated; see "
        "docs/features.md. Default: those that suit the method.",
        show_default=False,
    ),
]

FeatureTable = Annotated[
    Path | None,
    typer.Option(
        "--table",
        help="Your own features of the new recordings, where table:FILE was learned from. "
        "Default: in the same file.",
        show_default=False,
    ),
]

Json = Annotated[bool, typer.Option("--json", help="Print JSON, for other programs to read.")]

Workers = Annotated[
    int,
    typer.Option("--workers", min=0, help="Processes to use; 0 means one for each core."),
]

Labels = Annotated[
    list[Path] | None,
    typer.Option(
        "--labels",
        help="Label file, or folder of them; may be repeated. A table of recording,species (CSV, "
        "Excel ...), results of BirdNET, Raven, Audacity, Kaleidoscope, Praat and others: "
        "'birdmodes labels FILE' shows what is read. Default: those of the run before, else "
        "labels.csv beside the recordings.",
        show_default=False,
    ),
]

MinConf = Annotated[
    float,
    typer.Option(
        "--min-conf", min=0.0, max=1.0, help="Leave out detections of a lower confidence."
    ),
]

SpeciesMap = Annotated[
    Path | None,
    typer.Option(
        "--species-map",
        help="CSV of from,to: other names for the species of the label files; an empty 'to' "
        "leaves a label out.",
        show_default=False,
    ),
]

LabelColumn = Annotated[
    str | None,
    typer.Option(
        "--label-column",
        help="Column that names the species, where that is not clear; tier of a TextGrid.",
        show_default=False,
    ),
]

Encoding = Annotated[
    str | None,
    typer.Option(
        "--encoding",
        metavar="NAME",
        help="Encoding of label files that are not in UTF-8, such as cp1250, shift_jis or gbk; "
        "found by default, and said where it is a guess.",
        show_default=False,
    ),
]

LabelsAs = Annotated[
    LabelKind,
    typer.Option(
        "--labels-as",
        help="What labels with times say of the sounds they touch. lists: nothing beyond the "
        "species of the clip; spans: the sounds are of these species or of none; boxes: sounds "
        "in a label's times and frequencies are of its species; auto: boxes where there are "
        "frequencies, else spans.",
    ),
]

SampleRate = Annotated[
    int | None,
    typer.Option(
        help="Resample to this rate (Hz). Default: 22050, or the preset's.", show_default=False
    ),
]

Fmin = Annotated[
    float | None, typer.Option(help="Ignore sound below this frequency (Hz). Default: 300.")
]

Fmax = Annotated[
    float | None, typer.Option(help="Ignore sound above this frequency (Hz). Default: none.")
]


def _channel(text: str | int) -> int:
    """Number of a channel; 0 stands for the best one."""
    if str(text).lower() == "auto":
        return 0
    if not str(text).isdecimal() or int(text) < 1:
        raise typer.BadParameter(f"{text!r} is neither a channel's number, from 1, nor auto")
    return int(text)


Channel = Annotated[
    int | None,
    typer.Option(
        parser=_channel,
        metavar="N|auto",
        help="Channel to use, from 1; auto: the one in which most stands out of the noise. "
        "Default: all, mixed down.",
        show_default=False,
    ),
]

DataDir = Annotated[
    Path | None,
    typer.Option(
        "--data-dir",
        help="Folder of the data sets' files. Default: that of the environment variable "
        "BIRDMODES_DATA, else your cache folder.",
        show_default=False,
    ),
]


def worker_count(workers: int) -> int:
    """Number of processes for ``--workers``: 0 means the cores this process may use."""
    if workers:
        return workers
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
