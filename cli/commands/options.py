"""Options that several commands share."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

Workspace = Annotated[
    Path,
    typer.Option("--workspace", "-w", help="Folder that keeps the results of all commands."),
]

Workers = Annotated[
    int,
    typer.Option("--workers", min=0, help="Processes to use; 0 means one for each core."),
]

Labels = Annotated[
    list[Path] | None,
    typer.Option(
        "--labels",
        help="Label file, or folder of them; may be repeated. A CSV of recording,species, results "
        "of BirdNET, Raven, Audacity, Kaleidoscope or crowsetta: 'birdmodes labels FILE' shows "
        "what is read. Default: labels.csv beside the recordings, if there is one.",
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
        help="Column of Raven tables that names the species, where that is not clear.",
        show_default=False,
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

Channel = Annotated[
    int | None, typer.Option(min=1, help="Channel to use, from 1. Default: all, mixed down.")
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
